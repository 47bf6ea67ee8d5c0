//===- Calls.h - calls of the public functions, as data ------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Calls.gen.inc, made from the records, calls every public function by: the
// arguments of a call are values that were chosen for each parameter.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/tenon.h>

#include <optional>
#include <ostream>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tenon::mustfail {

using Results = std::vector<Array>;

/// Arrays of the pool, by number: one for an operand, any for a list.
struct Picks {
  std::vector<size_t> numbers;
};

/// A value for a parameter; monostate: it is left out.
struct Choice {
  std::string text;
  std::variant<std::monostate, Picks, Scalar, Ints, Shape, Axis, Dim, int, double, bool, std::string_view, Dtype,
               Device, Padding, Key>
      value;
};

/// The arguments of one call: what was chosen, and the arrays that stand for the picks, which
/// may be values of a transformation.
class Arguments {
public:
  Arguments(std::span<const Choice *const> chosen, std::vector<std::vector<Array>> arrays)
      : chosen_(chosen), arrays_(std::move(arrays)) {}

  Operand operand(size_t i, const std::source_location &at) const {
    if (std::holds_alternative<Picks>(chosen_[i]->value))
      return Operand(arrays_[i][0], at);
    if (const Scalar *number = std::get_if<Scalar>(&chosen_[i]->value))
      return Operand(*number, at);
    return Operand(none, at);
  }

  template <class T>
  T take(size_t i) const {
    if constexpr (std::is_same_v<T, Arrays>)
      return Arrays(arrays_[i]);
    else
      return Taken<T>::from(chosen_[i]->value);
  }

  /// An enum: chosen as a number, which may be that of no value.
  template <class T>
  T mode(size_t i) const {
    return static_cast<T>(std::get<int>(chosen_[i]->value));
  }

private:
  template <class T>
  struct Taken {
    static T from(const auto &value) { return std::get<T>(value); }
  };
  template <class T>
  struct Taken<std::optional<T>> {
    static std::optional<T> from(const auto &value) {
      if (std::holds_alternative<std::monostate>(value))
        return {};
      return std::get<T>(value);
    }
  };
  std::span<const Choice *const> chosen_;
  std::vector<std::vector<Array>> arrays_;
};

/// A parameter as its record has it; see Tenon_Parameter in dialect/records/Base.td.
struct Parameter {
  std::string_view name, type;
  bool mayBeLeftOut;
};

/// A public function. Its operands are written at `at`.
struct Function {
  std::string_view name;
  std::vector<Parameter> parameters;
  Results (*call)(const Arguments &arguments, const std::source_location &at);
};

/// What test names show of it.
inline std::ostream &operator<<(std::ostream &os, const Function &function) { return os << function.name; }

inline Results resultsOf(Array x) { return {std::move(x)}; }
inline Results resultsOf(std::vector<Array> xs) { return xs; }
inline Results resultsOf(const TopK &x) { return {x.values, x.indices}; }
inline Results resultsOf(const MaxPool &x) { return {x.values, x.indices}; }
inline Results resultsOf(const Histogram &x) { return {x.counts, x.edges}; }
inline Results resultsOf(const Histogram2d &x) { return {x.counts, x.x_edges, x.y_edges}; }
inline Results resultsOf(const DivMod &x) { return {x.quotient, x.remainder}; }
inline Results resultsOf(const TriangleIndices &x) { return {x.rows, x.columns}; }
inline Results resultsOf(const MantissaExponent &x) { return {x.mantissa, x.exponent}; }
inline Results resultsOf(const UniqueCounts &x) { return {x.values, x.counts}; }
inline Results resultsOf(const UniqueInverse &x) { return {x.values, x.inverse_indices}; }
inline Results resultsOf(const BatchNorm &x) { return {x.y, x.mean, x.variance}; }
inline Results resultsOf(const UniqueAll &x) { return {x.values, x.indices, x.inverse_indices, x.counts}; }
inline Results resultsOf(const LfilterResult &x) { return {x.y, x.zf}; }
inline Results resultsOf(const RnnResult &x) { return {x.Y, x.Y_h}; }
inline Results resultsOf(const GruResult &x) { return {x.Y, x.Y_h}; }
inline Results resultsOf(const LstmResult &x) { return {x.Y, x.Y_h, x.Y_c}; }

/// Without a Q where it was not asked for.
inline Results resultsOf(const QRResult &x) { return x.Q.has_value() ? Results{x.Q, x.R} : Results{x.R}; }
inline Results resultsOf(const EighResult &x) { return {x.eigenvalues, x.eigenvectors}; }
inline Results resultsOf(const EigResult &x) { return {x.eigenvalues, x.eigenvectors}; }
inline Results resultsOf(const SVDResult &x) { return {x.U, x.S, x.Vh}; }
inline Results resultsOf(const LUResult &x) { return {x.P, x.L, x.U}; }
inline Results resultsOf(const LUFactorResult &x) { return {x.LU, x.pivots, x.permutation}; }
inline Results resultsOf(const SlogdetResult &x) { return {x.sign, x.logabsdet}; }
inline Results resultsOf(const LstsqResult &x) { return {x.solution, x.residuals, x.rank, x.singular_values}; }
inline Results resultsOf(const PolarResult &x) { return {x.U, x.P}; }

/// The arrays that calls are made of.
const std::vector<Array> &pool();
/// What a parameter is given. The first ones are what a call may well have.
struct Choices {
  std::vector<const Choice *> all;
  size_t ordinary = 0;
};
Choices choicesOf(const Parameter &parameter);
/// Arguments with which the function succeeds, where that is hardly drawn; else none.
std::vector<const Choice *> knownArguments(std::string_view function);
/// Every public function, in the order of the records.
std::span<const Function> functions();

} // namespace tenon::mustfail
