//===- image_test.cpp - IR to object to flat image to result ---------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each test compiles a few lines of LLVM IR as the compiler does (position
// independent, small code model), links, loads and runs them.
//===----------------------------------------------------------------------===//
#include "lib/compiler/blob/Linker.h"
#include "runtime/machine/Cpu.h"
#include "runtime/program/Image.h"
#include "runtime/program/Symbols.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <random>

using namespace tenon;

namespace {

struct Settings {
  std::uint64_t isa = rt::kFeaturesV3;
  llvm::Reloc::Model reloc = llvm::Reloc::PIC_;
  llvm::CodeModel::Model code = llvm::CodeModel::Small;
};

/// An object file from IR text.
std::string compile(const std::string &ir, const Settings &settings = {}) {
  static const bool ready = [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    return true;
  }();
  (void)ready;
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(ir, diagnostic, context);
  if (!module) {
    ADD_FAILURE() << diagnostic.getLineNo() << ": " << diagnostic.getMessage().str();
    return {};
  }
  llvm::Triple triple("x86_64-unknown-linux-gnu");
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  options.UseInitArray = true;
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple, "x86-64", rt::featureNames(settings.isa, "+", ","), options, settings.reloc, settings.code));
  module->setTargetTriple(triple);
  module->setDataLayout(machine->createDataLayout());
  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager passes;
  EXPECT_FALSE(machine->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile));
  passes.run(*module);
  return std::string(object.begin(), object.end());
}

llvm::Expected<compiler::LinkedImage> link(const std::vector<std::string> &objects,
                                           const std::vector<std::string> &entries) {
  static const char *const names[] = {"first.o", "second.o", "third.o"};
  std::vector<llvm::MemoryBufferRef> buffers;
  for (std::size_t i = 0; i < objects.size(); ++i)
    buffers.emplace_back(objects[i], i < std::size(names) ? names[i] : "other.o");
  return compiler::linkImage(buffers, entries);
}

/// A linked and loaded program; a failure on the way fails the test.
class Program {
public:
  Program(const std::vector<std::string> &objects, const std::vector<std::string> &entries,
          std::uint64_t isa = rt::kFeaturesV3) {
    llvm::Expected<compiler::LinkedImage> result = link(objects, entries);
    if (!result) {
      ADD_FAILURE() << llvm::toString(result.takeError());
      return;
    }
    linked = *result;
    rt::BlobWriter writer;
    writer.isa = isa;
    compiler::addToBlob(std::move(*result), entries, writer);
    std::vector<std::byte> blob = writer.finish();
    std::string error;
    rt::BlobView view = rt::BlobView::parse(blob, error);
    if (view)
      image = rt::LoadedImage::load(view, error);
    if (!image)
      ADD_FAILURE() << error;
    EXPECT_EQ(image.entryCount(), entries.size());
  }

  template <typename R, typename... A>
  R call(std::size_t entry, A... arguments) const {
    return reinterpret_cast<R (*)(A...)>(const_cast<void *>(image.entry(entry)))(arguments...);
  }

  compiler::LinkedImage linked;
  rt::LoadedImage image;
};

/// What the linker says to a module that it must refuse.
std::string refusal(const std::string &ir, const Settings &settings = {}) {
  llvm::Expected<compiler::LinkedImage> result = link({compile(ir, settings)}, {"kernel"});
  return result ? "accepted" : llvm::toString(result.takeError());
}

