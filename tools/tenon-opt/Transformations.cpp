//===- Transformations.cpp - grad, jvp and vmap as passes -----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/tenon-opt/Transformations.h"

#include "lib/compiler/import/Import.h"
#include "lib/transform/TraceTransforms.h"

#include "dialect/ir/Bridge.h"
#include "dialect/ir/TenonDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include <tenon/error.h>

using namespace tenon;

namespace {
using Numbers = std::vector<size_t>;

/// A pass that makes another function of a module's.
template <class Derived>
struct Transformation : mlir::PassWrapper<Derived, mlir::OperationPass<mlir::ModuleOp>> {
  Transformation() = default;
  // A copy's options are made anew: the pass manager gives them their values.
  Transformation(const Transformation &other)
      : mlir::PassWrapper<Derived, mlir::OperationPass<mlir::ModuleOp>>(other) {}

  void getDependentDialects(mlir::DialectRegistry &registry) const override {
    registry.insert<ir::TenonDialect, mlir::func::FuncDialect>();
  }
  void runOnOperation() override {
    mlir::ModuleOp module = this->getOperation();
    std::string error;
    try {
      if (const TraceRef trace = compiler::exportTrace(module, error))
        return replace(module, *static_cast<Derived *>(this)->transform(*trace));
    } catch (const tenon::Error &thrown) {
      error = thrown.what();
    }
    mlir::emitError(placeOf(module), error);
    this->signalPassFailure();
  }

private:
  /// Its public function's.
  static mlir::Location placeOf(mlir::ModuleOp module) {
    for (mlir::func::FuncOp function : module.getOps<mlir::func::FuncOp>())
      if (function.isPublic())
        return function.getLoc();
    return module.getLoc();
  }
  static void replace(mlir::ModuleOp module, const Trace &trace) {
    std::string name = "main";
    for (mlir::func::FuncOp function : module.getOps<mlir::func::FuncOp>())
      if (function.isPublic())
        name = function.getSymName().str();
    mlir::OwningOpRef<mlir::ModuleOp> made = compiler::importTrace(*module.getContext(), trace);
    module.getBodyRegion().takeBody(made->getBodyRegion());
    for (mlir::func::FuncOp function : module.getOps<mlir::func::FuncOp>())
      function.setSymName(name);
  }
};

struct Grad : Transformation<Grad> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Grad)
  Grad() = default;
  Grad(const Grad &other) : Transformation(other) {}
  ListOption<size_t> wrt{*this, "wrt",
                         llvm::cl::desc("Indices of the inputs to differentiate with respect to (default: 0)")};
  Option<bool> value{*this, "value", llvm::cl::desc("Also return the function's results, first"),
                     llvm::cl::init(false)};
  llvm::StringRef getArgument() const override { return "tenon-grad"; }
  llvm::StringRef getDescription() const override {
    return "Replace a function by the gradient of its first result, a rank-0 floating array";
  }
  TraceRef transform(const Trace &trace) { return gradTrace(trace, wrt.empty() ? Numbers{0} : Numbers(*wrt), value); }
};

struct Jvp : Transformation<Jvp> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Jvp)
  Jvp() = default;
  Jvp(const Jvp &other) : Transformation(other) {}
  ListOption<size_t> wrt{*this, "wrt", llvm::cl::desc("Indices of the inputs that have tangents (default: 0)")};
  llvm::StringRef getArgument() const override { return "tenon-jvp"; }
  llvm::StringRef getDescription() const override {
    return "Replace a function by its Jacobian-vector product, from inputs and tangents to result tangents";
  }
  TraceRef transform(const Trace &trace) { return jvpTrace(trace, wrt.empty() ? Numbers{0} : Numbers(*wrt)); }
};

struct Vmap : Transformation<Vmap> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Vmap)
  Vmap() = default;
  Vmap(const Vmap &other) : Transformation(other) {}
  ListOption<std::string> axes{*this, "axes",
                               llvm::cl::desc("Batch axis of each input, - for none (default: 0 for all)")};
  Option<std::string> size{*this, "size", llvm::cl::desc("Batch size: a number, or the name of a symbolic size"),
                           llvm::cl::init("examples")};
  llvm::StringRef getArgument() const override { return "tenon-vmap"; }
  llvm::StringRef getDescription() const override { return "Vectorize a function over a batch"; }

  TraceRef transform(const Trace &trace) {
    std::vector<int> all(trace.inputs().size(), 0);
    if (!axes.empty()) {
      all.clear();
      for (const std::string &text : axes) {
        int axis = -1;
        if (text != "-" && (llvm::StringRef(text).getAsInteger(10, axis) || axis < 0))
          throw tenon::Error("vmap: expected an axis, 0 or above, or -, got '" + text + "'");
        all.push_back(axis);
      }
    }
    const std::optional<Dim> count = ir::parseSize(size.getValue());
    if (!count || (count->is_static() && count->raw() < 0))
      throw tenon::Error("vmap: expected a number or a name as size, got '" + size.getValue() + "'");
    return vmapTrace(trace, all, *count);
  }
};
} // namespace

void registerTransformations() {
  mlir::PassRegistration<Grad>();
  mlir::PassRegistration<Jvp>();
  mlir::PassRegistration<Vmap>();
}
