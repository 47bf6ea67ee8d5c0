//===- RuleTables.cpp - the functions of the ops, by code -------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A table names every function it holds, so a rule that was not written is an
// error of the linker.
//===----------------------------------------------------------------------===//

#include "Generators.h"
#include "Records.h"

#include "llvm/Support/raw_ostream.h"

#include <set>

using namespace llvm;

namespace tenon::tblgen {

struct Table {
  StringRef file, what, where;
  /// Of one rule: what stands before and after its name.
  StringRef before, after;
  /// Of the table: the type of an element and its name.
  StringRef element, name;
};

/// Declarations of the functions, and an array of them indexed by `number`.
static void emitTable(ArrayRef<Entry> entries, const Table &table, std::string Entry::*function, int64_t Entry::*number,
                      StringRef by, raw_ostream &os) {
  os << banner(table.file, table.what) << "// " << table.where << "\n\n";
  std::set<StringRef> declared;
  for (const Entry &entry : entries)
    if (!(entry.*function).empty() && declared.insert(entry.*function).second)
      os << table.before << entry.*function << table.after << ";\n";
  os << "\n/// By " << by << ".\nconstexpr " << table.element << " " << table.name << "[] = {\n";
  int64_t next = 0;
  for (const Entry &entry : entries) {
    for (; next < entry.*number; ++next)
      os << "    nullptr,\n";
    os << "    " << (entry.*function).c_str() << ((entry.*function).empty() ? "nullptr" : "") << ", // "
       << entry.mnemonic << "\n";
    ++next;
  }
  os << "};\n";
}
static void emitTable(const RecordKeeper &records, const Table &table, std::string Entry::*function, raw_ostream &os) {
  emitTable(readOps(records), table, function, &Entry::opCode, "op code", os);
}
static void emitTableById(const RecordKeeper &records, const Table &table, std::string Entry::*function,
                          raw_ostream &os) {
  emitTable(readNamedComposites(records), table, function, &Entry::compositeId, "CompositeId", os);
}

void emitShapeRules(const RecordKeeper &records, raw_ostream &os) {
  emitTable(records,
            {"ShapeRules.gen.inc", "shape rules by op code", "For namespace tenon, after dialect/model/Shape.h.",
             "std::string ", "(const ShapeCall &call, std::vector<Type> &results)", "ShapeRule", "shapeRules"},
            &Entry::shapeRule, os);
}

void emitKernels(const RecordKeeper &records, raw_ostream &os) {
  emitTable(records,
            {"Kernels.gen.inc", "eager kernels by op code",
             "For the namespace of one instruction set inside tenon::rt, after runtime/kernels/Kernel.h.", "Status ",
             "(const KernelCall &call)", "Kernel", "kernels"},
            &Entry::kernel, os);
}

void emitVjpRules(const RecordKeeper &records, raw_ostream &os) {
  emitTable(records,
            {"VjpRules.gen.inc", "derivative rules by op code",
             "For namespace tenon, after lib/transform/Rules.h. Null: zero, a sentence, or a region op.", "void ",
             "(VjpCall &call)", "VjpRule", "vjpRules"},
            &Entry::vjp, os);
}

void emitRegionVjpRules(const RecordKeeper &records, raw_ostream &os) {
  emitTable(records,
            {"RegionVjpRules.gen.inc", "derivative rules of region ops by op code",
             "For namespace tenon, after lib/transform/RegionVjp.h. Null: zero, a sentence, or no region op.",
             "RegionVjp ", "(const Bind &bind, const std::vector<bool> &wanted)", "RegionVjpRule", "regionVjpRules"},
            &Entry::regionVjp, os);
}

void emitBatchRules(const RecordKeeper &records, raw_ostream &os) {
  emitTable(records,
            {"BatchRules.gen.inc", "batching rules by op code",
             "For namespace tenon, after lib/transform/Rules.h. Null: a sentence, or a region op.", "void ",
             "(BatchCall &call)", "BatchRule", "batchRules"},
            &Entry::batch, os);
}

void emitRegionBatchRules(const RecordKeeper &records, raw_ostream &os) {
  emitTable(records,
            {"RegionBatchRules.gen.inc", "batching rules of region ops by op code",
             "For namespace tenon, after lib/transform/RegionBatch.h. Null: a sentence, or no region op.",
             "RegionBatch ", "(const Bind &bind, const std::vector<bool> &batched, Dim size)", "RegionBatchRule",
             "regionBatchRules"},
            &Entry::regionBatch, os);
}

void emitInterpreters(const RecordKeeper &records, raw_ostream &os) {
  emitTable(records,
            {"Interpreters.gen.inc", "region ops run trace by trace, by op code",
             "For namespace tenon, after lib/trace/Interpreter.h. Null: no region op.", "void ",
             "(const Bind &bind, std::span<Array> results)", "Interpret", "interpreters"},
            &Entry::interpret, os);
}

void emitRegionRuns(const RecordKeeper &records, raw_ostream &os) {
  emitTable(records,
            {"RegionRuns.gen.inc", "region steps of a schedule by op code",
             "For namespace tenon::rt, after runtime/program/RegionRun.h. Null: no region op.", "Status ",
             "(RegionRun &run)", "RegionRunner", "regionRunners"},
            &Entry::run, os);
}

void emitDecompositions(const RecordKeeper &records, raw_ostream &os) {
  emitTableById(records,
                {"Decompositions.gen.inc", "what composites are made of, by id",
                 "For namespace tenon, after lib/ops/Composite.h.", "Array ",
                 "(std::span<const Array> operands, AttrWords attributes)", "Decompose", "decompositions"},
                &Entry::decompose, os);
}

void emitCompositeKernels(const RecordKeeper &records, raw_ostream &os) {
  emitTableById(records,
                {"CompositeKernels.gen.inc", "eager kernels of composites by id",
                 "For the namespace of one instruction set inside tenon::rt, after runtime/kernels/Kernel.h. Null: "
                 "none.",
                 "Status ", "(const KernelCall &call)", "Kernel", "compositeKernels"},
                &Entry::kernel, os);
}

void emitCompositeVjpRules(const RecordKeeper &records, raw_ostream &os) {
  emitTableById(records,
                {"CompositeVjpRules.gen.inc", "derivative rules of composites by id",
                 "For namespace tenon, after lib/transform/Rules.h. Null: none.", "void ", "(VjpCall &call)", "VjpRule",
                 "compositeVjpRules"},
                &Entry::vjp, os);
}

void emitCompositeBatchRules(const RecordKeeper &records, raw_ostream &os) {
  emitTableById(records,
                {"CompositeBatchRules.gen.inc", "batching rules of composites by id",
                 "For namespace tenon, after lib/transform/Rules.h. Null: none.", "void ", "(BatchCall &call)",
                 "BatchRule", "compositeBatchRules"},
                &Entry::batch, os);
}

} // namespace tenon::tblgen