TEST(Linker, JumpTable) {
  Program program({compile(R"(
    define i64 @kernel(i64 %k, i64 %x) {
      switch i64 %k, label %other [ i64 0, label %a  i64 1, label %b  i64 2, label %c  i64 3, label %d  i64 4, label %e ]
    a: %ra = add i64 %x, 10  ret i64 %ra
    b: %rb = mul i64 %x, %x  ret i64 %rb
    c: %rc = xor i64 %x, 255  ret i64 %rc
    d: %rd = sub i64 0, %x  ret i64 %rd
    e: %re = ashr i64 %x, 1  ret i64 %re
    other: ret i64 -1
    })")},
                  {"kernel"});
  EXPECT_FALSE(program.linked.data.empty()) << "expected a jump table in .rodata";
  const std::int64_t expected[] = {110, 10000, 100 ^ 255, -100, 50, -1};
  for (std::int64_t k = 0; k < 6; ++k)
    EXPECT_EQ(program.call<std::int64_t>(0, k, std::int64_t(100)), expected[k]) << k;
}

TEST(Linker, ScalarConstants) {
  Program program({compile(R"(
    define float @single(float %x) { %a = fmul float %x, 0x3FF3333340000000  %b = fadd float %a, 3.0  ret float %b }
    define double @double(double %x) { %a = fmul double %x, 1.1  %b = fadd double %a, -7.25  ret double %b }
    )")},
                  {"double", "single"});
  EXPECT_EQ(program.call<double>(0, 3.0), 3.0 * 1.1 - 7.25);
  EXPECT_EQ(program.call<float>(1, 5.0f), 5.0f * 1.2f + 3.0f);
  EXPECT_TRUE(program.linked.fixups.empty());
}

/// Adds lane number + 1 to 16 floats by an aligned load of a 64-byte constant.
constexpr const char *kVectorKernel = R"(
  @pad = internal constant [3 x i8] c"abc"
  @lanes = internal constant <16 x float> <float 1.0, float 2.0, float 3.0, float 4.0, float 5.0, float 6.0,
    float 7.0, float 8.0, float 9.0, float 10.0, float 11.0, float 12.0, float 13.0, float 14.0, float 15.0,
    float 16.0>, align 64
  define void @kernel(ptr %x) {
    %v = load <16 x float>, ptr %x, align 4
    %c = load volatile <16 x float>, ptr @lanes, align 64
    %s = fadd <16 x float> %v, %c
    store <16 x float> %s, ptr %x, align 4
    ret void
  }
  define i64 @where(i64 %i) {
    %p = getelementptr i8, ptr @pad, i64 %i
    %b = load i8, ptr %p
    %w = zext i8 %b to i64
    %a = ptrtoint ptr @lanes to i64
    %m = and i64 %a, 63
    %h = shl i64 %m, 8
    %r = or i64 %h, %w
    ret i64 %r
  })";

TEST(Linker, VectorConstantsKeepTheirAlignment) {
  for (std::uint64_t isa : {rt::kFeaturesV3, rt::kFeaturesV4}) {
    if (isa & ~rt::hostFeatures())
      continue;
    Program program({compile(kVectorKernel, {.isa = isa})}, {"kernel", "where"}, isa);
    float x[16];
    for (int i = 0; i < 16; ++i)
      x[i] = 100.0f * i;
    program.call<void>(0, &x[0]);
    for (int i = 0; i < 16; ++i)
      EXPECT_EQ(x[i], 100.0f * i + i + 1);
    EXPECT_EQ(program.call<std::int64_t>(1, std::int64_t(1)), 'b') << "the constant is not aligned to 64";
  }
}

constexpr const char *kCopyKernel = R"(
  declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
  declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
  declare ptr @memmove(ptr, ptr, i64)
  @indirect = internal constant ptr @memmove
  define void @copy(ptr %to, ptr %from, i64 %n) {
    call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 %n, i1 false)
    call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 %n, i1 false)
    ret void
  }
  define void @fill(ptr %to, i8 %value, i64 %n) {
    call void @llvm.memset.p0.i64(ptr %to, i8 %value, i64 %n, i1 false)
    ret void
  }
  define ptr @move(ptr %to, ptr %from, i64 %n) {
    %f = load volatile ptr, ptr @indirect
    %r = call ptr %f(ptr %to, ptr %from, i64 %n)
    ret ptr %r
  }
  define ptr @which() { ret ptr @memmove }
  declare float @fmodf(float, float) nonlazybind
  define float @direct(float %x, float %y) { %r = call float @fmodf(float %x, float %y)  %s = fadd float %r, 1.0
    ret float %s })";

