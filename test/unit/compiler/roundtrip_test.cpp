//===- roundtrip_test.cpp - traces to MLIR and back -------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../TraceSamples.h"

#include "lib/compiler/import/Import.h"
#include "lib/compiler/import/Unparsable.h"
#include "lib/compiler/pipelines/Pipelines.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <gmock/gmock.h>

#include <random>
#include <regex>

using namespace tenon;
using namespace tenon::samples;
using namespace tenon::compiler;
using testing::HasSubstr, testing::Not;

namespace {
struct RoundTrip : testing::Test {
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  std::string diagnostics;
  RoundTrip() {
    loadImportDialects(context);
    context.getDiagEngine().registerHandler([&](mlir::Diagnostic &diagnostic) {
      llvm::raw_string_ostream(diagnostics) << diagnostic.getLocation() << ": " << diagnostic << "\n";
      return mlir::success();
    });
  }
  static std::string textOf(mlir::ModuleOp module, bool locations = false) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    module->print(stream, mlir::OpPrintingFlags().enableDebugInfo(locations));
    return text;
  }
  mlir::OwningOpRef<mlir::ModuleOp> parse(const std::string &text) {
    return mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  }
};

TEST_F(RoundTrip, EveryOpKeepsItsBytes) {
  for (const Sample &sample : allSamples()) {
    SCOPED_TRACE(sample.name);
    mlir::OwningOpRef<mlir::ModuleOp> module = importTrace(context, *sample.trace);
    ASSERT_TRUE(mlir::succeeded(mlir::verify(*module))) << diagnostics << textOf(*module);
    std::string error;
    TraceRef back = exportTrace(*module, error);
    ASSERT_TRUE(back) << error << "\n" << textOf(*module);
    EXPECT_TRUE(*back == *sample.trace) << back->str() << sample.trace->str();
    EXPECT_EQ(back->str(), sample.trace->str()) << "names of sizes";
    EXPECT_EQ(back->body().name, sample.trace->body().name);
    for (size_t i = 0; i < back->ops().size(); ++i) {
      EXPECT_EQ(back->location(i)->file, sample.trace->location(i)->file);
      EXPECT_EQ(back->location(i)->line, sample.trace->location(i)->line);
      EXPECT_EQ(back->location(i)->column, sample.trace->location(i)->column);
      EXPECT_EQ(back->location(i)->scopes, sample.trace->location(i)->scopes);
    }

    // As text, in the form of its record: printed, parsed, and printed the same again.
    std::string text = textOf(*module);
    EXPECT_THAT(text, Not(HasSubstr("\"tenon.")));
    EXPECT_THAT(text, Not(HasSubstr("array<i64")));
    mlir::OwningOpRef<mlir::ModuleOp> parsed = parse(text);
    ASSERT_TRUE(parsed) << diagnostics << text;
    EXPECT_EQ(textOf(*parsed), text);
    TraceRef again = exportTrace(*parsed, error);
    ASSERT_TRUE(again) << error;
    EXPECT_TRUE(*again == *sample.trace) << text;
  }
}

/// The names of a trace and of what is in it, from the outside in.
static std::vector<std::string> namesOf(const Trace &trace) {
  std::vector<std::string> names{trace.body().name};
  for (const TraceRef &region : trace.body().regions)
    for (std::string &name : namesOf(*region))
      names.push_back(std::move(name));
  return names;
}

