//===- data_test.cpp - datasets and cursors -------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ScratchFile.h"
#include "test/unit/Errors.h"
#include "test/unit/Values.h"

#include <tenon/checkpoint_file.h>
#include <tenon/data.h>
#include <tenon/datasets.h>
#include <tenon/jit.h>
#include <tenon/ops.h>
#include <tenon/random.h>
#include <tenon/tape.h>

#include <gmock/gmock.h>

using namespace tenon;
using namespace tenon::test;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

static const Array images = arange(0, 12, 1).reshape({6, 2}), labels = arange(0, 6, 1);

template <class T>
static std::vector<T> all(const data::Dataset<T> &dataset) {
  std::vector<T> result;
  for (T element : dataset)
    result.push_back(std::move(element));
  return result;
}
/// The elements of an epoch of arrays, flat.
static Longs flat(const data::Dataset<Array> &dataset) {
  Longs result;
  for (const Array &x : dataset)
    for (int64_t number : longs(x.reshape({-1})))
      result.push_back(number);
  return result;
}

struct Sample {
  Array image, label;
};

TEST(Data, SlicesOfSeveralArraysAreTuples) {
  int64_t i = 0;
  for (auto [x, y] : data::from_slices(images, labels)) {
    EXPECT_THAT(longs(x), ElementsAre(2 * i, 2 * i + 1));
    EXPECT_EQ(y.item<int64_t>(), i++);
  }
  EXPECT_EQ(i, 6);
}

TEST(Data, SlicesOfAStructAreStructs) {
  const auto batches = all(data::from_slices(Sample{images, labels}) | data::batch(4));
  ASSERT_EQ(batches.size(), 2u);
  EXPECT_EQ(batches[0].image.shape(), (Shape{4, 2}));
  EXPECT_THAT(longs(batches[1].label), ElementsAre(4, 5));
}

TEST(Data, SlicesOfViewsAreTheirElements) {
  EXPECT_THAT(flat(data::from_slices(images.T())), ElementsAre(0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 11));
}

TEST(Data, KeysAreSliced) {
  const Key keys = random::keys(random::key(1), {3});
  const auto batches = all(data::from_slices(keys) | data::shuffle(3, 2) | data::batch(2));
  ASSERT_EQ(batches.size(), 2u);
  EXPECT_EQ(batches[0].shape(), (Shape{2}));
}

TEST(Data, BatchesMakeArraysOfNumbersAndVectorsOfTexts) {
  const std::vector<std::string> names = {"a", "b", "c"};
  const auto dataset = data::zip(data::range(3), data::from_range(names), data::from_slices(Array{1.5f, 2.5f, 3.5f}));
  const auto batches = all(dataset | data::batch(2));
  ASSERT_EQ(batches.size(), 2u);
  const auto &[numbers, texts, floats_] = batches[0];
  EXPECT_EQ(numbers.dtype(), i64);
  EXPECT_THAT(longs(numbers), ElementsAre(0, 1));
  EXPECT_THAT(texts, ElementsAre("a", "b"));
  EXPECT_THAT(floats(floats_), ElementsAre(1.5f, 2.5f));
  EXPECT_THAT(std::get<1>(batches[1]), ElementsAre("c"));
}

TEST(Data, PaddedBatchesPadEachAxis) {
  const auto rows = data::range(1, 4) | data::map([](int64_t n) { return full({n, 4 - n}, n, i64); });
  const auto batches = all(rows | data::padded_batch(3, {.value = -1}));
  ASSERT_EQ(batches.size(), 1u);
  EXPECT_EQ(batches[0].shape(), (Shape{3, 3, 3}));
  EXPECT_THAT(longs(batches[0].reshape({-1})), ElementsAre(1, 1, 1, -1, -1, -1, -1, -1, -1, //
                                                           2, 2, -1, 2, 2, -1, -1, -1, -1,  //
                                                           3, -1, -1, 3, -1, -1, 3, -1, -1));
}

TEST(Data, InterleavesAsTfDataDoes) {
  const auto dataset =
      data::range(1, 6) |
      data::interleave([](int64_t i) { return data::range(6) | data::map([i](int64_t) { return i; }); },
                       {.cycle_length = 2, .block_length = 4});
  EXPECT_THAT(all(dataset),
              ElementsAre(1, 1, 1, 1, 2, 2, 2, 2, 1, 1, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 3, 3, 4, 4, 5, 5, 5, 5, 5, 5));
}

TEST(Data, EnumerateAndZipFlattenTuples) {
  const auto dataset = data::zip(data::from_slices(images, labels), data::range(10)) | data::enumerate();
  int64_t count = 0;
  for (auto [i, x, y, n] : dataset) {
    EXPECT_EQ(i, n);
    EXPECT_EQ(y.item<int64_t>(), i);
    ++count;
  }
  EXPECT_EQ(count, 6);
  EXPECT_EQ(dataset.size(), 6);
}

