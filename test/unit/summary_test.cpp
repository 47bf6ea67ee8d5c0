//===- summary_test.cpp - summaries for TensorBoard ---------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// test/system/tensorboard_test.py reads all values with TensorBoard itself.
//===----------------------------------------------------------------------===//
#include "test/unit/Errors.h"
#include "test/unit/Events.h"
#include "test/unit/ScratchFile.h"

#include <tenon/learning.h>

#include <gmock/gmock.h>

#include <cmath>
#include <sys/resource.h>
#include <thread>
#include <zlib.h>

using namespace tenon;
using namespace tenon::test;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

namespace {
class Summary : public tenon::testing::ScratchFile {
protected:
  std::string folder() const { return (folder_ / "tb").string(); }
  /// The events that `write` writes.
  template <class Write>
  std::vector<Event> written(const Write &write) {
    const summary::FileWriter writer(folder());
    {
      auto scope = writer.as_default();
      write();
    }
    writer.close();
    return eventsOf(writer.path());
  }
};
} // namespace

TEST_F(Summary, IsWrittenToTheInnermostWriterOfTheThread) {
  const summary::FileWriter outer(folder()), inner(folder());
  summary::scalar("nobody", 1, 1);
  {
    auto first = outer.as_default();
    summary::scalar("a", 1, 1);
    {
      auto second = inner.as_default();
      summary::scalar("b", 2, 2);
      std::thread([] { summary::scalar("elsewhere", 3, 3); }).join();
    }
    summary::scalar("c", 2.5, 3);
  }
  outer.flush();
  inner.flush();
  EXPECT_EQ(textOf(eventsOf(outer.path())), "a@1=1 c@3=2.5");
  EXPECT_EQ(textOf(eventsOf(inner.path())), "b@2=2");
}

TEST_F(Summary, WritersOfOneSecondHaveFilesOfTheirOwn) {
  for (int i = 0; i < 3; ++i) {
    const summary::FileWriter writer(folder(), {.filename_suffix = ".v2"});
    auto scope = writer.as_default();
    summary::scalar("a", i, i);
  }
  EXPECT_THAT(filesOf(folder()), SizeIs(3));
  for (const std::string &file : filesOf(folder())) {
    EXPECT_THAT(file, HasSubstr("events.out.tfevents."));
    EXPECT_THAT(eventsOf(file), SizeIs(1));
  }
}

TEST_F(Summary, RecordEveryWritesMultiplesAlone) {
  // The guide's loop: steps 701 to 710 are no multiples of 100.
  EXPECT_THAT(written([] {
                for (int64_t step = 701; step <= 710; ++step)
                  summary::record_every(100, step, [&] { summary::scalar("loss", 1, step); });
              }),
              SizeIs(0));
  EXPECT_EQ(textOf(written([] {
              for (int64_t step = -3; step <= 6; ++step)
                summary::record_every(3, step, [&] { summary::scalar("s", step, step); });
            })),
            "s@-3=-3 s@0=0 s@3=3 s@6=6");
}

TEST_F(Summary, OfAProgramIsWrittenWhenItRuns) {
  auto f = jit([](const Array &x, const Array &step) {
    summary::scalar("before", sum(x), step);
    summary::record_every(2, step, [&] {
      summary::scalar("twice", sum(x) * 2, step);
      summary::text("text", "a *b*", step);
    });
    return x + 1;
  });
  const Array x = {1.0f, 2.0f};
  const std::vector<Event> events = written([&] {
    for (int64_t step = 1; step <= 4; ++step)
      f(x, Array(step, i64));
  });
  EXPECT_EQ(textOf(events), "before@1=3 before@2=3 twice@2=6 text@2=0 before@3=3 before@4=3 twice@4=6 "
                            "text@4=0");
  EXPECT_THAT(events[3].strings, ElementsAre("a *b*"));
  EXPECT_EQ(f.trace_count(), 1u);
  // Traced without a writer, and with another one: the default is the one of the call.
  f(x, Array(int64_t(6), i64));
  EXPECT_EQ(textOf(written([&] { f(x, Array(int64_t(5), i64)); })), "before@5=3");
  EXPECT_EQ(f.trace_count(), 1u);
}