/// The text shows those of calls; others are locations alone, as in a trace.
TEST_F(RoundTrip, FunctionsKeepTheirNames) {
  auto named = [](const char *name, auto &&build) {
    Builder b;
    b.body.name = name;
    return b.finish({build(b, b.input(Dtype::f32, {2}))});
  };
  auto exp = [](Builder &b, ValueId x) { return b.op(OpCode::exp, {x}); };
  auto call = [](const TraceRef &what) {
    return [&](Builder &b, ValueId x) { return b.op(OpCode::call, {x}, std::vector{what}); };
  };
  auto choose = [&](Builder &b, ValueId x) {
    return b.op(OpCode::cond, {b.input(Dtype::bool_, {}), x}, std::vector{named("yes", exp), named("", exp)});
  };
  TraceRef trace = named("main", [&](Builder &b, ValueId x) {
    for (const TraceRef &one : {named("g \"1\"", exp), named("h", call(named("k", exp))), named("", exp)})
      x = call(one)(b, x);
    return choose(b, x);
  });
  const std::vector<std::string> names{"main", "g \"1\"", "h", "k", "", "yes", ""};
  ASSERT_EQ(namesOf(*trace), names);
  auto module = importTrace(context, *trace);
  std::string error, text = textOf(*module);
  EXPECT_THAT(text, HasSubstr("tensor<2xf32> body \"g \\221\\22\"(%"));
  EXPECT_THAT(text, HasSubstr("tensor<2xf32> body \"k\"(%"));
  EXPECT_THAT(text, HasSubstr("tensor<2xf32> body(%"));
  EXPECT_THAT(text, Not(HasSubstr("yes")));
  EXPECT_THAT(trace->str(), testing::AllOf(HasSubstr("body \"k\"(%"), HasSubstr("call %3 body(%")));
  auto read = [&](const std::string &from) { return namesOf(*exportTrace(*parse(from), error)); };
  EXPECT_EQ(namesOf(*exportTrace(*module, error)), names);
  const std::string located = textOf(*module, true);
  EXPECT_EQ(read(located), names);
  EXPECT_EQ(textOf(*parse(located), true), located);
  auto inPlace = [](mlir::ModuleOp printed) {
    std::string made;
    llvm::raw_string_ostream stream(made);
    printed->print(stream, mlir::OpPrintingFlags().enableDebugInfo().useLocalScope());
    return made;
  };
  const std::string placed = inPlace(*module);
  EXPECT_EQ(read(placed), names);
  EXPECT_EQ(inPlace(*parse(placed)), placed);
  EXPECT_EQ(read(text), (std::vector<std::string>{"", "g \"1\"", "h", "k", "", "", ""}));
}

TEST_F(RoundTrip, TheUsersLineComesFirst) {
  Builder b;
  ValueId x = b.input(Dtype::f32, {2});
  b.op(OpCode::exp, {x});
  b.op(OpCode::exp, {1});
  TraceRef trace = b.finish({b.op(OpCode::exp, {2})});
  std::string text = textOf(*importTrace(context, *trace), true);
  EXPECT_THAT(text, HasSubstr("\"sample.cpp\":3:7"));
  EXPECT_THAT(text, HasSubstr("callsite("));
}

/// `?` without a name is for IR alone: a trace that said so could not be checked.
TEST_F(RoundTrip, ATraceHoldsNoUnknownSizes) {
  std::string error;
  for (auto [text, sentence] : {
           std::pair("func.func @main(%x: tensor<?x4xf32>, %y: tensor<8x?xf32>) -> tensor<8x4xf32> {\n"
                     "%0 = tenon.add %x, %y : (tensor<?x4xf32>, tensor<8x?xf32>) -> tensor<8x4xf32>\n"
                     "return %0 : tensor<8x4xf32> }",
                     "got an unknown one in argument 0"),
           {"func.func @main(%x: tensor<4xf32>) -> tensor<2xf32> { %n = tenon.size \"?\" : index\n"
            "%0 = tenon.slice %x starts [%n] stops [%n] steps [1] : (tensor<4xf32>) -> tensor<2xf32>\n"
            "return %0 : tensor<2xf32> }",
            "expected sizes that have a name (tenon.dims, tenon.size), got an unknown one"},
           {"func.func @main() -> tensor<?xf32> { %n = tenon.size \"?\" : index\n"
            "%0 = tenon.full shape [%n] value 1.0 dtype f32 : tensor<?xf32>\nreturn %0 : tensor<?xf32> }",
            "expected sizes that have a name (tenon.dims, tenon.size), got an unknown one"},
       }) {
    SCOPED_TRACE(text);
    auto module = parse(text);
    ASSERT_TRUE(module) << diagnostics;
    EXPECT_FALSE(exportTrace(*module, error));
    EXPECT_THAT(error, HasSubstr(sentence));
  }
}

