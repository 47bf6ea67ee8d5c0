//===- Compile.cpp - one compilation, from bytes to bytes -----------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Read top to bottom: the stages in their order, and after each the text that
// a request may ask for.
//===----------------------------------------------------------------------===//
#include "lib/compiler/border/Compile.h"

#include "dialect/ir/Bridge.h"
#include "lib/base/DimExpr.h"
#include "lib/compiler/blob/Linker.h"
#include "lib/compiler/blob/ScheduleEmission.h"
#include "lib/compiler/group/Group.h"
#include "lib/compiler/import/Import.h"
#include "lib/compiler/import/NamedTypes.h"
#include "lib/compiler/import/Unparsable.h"
#include "lib/compiler/kernels/Kernels.h"
#include "lib/compiler/kernels/Vectorize.h"
#include "lib/compiler/pipelines/Passes.h"
#include "lib/compiler/pipelines/Pipelines.h"
#include "lib/compiler/target/cpu/Codegen.h"
#include "lib/compiler/target/cpu/KernelObjects.h"
#include "lib/compiler/target/cpu/ToLlvm.h"
#include "lib/compiler/target/gpu/Ptx.h"
#include "runtime/machine/Cpu.h"

#include <tenon/error.h>

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"

#include "llvm/ADT/StringExtras.h"

#include <cstdlib>

using namespace tenon;
using namespace tenon::compiler;

mlir::MLIRContext *compiler::createMlirContext() {
  auto *context = new mlir::MLIRContext(mlir::MLIRContext::Threading::DISABLED);
  loadImportDialects(*context);
  context->loadDialect<mlir::arith::ArithDialect, mlir::cf::ControlFlowDialect, mlir::complex::ComplexDialect,
                       mlir::func::FuncDialect, mlir::linalg::LinalgDialect, mlir::LLVM::LLVMDialect,
                       mlir::math::MathDialect, mlir::scf::SCFDialect, mlir::tensor::TensorDialect,
                       mlir::vector::VectorDialect>();
  mlir::registerBuiltinDialectTranslation(*context);
  mlir::registerLLVMDialectTranslation(*context);
  return context;
}

void compiler::destroyMlirContext(mlir::MLIRContext *context) { delete context; }

namespace {

/// Kernels of one LLVM module: what is fixed about a module is shared by them.
constexpr size_t kernelsPerModule = 50;

/// What is kept from one compilation to the next.
struct Simplify {
  std::unique_ptr<mlir::PassManager> manager;
};
struct Conversion {
  std::unique_ptr<ToLlvm> toLlvm;
};
struct Machines {
  std::vector<std::unique_ptr<Codegen>> machines;
};

class Compilation {
public:
  Compilation(CompileContext &context, const tenon_compile_request &request, std::string &out)
      : context(context), request(request), out(out), mlir(context.mlirContext()), emit(request.emit),
        isVerified(std::getenv("TENON_VERIFY") != nullptr),
        collect(&mlir, [this](mlir::Diagnostic &diagnostic) { return note(diagnostic); }) {}

  /// Fills `out`, or `error`.
  bool run();
  std::string error;

private:
  bool import();
  bool findRequirements();
  bool simplify();
  bool group();
  bool lowerToBlob();
  bool lowerToText();
  bool lowerToPtx();
  bool writeBlob(llvm::ArrayRef<llvm::MemoryBufferRef> objects, const Codegen &codegen);
  mlir::OwningOpRef<mlir::ModuleOp> makeKernels(llvm::ArrayRef<size_t> numbers, llvm::StringRef until);
  mlir::OwningOpRef<mlir::ModuleOp> makeAllKernels(llvm::StringRef until) {
    return makeKernels(llvm::to_vector(llvm::seq(size_t(0), kernels.kernels.size())), until);
  }
  bool isV4() const;
  Codegen *codegen();

  llvm::LogicalResult note(mlir::Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error) {
      llvm::raw_string_ostream stream(error);
      if (!error.empty())
        stream << "\n";
      if (!llvm::isa<mlir::UnknownLoc>(diagnostic.getLocation()))
        stream << diagnostic.getLocation() << ": ";
      stream << diagnostic;
    }
    return mlir::success();
  }
  /// Fails for what is asked, not for what it is asked of.
  bool reject(const std::string &what) {
    context.isInvalid = true;
    error = what;
    return false;
  }
  bool fail(llvm::StringRef what) {
    if (error.empty())
      error = what.str();
    return false;
  }
  bool verified(mlir::ModuleOp checked) {
    return !isVerified || succeeded(mlir::verify(checked)) || fail("the verifier failed");
  }
  /// The container that tenon-run and loadTrace read.
  void putTrace(const Trace &trace) {
    std::vector<std::byte> file = packTrace(trace);
    out.assign(reinterpret_cast<const char *>(file.data()), file.size());
  }
  void print(mlir::ModuleOp printed) {
    llvm::raw_string_ostream stream(out);
    // Each op with its place beside it, in a form that can be read again.
    printed.print(stream, mlir::OpPrintingFlags().enableDebugInfo(true, /*prettyForm=*/false).useLocalScope());
    stream << "\n";
  }

