//===- checkpoint_file_test.cpp - the state of a program in files -------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ScratchFile.h"

#include <tenon/tenon.h>

#include <gmock/gmock.h>

#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <csignal>
#include <set>
#include <sstream>
#include <thread>

using namespace tenon;
using namespace tenon::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;
namespace fs = std::filesystem;

/// Calls of write() until this process is killed; 0: it is not.
static int callsUntilDeath = 0;

extern "C" ssize_t write(int file, const void *from, size_t size) {
  if (callsUntilDeath > 0 && --callsUntilDeath == 0)
    raise(SIGKILL);
  return syscall(SYS_write, file, from, size);
}

/// Whether the file system has no rename that keeps an existing file, as NFS has not.
static bool hasPlainRenameOnly = false;

/// Files that another writer makes before the next rename.
static std::vector<std::string> numbersToTake;

extern "C" int renameat2(int fromFolder, const char *from, int toFolder, const char *to, unsigned flags) noexcept {
  for (const std::string &path : std::exchange(numbersToTake, {}))
    std::ofstream(path) << "x";
  if (hasPlainRenameOnly) {
    errno = EINVAL;
    return -1;
  }
  return static_cast<int>(syscall(SYS_renameat2, fromFolder, from, toFolder, to, flags));
}

namespace {

using Floats = std::vector<float>;

enum class Mode : uint8_t { slow, fast };
struct Dense {
  Array kernel, bias;
};
struct Model {
  std::vector<Dense> layers;
  std::map<std::string, Array> heads;
  std::optional<Array> extra;
  Key key;
  double rate = 0.1;
  int64_t step = 0;
  bool trains = true;
  Mode mode = Mode::slow;
  std::string name = "mlp";
};

struct Numbers {
  int8_t i8 = INT8_MIN;
  int16_t i16 = INT16_MIN;
  int32_t i32 = INT32_MIN;
  int64_t i64 = INT64_MIN;
  uint8_t u8 = UINT8_MAX;
  uint16_t u16 = UINT16_MAX;
  uint32_t u32 = UINT32_MAX;
  uint64_t u64 = UINT64_MAX;
  char character = 'x';
  float single = 1.0f / 3;
  double real = 1.0 / 3;
  long double wide = 1.0L / 3;
  bool operator==(const Numbers &) const = default;
};
struct Narrow {
  int32_t i64 = 0;
};

Model modelOf(float number) {
  Model model;
  for (int i = 0; i < 2; ++i)
    model.layers.push_back({full({2, 3}, number + static_cast<float>(i)), full({3}, -number)});
  model.heads["left \"one\""] = full({2}, number, c128) * complex(Array(1.0), Array(2.0));
  model.extra = astype(full({4}, number), bf16);
  model.key = random::key(static_cast<uint64_t>(number));
  model.rate = number / 3;
  model.step = static_cast<int64_t>(number) << 40;
  model.trains = false;
  model.mode = Mode::fast;
  model.name = "line\nof " + std::to_string(number);
  return model;
}

void expectSame(const Model &a, const Model &b) {
  std::vector<Array> first = tree_leaves(a), second = tree_leaves(b);
  ASSERT_EQ(first.size(), second.size());
  for (size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].dtype(), second[i].dtype());
    EXPECT_TRUE(array_equal(first[i], second[i]).item<bool>()) << i;
  }
  EXPECT_TRUE(array_equal(a.key.data, b.key.data).item<bool>());
  EXPECT_EQ(std::tie(a.rate, a.step, a.trains, a.mode, a.name), std::tie(b.rate, b.step, b.trains, b.mode, b.name));
}

class Checkpoints : public ScratchFile {
protected:
  std::string prefix() const { return (folder_ / "runs" / "first").string(); }
  std::string errorIn(const std::function<void()> &function) {
    try {
      function();
    } catch (const Error &error) {
      return error.what();
    }
    return "no error";
  }
};

TEST_F(Checkpoints, RestoreWhatWasSaved) {
  Array x = 10.0f;
  Checkpoint checkpoint{{"x", x}};
  x = Array(2.0f);
  const std::string path = checkpoint.save((folder_ / "ckpt/").string());
  EXPECT_EQ(path, (folder_ / "ckpt" / "ckpt-1.safetensors").string());
  x = Array(11.0f);
  const RestoreStatus status = checkpoint.restore(path);
  status.assert_consumed();
  EXPECT_EQ(x.item<float>(), 2);
  std::ostringstream text;
  text << status;
  EXPECT_EQ(text.str(), "RestoreStatus(restored=1, missing=[], unused=[])");
  // Its elements are the program's own: the file may go.
  fs::remove(path);
  EXPECT_EQ((x + 1).item<float>(), 3);
  // The same of a Variable, as TensorFlow's guide has it.
  Variable v{10.0f};
  Checkpoint of{{"v", v}};
  v.assign(2.0f);
  const std::string saved = of.save((folder_ / "variable/").string());
  v.assign(11.0f);
  of.restore(saved).assert_consumed();
  EXPECT_EQ(v.value().item<float>(), 2);
}

