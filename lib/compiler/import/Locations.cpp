//===- Locations.cpp - locations of a trace and of MLIR -----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/compiler/import/Locations.h"

#include "mlir/IR/BuiltinAttributes.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace tenon;
using namespace tenon::compiler;

mlir::Location compiler::locationToMlir(mlir::MLIRContext *context, const TraceLocation &location) {
  mlir::Location loc = mlir::UnknownLoc::get(context);
  if (!location.file.empty() || location.line)
    loc = mlir::FileLineColLoc::get(context, location.file, location.line, location.column);
  llvm::SmallVector<mlir::Location> scopes;
  for (const std::string &scope : location.scopes)
    scopes.push_back(mlir::NameLoc::get(mlir::StringAttr::get(context, scope)));
  return scopes.empty() ? loc : mlir::CallSiteLoc::get(loc, scopes);
}

static void collect(mlir::Location loc, TraceLocation &out) {
  llvm::TypeSwitch<mlir::Location>(loc)
      .Case([&](mlir::FileLineColLoc place) {
        if (!out.file.empty() || out.line)
          return;
        out.file = place.getFilename().str();
        out.line = place.getLine();
        out.column = place.getColumn();
      })
      .Case([&](mlir::NameLoc name) {
        collect(name.getChildLoc(), out);
        out.scopes.push_back(name.getName().str());
      })
      .Case([&](mlir::CallSiteLoc call) {
        collect(call.getCallee(), out);
        collect(call.getCaller(), out);
      })
      .Case([&](mlir::FusedLoc fused) {
        // Ops made one of several: the first stands for all.
        if (!fused.getLocations().empty())
          collect(fused.getLocations().front(), out);
      })
      .Default([](mlir::Location) {});
}

TraceLocation compiler::locationFromMlir(mlir::Location loc) {
  TraceLocation out;
  collect(loc, out);
  return out;
}