  CompileContext &context;
  const tenon_compile_request &request;
  std::string &out;
  mlir::MLIRContext &mlir;
  llvm::StringRef emit;
  bool isVerified;
  mlir::ScopedDiagnosticHandler collect;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp main;
  KernelTable kernels;
  std::vector<PlacedRequirement> requirements;
};

} // namespace

/// Sizes without a name get one, so that each has its own value when it runs.
static void nameUnknownSizes(mlir::func::FuncOp function) {
  mlir::Builder b(function.getContext());
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto type = llvm::dyn_cast<mlir::RankedTensorType>(function.getArgument(i).getType());
    if (!type || type.hasStaticShape() || function.getArgAttr(i, ir::dimsAttr))
      continue;
    llvm::SmallVector<mlir::Attribute> dims;
    for (auto [axis, size] : llvm::enumerate(type.getShape()))
      dims.push_back(mlir::ShapedType::isDynamic(size)
                         ? mlir::Attribute(b.getStringAttr("arg" + std::to_string(i) + "_" + std::to_string(axis)))
                         : b.getI64IntegerAttr(size));
    function.setArgAttr(i, ir::dimsAttr, b.getArrayAttr(dims));
  }
}

/// What has to hold of the sizes that are symbols. Before anything is simplified:
/// an op whose result nobody needs is refused sizes as it is eagerly.
bool Compilation::findRequirements() {
  if (llvm::none_of(main.getArgumentTypes(), [](mlir::Type type) {
        auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
        return tensor && !tensor.hasStaticShape();
      }))
    return true;
  NamedTypes types;
  if (std::string wrong = nameTypes(main, types, &requirements); !wrong.empty())
    return fail(wrong);
  std::vector<PlacedRequirement> symbols;
  std::vector<Dim> dims;
  std::vector<mlir::BlockArgument> arguments;
  for (mlir::BlockArgument argument : main.getArguments())
    if (const tenon::Type *type = types.find(argument))
      for (Dim dim : type->shape) {
        dims.push_back(dim);
        arguments.push_back(argument);
      }
  std::vector<std::string_view> unsolved;
  for (const tenon::detail::SymbolSource &source : tenon::detail::solveSymbols(dims, unsolved)) {
    const mlir::BlockArgument argument = arguments[source.place];
    symbols.push_back({{2, tenon::detail::symbolDim(source.symbol),
                        "input " + std::to_string(argument.getArgNumber()) + ": expected " + types.of(argument).str() +
                            " with symbols >= 2"},
                       mlir::UnknownLoc::get(&mlir)});
  }
  requirements.insert(requirements.begin(), symbols.begin(), symbols.end());
  return true;
}

bool Compilation::import() {
  context.enterStage("import");
  if (llvm::StringRef(request.input_format) == "mlir") {
    llvm::StringRef text(static_cast<const char *>(request.trace), request.trace_size);
    const char *name = request.name ? request.name : "";
    if (std::optional<Unparsable> place = findUnparsable(text)) {
      mlir::emitError(mlir::FileLineColLoc::get(&mlir, name, unsigned(place->line), unsigned(place->column)))
          << place->sentence;
      return false;
    }
    module = mlir::parseSourceString<mlir::ModuleOp>(text, mlir::ParserConfig(&mlir), name);
    if (!module)
      return fail("the MLIR text does not parse");
  } else {
    auto bytes = [](const void *data, size_t size) {
      return std::span(static_cast<const std::byte *>(data), data ? size : 0);
    };
    TraceRef trace =
        Trace::read(bytes(request.trace, request.trace_size), bytes(request.locations, request.locations_size),
                    request.flags & TENON_COMPILE_OUR_TRACE);
    if (emit == "trace") {
      putTrace(*trace);
      return true;
    }
    module = importTrace(mlir, *trace);
  }
  main = module->lookupSymbol<mlir::func::FuncOp>("main");
  for (auto function : module->getOps<mlir::func::FuncOp>())
    if (!main && function.isPublic())
      main = function;
  if (!main || main.isExternal())
    return fail("expected a public function with a body");
  return (emit != "blob" || findRequirements()) && (nameUnknownSizes(main), verified(*module));
}

bool Compilation::simplify() {
  context.enterStage("simplify");
  Simplify &piece = context.piece<Simplify>();
  if (!piece.manager) {
    piece.manager = std::make_unique<mlir::PassManager>(&mlir, mlir::ModuleOp::getOperationName());
    piece.manager->addPass(createInlineCalls());
    piece.manager->addPass(createOpenComposites());
    buildSimplifyPipeline(*piece.manager);
    piece.manager->enableVerifier(false);
  }
  return (succeeded(piece.manager->run(*module)) || fail("a pass of tenon-simplify failed")) && verified(*module);
}