TEST(Linker, RuntimeSymbolsThroughStubsSlotsAndPointers) {
  Program program({compile(kCopyKernel)}, {"copy", "fill", "move", "which", "direct"});
  char from[100], to[100] = {};
  for (int i = 0; i < 100; ++i)
    from[i] = static_cast<char>(i);
  program.call<void>(0, &to[0], &from[0], std::size_t(77));
  EXPECT_EQ(std::memcmp(to, from, 77), 0);
  EXPECT_EQ(to[77], 0);
  program.call<void>(1, &to[0], 5, std::size_t(10));
  EXPECT_EQ(to[9], 5);
  EXPECT_EQ(to[10], 10);
  EXPECT_EQ(program.call<void *>(2, &from[1], &from[0], std::size_t(50)), &from[1]);
  EXPECT_EQ(from[50], 49);
  EXPECT_EQ(program.call<const void *>(3), rt::runtimeSymbolAddress(*rt::findRuntimeSymbol("memmove")));

  EXPECT_EQ(program.call<float>(4, 9.5f, 4.0f), 2.5f);

  // One symbol each for memcpy, memset, memmove, fmodf; memmove has a slot for
  // its address in code and the pointer @indirect; two calls share a stub.
  EXPECT_EQ(program.linked.symbols.size(), 4u);
  EXPECT_EQ(program.linked.fixups.size(), 5u);
}