TEST_F(RoundTrip, NamesOfSizesAreChecked) {
  auto module = parse(R"(
    func.func @main(%x: tensor<?xf32> {tenon.dims = ["a"]}, %y: tensor<?xf32> {tenon.dims = ["b"]}) -> tensor<?xf32> {
      %0 = tenon.add %x, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
      return %0 : tensor<?xf32>
    })");
  ASSERT_TRUE(module) << diagnostics;
  std::string error;
  EXPECT_FALSE(exportTrace(*module, error));
  EXPECT_THAT(error, HasSubstr("'tenon.add' op"));
  EXPECT_THAT(error, HasSubstr("expected operands of one shape, got (a,) and (b,)"));

  // A type may leave a size open, but state no other one than its name does.
  for (std::string stated : {"?", "4"}) {
    auto one = parse("func.func @main(%x: tensor<?x3xf32> {tenon.dims = [\"a\", 3]}) -> tensor<" + stated +
                     "x3xf32> {\n%0 = tenon.exp %x : (tensor<?x3xf32>) -> tensor<" + stated +
                     "x3xf32>\nreturn %0 : tensor<" + stated + "x3xf32> }");
    ASSERT_TRUE(one) << diagnostics;
    error.clear();
    EXPECT_EQ(static_cast<bool>(exportTrace(*one, error)), stated == "?") << error;
    EXPECT_THAT(error, HasSubstr(stated == "?" ? "" : "expected the type f32[a, 3], got f32[4, 3]"));
  }
}

TEST_F(RoundTrip, WhatATraceCannotHold) {
  std::string error;
  for (auto [text, sentence] : {
           std::pair("module {}", "expected a function @main"),
           {"func.func @f() { return }\nfunc.func @g() { return }", "expected a function @main"},
           {"func.func private @main(tensor<2xf32>)", "expected a body"},
           {"func.func @main(%x: index) { return }", "expected arrays as arguments"},
           {"func.func @f() { return }\nfunc.func @main() { func.call @f() : () -> ()\n return }", "no such op"},
           {"func.func @main(%n: index) -> tensor<?xf32> { %0 = tenon.full shape [%n] value 1.0 dtype f32 : "
            "tensor<?xf32>\nreturn %0 : tensor<?xf32> }",
            "expected arrays as arguments"},
       }) {
    SCOPED_TRACE(text);
    auto module = parse(text);
    ASSERT_TRUE(module) << diagnostics;
    EXPECT_FALSE(exportTrace(*module, error));
    EXPECT_THAT(error, HasSubstr(sentence));
  }
}

