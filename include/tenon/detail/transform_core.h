//===- transform_core.h - what grad, vmap and control flow stand on --------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Included through transform.h and control.h: the functions in the library that
// their templates call, over plain lists of arrays.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/detail/state_ref.h>
#include <tenon/detail/tree_ops.h>
#include <tenon/ops.h>

#include <map>
#include <string>
#include <vector>

namespace tenon {
struct VmapOptions;

namespace detail {

/// Where a transformed function was made, and where it is called.
struct CallSite {
  Location made, called;
};

//===----------------------------------------------------------------------===//
// Derivatives
//===----------------------------------------------------------------------===//

/// What of a gradient its caller says.
struct GradientForm {
  /// An empty Array where no derivative comes, in place of zeros.
  bool hasNone = false;
  /// Arrays and result are complex.
  bool holomorphic = false;
};
/// The gradients of the result of `function`, of rank 0 and floating, or of the first
/// element of the pair that it returns, for the arrays in the arguments with the
/// numbers `chosen`, the only ones that need be trees. A gradient is of its array's
/// type; f32 zeros where that has no derivative. `result`: what the function
/// returned, outside of the transformation again.
std::vector<Array> gradient(const TreeFunction &function, std::span<const TreeRef> arguments,
                            std::span<const size_t> chosen, GradientForm form, OwnedTree &result, CallSite site);
/// The same for those of these arrays that lie at or below one of the paths, by their own.
std::map<std::string, Array> gradients_by(const TreeFunction &function, std::span<const TreeRef> arguments,
                                          std::span<const size_t> chosen, const std::vector<std::string> &paths,
                                          bool holomorphic, OwnedTree &result, CallSite site);

/// What a forward run has left for pull_back, and what linearize has for push_forward.
class PullbackState;
class LinearState;
void retain(PullbackState *state);
void release(PullbackState *state);
void retain(LinearState *state);
void release(LinearState *state);

// Classes of their own: what libtenon exports is named by classes, not by templates.
class PullbackRef : public StateRef<PullbackState> {
public:
  using StateRef::StateRef;
};
class LinearRef : public StateRef<LinearState> {
public:
  using StateRef::StateRef;
};

/// Runs `function` forward; `result` is what it returned, outside again.
PullbackRef run_forward(const TreeFunction &function, std::span<const TreeRef> arguments, OwnedTree &result,
                        Location at);
/// Cotangents of the arrays in the arguments for those in a result.
std::vector<Array> pull_back(const PullbackRef &state, TreeRef cotangent, CallSite site);

/// A number as the tangent of `primal`, of its dtype.
Array number_tangent(Scalar number, const Array &primal, Location at);
/// The tangents of the arrays in what `function` returns, `result`, for those of the
/// arguments: of the arrays' types, f32 zeros of those without a derivative.
std::vector<Array> push_forward(const TreeFunction &function, std::span<const TreeRef> arguments,
                                std::span<const TreeRef> tangents, OwnedTree &result, Location at);
/// Runs `function`; what depends on tangents is recorded, all else has run.
LinearRef run_linear(const TreeFunction &function, std::span<const TreeRef> arguments, OwnedTree &result, Location at);
/// Runs what was recorded.
std::vector<Array> push_forward(const LinearRef &state, std::span<const TreeRef> tangents, CallSite site);

/// Runs `function` traced, and transposes what was recorded; an Error unless that is linear.
LinearRef run_transpose(const TreeFunction &function, std::span<const TreeRef> arguments, Location at);
/// Cotangents of the arrays in the arguments for those in a result.
std::vector<Array> pull_back(const LinearRef &state, TreeRef cotangent, CallSite site);

/// `cheaper`: forward by at most as many elements as there are in the result. `either`: forward. Both are
/// reverse where a function has a rule on cotangents alone.
enum class JacobianMode : uint8_t { forward, reverse, cheaper, either };
/// By array in what `function` returns, `result`, its derivatives by each of the arrays in the
/// `chosen` arguments: the axes of the one, then those of the other. `name`: that of errors.
std::vector<Array> jacobian(JacobianMode mode, const char *name, const TreeFunction &function,
                            std::span<const TreeRef> arguments, std::span<const size_t> chosen, bool holomorphic,
                            OwnedTree &result, CallSite site);

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

/// The result of the branch that runs; its arrays are of the op that stands for both.
OwnedTree run_cond(const Operand &predicate, const TreeFunction &then, const TreeFunction &otherwise,
                   std::span<const TreeRef> operands);

/// The same of the branch of number `index`.
OwnedTree run_switch_case(const Operand &index, std::span<const TreeFunction> branches,
                          std::span<const TreeRef> operands);

struct ScanForm {
  /// The function that the user called.
  const char *name;
  bool reverse = false;
  std::optional<Dim> length = {};
  std::optional<int64_t> checkpointEvery = {};
};
/// `trees`: the carry, then, unless the body takes the carry alone, the xs. The body
/// returns a pair; so does this: the last carry, and the stacked results.
OwnedTree run_scan(const TreeFunction &body, std::span<const TreeRef> trees, const ScanForm &form, Location at);

struct WhileForm {
  /// The function that the user called. The carry of a fori_loop is a pair, the round first.
  const char *name;
  /// None: as many as the condition asks for.
  std::optional<Dim> max_iterations = {};
};
/// The last carry.
OwnedTree run_while(const TreeFunction &condition, const TreeFunction &body, TreeRef carry, const WhileForm &form,
                    Location at);

//===----------------------------------------------------------------------===//
// Folds
//===----------------------------------------------------------------------===//

/// What `function` makes of the elements up to each one along `axis` of the arrays in `tree`.
OwnedTree run_associative_scan(const TreeFunction &function, TreeRef tree, int64_t axis, bool reverse, Location at);
/// What it makes of all elements over the axes given, or all, and of `init` before them.
OwnedTree run_reduce(const TreeFunction &function, TreeRef tree, TreeRef init, const Ints &axes, Location at);

/// The arrays in `tree`, of one shape, sorted together along `axis` as `function`, a bool array of two trees, says.
OwnedTree run_sort(const TreeFunction &function, TreeRef tree, int64_t axis, Location at);

/// The dimension numbers of a scatter.
struct ScatterForm {
  const Ints &update_window_dims, &inserted_window_dims, &scatter_dims_to_operand_dims, &input_batching_dims,
      &scatter_indices_batching_dims;
  IndexMode mode;
};
/// The arrays in `x` with what `function` makes of an element and each update of it, one after another.
OwnedTree run_scatter(const TreeFunction &function, TreeRef x, const Operand &indices, TreeRef updates,
                      const ScatterForm &form);
/// The same of one array and of values for elements at `places` (i64) of the flattened x; -1: none.
Array run_update(const TreeFunction &function, const Array &x, const Array &places, const Operand &values, Location at);

/// A number that `function` was given beside x: of x's dtype and device, everywhere in `shape`.
Array number_beside(const char *function, const Array &x, Scalar number, const Shape &shape, Location at);

/// The x of a piecewise; an Error unless so many functions fit so many conditions.
Array piecewise_operand(const Operand &x, const Arrays &conditions, size_t functions);
/// Of the values those whose condition holds, the last one of several.
Array piecewise_choice(const Arrays &conditions, const Arrays &values, Location at);

//===----------------------------------------------------------------------===//
// Composites
//===----------------------------------------------------------------------===//

/// What a composite of this name is called in traces; an Error if none may be.
std::string composite_name(std::string_view name, Location at);
/// What `function` returns; where ops are recorded, its arrays are those of one op
/// with that name.
OwnedTree run_composite(const std::string &name, const TreeFunction &function, std::span<const TreeRef> operands,
                        Location at);

} // namespace detail
} // namespace tenon