TEST_F(Summary, NoDerivativeSeesIt) {
  const auto loss = [](const Array &x) {
    const Array value = sum(sin(x));
    summary::scalar("loss", value, 1);
    summary::record_if(value > -100.0f, [&] { summary::histogram("x", x, 1); });
    return value;
  };
  const Array x = {0.5f, -1.0f, 2.0f}, expected = cos(x);
  EXPECT_THAT(written([&] {
                EXPECT_TRUE(array_equal(grad(loss)(x), expected));
                EXPECT_TRUE(array_equal(jit(grad(loss))(x), expected));
                EXPECT_TRUE(array_equal(jvp(loss, x, ones_like(x)).second, sum(expected)));
                GradientTape tape;
                const Variable v(x);
                EXPECT_TRUE(array_equal(tape.gradient(loss(v), v), expected));
              }),
              SizeIs(8));
}

TEST_F(Summary, EachElementOfABatchWrites) {
  EXPECT_EQ(textOf(written([] {
              vmap([](const Array &x, const Array &step) {
                summary::scalar("x", x, step);
                return x;
              })(Array{1.0f, 2.0f}, Array{4, 5});
            })),
            "x@4=1 x@5=2");
}

TEST_F(Summary, DefaultStepIsReadWhenItIsWritten) {
  const Variable step(Array(int64_t(0), i64));
  auto f = jit([&](const Array &x) {
    step.assign(step.value() + 1);
    summary::scalar("x", sum(x));
    return x;
  });
  EXPECT_EQ(textOf(written([&] {
              summary::set_step(step);
              f(Array{1.0f});
              f(Array{2.0f});
              summary::scalar("y", 3);
              summary::set_step(7);
              summary::scalar("z", 4);
            })),
            "x@1=1 x@2=2 y@2=3 z@7=4");
  std::thread([&] {
    EXPECT_THAT(messageOf([&] { written([] { summary::scalar("w", 1); }); }),
                HasSubstr("summary::scalar 'w': expected a step, got none: give one, or call summary::set_step"));
  }).join();
}

TEST_F(Summary, HistogramsCountWhatIsFinite) {
  const auto rowsOf = [&](const Array &data, int64_t buckets) {
    return written([&] { summary::histogram("h", data, 1, {.buckets = buckets}); })[0].rows;
  };
  const float infinity = HUGE_VALF, nan = NAN;
  EXPECT_THAT(rowsOf(Array{0.0f, 1.0f, 1.5f, 2.0f, infinity, -infinity, nan}, 2), ElementsAre(0, 1, 1, 1, 2, 3));
  EXPECT_THAT(rowsOf(Array{nan, infinity}, 1), ElementsAre(0, 0, 0));
  EXPECT_THAT(rowsOf(Array{3, 3}, 2), ElementsAre(3, 3, 0, 3, 3, 2));
  EXPECT_THAT(rowsOf(zeros({0, 4}), 1), ElementsAre(0, 0, 0));
  EXPECT_THAT(rowsOf(Array(std::vector<double>{-1.6e308, 1.6e308}), 2), ElementsAre(-1.6e308, 0, 1, 0, 1.6e308, 1));
}