/// Mutations of the text of every op: a diagnostic or a module that verifies,
/// can be simplified and is exported or refused with a sentence.
TEST_F(RoundTrip, MutatedTextNeverAborts) {
  std::vector<std::string> texts;
  for (const Sample &sample : allSamples())
    texts.push_back(textOf(*importTrace(context, *sample.trace)));
  const char *words[] = {"?",
                         "4",
                         "0",
                         "-1",
                         "f32",
                         "i1",
                         "i7",
                         "ui8",
                         "index",
                         "tensor<2xf32>",
                         "tensor<*xf32>",
                         "memref<2xf32>",
                         "%arg0",
                         "%0",
                         "-9223372036854775808",
                         "-9223372036854775807",
                         "9223372036854775807",
                         "true",
                         "\"\"",
                         "\"n*n*n*n*n*n*n*n*n\"",
                         "array<i64>",
                         "array<i64: 0, 1, 2>",
                         "array<i32: 1, 1, 1>",
                         "[]",
                         "unit",
                         "complex<f32>",
                         "tenon.return",
                         "tenon.add",
                         "tenon.slice",
                         "tenon.full",
                         "tenon.composite",
                         "tenon.kernel",
                         "shape",
                         "value",
                         "row",
                         "length",
                         "0x7FF8000000000007",
                         "[%0, 4]",
                         "->",
                         "{",
                         "}",
                         "(",
                         ")"};
  std::mt19937 random(1);
  auto pick = [&](size_t limit) { return random() % limit; };
  int good = 0, bad = 0;
  for (int round = 0; round < 6000; ++round) {
    std::string text = texts[pick(texts.size())];
    for (size_t edits = 1 + pick(2); edits; --edits) {
      // A token of the text becomes another word, or another token.
      auto token = [&] {
        auto isToken = [](char c) {
          return std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '%' || c == '-';
        };
        size_t begin = pick(text.size());
        while (begin < text.size() && !isToken(text[begin]))
          ++begin;
        size_t end = begin;
        while (end < text.size() && isToken(text[end]))
          ++end;
        return std::pair(begin, end - begin);
      };
      auto [at, size] = token();
      auto [from, length] = token();
      std::string word = pick(2) ? words[pick(std::size(words))] : text.substr(from, length);
      text.replace(at, size, word);
    }
    if (findUnparsable(text))
      continue;
    SCOPED_TRACE(text);
    auto module = parse(text);
    if (!module) {
      EXPECT_FALSE(diagnostics.empty());
      diagnostics.clear();
      ++bad;
      continue;
    }
    std::string error;
    TraceRef trace = exportTrace(*module, error);
    EXPECT_EQ(error.empty(), static_cast<bool>(trace));
    mlir::PassManager manager(&context, mlir::ModuleOp::getOperationName());
    buildSimplifyPipeline(manager);
    EXPECT_TRUE(mlir::succeeded(manager.run(*module))) << diagnostics;
    if (trace) {
      TraceRef simple = exportTrace(*module, error);
      EXPECT_TRUE(simple) << error << textOf(*module);
      EXPECT_TRUE(*Trace::read(trace->bytes(), trace->sideTable()) == *trace) << trace->str();
    }
    ++good;
  }
  EXPECT_GT(good, 200);
  EXPECT_GT(bad, 1000);
}

TEST_F(RoundTrip, SimplifyKeepsNamesAndEffects) {
  Builder b;
  Dim n("batch");
  ValueId x = b.input(Dtype::f32, {n, 4});
  Dim shape[] = {n * 4}, back[] = {n, 4};
  ValueId flat = b.op(OpCode::reshape, {x}, ReshapeAttrs{shape});
  ValueId again = b.op(OpCode::reshape, {flat}, ReshapeAttrs{back});
  b.ops(OpCode::print, {again}, PrintAttrs{"first"});
  b.ops(OpCode::print, {x}, PrintAttrs{"second"});
  ValueId e1 = b.op(OpCode::exp, {again}), e2 = b.op(OpCode::exp, {x});
  TraceRef trace = b.finish({b.op(OpCode::add, {e1, e2}), b.op(OpCode::negative, {b.op(OpCode::negative, {x})})});
  mlir::OwningOpRef<mlir::ModuleOp> module = importTrace(context, *trace);
  mlir::PassManager manager(&context, mlir::ModuleOp::getOperationName());
  buildSimplifyPipeline(manager);
  ASSERT_TRUE(mlir::succeeded(manager.run(*module))) << diagnostics;
  std::string error;
  TraceRef simple = exportTrace(*module, error);
  ASSERT_TRUE(simple) << error;
  std::string shown = std::regex_replace(simple->str(), std::regex("  # [^\n]*"), "");
  EXPECT_EQ(shown, "trace (%0: f32[batch, 4]) {\n"
                   "  print %0, format = \"first\"\n"
                   "  print %0, format = \"second\"\n"
                   "  %1: f32[batch, 4] = exp %0\n"
                   "  %2: f32[batch, 4] = add %1, %1\n"
                   "  return %2, %0\n}\n");
}
} // namespace
