//===- MustFail.h - a table of wrong programs and what they are told -------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A case is a name, a wrong program and the whole text of its error. In the
// text "here" stands for the file and line of the program: it must lie in the
// case itself, which is looked up in the source.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/error.h>
#include <tenon/jit.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <regex>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::mustfail {

/// `text` with "FILE:LINE:COLUMN" as "here" where the line lies in the case that
/// starts with {"name", as "elsewhere" where it does not.
inline std::string placed(std::string text, std::string_view file, std::string_view name) {
  std::vector<std::string> lines;
  std::ifstream source{std::string(file)};
  for (std::string line; std::getline(source, line);)
    lines.push_back(line);
  auto isInCase = [&](size_t line) {
    static const std::regex start(R"re(^\s*\{"(\w+)",)re");
    std::smatch found;
    for (size_t i = std::min(line, lines.size()); i-- > 0;)
      if (std::regex_search(lines[i], found, start))
        return found.str(1) == name;
    return false;
  };
  size_t at = 0;
  while ((at = text.find(file, at)) != std::string::npos) {
    size_t end = at + file.size();
    std::string number;
    for (size_t part = 0; part < 2 && end < text.size() && text[end] == ':'; ++part) {
      size_t digits = text.find_first_not_of("0123456789", end + 1);
      digits = digits == std::string::npos ? text.size() : digits;
      if (part == 0)
        number = text.substr(end + 1, digits - end - 1);
      if (digits == end + 1)
        break;
      end = digits;
    }
    bool inside = !number.empty() && isInCase(std::stoul(number));
    std::string here = inside ? "here" : "elsewhere";
    text.replace(at, end - at, here);
    at += here.size();
  }
  return text;
}

/// Runs `program` and returns the text of its Error, or what happened instead.
template <class Program>
std::string errorOf(Program &&program, std::string_view name,
                    std::string_view file = std::source_location::current().file_name()) {
  try {
    program();
  } catch (const Error &error) {
    return placed(error.what(), file, name);
  } catch (const std::exception &error) {
    return std::string("not a tenon::Error: ") + error.what();
  }
  return "no error";
}

/// Expected texts are raw strings that start on a line of their own.
inline std::string_view body(std::string_view text) { return text.substr(text.starts_with('\n')); }

/// The text with "@field" behind an operand: the operand's path if `traced`, else nothing.
inline std::string expected(std::string_view text, bool traced) {
  static const std::regex mark(" ?@(\\w+)");
  return std::regex_replace(std::string(body(text)), mark, traced ? " (arg 0: $1)" : "");
}

/// A wrong program, and the whole text of its error.
template <class Inputs>
struct Case {
  const char *name;
  void (*run)(const Inputs &in);
  const char *text;
};
template <class Inputs>
std::string nameOf(const testing::TestParamInfo<Case<Inputs>> &info) {
  return info.param.name;
}

/// The program says the same eagerly, and traced by jit with the inputs as its argument.
template <class Inputs>
void expectError(const Case<Inputs> &test, const char *file) {
  const Inputs in;
  EXPECT_EQ(errorOf([&] { test.run(in); }, test.name, file), expected(test.text, false));
  auto traced = jit([&](const Inputs &arguments) { test.run(arguments); });
  EXPECT_EQ(errorOf([&] { traced(in); }, test.name, file), expected(test.text, true)) << "traced";
}

} // namespace tenon::mustfail
