//===- faults_test.cpp - programs survive crashes in the compiler --------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `faults_test --program` is a user's program; it runs with each fault planted
// in its compiler, must print the right numbers, and say in one line how to
// replay what the compiler fell over.
//===----------------------------------------------------------------------===//
#include "test/Difference.h"
#include "test/system/Child.h"

#include <tenon/tenon.h>

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

using namespace tenon;
using namespace tenon::testing_system;

static Array wave(const Array &x) { return tanh(relu(x) * 2.0f + exp(-x * x)); }
static Array total(const Array &x) { return sum(x * wave(x)); }

static int program() {
  Array x = random::normal(random::key(5), {37, 19});
  auto first = jit(wave, {.name = "wave"});
  auto second = jit(total, {.name = "total"});
  bool right = true;
  for (int call = 0; call < 3; ++call)
    right &= areSame(first(x), wave(x)) && areSame(second(x), total(x)) && areSame(grad(second)(x), grad(total)(x));
  std::string lowered = "lower() gave the stage";
  try {
    first.lower(x).stage("grouped");
  } catch (const InternalError &error) {
    lowered = "lower() threw InternalError";
  }
  Statistics ran = statistics();
  std::printf("%s numbers; %lu programs ran compiled, %lu interpreted; %s\n", right ? "right" : "wrong", ran.programs,
              ran.interpreted_programs, lowered.c_str());
  return right ? 0 : 1;
}

namespace {

struct Fault {
  const char *name, *says;
  /// Programs that go uncompiled with a reproducer before the compiler is off.
  size_t falls;
  friend void PrintTo(const Fault &fault, std::ostream *out) { *out << fault.name; }
};
constexpr Fault faults[] = {
    {"abort", "abort was called", 1},    {"segv", "SIGSEGV", 1},
    {"stack", "stack overflow", 1},      {"fatal", "planted fatal error", 3},
    {"usage", "planted usage error", 3}, {"emit", "planted error of an LLVMContext", 3},
};

class Faults : public testing::TestWithParam<Fault> {};

std::filesystem::path tool(const char *name) { return self().parent_path().parent_path() / name; }

std::string read(const std::filesystem::path &path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

/// The lines with `text` in them.
std::vector<std::string> linesWith(const std::string &all, const std::string &text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < all.size();) {
    size_t end = std::min(all.find('\n', at), all.size());
    std::string line = all.substr(at, end - at);
    if (line.find(text) != std::string::npos)
      lines.push_back(line);
    at = end + 1;
  }
  return lines;
}

} // namespace

TEST_P(Faults, TheProgramGoesOn) {
  const Fault &fault = GetParam();
  std::filesystem::path folder = scratch(std::string("faults-") + fault.name);
  std::string environment = "TMPDIR=" + folder.string() + " PATH=" + tool("").string() + ":$PATH ";
  Ran ran = run(environment + "TENON_COMPILER_FAULT=" + fault.name + " " + self().string() + " --program 2>" +
                (folder / "log").string());
  std::string log = read(folder / "log");
  std::printf("%s%s", ran.output.c_str(), log.c_str());
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(occurrences(ran.output, "right numbers; 0 programs ran compiled"), 1u);
  EXPECT_EQ(occurrences(ran.output, "lower() threw InternalError"), 1u);

  // Four programs, each said once: with a reproducer until the compiler is off.
  EXPECT_EQ(linesWith(log, "runs uncompiled").size(), 4u);
  std::vector<std::string> fallen = linesWith(log, fault.says);
  ASSERT_GE(fallen.size(), fault.falls);
  EXPECT_EQ(linesWith(log, "replay: ").size(), fault.falls);
  EXPECT_EQ(fallen[0].rfind("tenon: wave runs uncompiled: ", 0), 0u);

  // The command in the line, with a sound compiler and with the fault.
  size_t at = fallen[0].find("replay: "), end = fallen[0].rfind(')');
  ASSERT_NE(at, std::string::npos);
  std::string replay = fallen[0].substr(at + 8, end - at - 8);
  std::string blob = (folder / "replayed.blob").string();
  Ran replayed = run(environment + replay + " >" + blob + " 2>&1");
  EXPECT_EQ(replayed.status, 0) << read(blob);
  EXPECT_GT(std::filesystem::file_size(blob), 0u);
  Ran fallsAgain = run(environment + "TENON_COMPILER_FAULT=" + fault.name + " " + replay + " 2>&1");
  EXPECT_EQ(fallsAgain.status, 1);
  EXPECT_EQ(occurrences(fallsAgain.output, fault.says), 1u) << fallsAgain.output;

  // The same reproducer, one stage of it.
  std::string reproducer = replay.substr(replay.rfind(' ') + 1);
  Ran grouped = run(environment + "tenon-run --emit=grouped " + reproducer + " 2>&1");
  EXPECT_EQ(grouped.status, 0);
  EXPECT_GE(occurrences(grouped.output, "tenon.kernel"), 1u) << grouped.output;
  EXPECT_GE(occurrences(grouped.output, "faults_test.cpp"), 1u) << "the reproducer keeps the user's lines";
  std::printf("%s\n%s", replay.c_str(), grouped.output.c_str());
}

INSTANTIATE_TEST_SUITE_P(, Faults, testing::ValuesIn(faults), [](const auto &info) { return info.param.name; });

TEST(FaultsOff, WithoutAFaultTheProgramIsCompiled) {
  Ran ran = run("TENON_STRICT=1 " + self().string() + " --program 2>&1");
  std::printf("%s", ran.output.c_str());
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(occurrences(ran.output, "12 programs ran compiled, 0 interpreted; lower() gave the stage"), 1u);
}

TEST(FaultsStrict, UnderStrictAFallIsAnError) {
  std::filesystem::path folder = scratch("faults-strict");
  Ran ran = run("TMPDIR=" + folder.string() + " TENON_STRICT=1 TENON_COMPILER_FAULT=fatal " + self().string() +
                " --program 2>&1");
  std::printf("%s", ran.output.c_str());
  EXPECT_EQ(ran.status, 3);
  EXPECT_EQ(occurrences(ran.output, "InternalError: wave could not be compiled, which TENON_STRICT makes an error: "),
            1u);
}

int main(int count, char **arguments) {
  if (count == 2 && !std::strcmp(arguments[1], "--program")) {
    try {
      return program();
    } catch (const InternalError &error) {
      std::printf("InternalError: %s\n", error.what());
      return 3;
    }
  }
  testing::InitGoogleTest(&count, arguments);
  return RUN_ALL_TESTS();
}