TEST_F(Checkpoints, OfTreesWithAllKindsOfLeaves) {
  Model model = modelOf(7);
  const Model before = model;
  Checkpoint checkpoint{{"model", model}};
  const std::string path = checkpoint.save(prefix());
  model = modelOf(5);
  model.trains = true;
  model.mode = Mode::slow;
  checkpoint.restore(path).assert_consumed();
  expectSame(model, before);
  // The names are the leaves' paths.
  const Safetensors file = load_safetensors(path);
  std::vector<std::string> names;
  for (const auto &[name, array] : file.arrays)
    names.push_back(name);
  EXPECT_THAT(names,
              ElementsAre("model.extra", "model.heads[\"left \\\"one\\\"\"]", "model.key", "model.layers[0].bias",
                          "model.layers[0].kernel", "model.layers[1].bias", "model.layers[1].kernel"));
  EXPECT_EQ(file.metadata.at("value:model.trains"), "false");
}

TEST_F(Checkpoints, OfNumbersOfEveryType) {
  Numbers saved, restored{1, 2, 3, 4, 5, 6, 7, 8, 'a', 9, 10, 11};
  const std::string path = Checkpoint({{"numbers", saved}}).save(prefix());
  Checkpoint({{"numbers", restored}}).restore(path).assert_consumed();
  EXPECT_EQ(restored, saved);

  // A number that the type does not hold is an Error.
  Narrow narrow;
  const std::string error = errorIn([&] { Checkpoint({{"numbers", narrow}}).restore(path); });
  EXPECT_THAT(error, HasSubstr("expected a value like '0' for numbers.i64, got '-9223372036854775808'"));
  EXPECT_EQ(narrow.i64, 0);
}

TEST_F(Checkpoints, OfVariables) {
  struct Net {
    Variable weight{Array{1.0f, 2.0f}, "weight"};
    std::vector<Variable> later;
  };
  Net net;
  net.later.emplace_back(3.0f);
  Variable step{10};
  Checkpoint checkpoint{{"net", net}, {"step", step}};
  const std::string path = checkpoint.save(prefix());
  net.weight.assign(0);
  net.later.clear();
  step.assign(0);
  const RestoreStatus status = checkpoint.restore(path);
  EXPECT_EQ(net.weight.value().to_vector<float>(), (Floats{1, 2}));
  EXPECT_EQ(step.value().item<int>(), 10);
  EXPECT_THAT(status.unused(), ElementsAre("net.later[0]"));
  net.later.emplace_back(0.0f);
  status.restore_rest().assert_consumed();
  EXPECT_EQ(net.later[0].value().item<float>(), 3);
  Variable other{zeros({3})};
  EXPECT_THAT(errorIn([&] { Checkpoint{{"net.weight", other}}.restore(path); }),
              HasSubstr("expected f32[3] for net.weight, got f32[2]"));
  Variable empty;
  EXPECT_THAT(errorIn([&] { Checkpoint{{"empty", empty}}.save(prefix()); }),
              HasSubstr("expected an array as empty, got an empty Variable"));
}

TEST_F(Checkpoints, OfAGenerator) {
  random::Generator generator(7), other(9);
  auto draw = jit([&] { return generator.normal({2}); }); // under jit, too, it is state
  generator.normal({2});
  draw();
  EXPECT_EQ(generator.position(), 2u);
  Array x = 1.0f;
  const std::string path = Checkpoint{{"generator", generator}, {"x", x}}.save(prefix());
  const Floats third = draw().to_vector<float>(), fourth = generator.normal({2}).to_vector<float>();
  EXPECT_EQ(generator.position(), 4u);
  Checkpoint{{"generator", generator}, {"x", x}}.restore(path).assert_consumed();
  EXPECT_EQ(generator.position(), 2u);
  EXPECT_EQ(draw().to_vector<float>(), third);
  EXPECT_EQ(generator.normal({2}).to_vector<float>(), fourth);
  // Into a generator with another seed.
  other.normal({2});
  Checkpoint{{"generator", other}, {"x", x}}.restore(path).assert_consumed();
  EXPECT_EQ(other.seed(), 7u);
  EXPECT_EQ(other.normal({2}).to_vector<float>(), third);
  other.seek(uint64_t(1) << 40);
  EXPECT_EQ(other.position(), uint64_t(1) << 40);
  const std::string far = Checkpoint{{"generator", other}}.save(prefix() + "-far");
  EXPECT_EQ(load_safetensors(far).metadata.at("value:generator.position"), "1099511627776");
  for (auto inside : {+[](random::Generator &g) { g.position(); }, +[](random::Generator &g) { g.seek(1); }})
    EXPECT_THAT(errorIn([&] {
                  jit([&](const Array &traced) {
                    inside(other);
                    return traced;
                  })(x);
                }),
                HasSubstr("expected a call outside of traced functions"));
}

