//===- tape.h - gradients of recorded operations -----------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A GradientTape records the operations of its thread that depend on watched values, from its construction to the end
// of its scope; arrays stay ordinary arrays. Tapes may nest and overlap, inside and around jit, grad and vmap.
// Branches and loops of C++ are differentiated as they ran.
//
//   tn::GradientTape tape;
//   tape.watch(w);
//   tn::Array loss = w * w;
//   tn::Array slope = tape.gradient(loss, w);
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/transform.h>
#include <tenon/variable.h>

#include <map>
#include <optional>

namespace tenon {

/// Tag: the tape computes any number of gradients and keeps the values it needs for them.
struct Persistent {};
inline constexpr Persistent persistent;

/// Cotangent of the target instead of ones: one array per array of the target, of its type.
class OutputGradients {
public:
  OutputGradients() = default;
  OutputGradients(const Array &one);
  OutputGradients(std::initializer_list<Array> list);
  OutputGradients(std::vector<Array> list);
  std::span<const Array> arrays() const;

private:
  std::vector<Array> arrays_;
};

/// Options of `gradient`: sources that the target does not depend on get zeros.
struct GradientOptions {
  OutputGradients output_gradients = {};
};

namespace detail {
class TapeCore;
/// An Array or a Variable of a tree.
struct TapeLeaf {
  const Array *array;
  const Variable *variable;
  std::string path;
};
TapeCore *make_tape(bool isPersistent, Location at);
void drop_tape(TapeCore *core) noexcept;
void watch_on(TapeCore &core, const std::vector<TapeLeaf> &leaves, Location at);
/// Changes the number of pauses by `more`; the tape records while it is 0.
void pause_tape(TapeCore &core, int more) noexcept;
void reset_tape(TapeCore &core, Location at);
/// One of a list in braces: a Variable is no Array there, which would stand for what was read of it last.
struct ListedSource {
  ListedSource(const Array &one) : array(&one) {}
  ListedSource(const Variable &one) : variable(&one) {}
  const Array *array = nullptr;
  const Variable *variable = nullptr;
};
std::vector<TapeLeaf> listed_leaves(std::initializer_list<ListedSource> sources);
/// An empty Array for a source without a connection, or zeros.
std::vector<Array> gradients_on(TapeCore &core, const std::vector<TapeLeaf> &target,
                                const std::vector<TapeLeaf> &sources, std::span<const Array> seeds, bool zeros,
                                Location at);
void backward_on(TapeCore &core, const std::vector<TapeLeaf> &target, std::span<const Array> seeds, Location at);

/// callback(leaf, path) for each Array and Variable.
template <class T, class F>
void for_each_tape_leaf(const T &tree, F &&callback) {
  for_each_leaf(tree, [&](const auto &leaf, const Path &path) {
    using Leaf = std::remove_cvref_t<decltype(leaf)>;
    if constexpr (std::is_same_v<Leaf, Array> || std::is_same_v<Leaf, Variable>)
      callback(leaf, path);
  });
}
template <class T>
std::vector<TapeLeaf> tape_leaves(const T &tree) {
  std::vector<TapeLeaf> all;
  for_each_tape_leaf(tree, [&]<class Leaf>(const Leaf &leaf, const Path &path) {
    if constexpr (std::is_same_v<Leaf, Variable>)
      all.push_back({nullptr, &leaf, path.str()});
    else
      all.push_back({&leaf, nullptr, path.str()});
  });
  return all;
}

/// The first element of `next`, which moves on.
Array take_front(std::span<const Array> &next);
template <class T>
inline constexpr bool holds_variables = has_leaf<Variable, T>();
/// `sources` with gradients in the places of its Arrays and Variables, from the front of `next`; of a struct
/// that holds Variables a map from the leaves' paths.
template <class T>
auto gradients_in(const T &sources, std::span<const Array> &next) {
  constexpr NodeKind kind = node_kind<T>;
  if constexpr (std::is_same_v<T, Variable>) {
    return take_front(next);
  } else if constexpr (!holds_variables<T>) {
    return with_arrays(sources, next);
  } else if constexpr (kind == NodeKind::vector) {
    std::vector<decltype(gradients_in(sources.front(), next))> out;
    for (const auto &element : sources)
      out.push_back(gradients_in(element, next));
    return out;
  } else if constexpr (kind == NodeKind::tuple) {
    // In braces, so that they are made in order.
    return std::apply(
        [&](const auto &...element) {
          return std::tuple<decltype(gradients_in(element, next))...>{gradients_in(element, next)...};
        },
        sources);
  } else {
    std::map<std::string, Array> out;
    for_each_tape_leaf(sources, [&](const auto &, const Path &path) { out[path.str()] = take_front(next); });
    return out;
  }
}
/// `isBatch`: of each example, along axis 0 of both. A Variable's is the sum over what was read of it.
std::vector<Array> jacobians_on(TapeCore &core, const Array &target, const std::vector<TapeLeaf> &sources, bool isBatch,
                                Location at);
Array batch_jacobian_on(TapeCore &core, const Array &target, const Array &source, Location at);

/// `tree` with an optional for each Array, empty where `next` is.
template <class T>
auto optional_arrays(const T &tree, std::span<const Array> &next) {
  constexpr NodeKind kind = node_kind<T>;
  if constexpr (std::is_same_v<T, Array> || std::is_same_v<T, Variable>) {
    const Array array = take_front(next);
    return array.has_value() ? std::optional<Array>(array) : std::nullopt;
  } else if constexpr (kind == NodeKind::vector) {
    std::vector<decltype(optional_arrays(tree.front(), next))> out;
    for (const auto &element : tree)
      out.push_back(optional_arrays(element, next));
    return out;
  } else {
    static_assert(kind == NodeKind::tuple,
                  "gradient: without zeros the sources are an Array, or a vector, tuple or pair of them");
    // In braces, so that they are made in order.
    return std::apply(
        [&](const auto &...element) {
          return std::tuple<decltype(optional_arrays(element, next))...>{optional_arrays(element, next)...};
        },
        tree);
  }
}
} // namespace detail

/// Options of `gradient` with `{.unconnected = none}`: the gradient is a `std::optional<Array>`, empty for sources that
/// the target does not depend on.
struct ConnectedOnly {
  OutputGradients output_gradients = {};
  detail::NoneGiven unconnected;
};

/// Records the operations on watched arrays and Variables during its lifetime and computes gradients through them, as
/// `tf.GradientTape`.
class GradientTape {
public:
  explicit GradientTape(Location at = Location::current()) : core_(detail::make_tape(false, at)) {}
  explicit GradientTape(Persistent, Location at = Location::current()) : core_(detail::make_tape(true, at)) {}
  GradientTape(const GradientTape &) = delete;
  ~GradientTape() { detail::drop_tape(core_); }

