//===- Text.cpp - programs as C++ and Python ------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/Elements.h"
#include "test/fuzz/Programs.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <map>

namespace tenon::fuzz {

static std::string joined(const std::vector<std::string> &parts) {
  std::string out;
  for (const std::string &part : parts)
    out += (out.empty() ? "" : ", ") + part;
  return out;
}

static std::string digits(double number, int count, const char *suffix) {
  if (std::isnan(number))
    return "NAN";
  if (std::isinf(number))
    return number > 0 ? "INFINITY" : "-INFINITY";
  char text[40];
  std::snprintf(text, sizeof(text), "%.*g", count, number);
  std::string out = text;
  return out + (out.find_first_of(".e") == std::string::npos ? ".0" : "") + suffix;
}
std::string literal(double number) { return digits(number, 17, ""); }
std::string literal(float number) { return digits(static_cast<double>(number), 9, "f"); }
std::string literal(Dtype dtype) {
  return dtype == Dtype::bool_ ? "Dtype::bool_" : "Dtype::" + std::string(short_name(dtype));
}
std::string literal(const Shape &shape) {
  std::vector<std::string> sizes;
  for (int i = 0; i < shape.rank(); ++i)
    sizes.push_back(shape[i].str());
  return sizes.empty() ? "Shape{}" : "{" + joined(sizes) + "}";
}
std::string literal(const std::vector<int64_t> &numbers) {
  std::vector<std::string> parts;
  for (int64_t number : numbers)
    parts.push_back(literal(number));
  // As an argument {} means the default.
  return parts.empty() ? "std::vector<int64_t>{}" : "{" + joined(parts) + "}";
}

std::string literal(const Array &x) {
  // What C++ has no literals of is converted, which loses nothing.
  const Dtype dtype = x.dtype(), written = dtype == Dtype::bool_ ? Dtype::u8 : is_narrow(dtype) ? f32 : dtype;
  const std::string elements = withElement(written, [&]<class T>(T *) -> std::string {
    std::vector<std::string> parts;
    for (const T number : astype(x, written).to_vector<T>())
      if constexpr (requires { number.imag; })
        parts.push_back("{" + literal(number.real) + ", " + literal(number.imag) + "}");
      else if constexpr (std::is_same_v<T, uint64_t>)
        parts.push_back(literal(number) + "u");
      else if constexpr (std::is_same_v<T, int64_t>) // the smallest has no literal
        parts.push_back(number == INT64_MIN ? "INT64_MIN" : literal(number));
      else if constexpr (requires { literal(number); })
        parts.push_back(literal(number));
    return joined(parts);
  });
  const std::string name(tenon::name(written));
  const std::string type = written == f32                   ? "float"
                           : written == f64                 ? "double"
                           : kind(written) == Kind::complex ? name
                                                            : name + "_t";
  std::string out = "Array(std::vector<" + type + ">{" + elements + "})";
  if (x.ndim() != 1)
    out = "reshape(" + out + ", " + literal(x.shape()) + ")";
  return written == dtype ? out : "astype(" + out + ", " + literal(dtype) + ")";
}

static bool isOfWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string substituted(std::string_view text, std::string_view names, const std::vector<std::string> &values) {
  std::map<std::string_view, std::string> valueOf;
  auto value = values.begin();
  // Calls `use` with every word and with what is between words.
  auto split = [](std::string_view from, auto &&use) {
    for (size_t at = 0, end; at < from.size(); at = end) {
      for (end = at + 1; end < from.size() && isOfWord(from[end]) == isOfWord(from[at]);)
        ++end;
      use(from.substr(at, end - at));
    }
  };
  split(names, [&](std::string_view word) {
    if (isOfWord(word[0]))
      valueOf[word] = *value++;
  });
  std::string out;
  split(text, [&](std::string_view word) {
    auto found = valueOf.find(word);
    out += found == valueOf.end() ? std::string(word) : found->second;
  });
  return out;
}

std::string called(std::string_view function, std::initializer_list<size_t> values, const std::string &others) {
  std::vector<std::string> operands;
  for (size_t i : values)
    operands.push_back("v[" + literal(i) + "]");
  if (!others.empty())
    operands.push_back(others);
  return std::string(function) + "(" + joined(operands) + ")";
}
std::string tuple(const std::vector<int64_t> &numbers) {
  std::string out = "(";
  for (int64_t number : numbers)
    out += literal(number) + ",";
  return out + ")";
}
std::string overAxes(const std::vector<int64_t> &axes, bool keepdims) {
  return "axis=" + tuple(axes) + ", keepdims=" + (keepdims ? "True" : "False");
}

const char *const Program::prelude = R"(#include <tenon/tenon.h>

#include <cmath>
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

using namespace tenon;
using List = std::vector<Array>;

)";

std::string Program::results() const {
  std::vector<std::string> parts;
  for (size_t i : outputs)
    parts.push_back("v[" + literal(i) + "]");
  return "{" + joined(parts) + "}";
}

std::string Program::text(const std::string &name, const std::string &returned) const {
  std::vector<std::string> types;
  for (const Array &input : inputs)
    types.push_back(std::string(short_name(input.dtype())) + input.shape().str());
  std::string out =
      "// Of " + joined(types) + ".\nstatic List " + name + "(const List &inputs) {\n  List v = inputs;\n";
  size_t i = inputs.size();
  bool isLeftOut = false;
  for (const Step &step : steps) {
    if (!step.text.empty())
      out += (isLeftOut ? "  v.resize(" + literal(i) + ");\n" : "") + "  v.push_back(" + step.text + "); // v[" +
             literal(i) + "]\n";
    isLeftOut = step.text.empty();
    ++i;
  }
  return out + "  return " + returned + ";\n}\n\n";
}

} // namespace tenon::fuzz