TEST_F(Checkpoints, AreNumberedAndOldOnesGo) {
  EXPECT_EQ(latest_checkpoint(prefix()), std::nullopt);
  Array x = 1.0f;
  const Checkpoint checkpoint{{"x", x}};
  for (int i = 1; i <= 11; ++i)
    EXPECT_EQ(checkpoint.save(prefix()), prefix() + "-" + std::to_string(i) + ".safetensors");
  EXPECT_EQ(latest_checkpoint(prefix()), prefix() + "-11.safetensors"); // by number, not by letters
  // What only looks like one.
  for (const char *name :
       {"first-99.safetensors.tmp", "first-x.safetensors", "first-012.safetensors", "second-40.safetensors"})
    std::ofstream(folder_ / "runs" / name) << "x";
  EXPECT_EQ(latest_checkpoint(prefix()), prefix() + "-11.safetensors");
  EXPECT_EQ(checkpoint.save(prefix(), {.keep = 2}), prefix() + "-12.safetensors");
  EXPECT_FALSE(fs::exists(prefix() + "-10.safetensors"));
  EXPECT_TRUE(fs::exists(prefix() + "-11.safetensors"));
  EXPECT_TRUE(fs::exists(folder_ / "runs" / "second-40.safetensors"));
  // A folder is a prefix too, and its own.
  EXPECT_EQ(latest_checkpoint((folder_ / "runs").string()), std::nullopt);
  EXPECT_EQ(checkpoint.save((folder_ / "runs").string()), (folder_ / "runs" / "ckpt-1.safetensors").string());
  EXPECT_THAT(errorIn([&] { checkpoint.save(prefix(), {.keep = 0}); }), HasSubstr("expected to keep one file"));
}

TEST_F(Checkpoints, SayWhatIsMissingAndUnused) {
  Array a = 1.0f, b = 2.0f, c = 3.0f;
  const std::string path = Checkpoint{{"a", a}, {"b", b}}.save(prefix());
  a = Array(0.0f), c = Array(30.0f);
  Checkpoint other{{"a", a}, {"c", c}};
  const RestoreStatus status = other.restore(path);
  EXPECT_EQ(a.item<float>(), 1);
  EXPECT_EQ(c.item<float>(), 30);
  EXPECT_THAT(status.missing(), ElementsAre("c"));
  EXPECT_THAT(status.unused(), ElementsAre("b"));
  EXPECT_EQ(status.restored(), 1u);
  const std::string text = errorIn([&] { status.assert_consumed(); });
  EXPECT_THAT(text, HasSubstr("Checkpoint.restore: expected every leaf in the file, and nothing else there\n  not in "
                              "the file: 'c'\n  without a leaf: 'b'\n  file: " +
                              path + "\n"));
  EXPECT_THAT(text, HasSubstr("checkpoint_file_test.cpp:"));
  EXPECT_THAT(errorIn([&] { status.assert_existing_objects_matched(); }), HasSubstr("not in the file: 'c'\n  file"));
  std::ostringstream out;
  out << status;
  EXPECT_EQ(out.str(), "RestoreStatus(restored=1, missing=['c'], unused=['b'])");
}

TEST_F(Checkpoints, OfAModelThatIsMadeLater) {
  std::vector<Array> layers = {full({2}, 5.0f), full({3}, 6.0f)};
  const std::string path = Checkpoint{{"layers", layers}}.save(prefix());
  std::vector<Array> fresh(1); // its first layer has a place, but no array
  Checkpoint checkpoint{{"layers", fresh}};
  const RestoreStatus status = checkpoint.restore(path);
  EXPECT_EQ(fresh[0].to_vector<float>(), (Floats{5, 5}));
  EXPECT_THAT(status.unused(), ElementsAre("layers[1]"));
  fresh[0] = fresh[0] * 2; // trained meanwhile: it is not restored again
  fresh.push_back(zeros({3}));
  status.restore_rest().assert_consumed();
  EXPECT_EQ(fresh[0].to_vector<float>(), (Floats{10, 10}));
  EXPECT_EQ(fresh[1].to_vector<float>(), (Floats{6, 6, 6}));
  EXPECT_EQ(status.restored(), 2u);
}

