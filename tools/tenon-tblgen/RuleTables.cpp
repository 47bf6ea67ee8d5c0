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
#include "llvm/TableGen/TableGenBackend.h"

#include <set>
#include <utility>

using namespace llvm;

namespace tenon::tblgen {

namespace {
struct Table {
  /// Of the command line, and what is said of it there and in the file.
  const char *option, *what;
  const char *file, *where;
  /// Of one rule: what stands before and after its name.
  const char *before, *after;
  /// Of the table: the type of an element and its name.
  const char *element, *name;
  /// The rule of an op or of a composite.
  std::string Entry::*function;
  bool isOfComposites = false;
};
} // namespace

static constexpr Table tables[] = {
    {"gen-shape-rules", "shape rules", "ShapeRules.gen.inc", "For namespace tenon, after dialect/model/Shape.h.",
     "std::string ", "(const ShapeCall &call, std::vector<Type> &results)", "ShapeRule", "shapeRules",
     &Entry::shapeRule},
    {"gen-view-rules", "how views lie in their operands", "ViewRules.gen.inc",
     "For namespace tenon, after dialect/model/Views.h. Null: no view.", "bool ",
     "(const ViewCall &call, ViewMap &map)", "ViewRule", "viewRules", &Entry::view},
    {"gen-kernels", "eager kernels", "Kernels.gen.inc",
     "For the namespace of one instruction set inside tenon::rt, after runtime/kernels/Kernel.h.", "Status ",
     "(const KernelCall &call)", "Kernel", "kernels", &Entry::kernel},
    {"gen-vjp-rules", "derivative rules", "VjpRules.gen.inc",
     "For namespace tenon, after lib/transform/Rules.h. Null: zero, a sentence, or a region op.", "void ",
     "(VjpCall &call)", "VjpRule", "vjpRules", &Entry::vjp},
    {"gen-region-vjp-rules", "derivative rules of region ops", "RegionVjpRules.gen.inc",
     "For namespace tenon, after lib/transform/RegionVjp.h. Null: zero, a sentence, or no region op.", "RegionVjp ",
     "(const Bind &bind, const std::vector<bool> &wanted)", "RegionVjpRule", "regionVjpRules", &Entry::regionVjp},
    {"gen-batch-rules", "batching rules", "BatchRules.gen.inc",
     "For namespace tenon, after lib/transform/Rules.h. Null: a sentence, or a region op.", "void ",
     "(BatchCall &call)", "BatchRule", "batchRules", &Entry::batch},
    {"gen-region-batch-rules", "batching rules of region ops", "RegionBatchRules.gen.inc",
     "For namespace tenon, after lib/transform/RegionBatch.h. Null: a sentence, or no region op.", "RegionBatch ",
     "(const Bind &bind, const std::vector<bool> &batched, Dim size)", "RegionBatchRule", "regionBatchRules",
     &Entry::regionBatch},
    {"gen-interpreters", "region ops run trace by trace", "Interpreters.gen.inc",
     "For namespace tenon, after lib/trace/Interpreter.h. Null: no region op.", "void ",
     "(const Bind &bind, std::span<Array> results)", "Interpret", "interpreters", &Entry::interpret},
    {"gen-region-runs", "region steps of a schedule", "RegionRuns.gen.inc",
     "For namespace tenon::rt, after runtime/program/RegionRun.h. Null: no region op.", "Status ", "(RegionRun &run)",
     "RegionRunner", "regionRunners", &Entry::run},
    {"gen-decompositions", "what composites are made of", "Decompositions.gen.inc",
     "For namespace tenon, after lib/ops/Composite.h.", "Array ",
     "(std::span<const Array> operands, AttrWords attributes)", "Decompose", "decompositions", &Entry::decompose, true},
    {"gen-composite-kernels", "eager kernels of composites", "CompositeKernels.gen.inc",
     "For the namespace of one instruction set inside tenon::rt, after runtime/kernels/Kernel.h. Null: none.",
     "Status ", "(const KernelCall &call)", "Kernel", "compositeKernels", &Entry::kernel, true},
    {"gen-composite-vjp-rules", "derivative rules of composites", "CompositeVjpRules.gen.inc",
     "For namespace tenon, after lib/transform/Rules.h. Null: none.", "void ", "(VjpCall &call)", "VjpRule",
     "compositeVjpRules", &Entry::vjp, true},
    {"gen-composite-batch-rules", "batching rules of composites", "CompositeBatchRules.gen.inc",
     "For namespace tenon, after lib/transform/Rules.h. Null: none.", "void ", "(BatchCall &call)", "BatchRule",
     "compositeBatchRules", &Entry::batch, true},
};

/// Declarations of the functions, and an array of them by number.
static void emitTable(const Table &table, const RecordKeeper &records, raw_ostream &os) {
  const std::vector<Entry> entries = table.isOfComposites ? readNamedComposites(records) : readOps(records);
  const auto number = table.isOfComposites ? &Entry::compositeId : &Entry::opCode;
  const std::string by = table.isOfComposites ? "CompositeId" : "op code";
  os << banner(table.file, table.what + (" by " + by)) << "// " << table.where << "\n\n";
  const bool isDecomposition = table.function == &Entry::decompose;
  std::set<StringRef> declared;
  for (const Entry &entry : entries)
    if (const std::string &rule = entry.*table.function; !rule.empty() && declared.insert(rule).second)
      os << (isDecomposition && entry.results.size() > 1 ? "std::vector<Array> " : table.before) << rule << table.after
         << ";\n";
  os << "\n/// By " << by << ".\nconstexpr " << table.element << " " << table.name << "[] = {\n";
  int64_t next = 0;
  for (const Entry &entry : entries) {
    for (; next < entry.*number; ++next)
      os << "    nullptr,\n";
    const std::string &rule = entry.*table.function;
    os << "    " << (rule.empty() ? "nullptr" : rule) << ", // " << entry.mnemonic << "\n";
    ++next;
  }
  os << "};\n";
}

template <size_t number>
static void emit(const RecordKeeper &records, raw_ostream &os) {
  emitTable(tables[number], records, os);
}
template <size_t... number>
static void addTables(std::index_sequence<number...>) {
  [[maybe_unused]] static const TableGen::Emitter::Opt options[] = {
      {tables[number].option, emit<number>, tables[number].what}...};
}
void addRuleTables() { addTables(std::make_index_sequence<std::size(tables)>()); }

} // namespace tenon::tblgen