  /// Records from here on what depends on the Arrays in `tree`, through any handle of them. A trainable Variable in
  /// `tree` is watched as if the function read it here. Leaves that are not floating (or complex), and Variables that
  /// are not trainable, have no derivative; an Error if no leaf has one.
  template <class T>
  void watch(const T &tree, Location at = Location::current()) {
    if constexpr (detail::require_tree<T>())
      detail::watch_on(*core_, detail::tape_leaves(tree), at);
  }

  /// Computes the derivatives of the sum of all elements in `target` by each leaf of `sources`. The arrays of
  /// `target` are floating and of any shape; a Variable in `target` is read now, as if the tape recorded. A source is
  /// a watched array, or an array computed from one, or a Variable, whose derivative is the sum over all reads of it.
  /// Returns a tree like `sources`, with Arrays in the place of Variables; for a struct that holds Variables, a map
  /// from the paths of its leaves. This tape does not record the computation, other tapes do. A tape that is not
  /// persistent is used up afterwards and frees what it saved.
  template <class Target, class Sources>
  [[nodiscard]] auto gradient(const Target &target, const Sources &sources, const GradientOptions &options = {},
                              Location at = Location::current()) {
    static_assert(detail::require_tree<Target>() && detail::require_tree<Sources>());
    const std::vector<Array> arrays = detail::gradients_on(
        *core_, detail::tape_leaves(target), detail::tape_leaves(sources), options.output_gradients.arrays(), true, at);
    std::span<const Array> rest = detail::elements_of(arrays);
    return detail::gradients_in(sources, rest);
  }
  /// Gradient with respect to several sources, as a tuple.
  template <class Target, class First, class Second, class... More>
    requires(!std::is_same_v<Second, Location> && !std::is_convertible_v<const Second &, GradientOptions> &&
             (Tree<Second>))
  [[nodiscard]] auto gradient(const Target &target, const First &first, const Second &second, const More &...more) {
    return gradient(target, std::tuple<First, Second, More...>(first, second, more...));
  }
  template <class Target>
  [[nodiscard]] std::vector<Array> gradient(const Target &target, std::initializer_list<detail::ListedSource> sources,
                                            const GradientOptions &options = {}, Location at = Location::current()) {
    static_assert(detail::require_tree<Target>());
    return detail::gradients_on(*core_, detail::tape_leaves(target), detail::listed_leaves(sources),
                                options.output_gradients.arrays(), true, at);
  }
  /// The gradient with `{.unconnected = none}`: a std::optional for each Array, empty where the target does not depend
  /// on it.
  template <class Target, class Sources>
  [[nodiscard]] auto gradient(const Target &target, const Sources &sources, const ConnectedOnly &options,
                              Location at = Location::current()) {
    static_assert(detail::require_tree<Target>() && detail::require_tree<Sources>());
    const std::vector<Array> arrays =
        detail::gradients_on(*core_, detail::tape_leaves(target), detail::tape_leaves(sources),
                             options.output_gradients.arrays(), false, at);
    std::span<const Array> rest = detail::elements_of(arrays);
    return detail::optional_arrays(sources, rest);
  }

