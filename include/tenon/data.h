//===- data.h - pipelines of training data ------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A Dataset is a sequence of elements that is computed while it is read. Elements have any type: Arrays, numbers,
// texts, tuples and structs of them. Pipes make datasets of others:
//
//   auto batches = data::from_slices(images, labels) | data::shuffle(1000, 1) | data::map(scale, {.workers = 2}) |
//                  data::batch(32) | data::prefetch(2);
//   for (int epoch = 0; epoch < 10; ++epoch)
//     for (auto [x, y] : batches)   // each loop is an epoch: shuffled anew
//       step(x, y);
//
// Order and elements depend on the seeds, the number of the epoch and the number of the element alone: they are the
// same for any number of workers and after a restart. So functions of map, filter and the like must depend on their
// arguments alone; several threads may call them at once, and an element may be computed again, or not at all if a
// cursor passes over it. Random numbers come from the key that random_map passes. The functions run outside of jit,
// derivatives and vmap: in a traced function the elements are constants.
//
// An Error of such a function names the stage, the number of the element and its file; another exception becomes an
// Error that nests it (std::rethrow_if_nested). The loop may be left early: threads that have been started end then.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/detail/data_core.h>
#include <tenon/io.h>

#include <iterator>

namespace tenon::data {

/// A position in a dataset: an epoch, and how many of its elements were handed out. Copies share it. In a Checkpoint it
/// is two i64 Variables, `epoch` and `position`; after a restore the next element is the one that would have come next.
/// One thread at a time may use a cursor.
template <class T>
class Cursor : public TreeObject {
public:
  /// Internal: see Dataset::cursor.
  explicit Cursor(detail::CursorRef body) : body_(std::move(body)) {}

  /// The epoch of the next element.
  int64_t epoch() const { return detail::epoch_of(body_); }
  /// Number of elements of this epoch that were handed out.
  int64_t position() const { return detail::position_of(body_); }
  /// Moves to a position, which may be behind the end of the epoch.
  void seek(int64_t epoch, int64_t position, Location at = Location::current()) const {
    detail::seek(body_, epoch, position, at);
  }
  /// The next element. None at the end of the epoch: the cursor stands at the start of the next one then. After an
  /// exception it stands where it was.
  std::optional<T> next() const {
    std::optional<T> result;
    if (void *element = detail::next_element(body_)) {
      result.emplace(std::move(*static_cast<T *>(element)));
      delete static_cast<T *>(element);
    }
    return result;
  }

  /// Iterates over the rest of the epoch. An element counts as handed out from the moment the iterator stands at it.
  class Iterator {
  public:
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    explicit Iterator(const Cursor &cursor) : cursor_(cursor), element_(cursor_.next()) {}
    T operator*() const { return *element_; }
    const T *operator->() const { return &*element_; }
    Iterator &operator++() {
      element_.reset(); // its memory may serve the next one
      element_ = cursor_.next();
      return *this;
    }
    void operator++(int) { ++*this; }
    bool operator==(std::default_sentinel_t) const { return !element_; }

  private:
    Cursor cursor_;
    std::optional<T> element_;
  };
  Iterator begin() const { return Iterator(*this); }
  std::default_sentinel_t end() const { return {}; }

  void fields(Fields &f) override {
    f("epoch", detail::epoch_variable(body_))("position", detail::position_variable(body_));
  }

private:
  detail::CursorRef body_;
};

/// A sequence of elements of type T, a value: copies are cheap.
template <class T>
class Dataset {
public:
  using value_type = T;
  using Iterator = typename Cursor<T>::Iterator;

  /// Internal: the last stage, and who counts the epochs.
  explicit Dataset(detail::StageRef stage, detail::CounterRef counter = detail::make_counter())
      : stage_(std::move(stage)), counter_(std::move(counter)) {}
  const detail::StageRef &stage() const { return stage_; }
  const detail::CounterRef &counter() const { return counter_; }

