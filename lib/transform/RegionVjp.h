//===- RegionVjp.h - derivatives of ops that hold traces ----------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A rule of a region op takes traces and returns traces: a forward op that also
// returns residuals, and a backward op from residuals and cotangents to
// cotangents. Plans are kept: the second use of the same op records nothing.
//===----------------------------------------------------------------------===//
#pragma once

#include "lib/trace/RegionOp.h"

namespace tenon {

/// That there is no derivative; an Error for the user once a cotangent arrives there.
class NoDerivative : public Error {
public:
  explicit NoDerivative(const Error &error) : Error(error) {}
};
/// Throws it: the sentence, the operands, the place as throwOpError has them.
[[noreturn]] void throwNoDerivative(const OpInfo &info, std::span<detail::Value *const> operands,
                                    const std::string &sentence, Location at);

struct RegionVjp {
  /// Takes the op's operands; returns its results, then residuals.
  RegionOp forward;
  /// By result of the op: whether it depends smoothly on a wanted operand, and has a derivative.
  std::vector<bool> differentiable;
  /// By result: what says that it depends smoothly, but has none. Empty: there is no such result.
  std::vector<std::shared_ptr<const NoDerivative>> refusals = {};

  RegionOp backward;
  /// Where an operand of `backward` comes from: an operand of the op, a result
  /// of `forward`, the cotangent of a result, zeros.
  struct Source {
    enum class Kind : uint8_t { operand, result, cotangent, zeros } kind;
    uint32_t index = 0;
    Type type = {};
  };
  std::vector<Source> backwardOperands;
  /// By result of `backward`: of which operand it is the cotangent; -1: of none.
  std::vector<int> operandOf;
  /// Operands that are differentiated and have no cotangent by the rule of the user's that
  /// `backward` is: an Error if one reaches the results.
  std::vector<size_t> refused;
};

/// The rule of an op, found through the generated table: `vjp<Stem>` in lib/control.
using RegionVjpRule = RegionVjp (*)(const Bind &bind, const std::vector<bool> &wanted);

/// The plan for an op bound with these operands, of which `wanted` are
/// differentiated; null if no result depends smoothly on them. Throws NoDerivative
/// where there is none.
std::shared_ptr<const RegionVjp> regionVjp(const Bind &bind, const std::vector<bool> &wanted);

} // namespace tenon