  /// Adds the gradients of `target` with respect to the Variables that the tape watches to their `grad()`, as
  /// PyTorch's loss.backward(); Variables that the target does not depend on keep theirs. `trainable` corresponds to
  /// requires_grad. An Error if the target depends on no watched Variable, and, as any assignment of a Variable, in
  /// the body of a scan and under vmap: use gradient there.
  template <class Target>
  void backward(const Target &target, const GradientOptions &options = {}, Location at = Location::current()) {
    static_assert(detail::require_tree<Target>());
    detail::backward_on(*core_, detail::tape_leaves(target), options.output_gradients.arrays(), at);
  }

  /// Watched Variables that still exist, in the order of their first read. (C++ may evaluate the operands of an
  /// operator in either order.)
  [[nodiscard]] std::vector<Variable> watched_variables() const;

  /// Jacobian of `target` with respect to each leaf of `sources`: arrays with the axes of the target followed by
  /// those of the source. Sources and result are as in `gradient`.
  template <class Sources>
  [[nodiscard]] auto jacobian(const Array &target, const Sources &sources, Location at = Location::current()) {
    static_assert(detail::require_tree<Sources>());
    const std::vector<Array> arrays = detail::jacobians_on(*core_, target, detail::tape_leaves(sources), false, at);
    std::span<const Array> rest = detail::elements_of(arrays);
    return detail::gradients_in(sources, rest);
  }
  /// Jacobian per batch element: axis 0 of target and sources is the batch, whose elements are independent, and
  /// occurs once in the result.
  [[nodiscard]] Array batch_jacobian(const Array &target, const Array &source, Location at = Location::current()) {
    return detail::batch_jacobian_on(*core_, target, source, at);
  }

  /// Pauses recording while the returned object exists: `auto pause = tape.stop_recording();`.
  class [[nodiscard]] Pause {
  public:
    explicit Pause(detail::TapeCore &core) : core_(core) { detail::pause_tape(core_, 1); }
    Pause(const Pause &) = delete;
    ~Pause() { detail::pause_tape(core_, -1); }

  private:
    detail::TapeCore &core_;
  };
  Pause stop_recording() { return Pause(*core_); }

  /// Discards everything recorded and watched, and records anew, even after a gradient was computed.
  void reset(Location at = Location::current()) { detail::reset_tape(*core_, at); }

private:
  detail::TapeCore *core_;
};

namespace detail {

/// An integer is a number that has a derivative here.
template <class A>
decltype(auto) as_real(const A &argument) {
  if constexpr (std::is_integral_v<A> && !std::is_same_v<A, bool>)
    return static_cast<double>(argument);
  else
    return (argument);
}

[[noreturn]] void throw_no_partials(const Array &result, bool isResult, Location at);

template <class F, bool withValue>
class [[nodiscard]] GradientsFunction : public LocatedCall<GradientsFunction<F, withValue>, F, AsConst> {
public:
  explicit GradientsFunction(F function) : function_(std::move(function)) {}

