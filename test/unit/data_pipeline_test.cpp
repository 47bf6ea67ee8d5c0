//===- data_pipeline_test.cpp - random pipelines against lists ------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pipeline is made at random together with a plain function that gives the elements of an epoch as a list. Every
// epoch must equal the list, and so must what remains after each position.
//===----------------------------------------------------------------------===//
#include <tenon/data.h>
#include <tenon/ops.h>
#include <tenon/random.h>

#include <gtest/gtest.h>

#include <functional>
#include <random>

using namespace tenon;

namespace {
using List = std::vector<int64_t>;

/// A dataset of rank-0 arrays, and what it must give.
struct Pipeline {
  data::Dataset<Array> dataset;
  std::function<List(int64_t epoch)> model;
  std::string text;
};

/// What the documentation of shuffle says.
List shuffled(const List &list, size_t size, uint64_t seed, int64_t epoch) {
  Key key = random::fold_in(random::key(seed), epoch);
  if (const int64_t high = epoch >> 32)
    key = random::fold_in(key, high);
  const auto bits = random::bits(key, {static_cast<int64_t>(list.size())}, u64).to_vector<uint64_t>();
  List buffer, result;
  size_t next = 0;
  for (uint64_t draw : bits) {
    while (next < list.size() && buffer.size() < size)
      buffer.push_back(list[next++]);
    const auto chosen = static_cast<size_t>((static_cast<unsigned __int128>(draw) * buffer.size()) >> 64);
    result.push_back(buffer[chosen]);
    if (next < list.size()) {
      buffer[chosen] = list[next++];
    } else {
      buffer[chosen] = buffer.back();
      buffer.pop_back();
    }
  }
  return result;
}

class Maker {
public:
  explicit Maker(unsigned seed) : random_(seed) {}
  int64_t below(int64_t n) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(n)); }

  Pipeline make() {
    Pipeline pipeline = source();
    for (int64_t i = below(5); i > 0; --i)
      add(pipeline);
    return pipeline;
  }

private:
  Pipeline source() {
    const int64_t n = below(4) == 0 ? below(3) : below(20), first = below(100);
    List list;
    for (int64_t i = 0; i < n; ++i)
      list.push_back(first + i);
    auto model = [list](int64_t) { return list; };
    const std::string size = std::to_string(n);
    switch (below(4)) {
    case 0:
      return {data::from_slices(Array(list)), model, "slices " + size};
    case 1:
      return {data::range(first, first + n) | data::map([](int64_t i) { return Array(i); }), model, "range " + size};
    case 2:
      return {data::from_range(list) | data::map([](int64_t i) { return Array(i); }), model, "from_range " + size};
    }
    return {data::from_generator([i = size_t(0), list]() mutable {
              return i < list.size() ? std::optional(Array(list[i++])) : std::nullopt;
            }),
            model, "generator " + size};
  }

  void add(Pipeline &p) {
    const auto before = p.model;
    switch (below(12)) {
    case 0: {
      const int64_t n = below(15);
      p.text += " | take " + std::to_string(n);
      p.dataset = p.dataset | data::take(n);
      p.model = [=](int64_t e) {
        List list = before(e);
        list.resize(std::min(list.size(), static_cast<size_t>(n)));
        return list;
      };
      break;
    }
    case 1: {
      const int64_t n = below(8);
      p.text += " | skip " + std::to_string(n);
      p.dataset = p.dataset | data::skip(n);
      p.model = [=](int64_t e) {
        const List list = before(e);
        return List(list.begin() + std::min<int64_t>(n, static_cast<int64_t>(list.size())), list.end());
      };
      break;
    }
    case 2: {
      const int64_t n = below(4);
      p.text += " | repeat " + std::to_string(n);
      p.dataset = p.dataset | data::repeat(n);
      p.model = [=](int64_t e) {
        List list;
        for (int64_t k = 0; k < n; ++k)
          for (int64_t i : before(e * n + k))
            list.push_back(i);
        return list;
      };
      break;
    }
    case 3: {
      const int64_t count = 1 + below(3), index = below(count);
      p.text += " | shard " + std::to_string(count) + " " + std::to_string(index);
      p.dataset = p.dataset | data::shard(count, index);
      p.model = [=](int64_t e) {
        List list;
        for (int64_t i = 0; int64_t x : before(e))
          if (i++ % count == index)
            list.push_back(x);
        return list;
      };
      break;
    }
    case 4:
    case 5: {
      const int64_t buffer = 1 + below(25);
      const auto seed = static_cast<uint64_t>(below(3)) << 40 | 5;
      p.text += " | shuffle " + std::to_string(buffer);
      p.dataset = p.dataset | data::shuffle(buffer, seed);
      p.model = [=](int64_t e) { return shuffled(before(e), static_cast<size_t>(buffer), seed, e); };
      break;
    }
    case 6: {
      const int workers = static_cast<int>(below(3)) * 2;
      p.text += " | map by " + std::to_string(workers);
      p.dataset = p.dataset | data::map([](const Array &x) { return x * 2 + 1; }, {.workers = workers});
      p.model = [=](int64_t e) {
        List list = before(e);
        for (int64_t &x : list)
          x = 2 * x + 1;
        return list;
      };
      break;
    }
    case 7: {
      p.text += " | filter";
      p.dataset = p.dataset | data::filter([](const Array &x) { return x % 3 != 0; });
      p.model = [=](int64_t e) {
        List list;
        for (int64_t x : before(e))
          if (x % 3 != 0)
            list.push_back(x);
        return list;
      };
      break;
    }
    case 8:
      p.text += " | prefetch";
      p.dataset = p.dataset | data::prefetch(1 + below(3));
      break;
    case 9:
      p.text += " | cache";
      p.dataset = p.dataset | data::cache();
      p.model = [=](int64_t) { return before(0); };
      break;
    case 10: {
      const Pipeline second = source();
      const auto more = second.model;
      p.text += " | concatenate (" + second.text + ")";
      p.dataset = p.dataset | data::concatenate(second.dataset);
      p.model = [=](int64_t e) {
        List list = before(e);
        for (int64_t x : more(e))
          list.push_back(x);
        return list;
      };
      break;
    }
    default: {
      const int64_t cycle = 1 + below(3), block = 1 + below(3);
      p.text += " | interleave " + std::to_string(cycle) + " " + std::to_string(block);
      p.dataset = p.dataset | data::interleave(
                                  [](const Array &x) {
                                    const auto first = x.item<int64_t>();
                                    return data::range(first, first + first % 5) |
                                           data::map([](int64_t i) { return Array(i); });
                                  },
                                  {.cycle_length = cycle, .block_length = block});
      p.model = [=](int64_t e) { return interleaved(before(e), cycle, block); };
    }
    }
  }

  /// As tf.data does.
  static List interleaved(const List &list, int64_t cycle, int64_t block) {
    struct Slot {
      int64_t next = 0, end = 0;
      bool isOpen = false;
    };
    std::vector<Slot> slots(static_cast<size_t>(cycle));
    List result;
    size_t taken = 0;
    while (true) {
      bool isAnyOpen = taken < list.size();
      for (const Slot &slot : slots)
        isAnyOpen = isAnyOpen || slot.isOpen;
      if (!isAnyOpen)
        return result;
      for (Slot &slot : slots) {
        if (!slot.isOpen && taken < list.size()) {
          slot = {list[taken], list[taken] + list[taken] % 5, true};
          ++taken;
        }
        for (int64_t i = 0; slot.isOpen && i < block; ++i) {
          if (slot.next == slot.end)
            slot.isOpen = false;
          else
            result.push_back(slot.next++);
        }
      }
    }
  }

  std::mt19937 random_;
};

