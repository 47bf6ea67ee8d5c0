//===- Goldens.h - results that NumPy computes when a test runs --------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/error.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>

namespace tenon::test {

/// Returns what a Python script in this folder prints. The script runs with TENON_PYTHON, a Python with NumPy, which
/// ctest sets. Throws an Error if the variable is missing or the script fails.
inline std::istringstream numpyGoldens(const std::string &script) {
  const char *python = std::getenv("TENON_PYTHON");
  if (!python)
    throw Error(script + ": expected TENON_PYTHON, a Python with NumPy, in the environment (ctest sets it)");
  const std::string path = std::filesystem::path(__FILE__).parent_path() / script;
  FILE *pipe = popen(("'" + std::string(python) + "' -B -X utf8 '" + path + "'").c_str(), "r");
  if (!pipe)
    throw Error(script + ": expected to start Python");
  std::string text;
  std::array<char, 1 << 16> buffer;
  while (const size_t count = fread(buffer.data(), 1, buffer.size(), pipe))
    text.append(buffer.data(), count);
  if (const int status = pclose(pipe); status != 0)
    throw Error(script + ": expected exit status 0, got " + std::to_string(status));
  return std::istringstream(text);
}

} // namespace tenon::test