  template <class... A>
  auto call(Location at, const A &...arguments) const {
    if constexpr (has_number_input<F, A...>()) {
      return call_with_inputs<F>(*this, at, as_real(arguments)...);
    } else {
      static_assert((std::is_same_v<A, Array> && ...),
                    "gradients_function differentiates functions of Arrays: grad and vjp take trees");
      bool moves = false;
      ((moves |= arguments.has_value() && kind(arguments.dtype()) >= Kind::floating), ...);
      if (!moves)
        throw_no_partials(std::get<0>(std::tie(arguments...)), false, at);
      auto [value, pull] = vjp.call(at, function_, arguments...);
      if (kind(value.dtype(at)) != Kind::floating)
        throw_no_partials(value, true, at);
      const std::tuple<A...> partials(pull.call(at, ones_like(value)));
      std::vector<Array> list = std::apply([](const auto &...each) { return std::vector<Array>{each...}; }, partials);
      if constexpr (withValue)
        return std::pair(std::move(value), std::move(list));
      else
        return list;
    }
  }

private:
  mutable F function_;
};

/// The gradients of `value` for the Variables that `tape` has seen read; an Error if there are none.
std::vector<std::pair<Array, Variable>> implicit_gradients_on(GradientTape &tape, const Array &value, Location at);

template <class F, bool withValue>
class [[nodiscard]] ImplicitGradients : public LocatedCall<ImplicitGradients<F, withValue>, F, AsConst> {
public:
  explicit ImplicitGradients(F function) : function_(std::move(function)) {}

  template <class... A>
  auto call(Location at, const A &...arguments) const {
    GradientTape tape(at); // before Variables among the arguments are read
    auto run = [&](const auto &...input) { return call_at(at, function_, input...); };
    const auto value = with_inputs<F>(run, std::index_sequence_for<A...>(), at, arguments...);
    static_assert(std::is_same_v<decltype(value), const Array>,
                  "implicit_gradients: the function must return an Array");
    if constexpr (std::is_same_v<decltype(value), const Array>) {
      std::vector<std::pair<Array, Variable>> pairs = implicit_gradients_on(tape, value, at);
      if constexpr (withValue)
        return std::pair(value, std::move(pairs));
      else
        return pairs;
    }
  }

private:
  mutable F function_;
};
} // namespace detail

/// `gradients_function(f)(args...)` returns the gradients of the sum of f's result, a floating Array of any shape,
/// with respect to each argument (Arrays or numbers), as a list of Arrays. Arguments that are not floating get f32
/// zeros.
template <class F>
auto gradients_function(F &&f) {
  static_assert(detail::require_reading<std::decay_t<F>>());
  return detail::GradientsFunction<std::decay_t<F>, false>(std::forward<F>(f));
}
/// Like the function above, but returns the pair of f's result and the list.
template <class F>
auto value_and_gradients_function(F &&f) {
  static_assert(detail::require_reading<std::decay_t<F>>());
  return detail::GradientsFunction<std::decay_t<F>, true>(std::forward<F>(f));
}

/// `implicit_gradients(f)(args...)` returns the gradients of the sum of f's result, a floating Array of any shape,
/// with respect to each trainable Variable that f reads, captured or among its arguments (of any types): a list of
/// pairs of gradient and Variable in the order of first reads, with zeros where the result does not depend on the
/// Variable. An Error if f reads none.
template <class F>
auto implicit_gradients(F &&f) {
  static_assert(detail::require_reading<std::decay_t<F>>());
  return detail::ImplicitGradients<std::decay_t<F>, false>(std::forward<F>(f));
}
/// Like the function above, but returns the pair of f's result and the list.
template <class F>
auto implicit_value_and_gradients(F &&f) {
  static_assert(detail::require_reading<std::decay_t<F>>());
  return detail::ImplicitGradients<std::decay_t<F>, true>(std::forward<F>(f));
}

} // namespace tenon