List numbers(const Array &x) { return x.reshape({-1}).to_vector<int64_t>(); }

/// Expects these elements, from every position of epochs 0 and 1.
template <class T, class F>
void expectEpochs(const data::Dataset<T> &dataset, const F &model) {
  auto cursor = dataset.cursor();
  for (int64_t epoch = 0; epoch < 2; ++epoch) {
    const std::vector<List> expected = model(epoch);
    ASSERT_EQ(dataset.size().value_or(static_cast<int64_t>(expected.size())), static_cast<int64_t>(expected.size()));
    for (size_t from = 0; from <= expected.size() + 1; from += expected.size() > 40 ? 5 : 1) {
      cursor.seek(epoch, static_cast<int64_t>(from));
      std::vector<List> got;
      while (auto element = cursor.next()) {
        got.push_back(numbers(*element));
        ASSERT_EQ(cursor.position(), static_cast<int64_t>(from + got.size()));
      }
      ASSERT_EQ(cursor.epoch(), epoch + 1);
      ASSERT_EQ(cursor.position(), 0);
      const size_t first = std::min(from, expected.size());
      ASSERT_EQ(got, std::vector<List>(expected.begin() + static_cast<std::ptrdiff_t>(first), expected.end()))
          << "epoch " << epoch << " from " << from;
    }
  }
}

std::vector<List> batches(const List &list, size_t size, size_t shift, bool drops) {
  std::vector<List> result;
  for (size_t at = 0; at < list.size(); at += shift) {
    const size_t end = std::min(at + size, list.size());
    if (end - at == size || !drops)
      result.emplace_back(list.begin() + static_cast<std::ptrdiff_t>(at),
                          list.begin() + static_cast<std::ptrdiff_t>(end));
  }
  return result;
}
} // namespace

TEST(DataPipeline, EqualsItsModelFromEveryPosition) {
  for (unsigned seed = 0; seed < 400; ++seed) {
    Maker maker(seed);
    const Pipeline pipeline = maker.make();
    SCOPED_TRACE(testing::Message() << seed << ": " << pipeline.text);
    expectEpochs(pipeline.dataset, [&](int64_t epoch) { return batches(pipeline.model(epoch), 1, 1, false); });
    if (testing::Test::HasFatalFailure())
      return;
  }
}

TEST(DataPipeline, BatchesEqualThoseOfItsModel) {
  for (unsigned seed = 1000; seed < 1300; ++seed) {
    Maker maker(seed);
    const Pipeline pipeline = maker.make();
    const int64_t size = 1 + maker.below(5), shift = 1 + maker.below(6);
    const bool drops = maker.below(2);
    SCOPED_TRACE(testing::Message() << seed << ": " << pipeline.text << ", " << size << ", " << shift);
    const auto batched = pipeline.dataset | data::batch(size, {.drop_remainder = drops});
    auto batchesOf = [&](int64_t epoch) {
      return batches(pipeline.model(epoch), static_cast<size_t>(size), static_cast<size_t>(size), drops);
    };
    expectEpochs(batched, batchesOf);
    expectEpochs(batched | data::unbatch(), [&](int64_t epoch) {
      List list;
      for (const List &batch : batchesOf(epoch))
        list.insert(list.end(), batch.begin(), batch.end());
      return batches(list, 1, 1, false);
    });
    expectEpochs(pipeline.dataset | data::window(size, shift), [&](int64_t epoch) {
      return batches(pipeline.model(epoch), static_cast<size_t>(size), static_cast<size_t>(shift), true);
    });
    if (testing::Test::HasFatalFailure())
      return;
  }
}