TEST_F(Checkpoints, RestoreAllOrNothing) {
  Model model = modelOf(7);
  const std::string path = Checkpoint{{"model", model}}.save(prefix());
  Model other = modelOf(5);
  other.layers[1].bias = zeros({4});
  const Model before = other;
  EXPECT_THAT(errorIn([&] { Checkpoint{{"model", other}}.restore(path); }),
              HasSubstr("Checkpoint.restore: expected f32[4] for model.layers[1].bias, got f32[3]\n  file: "));
  expectSame(other, before);
  other = modelOf(5);
  other.layers[0].kernel = astype(other.layers[0].kernel, f64);
  EXPECT_THAT(errorIn([&] { Checkpoint{{"model", other}}.restore(path); }),
              HasSubstr("expected f64[2, 3] for model.layers[0].kernel, got f32[2, 3]"));
  // A value that this program's type does not hold.
  int64_t large = 1000;
  const std::string numbers = Checkpoint{{"n", large}}.save(prefix() + "-n");
  int8_t small = 3;
  Array x = 1.0f;
  EXPECT_THAT(errorIn([&] { Checkpoint{{"n", small}}.restore(numbers); }),
              HasSubstr("expected a value like '3' for n, got '1000'"));
  EXPECT_EQ(small, 3);
  // Arrays that are not ours: any safetensors file.
  save_safetensors(path, {{"x", Array(8.0f)}});
  Checkpoint{{"x", x}}.restore(path).assert_consumed();
  EXPECT_EQ(x.item<float>(), 8);
}

TEST_F(Checkpoints, DamageIsFound) {
  Array x = arange(64, {}, 1, f32), y = zeros({3}, i32);
  const int step = 5;
  int now = step;
  Checkpoint checkpoint{{"x", x}, {"y", y}, {"step", now}};
  const std::string path = checkpoint.save(prefix());
  std::string good;
  {
    std::ifstream in(path, std::ios::binary);
    good.assign(std::istreambuf_iterator<char>(in), {});
  }
  size_t survived = 0;
  for (size_t place = 0; place < good.size(); ++place)
    for (const char bit : {1, 64}) {
      std::string bad = good;
      bad[place] = static_cast<char>(bad[place] ^ bit);
      std::ofstream(path, std::ios::binary) << bad;
      x = zeros({64}), now = 0;
      try {
        checkpoint.restore(path).assert_consumed();
      } catch (const Error &error) {
        EXPECT_THAT(error.what(), HasSubstr("Checkpoint.restore: "));
        EXPECT_EQ(x.to_vector<float>(), Floats(64)) << place; // nothing was restored
        continue;
      }
      // Blanks, and the digits of a number that is none of an array's.
      ++survived;
      EXPECT_EQ(x.to_vector<float>(), arange(64, {}, 1, f32).to_vector<float>()) << place;
    }
  EXPECT_LT(survived, 40u);
  for (const size_t size : {size_t(0), size_t(7), size_t(100), good.size() - 1}) {
    std::ofstream(path, std::ios::binary) << good.substr(0, size);
    EXPECT_THAT(errorIn([&] { checkpoint.restore(path); }), HasSubstr("Checkpoint.restore: "));
  }
}

TEST_F(Checkpoints, WhatCannotBeSaved) {
  Array x = 1.0f, none;
  EXPECT_THAT(errorIn([&] { Checkpoint{{"x", x}, {"x", none}}; }), HasSubstr("expected a name for each tree, got 'x'"));
  EXPECT_THAT(errorIn([&] { Checkpoint{{"none", none}}.save(prefix()); }),
              HasSubstr("Checkpoint.save: expected an array as none, got an empty Array"));
  std::vector<Array> list = {x};
  EXPECT_THAT(errorIn([&] { Checkpoint{{"a", list}, {"a[0]", x}}.save(prefix()); }),
              HasSubstr("expected a name for each leaf, got 'a[0]' for two"));
  EXPECT_THAT(errorIn([&] {
                jit([&](const Array &traced) {
                  Array inside = traced;
                  Checkpoint{{"x", inside}}.save(prefix());
                  return traced;
                })(x);
              }),
              HasSubstr("Checkpoint.save: expected an array whose elements are known"));
  std::ofstream(folder_ / "file") << "x";
  EXPECT_THAT(errorIn([&] { Checkpoint{{"x", x}}.save((folder_ / "file" / "a").string()); }),
              HasSubstr("Checkpoint.save: cannot make the folder"));
  EXPECT_THAT(errorIn([&] { Checkpoint{{"x", x}}.restore(prefix() + "-9.safetensors"); }),
              HasSubstr("Checkpoint.restore: "));
}

