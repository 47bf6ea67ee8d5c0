//===- Generators.h - the outputs of tenon-tblgen ------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace llvm {
class raw_ostream;
class RecordKeeper;
} // namespace llvm

namespace tenon::tblgen {

/// dialect/model/Ops.gen.h: op codes and attribute structs.
void emitOpHeader(const llvm::RecordKeeper &records, llvm::raw_ostream &os);
/// dialect/model/OpTable.gen.inc: the array of OpInfo.
void emitOpTable(const llvm::RecordKeeper &records, llvm::raw_ostream &os);
/// runtime/math/Expressions.gen.inc.
void emitExpressions(const llvm::RecordKeeper &records, llvm::raw_ostream &os);
/// runtime/math/Functions.gen.inc.
void emitMathFunctions(const llvm::RecordKeeper &records, llvm::raw_ostream &os);
/// runtime/math/Elementwise.gen.inc.
void emitElementwise(const llvm::RecordKeeper &records, llvm::raw_ostream &os);
/// dialect/model/Composites.gen.h: ids and attribute structs of composites.
void emitCompositeHeader(const llvm::RecordKeeper &records, llvm::raw_ostream &os);
/// dialect/model/CompositeTable.gen.inc: the array of CompositeInfo.
void emitCompositeTable(const llvm::RecordKeeper &records, llvm::raw_ostream &os);
/// include/tenon/ops.h.
void emitApi(const llvm::RecordKeeper &records, llvm::raw_ostream &os);
/// include/tenon/methods.h: functions as methods of Array and Variable.
void emitMethods(const llvm::RecordKeeper &records, llvm::raw_ostream &os);
/// lib/ops/Methods.gen.inc: their definitions.
void emitMethodDefs(const llvm::RecordKeeper &records, llvm::raw_ostream &os);
/// include/tenon/modes.h: the enums of parameters.
void emitModes(const llvm::RecordKeeper &records, llvm::raw_ostream &os);
/// lib/ops/Ops.gen.inc: the public functions that need no hand-written door.
void emitOpDefs(const llvm::RecordKeeper &records, llvm::raw_ostream &os);
/// The reference page, markdown.
void emitDocs(const llvm::RecordKeeper &records, llvm::raw_ostream &os);
/// The public functions as JSON, for bindings and the pages of tools/docs: a list in
/// the order of the records; of each its `name`, `category`, `summary`, `description`,
/// `dtypes`, `promotion`, `signature` (as in the header), `parameters` (`name`, `type`,
/// `doc`, and `default`, where it may be left out: null if only the words say what is
/// taken then), `returns`, the words on `derivative` and `batching`, the `door`, how far
/// modes may differ (`tolerance_ulp`, `tolerance_reason`) and how far they may be from
/// the reference (`reference_ulp`); of an op its `code`, of an elementwise one the
/// `result_dtype` of its record, of a view `view`, of what takes a struct of options the
/// `signature_by_name`, of a method of Array and Variable `method`.
void emitJson(const llvm::RecordKeeper &records, llvm::raw_ostream &os);
/// test/conformance/Rows.gen.inc.
void emitConformance(const llvm::RecordKeeper &records, llvm::raw_ostream &os);
/// test/must-fail/Calls.gen.inc.
void emitCalls(const llvm::RecordKeeper &records, llvm::raw_ostream &os);

/// Adds the options that make the tables of functions: of shape rules, kernels ...
void addRuleTables();

} // namespace tenon::tblgen
