//===- Elementwise.cpp - what an element of each elementwise op is ----------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One expression, for vectors of the eager kernels and for values of the IR.
//===----------------------------------------------------------------------===//

#include "Generators.h"
#include "Records.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tenon::tblgen {

static std::vector<Entry> readElementwiseOps(const RecordKeeper &records) {
  std::vector<Entry> ops = readOps(records);
  erase_if(ops, [](const Entry &op) { return !op.isElementwise; });
  return ops;
}

static void emitExpression(StringRef name, const Entry &op, StringRef expression, raw_ostream &os) {
  os << "struct " << name << " {\n  template <class V>\n  [[gnu::always_inline]] static auto run(";
  interleaveComma(op.operands, os, [&](const Operand &operand) { os << "V " << operand.name; });
  os << ") {\n    return " << expression << ";\n  }\n};\n";
}

void emitExpressions(const RecordKeeper &records, raw_ostream &os) {
  os << banner("Expressions.gen.inc", "an element of each elementwise op")
     << "// For the namespace of the functions over vectors, after them, or any over a type that has them.\n\n";
  for (const Entry &op : readElementwiseOps(records)) {
    if (op.isByHand)
      continue;
    emitExpression(op.stem, op, op.expression, os);
    if (!op.boolExpression.empty())
      emitExpression(op.stem + "OfBool", op, op.boolExpression, os);
  }
}

/// Which file of runtime/kernels/cpu has the op's loops: the files compile side by side.
static StringRef fileOf(const Entry &op) {
  return op.isByHand ? "BY_HAND" : op.isMath ? "MATH" : op.category == "comparison" ? "COMPARISON" : "ARITHMETIC";
}

void emitElementwise(const RecordKeeper &records, raw_ostream &os) {
  static constexpr StringRef files[] = {"ARITHMETIC", "COMPARISON", "MATH", "BY_HAND"};
  os << banner("Elementwise.gen.inc", "the elementwise ops")
     << "// Define one of these or several:\n"
        "//   TENON_ARITHMETIC, TENON_COMPARISON, TENON_MATH(enumerator of OpCode, Expression, its form for bool,\n"
        "//     number of operands, set of dtypes, whether the results are bool, whether integers wrap)\n"
        "//   TENON_BY_HAND(enumerator, Stem)\n\n";
  for (StringRef file : files)
    os << "#ifndef TENON_" << file << "\n#define TENON_" << file << "(...)\n#endif\n";
  os << "\n";
  for (const Entry &op : readElementwiseOps(records)) {
    os << "TENON_" << fileOf(op) << "(" << identifier(op.mnemonic) << ", " << op.stem;
    if (!op.isByHand) {
      os << ", " << op.stem << (op.boolExpression.empty() ? "" : "OfBool") << ", " << op.operands.size() << ", ";
      interleave(op.dtypes, os, [&](StringRef dtype) { os << "1 << int(Dtype::" << identifier(dtype) << ")"; }, " | ");
      os << ", " << (op.resultDtype == "bool" ? "true" : "false") << ", " << (op.wraps ? "true" : "false");
    }
    os << ")\n";
  }
  os << "\n";
  for (StringRef file : files)
    os << "#undef TENON_" << file << "\n";
}

void emitMathFunctions(const RecordKeeper &records, raw_ostream &os) {
  os << banner("Functions.gen.inc", "the functions of runtime/math/Math.h that compiled kernels contain")
     << "// Define TENON_FUNCTION(name, number of operands).\n\n";
  for (const Entry &op : readElementwiseOps(records))
    if (op.isMath)
      os << "TENON_FUNCTION(" << op.mnemonic << ", " << op.operands.size() << ")\n";
  os << "\n#undef TENON_FUNCTION\n";
}

} // namespace tenon::tblgen