TEST(Linker, FunctionPointerTable) {
  Program program({compile(R"(
    @table = internal constant [3 x ptr] [ptr @twice, ptr @square, ptr @negate]
    define internal i64 @twice(i64 %x) { %r = shl i64 %x, 1  ret i64 %r }
    define internal i64 @square(i64 %x) { %r = mul i64 %x, %x  ret i64 %r }
    define internal i64 @negate(i64 %x) { %r = sub i64 0, %x  ret i64 %r }
    define i64 @kernel(i64 %k, i64 %x) {
      %p = getelementptr [3 x ptr], ptr @table, i64 0, i64 %k
      %f = load ptr, ptr %p
      %r = call i64 %f(i64 %x)
      ret i64 %r
    })")},
                  {"kernel"});
  ASSERT_EQ(program.linked.fixups.size(), 3u);
  for (const rt::Fixup &fixup : program.linked.fixups)
    EXPECT_EQ(fixup.kind, rt::FixupKind::Base);
  const std::int64_t expected[] = {14, 49, -7};
  for (std::int64_t k = 0; k < 3; ++k)
    EXPECT_EQ(program.call<std::int64_t>(0, k, std::int64_t(7)), expected[k]);
}

TEST(Linker, PointersIntoAndBeforeData) {
  Program program({compile(R"(
    @numbers = internal constant [4 x i64] [i64 11, i64 22, i64 33, i64 44]
    @inside = internal constant ptr getelementptr (i64, ptr @numbers, i64 2)
    @before = internal constant ptr getelementptr (i64, ptr @numbers, i64 -1)
    define i64 @kernel(i64 %i) {
      %p = load volatile ptr, ptr @inside
      %q = load volatile ptr, ptr @before
      %e = getelementptr i64, ptr %q, i64 %i
      %a = load i64, ptr %p
      %b = load i64, ptr %e
      %r = sub i64 %a, %b
      ret i64 %r
    })")},
                  {"kernel"});
  EXPECT_EQ(program.call<std::int64_t>(0, std::int64_t(1)), 33 - 11);
  EXPECT_EQ(program.call<std::int64_t>(0, std::int64_t(4)), 33 - 44);
}

TEST(Linker, SeveralObjects) {
  // Both have a local @own and a string of the same local name; the first
  // calls and reads what the second defines, and the other way round.
  std::string first = compile(R"(
    @own = internal constant i64 1000
    @shared_second = external constant i64
    @shared_first = constant i64 5
    declare i64 @helper(i64)
    define i64 @first(i64 %x) {
      %h = call i64 @helper(i64 %x)
      %o = load volatile i64, ptr @own
      %s = load volatile i64, ptr @shared_second
      %a = add i64 %h, %o
      %r = add i64 %a, %s
      ret i64 %r
    })");
  std::string second = compile(R"(
    @own = internal constant i64 2000
    @shared_first = external constant i64
    @shared_second = constant i64 70
    @pointer = internal constant ptr @first
    declare i64 @first(i64)
    define i64 @helper(i64 %x) {
      %o = load volatile i64, ptr @own
      %s = load volatile i64, ptr @shared_first
      %a = mul i64 %x, %s
      %r = add i64 %a, %o
      ret i64 %r
    }
    define i64 @second(i64 %x) {
      %f = load volatile ptr, ptr @pointer
      %r = call i64 %f(i64 %x)
      %n = sub i64 0, %r
      ret i64 %n
    })");
  Program program({first, second}, {"second", "first", "helper"});
  EXPECT_EQ(program.call<std::int64_t>(2, std::int64_t(3)), 3 * 5 + 2000);
  EXPECT_EQ(program.call<std::int64_t>(1, std::int64_t(3)), 3 * 5 + 2000 + 1000 + 70);
  EXPECT_EQ(program.call<std::int64_t>(0, std::int64_t(3)), -(3 * 5 + 2000 + 1000 + 70));
  EXPECT_TRUE(program.linked.symbols.empty());
}

TEST(Linker, WeakDefinitions) {
  auto source = [](const char *linkage, int value, const char *entry) {
    return std::string("define ") + linkage + " i64 @value() { ret i64 " + std::to_string(value) + " }\ndefine i64 @" +
           entry + "() { %v = call i64 @value()  ret i64 %v }";
  };
  Program weak({compile(source("weak", 1, "a")), compile(source("weak", 2, "b"))}, {"a", "b"});
  EXPECT_EQ(weak.call<std::int64_t>(0), 1);
  EXPECT_EQ(weak.call<std::int64_t>(1), 1);
  Program strong({compile(source("weak", 1, "a")), compile(source("", 2, "b"))}, {"a", "b"});
  EXPECT_EQ(strong.call<std::int64_t>(0), 2);
  EXPECT_EQ(strong.call<std::int64_t>(1), 2);
  llvm::Expected<compiler::LinkedImage> both =
      link({compile(source("", 1, "a")), compile(source("", 2, "b"))}, {"a", "b"});
  ASSERT_FALSE(both);
  EXPECT_EQ(llvm::toString(both.takeError()),
            "linking kernels: symbol 'value' is defined in 'first.o' and in 'second.o'");
}

TEST(Linker, TakesWhatIsReachedAndConstantsOnce) {
  auto function = [](const std::string &name, const std::string &constant) {
    return "define <8 x float> @" + name + "(<8 x float> %x) section \".text." + name +
           "\" { %r = fadd <8 x float> %x, " + constant + "  ret <8 x float> %r }\n";
  };
  const std::string ramp = "<float 1.0, float 2.0, float 3.0, float 4.0, float 5.0, float 6.0, float 7.0, float 8.0>";
  const std::string other = "<float 9.0, float 2.0, float 3.0, float 4.0, float 5.0, float 6.0, float 7.0, float 8.0>";
  std::string alone = compile(function("kernel", ramp));
  std::string crowd = compile(function("unused", other) + function("kernel", ramp) + function("same", ramp));
  std::string second = compile(function("another", ramp));

  Program one({alone}, {"kernel"});
  EXPECT_EQ(one.linked.data.size(), 32u);
  Program ofMany({crowd}, {"kernel"});
  EXPECT_EQ(ofMany.linked.text, one.linked.text);
  EXPECT_EQ(ofMany.linked.data, one.linked.data);
  Program three({crowd, second}, {"kernel", "same", "another"});
  EXPECT_EQ(three.linked.data.size(), 32u);
  Program all({crowd}, {"same", "unused"});
  EXPECT_EQ(all.linked.data.size(), 64u);
  EXPECT_LT(one.linked.text.size(), three.linked.text.size());
}

/// Equal bytes, but the one that is there lies where only the first may.
TEST(Linker, ConstantsOfOtherAlignmentsAreTwo) {
  auto object = [](const std::string &name, int alignment) {
    return compile("@eight = private unnamed_addr constant i64 77\n"
                   "@row = private unnamed_addr constant [4 x i64] [i64 1, i64 2, i64 3, i64 4], align " +
                   std::to_string(alignment) + "\ndefine i64 @eight_" + name +
                   "() { %r = load volatile i64, ptr @eight  ret i64 %r }\ndefine ptr @row_" + name +
                   "() { ret ptr @row }");
  };
  Program program({object("low", 8), object("high", 32)}, {"eight_low", "row_low", "eight_high", "row_high"});
  EXPECT_EQ(program.call<std::int64_t>(0), 77);
  EXPECT_EQ(program.call<std::int64_t>(2), 77);
  const auto *low = program.call<const std::int64_t *>(1), *high = program.call<const std::int64_t *>(3);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(low) % 32, 8u) << "behind the eight bytes";
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(high) % 32, 0u);
  EXPECT_EQ(low[3], 4);
  EXPECT_EQ(high[3], 4);
}

