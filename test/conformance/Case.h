//===- Case.h - one application of an op -------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A case is an op, a dtype and inputs. A cell of the matrix is a case, a column (how the function is transformed) and a
// mode (what runs it). A case is made without running anything, so that tests can be listed.
//===----------------------------------------------------------------------===//
#pragma once

#include "test/conformance/Rows.h"

#include <tenon/array.h>
#include <tenon/format.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::conformance {

using Function = std::function<std::vector<Array>(const std::vector<Array> &)>;
using Dims = std::vector<int64_t>;

/// The elements of an input.
enum class Fill {
  normal,   ///< floats in [-2, 2], small integers of both signs
  positive, ///< [0.5, 2.5]; integers 1..9
  nonzero,  ///< magnitude in [0.5, 2.5], both signs
  unit,     ///< [-0.9, 0.9]
  small,    ///< floats of magnitude in [0.15, 0.35], both signs: below those of nonzero
  distinct, ///< no two nearer than 0.1, shuffled: away from the kinks of max
  ties,     ///< few values, many equal
  special,  ///< NaN, infinities, zeros of both signs, subnormals, extremes of the dtype
  wide,     ///< exponents over the dtype's range; all bits of integers
  counts,   ///< integers -2 .. number of bits + 2, for shifts
  indices,  ///< integers -1 .. 6
  middles,  ///< large integers half-way between two numbers with 8-bit mantissas, or next to that
  key,      ///< all bits
};

/// How the array lies in memory.
enum class Layout { dense, transposed, reversed, strided, repeated };

struct Input {
  Dtype dtype;
  Dims dims;
  Fill fill = Fill::normal;
  Layout layout = Layout::dense;
};

/// The columns of the matrix.
enum class Column {
  f,
  grad,
  gradGrad,
  vmap,
  vmapGrad,
  jitGrad,
  gradJit,
  jvp,
  hessian,
  vmapVmap,
  checkpoint,
  tape,
  tapeJit
};
inline constexpr int columnCount = 13;
inline constexpr std::string_view columnNames[] = {"f",          "grad",     "grad.grad", "vmap",    "vmap.grad",
                                                   "jit.grad",   "grad.jit", "jvp",       "hessian", "vmap.vmap",
                                                   "checkpoint", "tape",     "tape.jit"};

/// What runs the function.
enum class Mode { eager, interpreted, compiled, blob };
inline constexpr int modeCount = 4;
inline constexpr std::string_view modeNames[] = {"eager", "interpreted", "compiled", "blob"};

struct Case {
  /// The row's name; a case of an op that the table lacks (random.normal) has its own.
  std::string op;
  Dtype dtype;
  /// `3x5`, `3x5-transposed`.
  std::string label;
  std::vector<Input> inputs;
  Function function;
  /// Attributes for the reference, in JSON: `"axes": [1], "keepdims": true`.
  std::string attributes;
  /// Run in every column; otherwise only in the column f (odd shapes, special values).
  bool allColumns = false;
  /// Which inputs vmap maps; by default all of them.
  std::vector<bool> mapped;
  /// Null for a case of an op that the table lacks.
  const ConformanceRow *row = nullptr;
  /// Why forward mode is not tested; empty if it is.
  std::string noJvp = {};
  /// Allowed difference from the reference, in ulp of the result's dtype. -1: there is no reference; the modes must
  /// have the same bits.
  int referenceUlp = 0;
  /// Why its program cannot be saved; empty if it can.
  std::string noBlob = {};

  std::string name() const { return op + "/" + std::string(short_name(dtype)) + "/" + label; }
};

/// Makes the cases of an op for one of its row's dtypes.
class CaseList {
public:
  CaseList(std::string op, Dtype dtype, std::vector<Case> &out) : op_(std::move(op)), dtype_(dtype), out_(out) {}
  /// Adds a case for every column; its inputs must lie away from kinks.
  Case &all(std::string label, std::vector<Input> inputs, Function function, std::string attributes = "") {
    Case &made = plain(std::move(label), std::move(inputs), std::move(function), std::move(attributes));
    made.allColumns = true;
    return made;
  }
  Case &plain(std::string label, std::vector<Input> inputs, Function function, std::string attributes = "") {
    out_.push_back({op_,
                    dtype_,
                    std::move(label),
                    std::move(inputs),
                    std::move(function),
                    std::move(attributes),
                    false,
                    {},
                    nullptr,
                    {},
                    0});
    return out_.back();
  }
  Dtype dtype() const { return dtype_; }
  bool isFloating() const { return kind(dtype_) == Kind::floating && !is_storage(dtype_); }

private:
  std::string op_;
  Dtype dtype_;
  std::vector<Case> &out_;
};

/// A wider dtype for sums of products: i32 of narrow integers and bools, f32 of narrow floats; c128 and 64-bit dtypes
/// have none.
inline Dtype wideOf(Dtype dtype) {
  if (kind(dtype) == Kind::complex)
    return Dtype::c128;
  if (kind(dtype) == Kind::floating)
    return is_narrow(dtype) ? Dtype::f32 : Dtype::f64;
  return item_size(dtype) < 4 ? Dtype::i32 : item_size(dtype) == 4 ? Dtype::i64 : dtype;
}

/// How one op is called.
struct OpCases {
  std::string_view name;
  void (*make)(CaseList &list);
};
std::span<const OpCases> elementwiseCases();
std::span<const OpCases> reductionCases();
std::span<const OpCases> cumulativeCases();
std::span<const OpCases> fourierCases();
std::span<const OpCases> compositeCases();
std::span<const OpCases> statisticCases();
std::span<const OpCases> movementCases();
std::span<const OpCases> shapingCases();
std::span<const OpCases> indexingCases();
std::span<const OpCases> sortingCases();
std::span<const OpCases> orderCases();
std::span<const OpCases> editCases();
std::span<const OpCases> convolutionCases();
std::span<const OpCases> imageCases();
std::span<const OpCases> poolingCases();
std::span<const OpCases> linalgCases();
std::span<const OpCases> otherCases();
std::span<const OpCases> controlCases();
std::span<const OpCases> neuralCases();
std::span<const OpCases> lossCases();
std::span<const OpCases> signalCases();
std::span<const OpCases> recurrentCases();
/// Cases of reductions with options that have a name alone.
void sumsByName(CaseList &list);
void productsByName(CaseList &list);
void maximaByName(CaseList &list);
void minimaByName(CaseList &list);
void anyByName(CaseList &list);
void allByName(CaseList &list);
void meansByName(CaseList &list);
void variancesByName(CaseList &list);
void deviationsByName(CaseList &list);
/// The cases of several functions, one after another.
template <auto... make>
void joined(CaseList &list) {
  (make(list), ...);
}
/// Random programs of a few ops, the same at each run.
void programCases(CaseList &list);

/// Whether the case of that name runs. All run, unless TENON_CONFORMANCE=K/N chooses the K-th of N samples; each case
/// is in one sample. Throws an Error for any other text.
bool isInSample(std::string_view name);

/// All cases of all rows. Appends to `missing` the names of rows without cases.
std::vector<Case> allCases(std::vector<std::string> &missing);

inline std::string dimsText(const Dims &dims) {
  std::string text;
  for (int64_t dim : dims)
    text += (text.empty() ? "" : "x") + std::to_string(dim);
  return text.empty() ? "scalar" : text;
}

} // namespace tenon::conformance
