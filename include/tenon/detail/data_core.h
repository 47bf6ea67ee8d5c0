//===- data_core.h - datasets without the types of their elements ------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Included through data.h. The stages of a dataset stand in the library and do not know the type of their elements: an
// element is an object on the heap, with a table of functions made once for its type.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/detail/state_ref.h>
#include <tenon/detail/tree_ops.h>
#include <tenon/variable.h>

#include <optional>
#include <string>
#include <vector>

namespace tenon::data::detail {

/// What the library does with elements of one type.
struct ElementOps {
  /// Null: the elements are no trees.
  const tenon::detail::TreeOps *tree;
  /// Null: elements cannot be copied.
  void *(*copy)(const void *element);
  void (*destroy)(void *element);
  /// Appends the texts of one batch to those of another; null: the elements are no batches of texts.
  void (*append_texts)(void *batch, const void *more);
};

/// One stage of a pipeline.
class Stage;
void retain(Stage *stage);
void release(Stage *stage);
class StageRef : public tenon::detail::StateRef<Stage> {
public:
  using StateRef::StateRef;
};

/// A function that a stage owns and calls with `state`.
struct Callback {
  /// Returns a new element, or a reference of a Stage. `key`: what random_map gives; else null.
  void *(*call)(const void *state, const void *element, const Key *key, int64_t number);
  void (*destroy)(void *state);
  void *state;
};
/// A predicate.
struct Test {
  bool (*call)(const void *state, const void *element);
  void (*destroy)(void *state);
  void *state;
};
/// Makes the elements of an epoch one after another.
struct Generator {
  /// A new state for an epoch.
  void *(*start)(const void *state);
  /// The next element; null at the end.
  void *(*next)(void *epoch);
  void (*destroy)(void *state);
  void *state;
};

enum class StageKind : uint8_t { shuffle, take, skip, repeat, shard, cache, prefetch };
/// A stage that does not change the type of the elements.
struct SameSpec {
  StageKind kind;
  int64_t count = 0;
  int64_t index = 0;
  uint64_t seed = 0;
  Location at = {};
};
StageRef same_stage(const StageRef &source, const SameSpec &spec);

StageRef slices_stage(tenon::detail::TreeRef tree, const ElementOps *ops, Location at);
/// Elements 0, 1, ..., `count` - 1 by their number.
StageRef indexed_stage(const Callback &element, int64_t count, const ElementOps *ops, Location at);
StageRef generator_stage(const Generator &generator, const ElementOps *ops, Location at);

struct BatchSpec {
  int64_t size = 0;
  bool drop_remainder = false;
  /// Pads arrays of different sizes with this number.
  bool isPadded = false;
  Scalar value = 0;
  Location at = {};
};
/// `convert` makes a batch of one element without its axis; null: an element is one. `ops`: of the batches.
StageRef batch_stage(const StageRef &source, const BatchSpec &spec, Callback convert, const ElementOps *ops);
StageRef window_stage(const StageRef &source, int64_t length, int64_t shift, Callback convert, const ElementOps *ops,
                      Location at);
StageRef unbatch_stage(const StageRef &source, Location at);

struct MapSpec {
  const char *name;
  int workers = 0;
  bool ordered = true;
  bool takesKey = false;
  uint64_t seed = 0;
  Location at = {};
};
StageRef map_stage(const StageRef &source, const Callback &function, const MapSpec &spec, const ElementOps *ops);
StageRef filter_stage(const StageRef &source, const Test &test, Location at);
/// `combine` takes an array of pointers to the elements of the sources.
StageRef zip_stage(const std::vector<StageRef> &sources, const Callback &combine, const ElementOps *ops);
StageRef concatenate_stage(const StageRef &first, const StageRef &second);
StageRef interleave_stage(const StageRef &source, const Callback &function, int64_t cycle_length, int64_t block_length,
                          const char *name, const ElementOps *ops, Location at);

std::optional<int64_t> size_of(const StageRef &stage);

/// The number of the epoch that begin() starts.
class EpochCounter;
void retain(EpochCounter *counter);
void release(EpochCounter *counter);
class CounterRef : public tenon::detail::StateRef<EpochCounter> {
public:
  using StateRef::StateRef;
};
CounterRef make_counter();
/// One that stays at `epoch`.
CounterRef pinned_counter(int64_t epoch, Location at);
int64_t next_epoch(const CounterRef &counter);

/// A position in a dataset, and what has been started there.
class CursorBody;
void retain(CursorBody *body);
void release(CursorBody *body);
class CursorRef : public tenon::detail::StateRef<CursorBody> {
public:
  using StateRef::StateRef;
};
/// `isSaved`: its position is two Variables, for checkpoints.
CursorRef make_cursor(const StageRef &stage, int64_t epoch, bool isSaved, Location at);
/// The next element; null at the end of the epoch, after which the cursor stands at the start of the next one.
void *next_element(const CursorRef &cursor);
int64_t epoch_of(const CursorRef &cursor);
int64_t position_of(const CursorRef &cursor);
void seek(const CursorRef &cursor, int64_t epoch, int64_t position, Location at);
/// What a saved cursor keeps its position in.
Variable &epoch_variable(const CursorRef &cursor);
Variable &position_variable(const CursorRef &cursor);

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

template <class T>
struct TypeTag {
  using Type = T;
};

template <class T, class... Seen>
constexpr bool has_arrays_alone();
template <class... Seen, class... Child>
constexpr bool have_arrays_alone(tenon::detail::TypeList<Child...>) {
  return (has_arrays_alone<std::remove_const_t<Child>, Seen...>() && ...);
}
/// Whether all leaves of a tree are arrays and keys.
template <class T, class... Seen>
constexpr bool has_arrays_alone() {
  constexpr auto kind = tenon::detail::node_kind<T>;
  if constexpr (kind == tenon::detail::NodeKind::array || kind == tenon::detail::NodeKind::key)
    return true;
  else if constexpr (tenon::detail::is_leaf<T>() || kind == tenon::detail::NodeKind::object)
    return false;
  else if constexpr (tenon::detail::is_one_of<T, Seen...>)
    return true;
  else
    return have_arrays_alone<Seen..., T>(tenon::detail::children_of<T>());
}

/// The type of a batch of elements: arrays get one more axis, numbers (and vectors of them) become arrays and texts
/// vectors of texts, in tuples and pairs too. Void: there is none.
template <class T>
struct BatchOf {
  static constexpr auto find() {
    if constexpr (std::is_same_v<T, std::string>)
      return TypeTag<std::vector<std::string>>();
    else if constexpr (tenon::detail::Number<T> || tenon::detail::Container<T>)
      return TypeTag<Array>();
    else if constexpr (!tenon::detail::is_tree<T>())
      return TypeTag<void>();
    else if constexpr (has_arrays_alone<T>())
      return TypeTag<T>();
    else
      return TypeTag<void>();
  }
  using Type = typename decltype(find())::Type;
};
template <template <class...> class Tuple, bool isComplete, class... T>
struct BatchOfParts {
  using Type = void;
};
template <template <class...> class Tuple, class... T>
struct BatchOfParts<Tuple, true, T...> {
  using Type = Tuple<typename BatchOf<T>::Type...>;
};
template <class... T>
struct BatchOf<std::tuple<T...>> : BatchOfParts<std::tuple, (!std::is_void_v<typename BatchOf<T>::Type> && ...), T...> {
};
template <class T, class U>
struct BatchOf<std::pair<T, U>>
    : BatchOfParts<std::pair, !std::is_void_v<typename BatchOf<T>::Type> && !std::is_void_v<typename BatchOf<U>::Type>,
                   T, U> {};
template <class T>
using Batched = typename BatchOf<T>::Type;

/// A batch of one element, its arrays without the axis.
template <class T>
Batched<T> to_batch(const T &element) {
  if constexpr (std::is_same_v<Batched<T>, T>)
    return element;
  else if constexpr (std::is_same_v<T, std::string>)
    return {element};
  else if constexpr (std::is_same_v<Batched<T>, Array>)
    return Array(element);
  else
    return std::apply([](const auto &...part) { return Batched<T>(to_batch(part)...); }, element);
}
template <class B>
constexpr bool has_texts() {
  if constexpr (std::is_same_v<B, std::vector<std::string>>)
    return true;
  else if constexpr (tenon::detail::is_tree<B>())
    return tenon::detail::node_kind<B> == tenon::detail::NodeKind::tuple && !has_arrays_alone<B>();
  else
    return false;
}
template <class B>
void append_texts(B &batch, const B &more) {
  if constexpr (std::is_same_v<B, std::vector<std::string>>)
    batch.insert(batch.end(), more.begin(), more.end());
  else if constexpr (has_texts<B>())
    [&]<size_t... i>(std::index_sequence<i...>) {
      (append_texts(std::get<i>(batch), std::get<i>(more)), ...);
    }(std::make_index_sequence<std::tuple_size_v<B>>());
}

template <class T>
constexpr ElementOps make_element_ops() {
  ElementOps ops{};
  if constexpr (tenon::detail::is_tree<T>())
    ops.tree = &tenon::detail::tree_ops<T>;
  if constexpr (std::is_copy_constructible_v<T>)
    ops.copy = [](const void *element) -> void * { return new T(*static_cast<const T *>(element)); };
  ops.destroy = [](void *element) { delete static_cast<T *>(element); };
  if constexpr (has_texts<T>())
    ops.append_texts = [](void *batch, const void *more) {
      append_texts(*static_cast<T *>(batch), *static_cast<const T *>(more));
    };
  return ops;
}
template <class T>
inline constexpr ElementOps element_ops = make_element_ops<T>();

template <class T>
Callback batch_converter() {
  if constexpr (std::is_same_v<Batched<T>, T>)
    return {};
  else
    return {[](const void *, const void *element, const Key *, int64_t) -> void * {
              return new Batched<T>(to_batch(*static_cast<const T *>(element)));
            },
            [](void *) {}, nullptr};
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

template <class T>
inline constexpr bool is_tuple = false;
template <class... T>
inline constexpr bool is_tuple<std::tuple<T...>> = true;
template <class T, class U>
inline constexpr bool is_tuple<std::pair<T, U>> = true;

/// f(element), or f(parts of it...) for tuples, which is tried first.
template <class F, class T, class... Before>
inline constexpr bool takes_parts = false;
template <class F, class... T, class... Before>
inline constexpr bool takes_parts<F, std::tuple<T...>, Before...> =
    std::is_invocable_v<const F &, const Before &..., const T &...>;
template <class F, class T, class U, class... Before>
inline constexpr bool takes_parts<F, std::pair<T, U>, Before...> =
    std::is_invocable_v<const F &, const Before &..., const T &, const U &>;
template <class F, class T, class... Before>
inline constexpr bool takes_element =
    takes_parts<F, T, Before...> || std::is_invocable_v<const F &, const Before &..., const T &>;

template <class F, class T, class... Before>
decltype(auto) apply_to(const F &f, const T &element, const Before &...before) {
  if constexpr (takes_parts<F, T, Before...>)
    return std::apply([&](const auto &...part) -> decltype(auto) { return f(before..., part...); }, element);
  else
    return f(before..., element);
}
template <class F, class T, class... Before>
using ApplyResult = std::decay_t<decltype(apply_to(std::declval<const F &>(), std::declval<const T &>(),
                                                   std::declval<const Before &>()...))>;

template <class F>
void destroy_function(void *state) {
  delete static_cast<F *>(state);
}
template <class T, class F, class U>
Callback map_callback(const F &f) {
  return {[](const void *state, const void *element, const Key *, int64_t) -> void * {
            return new U(apply_to(*static_cast<const F *>(state), *static_cast<const T *>(element)));
          },
          &destroy_function<F>, new F(f)};
}
template <class T, class F, class U>
Callback random_callback(const F &f) {
  return {[](const void *state, const void *element, const Key *key, int64_t) -> void * {
            return new U(apply_to(*static_cast<const F *>(state), *static_cast<const T *>(element), *key));
          },
          &destroy_function<F>, new F(f)};
}

/// A tuple of parts, of which tuples count as theirs.
template <class T>
auto parts_of(const T &element) {
  if constexpr (is_tuple<T>)
    return std::apply([](const auto &...part) { return std::tuple(part...); }, element);
  else
    return std::tuple<T>(element);
}
template <class... T>
using Flattened = decltype(std::tuple_cat(parts_of(std::declval<const T &>())...));

} // namespace tenon::data::detail
