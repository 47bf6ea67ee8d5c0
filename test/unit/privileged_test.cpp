//===- privileged_test.cpp - setuid programs ignore paths in the environment --===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ScratchFile.h"
#include "test/fuzz/BlobSeed.h"

#include "lib/program/CompilerPlugin.h"
#include "runtime/program/Image.h"

#include <gmock/gmock.h>

#include <elf.h>
#include <iostream>
#include <sys/ptrace.h>
#include <sys/user.h>

using namespace tenon;
using namespace tenon::testing;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

/// Tells a process that has just called exec, and is stopped, that it has more rights than its caller, as the
/// kernel tells a setuid program.
void makePrivileged(pid_t process) {
  user_regs_struct registers;
  ASSERT_EQ(ptrace(PTRACE_GETREGS, process, nullptr, &registers), 0);
  auto wordAt = [&](uint64_t address) { return uint64_t(ptrace(PTRACE_PEEKDATA, process, address, nullptr)); };
  uint64_t at = registers.rsp + 8 * (wordAt(registers.rsp) + 2); // argc, its arguments and a null pointer
  while (wordAt(at))                                             // the environment
    at += 8;
  for (at += 8; wordAt(at) != AT_SECURE; at += 16)
    ASSERT_NE(wordAt(at), uint64_t(AT_NULL));
  ASSERT_EQ(ptrace(PTRACE_POKEDATA, process, at + 8, 1), 0);
}

class Privileged : public ScratchFile {
protected:
  /// Runs this test in another process; returns what it wrote.
  std::string runChild(bool isPrivileged) {
    const pid_t child = fork();
    if (child == 0) {
      setenv("TENON_PRIVILEGED_CHILD", path_.c_str(), 1);
      setenv("TENON_COMPILER", "/proc/self/exe", 1);
      setenv("TENON_PERF_MAP", "1", 1);
      ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
      execl("/proc/self/exe", "privileged_test", "--gtest_filter=Privileged.*", nullptr);
      _exit(1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSTOPPED(status));
    if (isPrivileged)
      makePrivileged(child);
    ptrace(PTRACE_DETACH, child, nullptr, nullptr);
    waitpid(child, &status, 0);
    EXPECT_EQ(WEXITSTATUS(status), 0);
    return get();
  }
};

TEST_F(Privileged, IgnoresVariablesThatNameFiles) {
  if (const char *out = std::getenv("TENON_PRIVILEGED_CHILD")) {
    const std::vector<std::byte> blob = rt::testing::seedWriter().finish();
    std::string error;
    const rt::LoadedImage image = rt::LoadedImage::load(rt::BlobView::parse(blob, error), error);
    const std::string map = "/tmp/perf-" + std::to_string(getpid()) + ".map";
    std::ofstream(out) << "loads " << detail::compilerPath() << (std::filesystem::remove(map) ? ", writes a map" : "");
    _exit(image ? 0 : 1);
  }
  EXPECT_EQ(runChild(false), "loads /proc/self/exe, writes a map");
  EXPECT_THAT(runChild(true), AllOf(HasSubstr("loads"), Not(HasSubstr("/proc/self/exe")), Not(HasSubstr("map"))));
}

} // namespace