bool Compilation::group() {
  context.enterStage("group");
  if (std::string wrong = groupFunction(main, cpuCosts); !wrong.empty())
    return fail(wrong);
  return verified(*module);
}

/// Kernels in a module of their own, lowered up to a stage.
mlir::OwningOpRef<mlir::ModuleOp> Compilation::makeKernels(llvm::ArrayRef<size_t> numbers, llvm::StringRef until) {
  context.enterStage("linalg");
  mlir::OwningOpRef<mlir::ModuleOp> made = mlir::ModuleOp::create(module->getLoc());
  for (size_t number : numbers)
    if (!lowerKernel(kernels.kernels[number], *made))
      return nullptr;
  if (!verified(*made))
    return nullptr;
  if (until == "linalg")
    return made;
  context.enterStage("vector");
  const Tails tails = isV4() ? Tails::masked : Tails::apart;
  for (auto function : llvm::make_early_inc_range(made->getOps<mlir::func::FuncOp>()))
    if (function->hasAttr(kernelAttr))
      vectorizeKernel(function, tails);
  if (!verified(*made))
    return nullptr;
  if (until == "vector")
    return made;
  context.enterStage("llvm");
  Conversion &conversion = context.piece<Conversion>();
  if (!conversion.toLlvm)
    conversion.toLlvm = std::make_unique<ToLlvm>(&mlir);
  if (failed(conversion.toLlvm->run(*made)) || !verified(*made))
    return nullptr;
  return made;
}

/// Whether the kernels may use AVX-512.
bool Compilation::isV4() const {
  uint64_t isa = request.features ? rt::kFeaturesV3 : rt::hostFeatures();
  if (request.features) {
    const llvm::StringRef features(request.features);
    llvm::SmallVector<llvm::StringRef> wanted;
    features.split(wanted, ',', -1, false);
    const std::string v4 = rt::featureNames(rt::kFeaturesV4, "+", ",");
    llvm::SmallVector<llvm::StringRef> needed;
    llvm::StringRef(v4).split(needed, ',');
    if (llvm::all_of(needed, [&](llvm::StringRef feature) { return llvm::is_contained(wanted, feature); }))
      isa = rt::kFeaturesV4;
  }
  return (isa & rt::kFeaturesV4) == rt::kFeaturesV4;
}

Codegen *Compilation::codegen() {
  const uint64_t isa = isV4() ? rt::kFeaturesV4 : rt::kFeaturesV3;
  Machines &piece = context.piece<Machines>();
  for (auto &machine : piece.machines)
    if (machine->isa() == isa)
      return machine.get();
  return piece.machines.emplace_back(std::make_unique<Codegen>(isa)).get();
}

/// Makes debug information of the user's lines, for texts that have no locations
/// of MLIR's. What runs carries none: the schedule's steps have theirs.
static bool addLines(mlir::ModuleOp module, mlir::LLVM::DIEmissionKind kind) {
  module.walk([](mlir::Operation *op) {
    if (auto line = op->getLoc()->findInstanceOf<mlir::FileLineColLoc>())
      op->setLoc(line);
  });
  mlir::PassManager manager(module.getContext(), mlir::ModuleOp::getOperationName());
  mlir::LLVM::DIScopeForLLVMFuncOpPassOptions options;
  options.emissionKind = kind;
  manager.addPass(mlir::LLVM::createDIScopeForLLVMFuncOpPass(options));
  return succeeded(manager.run(module));
}

bool Compilation::lowerToText() {
  mlir::OwningOpRef<mlir::ModuleOp> made = makeAllKernels(emit);
  if (!made)
    return fail("lowering to " + emit.str() + " failed");
  if (emit == "linalg" || emit == "vector") {
    print(*made);
    return true;
  }
  if (!addLines(*made, mlir::LLVM::DIEmissionKind::LineTablesOnly))
    return fail("noting the lines failed");
  return emit == "llvm" ? codegen()->emitLlvmIr(*made, out, error) : codegen()->emitAssembly(*made, out, error);
}

