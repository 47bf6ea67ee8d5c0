//===- transform_core.h - what grad, vmap and control flow stand on --------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Included through transform.h and control.h: the functions in the library that
// their templates call, over plain lists of arrays.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/detail/tree_ops.h>
#include <tenon/ops.h>

namespace tenon {
struct VmapOptions;

namespace detail {

/// Where a transformed function was made, and where it is called.
struct CallSite {
  Location made, called;
};

/// The path of a leaf by number, asked for in errors alone; borrowed.
class LeafNames {
public:
  LeafNames() = default;
  template <class F>
  LeafNames(const F &function)
      : object_(&function),
        call_([](const void *object, size_t leaf) { return (*static_cast<const F *>(object))(leaf); }) {}
  std::string operator()(size_t leaf) const { return call_ ? call_(object_, leaf) : std::string(); }

private:
  const void *object_ = nullptr;
  std::string (*call_)(const void *, size_t) = nullptr;
};

/// Calls callback(array, path) for the Array leaves and the data of Key leaves:
/// what is mapped, carried and recorded.
template <class T, class F>
void for_each_value(T &&tree, F &&callback) {
  for_each_leaf(tree, [&](auto &leaf, const Path &path) {
    constexpr LeafKind kind = leaf_kind<decltype(leaf)>;
    if constexpr (kind == LeafKind::array)
      callback(leaf, path);
    else if constexpr (kind == LeafKind::key)
      callback(leaf.data, path);
  });
}
template <class T>
std::vector<Array> values_of(const T &tree) {
  std::vector<Array> values;
  for_each_value(tree, [&](const Array &value, const Path &) { values.push_back(value); });
  return values;
}
/// Replaces them; takes as many from the front of `values`, which moves on.
template <class T>
void assign_values(T &tree, std::span<const Array> &values) {
  for_each_value(tree, [&](Array &value, const Path &) {
    value = values.front();
    values = values.subspan(1);
  });
}
//===----------------------------------------------------------------------===//
// Derivatives
//===----------------------------------------------------------------------===//

/// The gradients of the result of `function`, of rank 0 and floating, or of the first
/// element of the pair that it returns, for the arrays in the arguments with the
/// numbers `chosen`, the only ones that need be trees. A gradient is of its array's
/// type; f32 zeros where that has no derivative. `result`: what the function
/// returned, outside of the transformation again.
std::vector<Array> gradient(const TreeFunction &function, std::span<const TreeRef> arguments,
                            std::span<const size_t> chosen, OwnedTree &result, CallSite site);

/// A counted reference of what a forward run has left.
class PullbackState;
class PullbackRef {
public:
  PullbackRef() = default;
  /// Takes over one reference.
  explicit PullbackRef(PullbackState *state) : state_(state) {}
  PullbackRef(const PullbackRef &other);
  PullbackRef(PullbackRef &&other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  PullbackRef &operator=(PullbackRef other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }
  ~PullbackRef();
  PullbackState *get() const { return state_; }

private:
  PullbackState *state_ = nullptr;
};
/// Runs `function` forward; `result` is what it returned, outside again.
PullbackRef run_forward(const TreeFunction &function, std::span<const TreeRef> arguments, OwnedTree &result,
                        Location at);
/// Cotangents of the arrays in the arguments for those in a result.
std::vector<Array> pull_back(const PullbackRef &state, TreeRef cotangent, CallSite site);

//===----------------------------------------------------------------------===//
// Batching
//===----------------------------------------------------------------------===//

inline constexpr int no_axis = INT32_MIN;
/// What `function` gives for each example in the arguments.
OwnedTree run_batched(const TreeFunction &function, std::span<const TreeRef> arguments, const VmapOptions &options,
                      CallSite site);

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

/// Throws the Error that names the first difference between two structures.
[[noreturn]] void throw_structure(std::string_view what, std::string_view expected, std::string_view got, Location at);

/// A branch, condition or step on its way to becoming a region.
class RegionBody {
public:
  /// Calls the user's function and lists the arrays of what it returns.
  virtual void run(std::span<const Array> in, std::vector<Array> &out) = 0;

protected:
  ~RegionBody() = default;
};

std::vector<Array> run_cond(const Array &predicate, RegionBody &then, RegionBody &otherwise,
                            std::span<const Array> operands, LeafNames names, Location at);

struct ScanLists {
  std::span<const Array> carries, xs;
  bool reverse = false;
  std::optional<Dim> length;
  /// The function that the user called.
  const char *name = "scan";
};
/// The final carries, then the stacked results. The body takes carries, then
/// slices; it returns carries, then results.
std::vector<Array> run_scan(RegionBody &body, const ScanLists &lists, LeafNames names, Location at);

std::vector<Array> run_while(RegionBody &condition, RegionBody &body, std::span<const Array> carries, const char *name,
                             LeafNames names, Location at);

} // namespace detail
} // namespace tenon