TEST_F(Summary, ImagesKeepTheirBytes) {
  // 8 bytes of signature, 25 of the header, 12 around the data, 12 of the end.
  const auto pixelsOf = [](const std::string &png) {
    std::string raw(100, '\0');
    uLongf size = raw.size();
    uncompress(reinterpret_cast<Bytef *>(raw.data()), &size, reinterpret_cast<const Bytef *>(png.data()) + 41,
               png.size() - 57);
    return std::vector<int>(raw.begin(), raw.begin() + static_cast<std::ptrdiff_t>(size));
  };
  const std::vector<Event> events = written([] {
    summary::image("gray", Array{{0.0f, 0.5f}, {1.0f, 7.0f}}, 1);
    summary::image("bytes", Array{{{0, 100, 127}}}.astype(u8), 1);
    summary::image("nan", Array{{float(NAN), -1.0f}}, 1);
    summary::image("batch", zeros({5, 2, 3, 4}), 1, {.max_outputs = 2});
  });
  ASSERT_THAT(events[0].strings, SizeIs(3));
  EXPECT_EQ(events[0].strings[0], "2");
  EXPECT_THAT(pixelsOf(events[0].strings[2]), ElementsAre(0, 0, 127, 0, -1, -1)); // -1: 255
  EXPECT_THAT(pixelsOf(events[1].strings[2]), ElementsAre(0, 0, 100, 127));
  EXPECT_THAT(pixelsOf(events[2].strings[2]), ElementsAre(0, 0, 0));
  ASSERT_THAT(events[3].strings, SizeIs(4));
  EXPECT_EQ(events[3].strings[0] + "x" + events[3].strings[1], "3x2");
}

TEST_F(Summary, BadArgumentsAreErrorsWithOrWithoutAWriter) {
  const auto text = [](auto &&call) { return messageOf(call); };
  EXPECT_THAT(text([] { summary::scalar("a", Array{1.0f, 2.0f}, 1); }),
              HasSubstr("summary::scalar 'a': expected an array of one element, got shape (2,)"));
  EXPECT_THAT(text([] { summary::scalar("a", 1, 1.5); }), HasSubstr("expected an integer as step, got float32"));
  EXPECT_THAT(text([] { summary::scalar("", 1, 1); }), HasSubstr("expected a name, got an empty one"));
  EXPECT_THAT(text([] { summary::text("a", "\xff", 1); }), HasSubstr("expected texts in UTF-8, got other bytes"));
  EXPECT_THAT(text([] { summary::histogram("a", Array{1.0f}, 1, {.buckets = 0}); }), HasSubstr("got 0"));
  EXPECT_THAT(text([] { summary::image("a", zeros({2, 2, 5}), 1); }),
              ::testing::Eq("no error")); // seen when it is written
  EXPECT_THAT(text([] { summary::image("a", zeros({2}), 1); }), HasSubstr("got an array of shape (2,)"));
  EXPECT_THAT(text([] { summary::image("a", zeros({2, 2}, i32), 1); }),
              HasSubstr("expected floats in [0, 1], u8 or bool, got int32"));
  EXPECT_THAT(text([] { summary::record_every(0, 1, [] {}); }), HasSubstr("expected n >= 1, got 0"));
  EXPECT_THAT(text([] { summary::record_if(Array{1.0f}, [] {}); }),
              HasSubstr("expected a bool of rank 0, got float32 of shape (1,)"));
  EXPECT_THAT(text([&] { summary::FileWriter("/dev/null/tb"); }), HasSubstr("cannot make the folder"));
}

TEST_F(Summary, AClosedOrRemovedFileIsAnError) {
  const summary::FileWriter writer(folder());
  auto scope = writer.as_default();
  writer.close();
  EXPECT_THAT(messageOf([] { summary::scalar("a", 1, 1); }),
              HasSubstr("expected an open writer, got one that close()"));
  const summary::FileWriter other(folder());
  auto inner = other.as_default();
  std::filesystem::remove_all(folder());
  summary::scalar("a", 1, 1);
  EXPECT_THAT(messageOf([&] { other.flush(); }), HasSubstr("expected the file to be there, got one that was removed"));
}