TEST(Data, RandomMapGivesEachElementTheKeyOfItsNumberAndEpoch) {
  const auto dataset =
      data::from_slices(labels) | data::random_map([](const Key &key, const Array &) { return key; }, 7);
  for (int64_t epoch : {0, 1, 0}) {
    int64_t number = 0;
    for (const Key &key : dataset.epoch(epoch)) {
      const Key expected = random::fold_in(random::fold_in(random::key(7), epoch), number++);
      EXPECT_EQ(key.data.to_vector<uint32_t>(), expected.data.to_vector<uint32_t>());
    }
  }
}

//===----------------------------------------------------------------------===//
// Epochs and positions
//===----------------------------------------------------------------------===//

TEST(Data, EachLoopIsAnEpochWithItsOwnOrder) {
  const auto dataset = data::from_slices(labels) | data::shuffle(6, 1);
  const Longs first = flat(dataset), second = flat(dataset);
  EXPECT_NE(first, second);
  EXPECT_THAT(first, ::testing::UnorderedElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_EQ(flat(dataset.epoch(0)), first);
  EXPECT_EQ(flat(dataset.epoch(1)), second);
  EXPECT_EQ(flat(data::from_slices(labels) | data::shuffle(6, 1)), first);
}

TEST(Data, PipesShareTheCounterOfEpochsUpToAShuffle) {
  const auto dataset = data::from_slices(labels) | data::shuffle(6, 1);
  const Longs first = flat(dataset.epoch(0)), second = flat(dataset.epoch(1));
  EXPECT_EQ(flat(dataset | data::take(6)), first);
  EXPECT_EQ(flat(dataset | data::take(6)), second);
  EXPECT_EQ(flat(data::from_slices(labels) | data::shuffle(6, 1)), first);
}

TEST(Data, ACursorCountsWhatItHandedOut) {
  const auto batches = data::from_slices(labels) | data::batch(2);
  auto cursor = batches.cursor();
  int64_t count = 0;
  while (cursor.epoch() < 2)
    for (const Array &x : cursor) {
      EXPECT_EQ(cursor.position(), ++count % 3 == 0 ? 3 : count % 3);
      EXPECT_EQ(longs(x)[0], 2 * (cursor.position() - 1));
    }
  EXPECT_EQ(count, 6);
  for (const Array &x : cursor) { // left early
    (void)x;
    break;
  }
  EXPECT_EQ(cursor.position(), 1);
  EXPECT_THAT(longs(*cursor.next()), ElementsAre(2, 3));
}

class DataFile : public tenon::testing::ScratchFile {};

TEST_F(DataFile, ACheckpointRestoresThePositionOfACursor) {
  const auto batches =
      data::from_slices(labels) | data::shuffle(4, 3) |
      data::random_map([](const Key &key, const Array &x) { return random::bits(key, {}) + x; }, 4, {.workers = 2}) |
      data::batch(2) | data::prefetch(2);
  auto numbersOf = [](const Array &x) { return x.astype(f64).to_vector<double>(); };
  auto cursor = batches.cursor();
  Checkpoint checkpoint{{"data", cursor}};
  std::vector<Doubles> rest;
  std::string saved;
  while (cursor.epoch() < 2)
    for (const Array &x : cursor) {
      if (!saved.empty())
        rest.push_back(numbersOf(x));
      else if (cursor.position() == 2)
        saved = checkpoint.save((folder_ / "run").string());
    }
  auto resumed = batches.cursor();
  Checkpoint again{{"data", resumed}};
  again.restore(saved).assert_consumed();
  EXPECT_EQ(resumed.epoch(), 0);
  EXPECT_EQ(resumed.position(), 2);
  std::vector<Doubles> got;
  while (resumed.epoch() < 2)
    for (const Array &x : resumed)
      got.push_back(numbersOf(x));
  EXPECT_EQ(got, rest);
}

//===----------------------------------------------------------------------===//
// Inside of programs
//===----------------------------------------------------------------------===//

TEST(Data, ElementsAreConstantsOfATracedFunction) {
  const auto dataset = data::from_slices(Array{1.0f, 2.0f}) | data::map([](const Array &x) { return x * 2; });
  auto f = jit([&](const Array &x) {
    Array sum = x;
    for (const Array &element : dataset.epoch(0))
      sum = sum + element;
    return sum;
  });
  EXPECT_EQ(number(f(Array(1.0f))), 7.0f);
  EXPECT_EQ(number(f(Array(2.0f))), 8.0f);
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

TEST(DataErrors, NameWhatIsWrongWithSlices) {
  EXPECT_EQ(errorOf([] { data::from_slices(Sample{images, arange(0, 5, 1)}, Location()); }),
            "data::from_slices: expected arrays of equal size along axis 0, got other sizes\n"
            "  image: i32[6, 2]\n  label: i32[5]");
  EXPECT_EQ(messageOf([] { data::from_slices(Array(1)); }),
            "data::from_slices: expected arrays of at least 1 axis, got a scalar");
  EXPECT_EQ(messageOf([] { data::from_slices(Array()); }), "data::from_slices: expected an array, got an empty Array");
  EXPECT_THAT(errorOf([] { data::from_slices(images, arange(0, 5, 1)); }), HasSubstr("data_test.cpp"));
}

TEST(DataErrors, NameCountsThatArePointless) {
  EXPECT_EQ(messageOf([] { data::batch(0); }), "data::batch: expected a size of at least 1, got 0");
  EXPECT_EQ(messageOf([] { data::shuffle(0); }), "data::shuffle: expected a buffer of at least 1 element, got 0");
  EXPECT_EQ(messageOf([] { data::take(-1); }), "data::take: expected a count of at least 0, got -1");
  EXPECT_EQ(messageOf([] { data::shard(2, 2); }), "data::shard: expected an index from 0 to 1, got 2");
  EXPECT_EQ(messageOf([] { data::range(0, 1, 0); }), "data::range: expected a step other than 0, got 0");
  EXPECT_EQ(messageOf([] { all(data::range(0) | data::repeat()); }),
            "data::repeat: expected a dataset with elements, got an empty one, which cannot be repeated for ever");
}

TEST(DataErrors, NameElementsOfOtherShapes) {
  const auto dataset = data::range(1, 3) | data::map([](int64_t n) { return Sample{zeros({2}), zeros({n})}; });
  const std::string text = errorOf([&] { all(dataset | data::batch(2)); });
  EXPECT_THAT(text, HasSubstr("data::batch: expected elements of one dtype and shape, got others; "
                              "data::padded_batch pads them\n  label, element 0 of the batch: f32[1]\n"
                              "  label, element 1: f32[2]"));
  EXPECT_THAT(text, HasSubstr("data_test.cpp"));
}

TEST(DataErrors, NameTheElementOfAFunctionThatThrows) {
  for (int workers : {0, 2}) {
    const auto dataset = data::range(10) | data::map(
                                               [](int64_t i) {
                                                 if (i == 7)
                                                   throw std::runtime_error("seven");
                                                 return i;
                                               },
                                               {.workers = workers});
    auto cursor = dataset.cursor();
    std::string text;
    try {
      while (cursor.next()) {
      }
    } catch (const Error &error) {
      text = error.what();
      try {
        std::rethrow_if_nested(error);
      } catch (const std::runtime_error &nested) {
        EXPECT_STREQ(nested.what(), "seven");
      }
    }
    EXPECT_THAT(text, HasSubstr("data::map: the function threw: seven\n  in data::map at element 7 of epoch 0\n"));
    EXPECT_EQ(cursor.position(), 7); // it can be passed over
    cursor.seek(0, 8);
    EXPECT_EQ(cursor.next(), 8);
  }
}

TEST(Data, DigitsArePartOfTheLibrary) {
  const auto [training, test] = datasets::digits();
  EXPECT_EQ(training.images.shape(), (Shape{3823, 8, 8}));
  EXPECT_EQ(test.labels.shape(), (Shape{1797}));
  EXPECT_EQ(number(max(training.images)), 1.0f);
  EXPECT_EQ(max(test.labels).item<int>(), 9);
  EXPECT_EQ(datasets::digits({.size = 28}).test.images.shape(), (Shape{1797, 28, 28}));
}

TEST(Data, EpochsOfAnEndlessRepeatDiffer) {
  const auto shuffled = data::range(20) | data::shuffle(20, 1) | data::repeat() | data::take(40);
  const auto drawn = data::range(3) |
                     data::random_map([](const Key &key, int64_t) { return random::bits(key, {}); }, 1) |
                     data::repeat() | data::take(3);
  EXPECT_NE(all(shuffled.epoch(0)), all(shuffled.epoch(1)));
  EXPECT_EQ(all(shuffled.epoch(1)), all(shuffled.epoch(1)));
  EXPECT_NE(longs(all(drawn.epoch(0))[0]), longs(all(drawn.epoch(1))[0]));
  // A cursor goes on there as well.
  const auto cursor = shuffled.cursor();
  cursor.seek(1, 25);
  EXPECT_EQ(*cursor.next(), all(shuffled.epoch(1))[25]);
}

TEST(Data, ZipEndsWithTheShortest) {
  const auto zipped = data::zip(data::range(2), data::range(9), data::range(4));
  EXPECT_EQ(zipped.size(), 2);
  EXPECT_EQ(all(zipped).size(), 2u);
  EXPECT_EQ(all(zipped | data::skip(1)).size(), 1u);
}

TEST(Data, WorkersNumberElementsBehindSkippedOnes) {
  const auto draw = [](const Key &key, int64_t) { return random::bits(key, {}); };
  const auto alone = data::range(6) | data::random_map(draw, 1),
             shared = data::range(6) | data::random_map(draw, 1, {.workers = 2});
  EXPECT_EQ(longs(all(shared | data::skip(3))[0]), longs(all(alone.epoch(0))[3]));
  const auto cursor = shared.cursor();
  cursor.seek(0, 5);
  EXPECT_EQ(longs(*cursor.next()), longs(all(alone.epoch(0))[5]));
}
