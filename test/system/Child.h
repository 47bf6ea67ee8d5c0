//===- Child.h - running other processes ------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdio>
#include <filesystem>
#include <string>
#include <sys/wait.h>

namespace tenon::testing_system {

struct Ran {
  /// Exit status; 128 + number after a signal.
  int status = -1;
  std::string output;
};

/// Runs a line of shell; the output is what it wrote to standard output.
inline Ran run(const std::string &line) {
  Ran ran;
  std::fflush(nullptr);
  std::FILE *pipe = popen(line.c_str(), "r");
  if (!pipe)
    return ran;
  char buffer[4096];
  while (size_t size = std::fread(buffer, 1, sizeof buffer, pipe))
    ran.output.append(buffer, size);
  int status = pclose(pipe);
  ran.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return ran;
}

/// This program.
inline std::filesystem::path self() { return std::filesystem::read_symlink("/proc/self/exe"); }

/// An empty folder where this program was started: the same program runs beside
/// itself in other folders.
inline std::filesystem::path scratch(const std::string &name) {
  std::filesystem::path folder = std::filesystem::current_path() / "scratch" / name;
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return folder;
}

inline size_t occurrences(const std::string &text, const std::string &wanted) {
  size_t count = 0;
  for (size_t at = text.find(wanted); at != std::string::npos; at = text.find(wanted, at + wanted.size()))
    ++count;
  return count;
}

} // namespace tenon::testing_system