  /// Starts the next epoch: 0, 1, ... Copies share the counter, and so do datasets that pipes make of this one, up to
  /// the next shuffle, which starts a counter of its own.
  Iterator begin(Location at = Location::current()) const {
    return Iterator(Cursor<T>(detail::make_cursor(stage_, detail::next_epoch(counter_), false, at)));
  }
  std::default_sentinel_t end() const { return {}; }
  /// The same dataset, whose begin() always starts epoch `number`.
  Dataset epoch(int64_t number, Location at = Location::current()) const {
    return Dataset(stage_, detail::pinned_counter(number, at));
  }
  /// A cursor at the start of an epoch. It does not take part in the counting of begin().
  Cursor<T> cursor(int64_t epoch = 0, Location at = Location::current()) const {
    return Cursor<T>(detail::make_cursor(stage_, epoch, true, at));
  }
  /// Number of elements of an epoch, if it is known without reading it.
  std::optional<int64_t> size() const { return detail::size_of(stage_); }

private:
  detail::StageRef stage_;
  detail::CounterRef counter_;
};

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

/// The slices along axis 0 of the arrays in a tree, whose sizes along axis 0 must be equal: an Array, a struct or tuple
/// of Arrays, or what converts to an Array. Elements are views; arrays that are not row-major, or not on the CPU, are
/// copied once.
template <class T>
auto from_slices(const T &tree, Location at = Location::current()) {
  if constexpr (tenon::detail::converts_to_array<T>) {
    return from_slices(tenon::detail::to_array(tree, at), at);
  } else {
    constexpr bool hasArrays = detail::has_arrays_alone<T>();
    static_assert(hasArrays, "data::from_slices takes Arrays, or a tree of Arrays alone; of a vector of other things "
                             "make a dataset with data::from_range");
    return Dataset<T>(detail::slices_stage(tenon::detail::tree_ref(tree), &detail::element_ops<T>, at));
  }
}
/// The slices of several arrays as tuples.
inline auto from_slices(const Array &x, const Array &y, Location at = Location::current()) {
  return from_slices(std::tuple(x, y), at);
}
inline auto from_slices(const Array &x, const Array &y, const Array &z, Location at = Location::current()) {
  return from_slices(std::tuple(x, y, z), at);
}
inline auto from_slices(const Array &x, const Array &y, const Array &z, const Array &w,
                        Location at = Location::current()) {
  return from_slices(std::tuple(x, y, z, w), at);
}

/// The numbers start, start + step, ... before stop.
Dataset<int64_t> range(int64_t start, int64_t stop, int64_t step = 1, Location at = Location::current());
/// The numbers 0, 1, ... before stop.
Dataset<int64_t> range(int64_t stop, Location at = Location::current());

/// The elements of a C++ range, such as a vector of file names, which are copied.
template <class R>
auto from_range(R &&range, Location at = Location::current()) {
  using T = std::decay_t<decltype(*std::begin(range))>;
  using Elements = std::vector<T>;
  auto *elements = new Elements(std::begin(range), std::end(range));
  const auto count = static_cast<int64_t>(elements->size());
  const detail::Callback callback{[](const void *state, const void *, const Key *, int64_t number) -> void * {
                                    return new T((*static_cast<const Elements *>(state))[static_cast<size_t>(number)]);
                                  },
                                  &detail::destroy_function<Elements>, elements};
  return Dataset<T>(detail::indexed_stage(callback, count, &detail::element_ops<T>, at));
}

/// The elements that f() returns until it returns none; f returns a std::optional. Each epoch calls a new copy of f.
template <class F>
auto from_generator(F f, Location at = Location::current()) {
  using T = typename decltype(f())::value_type;
  const detail::Generator generator{[](const void *state) -> void * { return new F(*static_cast<const F *>(state)); },
                                    [](void *epoch) -> void * {
                                      auto element = (*static_cast<F *>(epoch))();
                                      return element ? new T(std::move(*element)) : nullptr;
                                    },
                                    &detail::destroy_function<F>, new F(std::move(f))};
  return Dataset<T>(detail::generator_stage(generator, &detail::element_ops<T>, at));
}

/// Paths of files: one, or several, whose elements follow one another.
class Paths {
public:
  Paths(const char *path) : paths_{path} {}
  Paths(std::string path) : paths_{std::move(path)} {}
  Paths(std::vector<std::string> paths) : paths_(std::move(paths)) {}
  Paths(std::initializer_list<std::string> paths) : paths_(paths) {}
  const std::vector<std::string> &list() const { return paths_; }

private:
  std::vector<std::string> paths_;
};

/// The lines of text files without their ends ("\n" or "\r\n"). Files may be compressed by gzip.
Dataset<std::string> text_lines(const Paths &paths, Location at = Location::current());
/// The records of TFRecord files as bytes; their checksums (masked CRC32C) are verified. Files may be compressed by
/// gzip.
Dataset<std::string> tfrecord(const Paths &paths, Location at = Location::current());
/// The slices along axis 0 of the arrays in .npy files, one file in memory at a time.
Dataset<Array> npy(const Paths &paths, Location at = Location::current());
/// The rows of tables of numbers, which are read at once; see load_csv.
Dataset<Array> csv(const Paths &paths, const CsvOptions &options = {}, Location at = Location::current());
/// The slices along axis 0 of an IDX file (MNIST's format), plain or compressed by gzip.
Dataset<Array> idx(const std::string &path, Location at = Location::current());

//===----------------------------------------------------------------------===//
// Pipes
//===----------------------------------------------------------------------===//

struct BatchOptions {
  /// Leaves out the last batch if it has fewer elements.
  bool drop_remainder = false;
};
struct PaddedBatchOptions {
  bool drop_remainder = false;
  /// What arrays are padded with.
  Scalar value = 0;
};
/// Options of map and random_map.
struct MapOptions {
  /// Number of threads that call the function; 0: it is called where the dataset is read.
  int workers = 0;
  /// Keeps the order of the elements. Without it, elements come as they are ready, and resuming is not exact.
  bool ordered = true;
};
struct InterleaveOptions {
  /// Number of datasets that are read in turn.
  int64_t cycle_length = 4;
  /// Number of elements that one of them gives in a turn.
  int64_t block_length = 1;
};

namespace detail {

/// A pipe that does not change the type of the elements.
struct Same {
  SameSpec spec;
  template <class T>
  friend Dataset<T> operator|(const Dataset<T> &dataset, const Same &pipe) {
    constexpr bool canCopy = std::is_copy_constructible_v<T>;
    static_assert(canCopy, "elements of datasets can be copied");
    StageRef stage = same_stage(dataset.stage(), pipe.spec);
    return Dataset<T>(std::move(stage), pipe.spec.kind == StageKind::shuffle ? make_counter() : dataset.counter());
  }
  friend void operator|(const Array &, const Same &) = delete; // an Array is no dataset: data::from_slices(x) | ...
};
struct Batch {
  BatchSpec spec;
  template <class T>
  friend auto operator|(const Dataset<T> &dataset, const Batch &pipe) {
    constexpr bool canBatch = !std::is_void_v<Batched<T>>;
    static_assert(canBatch, "data::batch: elements are Arrays, numbers, texts, tuples of these, or structs of Arrays "
                            "alone; make such elements with data::map");
    if constexpr (canBatch)
      return Dataset<Batched<T>>(
          batch_stage(dataset.stage(), pipe.spec, batch_converter<T>(), &element_ops<Batched<T>>), dataset.counter());
  }
  friend void operator|(const Array &, const Batch &) = delete; // an Array is no dataset: data::from_slices(x) | ...
};
struct Window {
  int64_t length, shift;
  Location at;
  template <class T>
  friend auto operator|(const Dataset<T> &dataset, const Window &pipe) {
    constexpr bool canBatch = !std::is_void_v<Batched<T>>;
    static_assert(canBatch, "data::window: elements are Arrays, numbers, texts, tuples of these, or structs of Arrays "
                            "alone; make such elements with data::map");
    if constexpr (canBatch)
      return Dataset<Batched<T>>(window_stage(dataset.stage(), pipe.length, pipe.shift, batch_converter<T>(),
                                              &element_ops<Batched<T>>, pipe.at),
                                 dataset.counter());
  }
};
struct Unbatch {
  Location at;
  template <class T>
  friend Dataset<T> operator|(const Dataset<T> &dataset, const Unbatch &pipe) {
    constexpr bool hasArrays = has_arrays_alone<T>();
    static_assert(hasArrays, "data::unbatch: elements are Arrays or trees of Arrays alone");
    return Dataset<T>(unbatch_stage(dataset.stage(), pipe.at), dataset.counter());
  }
};
struct Enumerate {
  Location at;
  template <class T>
  friend auto operator|(const Dataset<T> &dataset, const Enumerate &pipe) {
    using U = Flattened<int64_t, T>;
    const Callback callback{[](const void *, const void *element, const Key *, int64_t number) -> void * {
                              return new U(
                                  std::tuple_cat(std::tuple(number), parts_of(*static_cast<const T *>(element))));
                            },
                            [](void *) {}, nullptr};
    return Dataset<U>(map_stage(dataset.stage(), callback, {.name = "data::enumerate", .at = pipe.at}, &element_ops<U>),
                      dataset.counter());
  }
};
template <class F>
struct Map {
  F f;
  MapSpec spec;
  // Takes every dataset and says a sentence: a constraint would print all operators | there are.
  template <class T>
  friend auto operator|(const Dataset<T> &dataset, const Map &pipe) {
    constexpr bool takes = takes_element<F, T>;
    static_assert(takes, "data::map: the function takes an element, or the parts of one that is a tuple, as const "
                         "references or values");
    if constexpr (takes) {
      using U = ApplyResult<F, T>;
      static_assert(!std::is_void_v<U>, "data::map: the function returns the new element");
      return Dataset<U>(map_stage(dataset.stage(), map_callback<T, F, U>(pipe.f), pipe.spec, &element_ops<U>),
                        dataset.counter());
    }
  }
};
template <class F>
struct RandomMap {
  F f;
  MapSpec spec;
  template <class T>
  friend auto operator|(const Dataset<T> &dataset, const RandomMap &pipe) {
    constexpr bool takes = takes_element<F, T, Key>;
    static_assert(takes,
                  "data::random_map: the function takes a const tn::Key & and an element, or a key and the parts "
                  "of an element that is a tuple");
    if constexpr (takes) {
      using U = ApplyResult<F, T, Key>;
      static_assert(!std::is_void_v<U>, "data::random_map: the function returns the new element");
      return Dataset<U>(map_stage(dataset.stage(), random_callback<T, F, U>(pipe.f), pipe.spec, &element_ops<U>),
                        dataset.counter());
    }
  }
};
template <class F>
struct Filter {
  F f;
  Location at;
  template <class T>
  friend Dataset<T> operator|(const Dataset<T> &dataset, const Filter &pipe) {
    constexpr bool takes = takes_element<F, T>;
    static_assert(takes, "data::filter: the function takes an element, or the parts of one that is a tuple");
    if constexpr (takes) {
      const Test test{[](const void *state, const void *element) {
                        return static_cast<bool>(
                            apply_to(*static_cast<const F *>(state), *static_cast<const T *>(element)));
                      },
                      &destroy_function<F>, new F(pipe.f)};
      return Dataset<T>(filter_stage(dataset.stage(), test, pipe.at), dataset.counter());
    }
  }
};
template <class F>
struct Interleave {
  F f;
  const char *name;
  InterleaveOptions options;
  Location at;
  template <class T>
  friend auto operator|(const Dataset<T> &dataset, const Interleave &pipe) {
    constexpr bool takes = takes_element<F, T>;
    static_assert(takes, "data::flat_map and data::interleave: the function takes an element, or the parts of one that "
                         "is a tuple, and returns a Dataset");
    if constexpr (takes) {
      using U = typename ApplyResult<F, T>::value_type;
      const Callback callback{[](const void *state, const void *element, const Key *, int64_t) -> void * {
                                const Dataset<U> inner =
                                    apply_to(*static_cast<const F *>(state), *static_cast<const T *>(element));
                                retain(inner.stage().get());
                                return inner.stage().get();
                              },
                              &destroy_function<F>, new F(pipe.f)};
      return Dataset<U>(interleave_stage(dataset.stage(), callback, pipe.options.cycle_length,
                                         pipe.options.block_length, pipe.name, &element_ops<U>, pipe.at),
                        dataset.counter());
    }
  }
};
template <class T>
struct Concatenate {
  Dataset<T> second;
  friend Dataset<T> operator|(const Dataset<T> &first, const Concatenate &pipe) {
    return Dataset<T>(concatenate_stage(first.stage(), pipe.second.stage()), first.counter());
  }
};

/// Throws the Error "data::name: expected what, got value" if `value` is below `least`.
void expect_at_least(const char *name, const char *what, int64_t least, int64_t value, Location at);
} // namespace detail

/// Shuffles with a buffer of elements. Each draw takes an element of the buffer at random, and the next element of the
/// source takes its place (as tf.data does); a buffer that holds all elements gives a uniform permutation. Each epoch
/// has another order. Draw number i (from 0) of epoch e takes element `bits * n / 2^64` of the n in the buffer, where
/// `bits` is u64 number i of the key `fold_in(key(seed), e)`; at the end of the source the last element of the buffer
/// takes its place. Of epochs from 2^32 on, which `repeat()` makes, the high word is folded in as well, after the low
/// one. Rows of from_slices are shuffled as numbers: the buffer holds no elements.
inline detail::Same shuffle(int64_t buffer, uint64_t seed = 0, Location at = Location::current()) {
  detail::expect_at_least("shuffle", "a buffer of at least 1 element", 1, buffer, at);
  return {{.kind = detail::StageKind::shuffle, .count = buffer, .seed = seed, .at = at}};
}
/// The first `count` elements.
inline detail::Same take(int64_t count, Location at = Location::current()) {
  detail::expect_at_least("take", "a count of at least 0", 0, count, at);
  return {{.kind = detail::StageKind::take, .count = count, .at = at}};
}
/// All elements but the first `count`.
inline detail::Same skip(int64_t count, Location at = Location::current()) {
  detail::expect_at_least("skip", "a count of at least 0", 0, count, at);
  return {{.kind = detail::StageKind::skip, .count = count, .at = at}};
}
/// All elements `count` times, without a count for ever. Each pass is an epoch of its source: pass k of epoch e is
/// epoch `e * count + k`, without a count `e * 2^32 + k`. Repeating nothing for ever is an Error.
inline detail::Same repeat(std::optional<int64_t> count = {}, Location at = Location::current()) {
  detail::expect_at_least("repeat", "a count of at least 0", 0, count.value_or(0), at);
  return {{.kind = detail::StageKind::repeat, .count = count.value_or(-1), .at = at}};
}
/// Keeps the elements in memory as they are first read, in the order of epoch 0, for all epochs.
inline detail::Same cache(Location at = Location::current()) { return {{.kind = detail::StageKind::cache, .at = at}}; }
/// Computes up to `count` elements ahead, on a thread.
inline detail::Same prefetch(int64_t count, Location at = Location::current()) {
  detail::expect_at_least("prefetch", "a count of at least 1", 1, count, at);
  return {{.kind = detail::StageKind::prefetch, .count = count, .at = at}};
}
/// The elements number `index`, `index + count`, ...: the share of one of `count` processes.
detail::Same shard(int64_t count, int64_t index, Location at = Location::current());

/// Joins `size` elements to one: arrays, which must have equal shapes, are stacked along a new axis 0; numbers become
/// arrays and texts a std::vector. The last batch may have fewer elements. Batches of rows of from_slices, shuffled,
/// skipped or filtered, are gathered without making the elements.
inline detail::Batch batch(int64_t size, BatchOptions options = {}, Location at = Location::current()) {
  detail::expect_at_least("batch", "a size of at least 1", 1, size, at);
  return {{.size = size, .drop_remainder = options.drop_remainder, .at = at}};
}
/// The same of arrays whose sizes may differ: they are padded at the end of each axis to the largest of the batch.
inline detail::Batch padded_batch(int64_t size, PaddedBatchOptions options = {}, Location at = Location::current()) {
  detail::expect_at_least("padded_batch", "a size of at least 1", 1, size, at);
  return {{.size = size, .drop_remainder = options.drop_remainder, .isPadded = true, .value = options.value, .at = at}};
}
/// The slices along axis 0 of the elements, one after another.
inline detail::Unbatch unbatch(Location at = Location::current()) { return {at}; }
/// The batches of `length` elements that begin at element 0, `shift`, 2 * `shift`, ...; incomplete ones are left out.
inline detail::Window window(int64_t length, int64_t shift = 1, Location at = Location::current()) {
  detail::expect_at_least("window", "a length of at least 1", 1, length, at);
  detail::expect_at_least("window", "a shift of at least 1", 1, shift, at);
  return {length, shift, at};
}
/// The number of the element before its parts: `for (auto [i, x, y] : ds | data::enumerate())`.
inline detail::Enumerate enumerate(Location at = Location::current()) { return {at}; }

/// f of each element; of a tuple, f(parts...) if f takes these. In a worker, a draw from the default generator is an
/// Error: use random_map.
template <class F>
detail::Map<std::decay_t<F>> map(F &&f, MapOptions options = {}, Location at = Location::current()) {
  detail::expect_at_least("map", "at least 0 workers", 0, options.workers, at);
  return {std::forward<F>(f), {.name = "data::map", .workers = options.workers, .ordered = options.ordered, .at = at}};
}
/// f(key, element) or f(key, parts...). The key of element number i (from 0) of epoch e is
/// `fold_in(fold_in(key(seed), e), i)`; e is folded in as for shuffle.
template <class F>
detail::RandomMap<std::decay_t<F>> random_map(F &&f, uint64_t seed, MapOptions options = {},
                                              Location at = Location::current()) {
  detail::expect_at_least("random_map", "at least 0 workers", 0, options.workers, at);
  return {std::forward<F>(f),
          {.name = "data::random_map",
           .workers = options.workers,
           .ordered = options.ordered,
           .takesKey = true,
           .seed = seed,
           .at = at}};
}
/// The elements for which f, called as map calls it, gives true.
template <class F>
detail::Filter<std::decay_t<F>> filter(F &&f, Location at = Location::current()) {
  return {std::forward<F>(f), at};
}
/// The elements of the datasets that f returns for each element, one after another.
template <class F>
detail::Interleave<std::decay_t<F>> flat_map(F &&f, Location at = Location::current()) {
  return {std::forward<F>(f), "data::flat_map", {.cycle_length = 1}, at};
}
/// The same, where `cycle_length` datasets are read in turn, `block_length` elements of each; when it is again the turn
/// of one that has ended, the next dataset takes its place.
template <class F>
detail::Interleave<std::decay_t<F>> interleave(F &&f, InterleaveOptions options = {},
                                               Location at = Location::current()) {
  detail::expect_at_least("interleave", "a cycle_length of at least 1", 1, options.cycle_length, at);
  detail::expect_at_least("interleave", "a block_length of at least 1", 1, options.block_length, at);
  return {std::forward<F>(f), "data::interleave", options, at};
}
/// The elements of a second dataset after those of the first.
template <class T>
detail::Concatenate<T> concatenate(const Dataset<T> &second) {
  return {second};
}
/// Tuples of an element of each dataset, until one ends. The parts of tuples become parts of the result.
template <class... T>
  requires(sizeof...(T) > 0)
auto zip(const Dataset<T> &...datasets) {
  using U = detail::Flattened<T...>;
  const detail::Callback callback{[](const void *, const void *elements, const Key *, int64_t) -> void * {
                                    return [&]<size_t... i>(std::index_sequence<i...>) {
                                      const auto *element = static_cast<const void *const *>(elements);
                                      return new U(
                                          std::tuple_cat(detail::parts_of(*static_cast<const T *>(element[i]))...));
                                    }(std::index_sequence_for<T...>());
                                  },
                                  [](void *) {}, nullptr};
  return Dataset<U>(detail::zip_stage({datasets.stage()...}, callback, &detail::element_ops<U>));
}

} // namespace tenon::data
