//===- Conformance.cpp - what the conformance test has to cover -------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Generators.h"
#include "Records.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tenon::tblgen {

static std::string list(const std::vector<std::string> &items) { return "{" + join(items, ", ") + "}"; }

static StringRef derivative(const Entry &entry) {
  if (!entry.isOp)
    return entry.vjp.empty() ? "decomposition" : "rule";
  if (!entry.noVjp.empty())
    return "none";
  if (entry.zeroVjp)
    return "zero";
  return "rule";
}

static StringRef batching(const Entry &entry) {
  if (!entry.isOp)
    return entry.batch.empty() ? "decomposition" : "rule";
  return entry.noBatch.empty() ? "rule" : "none";
}

void emitConformance(const RecordKeeper &records, raw_ostream &os) {
  os << banner("Rows.gen.inc", "a row for every op and composite")
     << "// Initialisers of ConformanceRow, in test/conformance/Rows.h.\n\n";
  for (const Entry &entry : readEntries(records)) {
    std::vector<std::string> operands, attributes, dtypes;
    for (const Operand &operand : entry.operands)
      operands.push_back(quoted(operand.name));
    for (const Attribute &attribute : entry.attributes)
      attributes.push_back("{" + quoted(attribute.name) + ", AttrKind::" + attribute.kind.str() + "}");
    for (StringRef dtype : entry.dtypes)
      dtypes.push_back("Dtype::" + identifier(dtype));
    os << "{.name = " << quoted(entry.mnemonic) << ",\n .code = " << entry.opCode
       << ",\n .category = " << quoted(entry.category) << ",\n .isPublic = " << (entry.isPublic ? "true" : "false")
       << ",\n .operands = " << list(operands) << ",\n .variadic = " << (entry.variadic() ? "true" : "false")
       << ",\n .attributes = " << list(attributes) << ",\n .dtypes = " << list(dtypes)
       << ",\n .derivative = Rule::" << derivative(entry) << ",\n .noVjp = " << quoted(entry.noVjp)
       << ",\n .batching = Rule::" << batching(entry) << ",\n .noBatch = " << quoted(entry.noBatch)
       << ",\n .lowering = " << quoted(entry.lowering) << ",\n .toleranceUlp = " << entry.toleranceUlp
       << ",\n .referenceUlp = " << entry.referenceUlp << "},\n";
  }
}

} // namespace tenon::tblgen