bool Compilation::lowerToPtx() {
  mlir::OwningOpRef<mlir::ModuleOp> made = makeAllKernels("linalg");
  if (!made)
    return fail("lowering to linalg failed");
  context.enterStage("ptx");
  // Kernels that have no PTX yet are comments in front.
  std::string missing;
  llvm::raw_string_ostream notes(missing);
  bool hasSome = false;
  for (auto function : llvm::make_early_inc_range(made->getOps<mlir::func::FuncOp>())) {
    if (!function->hasAttr(kernelAttr))
      continue;
    std::string why = kernelToThread(function);
    hasSome |= why.empty();
    if (why.empty())
      continue;
    notes << "// " << function.getName();
    if (auto line = function.getLoc()->findInstanceOf<mlir::FileLineColLoc>())
      notes << " (" << line.getFilename().getValue() << ":" << line.getLine() << ")";
    notes << " has no PTX yet: " << why << "\n";
    function.erase();
  }
  if (!hasSome)
    return reject("expected an elementwise kernel, got none:\n" + llvm::StringRef(missing).rtrim().str());
  if (!verified(*made) || failed(ToLlvm(&mlir).run(*made)))
    return fail("lowering to the LLVM dialect failed");
  // With more than directives the target is `debug`, and NVIDIA's assembler then
  // optimizes nothing.
  if (!addLines(*made, mlir::LLVM::DIEmissionKind::DebugDirectivesOnly))
    return fail("noting the lines failed");
  if (!emitPtx(*made, out, error))
    return false;
  out.insert(0, missing);
  return true;
}

bool Compilation::lowerToBlob() {
  Codegen *machine = codegen();
  KernelObjects &objects = context.piece<KernelObjects>();
  std::vector<size_t> missing = objects.recall(kernels.kernels, machine->isa());
  context.newKernels = missing.size();
  for (llvm::ArrayRef<size_t> rest = missing; !rest.empty();) {
    llvm::ArrayRef<size_t> numbers = rest.take_front(kernelsPerModule);
    rest = rest.drop_front(numbers.size());
    mlir::OwningOpRef<mlir::ModuleOp> made = makeKernels(numbers, "object");
    if (!made)
      return fail("lowering a kernel failed");
    context.enterStage("object");
    std::string object;
    if (!machine->emitObject(*made, object, error))
      return false;
    objects.keep(kernels.kernels, numbers, machine->isa(), std::move(object));
  }
  return writeBlob(objects.objectsOf(kernels.kernels, machine->isa()), *machine);
}

bool Compilation::writeBlob(llvm::ArrayRef<llvm::MemoryBufferRef> objects, const Codegen &machine) {
  context.enterStage("blob");
  rt::Schedule schedule;
  if (std::string wrong = emitSchedule(main, kernels, requirements, schedule); !wrong.empty())
    return fail(wrong);
  std::vector<std::string> names, symbols;
  for (const Kernel &kernel : kernels.kernels) {
    schedule.kernels.push_back(kernel.info);
    names.push_back(kernel.info.name);
    symbols.push_back(kernel.symbol);
  }
  llvm::Expected<LinkedImage> image = linkImage(objects, symbols);
  if (!image)
    return fail(llvm::toString(image.takeError()));
  rt::BlobWriter writer;
  writer.isa = machine.isa();
  addToBlob(std::move(*image), names, writer);
  writer.schedule = rt::serialize(schedule);
  std::vector<std::byte> bytes = writer.finish();
  out.assign(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  context.kernels = kernels.kernels.size();
  context.librarySteps = 0;
  for (const rt::ScheduleBody &body : schedule.schedules)
    for (const rt::Step &step : body.steps)
      context.librarySteps += step.kind == rt::Step::library;
  return true;
}

/// What a request may ask for, in the order in which they are made.
static constexpr llvm::StringLiteral stages[] = {"trace",  "tenon", "simplified", "grouped", "linalg",
                                                 "vector", "llvm",  "asm",        "ptx",     "blob"};

bool Compilation::run() {
  if (!llvm::is_contained(stages, emit))
    return reject("expected one of the stages " + llvm::join(llvm::ArrayRef(stages), ", ") + ", got '" + emit.str() +
                  "'");
  if (!import())
    return false;
  if (emit == "trace") {
    if (!module)
      return true;
    TraceRef trace = exportTrace(*module, error);
    if (trace)
      putTrace(*trace);
    return static_cast<bool>(trace);
  }
  if (emit == "tenon") {
    print(*module);
    return true;
  }
  if (!simplify())
    return false;
  if (emit == "simplified") {
    print(*module);
    return true;
  }
  if (!group())
    return false;
  if (emit == "grouped") {
    print(*module);
    return true;
  }
  kernels = findKernels(*module);
  if (emit == "linalg" || emit == "vector" || emit == "llvm" || emit == "asm")
    return lowerToText();
  return emit == "ptx" ? lowerToPtx() : lowerToBlob();
}

bool compiler::compileRequest(CompileContext &context, const tenon_compile_request &request, std::string &out,
                              std::string &error) {
  try {
    Compilation compilation(context, request, out);
    if (compilation.run())
      return true;
    error = compilation.error.empty() ? "the compilation failed" : compilation.error;
  } catch (const Error &caught) {
    error = caught.what();
  }
  return false;
}