TEST_F(Summary, AFullDiskTearsNoEvent) {
  const summary::FileWriter writer(folder());
  auto scope = writer.as_default();
  summary::scalar("a", 1, 1);
  writer.flush();
  const auto size = std::filesystem::file_size(writer.path());
  ::signal(SIGXFSZ, SIG_IGN);
  rlimit before;
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{size + 10, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  summary::scalar("b", 2, 2);
  EXPECT_THAT(messageOf([&] { writer.flush(); }), HasSubstr("cannot write: File too large"));
  EXPECT_EQ(std::filesystem::file_size(writer.path()), size);
  setrlimit(RLIMIT_FSIZE, &before);
  writer.flush();
  EXPECT_EQ(textOf(eventsOf(writer.path())), "a@1=1 b@2=2");
}

TEST_F(Summary, AForkedChildWritesToAFileOfItsOwn) {
  const summary::FileWriter writer(folder());
  auto scope = writer.as_default();
  summary::scalar("parent", 1, 1);
  const pid_t child = fork();
  if (child == 0) {
    summary::scalar("child", 2, 2);
    writer.flush();
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  writer.flush();
  EXPECT_EQ(textOf(eventsOf(writer.path())), "parent@1=1");
  for (const std::string &file : filesOf(folder()))
    if (file != writer.path()) {
      EXPECT_EQ(textOf(eventsOf(file)), "child@2=2");
    }
  EXPECT_THAT(filesOf(folder()), SizeIs(2));
}

TEST_F(Summary, ThreadsShareAWriter) {
  const summary::FileWriter writer(folder(), {.max_queue = 3});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      auto scope = writer.as_default();
      for (int64_t i = 0; i < 100; ++i)
        summary::scalar("a", i, i);
    });
  for (std::thread &thread : threads)
    thread.join();
  writer.close();
  EXPECT_THAT(eventsOf(writer.path()), SizeIs(400));
}

TEST_F(Summary, EventsAreInTheFileWhenTheQueueIsFull) {
  const summary::FileWriter writer(folder(), {.max_queue = 2});
  auto scope = writer.as_default();
  summary::scalar("a", 1, 1);
  EXPECT_THAT(eventsOf(writer.path()), SizeIs(0));
  summary::scalar("a", 2, 2);
  EXPECT_THAT(eventsOf(writer.path()), SizeIs(2));
}

TEST_F(Summary, FitWritesEpochsAndSteps) {
  set_seed(1);
  const Array x = random::normal(random::key(1), {20, 3}), y = sum(x, 1, true);
  const nn::Sequential model{nn::Dense{1}};
  train::TensorBoard board{folder(), {.histogram_freq = 2, .update_freq = 3}};
  const optim::SGD optimizer{0.01};
  const auto fit = [&](int64_t first, int64_t epochs) {
    return train::fit(model, x, y,
                      {.optimizer = optimizer,
                       .loss = losses::MeanSquaredError{},
                       .batch_size = 5,
                       .epochs = epochs,
                       .verbose = 0,
                       .callbacks = {board},
                       .validation_data = {x, y},
                       .initial_epoch = first});
  };
  const train::History history = fit(0, 2);
  const std::vector<std::string> first = filesOf(folder() + "/train");
  ASSERT_THAT(first, SizeIs(1));
  std::vector<std::string> steps;
  for (const Event &event : eventsOf(first[0]))
    steps.push_back(event.name + "@" + std::to_string(event.step));
  EXPECT_THAT(steps,
              ElementsAre("batch_loss@3", "epoch_loss@0", "epoch_learning_rate@0", "batch_loss@6", "epoch_loss@1",
                          "epoch_learning_rate@1", "layers[0].kernel/histogram@1", "layers[0].bias/histogram@1"));
  const std::vector<Event> validation = eventsOf(filesOf(folder() + "/validation")[0]);
  ASSERT_THAT(validation, SizeIs(2));
  EXPECT_EQ(validation[1].name, "epoch_loss");
  EXPECT_EQ(validation[1].number, static_cast<float>(history["val_loss"][1]));
  // A second call goes on.
  fit(2, 3);
  for (const std::string &file : filesOf(folder() + "/train"))
    if (file != first[0]) {
      EXPECT_EQ(eventsOf(file)[0].step, 9);
    }
}