/// At the limit of a file's size writing fails as on a full disk.
TEST_F(Checkpoints, AFullDiskLeavesTheOldOnes) {
  Array x = full({1000}, 1.0f);
  Checkpoint checkpoint{{"x", x}};
  const std::string path = checkpoint.save(prefix());
  x = full({1000}, 2.0f);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{1000, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const std::string text = errorIn([&] { checkpoint.save(prefix(), {.keep = 1}); });
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_THAT(text, HasSubstr("Checkpoint.save: "));
  EXPECT_EQ(latest_checkpoint(prefix()), path);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_ / "runs"), {}), 1); // no temporary file
  checkpoint.restore(path);
  EXPECT_EQ(x[0].item<float>(), 1);
}

TEST_F(Checkpoints, KilledInTheMiddleTheOldOneStays) {
  Array x = full({1000}, 1.0f);
  Checkpoint checkpoint{{"x", x}};
  const std::string first = checkpoint.save(prefix());
  bool isDone = false;
  for (int calls = 1; !isDone; ++calls) {
    ASSERT_LT(calls, 100);
    const pid_t child = fork();
    if (child == 0) {
      x = full({1000}, 2.0f);
      callsUntilDeath = calls;
      checkpoint.save(prefix());
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    isDone = WIFEXITED(status);
    x = zeros({1000});
    checkpoint.restore(*latest_checkpoint(prefix())).assert_consumed();
    EXPECT_EQ(x.to_vector<float>(), Floats(1000, isDone ? 2.0f : 1.0f));
  }
  EXPECT_NE(*latest_checkpoint(prefix()), first);
  // The last save removed what the killed ones left.
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_ / "runs"), {}), 2);
}

TEST_F(Checkpoints, ManyWritersLoseNothing) {
  constexpr int writers = 4, saves = 12;
  for (const bool plain : {false, true}) {
    hasPlainRenameOnly = plain;
    const std::string runs = (folder_ / (plain ? "plain/" : "runs/")).string();
    // Each saves its own number, and says under which path.
    auto writeAll = [&](int first) {
      std::vector<std::thread> threads;
      for (int writer = first; writer < first + writers; ++writer)
        threads.emplace_back([writer, &runs, this] {
          Array x = full({1000}, static_cast<float>(writer));
          const Checkpoint checkpoint{{"x", x}};
          std::ofstream said(folder_ / ("said-" + std::to_string(writer)));
          for (int i = 0; i < saves; ++i)
            said << checkpoint.save(runs) << "\n";
        });
      for (std::thread &thread : threads)
        thread.join();
    };
    const pid_t child = fork();
    if (child == 0) {
      writeAll(0);
      _exit(0);
    }
    writeAll(writers);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_EQ(status, 0);
    std::set<std::string> paths;
    for (int writer = 0; writer < 2 * writers; ++writer) {
      std::ifstream said(folder_ / ("said-" + std::to_string(writer)));
      for (std::string path; std::getline(said, path);) {
        EXPECT_TRUE(paths.insert(path).second) << path;
        EXPECT_EQ(load_safetensors(path).arrays.at("x")[0].item<float>(), static_cast<float>(writer));
      }
    }
    EXPECT_EQ(paths.size(), size_t(2 * writers * saves));
    EXPECT_EQ(std::distance(fs::directory_iterator(runs), {}), 2 * writers * saves);
  }
  hasPlainRenameOnly = false;
}

TEST_F(Checkpoints, KeepLeavesNewerFilesOfOthers) {
  Array x = 1.0f;
  const Checkpoint checkpoint{{"x", x}};
  for (int i = 1; i <= 3; ++i)
    checkpoint.save(prefix());
  // Another writer takes numbers 4 and 5 between the look into the folder and the rename.
  numbersToTake = {prefix() + "-4.safetensors", prefix() + "-5.safetensors", prefix() + "-7.safetensors"};
  EXPECT_EQ(checkpoint.save(prefix(), {.keep = 2}), prefix() + "-6.safetensors");
  std::vector<std::string> left;
  for (const auto &file : fs::directory_iterator(folder_ / "runs"))
    left.push_back(file.path().string());
  EXPECT_THAT(left, UnorderedElementsAre(prefix() + "-5.safetensors", prefix() + "-6.safetensors",
                                         prefix() + "-7.safetensors"));
}

} // namespace