TEST(Linker, PointersToMergeableConstants) {
  Program program({compile(R"(
    @first = private unnamed_addr constant i64 11
    @second = private unnamed_addr constant i64 22
    @third = private unnamed_addr constant i64 33
    @table = internal constant [3 x ptr] [ptr @third, ptr @second, ptr @first]
    define i64 @kernel(i64 %k) {
      %p = getelementptr [3 x ptr], ptr @table, i64 0, i64 %k
      %q = load ptr, ptr %p
      %r = load i64, ptr %q
      ret i64 %r
    })")},
                  {"kernel"});
  EXPECT_EQ(program.call<std::int64_t>(0, std::int64_t(0)), 33);
  EXPECT_EQ(program.call<std::int64_t>(0, std::int64_t(1)), 22);
  EXPECT_EQ(program.call<std::int64_t>(0, std::int64_t(2)), 11);
}

TEST(Linker, FiveHundredObjects) {
  std::vector<std::string> objects, names;
  for (int i = 0; i < 500; ++i) {
    names.push_back("kernel" + std::to_string(i));
    objects.push_back(compile("declare double @fmod(double, double)\n define double @" + names.back() +
                              "(double %x) { %m = call double @fmod(double %x, double " + std::to_string(i) +
                              ".5)  %r = fadd double %m, " + std::to_string(i) + ".25  ret double %r }"));
  }
  Program program(objects, names);
  for (int i = 0; i < 500; ++i)
    EXPECT_EQ(program.call<double>(i, 1234.0), std::fmod(1234.0, i + 0.5) + (i + 0.25));
  EXPECT_EQ(program.linked.symbols.size(), 1u);
  EXPECT_EQ(program.linked.fixups.size(), 1u);
}

/// The value of a 16-bit float with `mantissa` bits after the point.
double decode(std::uint16_t bits, int mantissa) {
  int exponentBits = 15 - mantissa, bias = (1 << (exponentBits - 1)) - 1;
  int exponent = bits >> mantissa & ((1 << exponentBits) - 1);
  int fraction = bits & ((1 << mantissa) - 1);
  double value = exponent == 0 ? std::ldexp(fraction, 1 - bias - mantissa)
                               : std::ldexp(fraction + (1 << mantissa), exponent - bias - mantissa);
  return bits & 0x8000 ? -value : value;
}

/// Is `bits` the nearest, ties to even, to `x`? By its two neighbours alone;
/// what stands for infinity counts as the next power of two.
bool isNearest(double x, std::uint16_t bits, int mantissa) {
  if (std::signbit(x) != bool(bits & 0x8000))
    return false;
  std::uint16_t infinity = static_cast<std::uint16_t>(0x7fff >> mantissa << mantissa), magnitude = bits & 0x7fff;
  if (magnitude > infinity)
    return false;
  double size = std::fabs(x);
  auto middle = [&](std::uint16_t low) { return (decode(low, mantissa) + decode(low + 1, mantissa)) / 2; };
  bool even = magnitude % 2 == 0;
  bool aboveLower = magnitude == 0 || (even ? size >= middle(magnitude - 1) : size > middle(magnitude - 1));
  bool belowUpper = magnitude == infinity || (even ? size <= middle(magnitude) : size < middle(magnitude));
  return aboveLower && belowUpper;
}

TEST(Linker, NarrowFloats) {
  Program program({compile(R"(
    define i16 @bfloat_of_float(float %x) { %b = fptrunc float %x to bfloat  %r = bitcast bfloat %b to i16  ret i16 %r }
    define i16 @bfloat_of_double(double %x) {
      %b = fptrunc double %x to bfloat  %r = bitcast bfloat %b to i16  ret i16 %r
    }
    define i16 @half_of_double(double %x) { %b = fptrunc double %x to half  %r = bitcast half %b to i16  ret i16 %r }
    )")},
                  {"bfloat_of_float", "bfloat_of_double", "half_of_double"});
  EXPECT_EQ(program.linked.symbols.size(), 3u) << "expected calls of the runtime's conversions";
  auto check = [&](double x) {
    auto ofFloat = program.call<std::uint16_t>(0, static_cast<float>(x));
    EXPECT_TRUE(isNearest(static_cast<float>(x), ofFloat, 7)) << x << " -> " << ofFloat;
    auto ofDouble = program.call<std::uint16_t>(1, x);
    EXPECT_TRUE(isNearest(x, ofDouble, 7)) << x << " -> " << ofDouble;
    auto half = program.call<std::uint16_t>(2, x);
    EXPECT_TRUE(isNearest(x, half, 10)) << x << " -> " << half;
  };
  std::mt19937_64 random(7);
  for (int i = 0; i < 100000; ++i) {
    // Any bits in the exponents of interest, ties and their double neighbours.
    double any = std::ldexp(static_cast<double>(random() >> 11), static_cast<int>(random() % 60) - 90);
    check(random() & 1 ? any : -any);
    int mantissa = random() & 1 ? 7 : 10;
    std::uint16_t low = static_cast<std::uint16_t>(random() % (0x7fff >> mantissa << mantissa));
    double tie = (decode(low, mantissa) + decode(low + 1, mantissa)) / 2;
    for (double x : {tie, std::nextafter(tie, 0.0), std::nextafter(tie, 1e300)})
      check(x);
  }
  for (double x : {0.0, -0.0, 1e-60, -1e-60, 1e60, -1e60, 5e-324, 65519.99999999999, 65520.0, HUGE_VAL, -HUGE_VAL})
    check(x);
  double nan = std::bit_cast<double>(0x7ff0000000000001ull); // its payload vanishes in a narrow type
  EXPECT_GT(program.call<std::uint16_t>(0, std::bit_cast<float>(0x7f800001)) & 0x7fff, 0x7f80);
  EXPECT_GT(program.call<std::uint16_t>(1, nan) & 0x7fff, 0x7f80);
  EXPECT_GT(program.call<std::uint16_t>(2, nan) & 0x7fff, 0x7c00);
}

TEST(LinkerRefuses, UnknownFunctions) {
  EXPECT_EQ(refusal("declare double @exp(double)\n"
                    "define double @kernel(double %x) { %r = call double @exp(double %x)  ret double %r }"),
            "linking kernels: relocation R_X86_64_PLT32 (4) at .text+0x2: symbol 'exp' in 'first.o' is neither "
            "defined nor a runtime symbol");
}

TEST(LinkerRefuses, WritableData) {
  EXPECT_EQ(refusal("@state = global i64 4\n"
                    "define i64 @kernel() { %r = load i64, ptr @state  ret i64 %r }"),
            "linking kernels: section .data of type 1 in 'first.o' is not allowed (expected .text, .rodata or "
            ".data.rel.ro)");
  EXPECT_EQ(refusal("@state = global i64 0\n"
                    "define i64 @kernel() { %r = load i64, ptr @state  ret i64 %r }"),
            "linking kernels: section .bss of type 8 in 'first.o' is not allowed (expected .text, .rodata or "
            ".data.rel.ro)");
}

TEST(LinkerRefuses, ThreadLocalCommonAndConstructors) {
  EXPECT_NE(refusal("@state = thread_local global i64 4\n"
                    "define i64 @kernel() { %r = load i64, ptr @state  ret i64 %r }")
                .find("section .tdata"),
            std::string::npos);
  EXPECT_EQ(refusal("@state = common global i64 0\n"
                    "define i64 @kernel() { %r = load i64, ptr @state  ret i64 %r }"),
            "linking kernels: symbol 'state' in 'first.o' is thread-local, indirect, common or absolute, which is not "
            "allowed");
  EXPECT_NE(refusal("@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] "
                    "[{ i32, ptr, ptr } { i32 1, ptr @kernel, ptr null }]\n"
                    "define void @kernel() { ret void }")
                .find("section .init_array"),
            std::string::npos);
}

TEST(LinkerRefuses, AbsoluteAddressesInCode) {
  const char *ir = "@value = internal constant i64 4\n"
                   "define i64 @kernel() { %r = load volatile i64, ptr @value  ret i64 %r }";
  std::string large = refusal(ir, {.reloc = llvm::Reloc::Static, .code = llvm::CodeModel::Large});
  EXPECT_NE(large.find("section .ltext of type 1"), std::string::npos) << large;
  const char *table = "@values = internal constant [4 x i64] [i64 1, i64 3, i64 5, i64 9]\n"
                      "define i64 @kernel(i64 %i) { %p = getelementptr i64, ptr @values, i64 %i\n"
                      "  %r = load i64, ptr %p  ret i64 %r }";
  EXPECT_EQ(refusal(table, {.reloc = llvm::Reloc::Static}),
            "linking kernels: relocation R_X86_64_32S (11) at .text+0x4: this type is not allowed, against '' in "
            "'first.o'");
  EXPECT_EQ(refusal("define ptr @kernel() section \".text.abs\" { ret ptr @kernel }",
                    {.reloc = llvm::Reloc::Static, .code = llvm::CodeModel::Large}),
            "linking kernels: relocation R_X86_64_64 (1) at .text.abs+0x2: an absolute address in code is not allowed, "
            "against 'kernel' in 'first.o'");
}

TEST(LinkerRefuses, MisalignedPointers) {
  EXPECT_EQ(refusal("@odd = internal constant <{ i8, ptr }> <{ i8 1, ptr @kernel }>\n"
                    "define i64 @kernel() { %p = getelementptr i8, ptr @odd, i64 1\n"
                    "  %r = load volatile i64, ptr %p, align 1  ret i64 %r }"),
            "linking kernels: relocation R_X86_64_64 (1) at .data.rel.ro+0x1: an absolute address must be aligned to "
            "8, against 'kernel' in 'first.o'");
}

TEST(LinkerRefuses, AlignmentAboveAPage) {
  EXPECT_EQ(refusal("@wide = internal constant i64 4, align 8192\n"
                    "define i64 @kernel() { %r = load volatile i64, ptr @wide  ret i64 %r }"),
            "linking kernels: section .rodata in 'first.o' has alignment 8192, expected at most 4096");
}

TEST(LinkerRefuses, OffsetsFromRuntimeSymbols) {
  EXPECT_EQ(refusal("declare ptr @memcpy(ptr, ptr, i64)\n"
                    "@p = internal constant ptr getelementptr (i8, ptr @memcpy, i64 4)\n"
                    "define ptr @kernel() { %r = load volatile ptr, ptr @p  ret ptr %r }"),
            "linking kernels: relocation R_X86_64_64 (1) at .data.rel.ro+0x0: an offset from a runtime symbol is not "
            "allowed, against 'memcpy' in 'first.o'");
}

TEST(LinkerRefuses, MissingEntriesAndForeignFiles) {
  EXPECT_EQ(refusal("define void @other() { ret void }"), "linking kernels: no object defines the function 'kernel'");
  EXPECT_EQ(refusal("@kernel = constant i64 3"), "linking kernels: no object defines the function 'kernel'");
  std::string object = compile("define void @kernel() { ret void }");
  object[18] = static_cast<char>(183); // e_machine: AArch64
  llvm::Expected<compiler::LinkedImage> foreign = link({object}, {"kernel"});
  ASSERT_FALSE(foreign);
  EXPECT_EQ(llvm::toString(foreign.takeError()),
            "linking kernels: expected 'first.o' to be an x86-64 relocatable object");
  llvm::Expected<compiler::LinkedImage> text = link({"not an object at all"}, {"kernel"});
  ASSERT_FALSE(text);
  EXPECT_FALSE(llvm::toString(text.takeError()).empty());
}

/// No promise for hostile objects, but a damaged one must end in an answer.
TEST(Linker, DamagedObjectsDoNotCrash) {
  const std::string whole = compile(kCopyKernel);
  std::mt19937_64 random(3);
  int refused = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string object = whole;
    for (int edits = 0; edits < 3; ++edits)
      object[random() % object.size()] = static_cast<char>(random());
    llvm::Expected<compiler::LinkedImage> result = link({object}, {"copy"});
    if (!result) {
      ++refused;
      llvm::consumeError(result.takeError());
    }
  }
  EXPECT_GT(refused, 100);
}

} // namespace
