//===- NumPyGoldens.h - results of NumPy for small arrays -----------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares eager and compiled results with the lines that a Python script prints; movement_goldens.py describes their
// format. Eager results are checked for each dtype, compiled ones in one program.
//===----------------------------------------------------------------------===//
#pragma once

#include "test/unit/Errors.h"
#include "test/unit/Goldens.h"
#include "test/unit/TransformCases.h"

#include <tenon/tenon.h>

#include <gmock/gmock.h>

#include <map>
#include <sstream>

namespace tenon::test {

/// A call: its attributes, its arrays, and the dtype under test.
struct Call {
  std::vector<std::optional<std::vector<int64_t>>> attributes;
  const List &x;
  Dtype dtype;
  std::vector<int64_t> operator[](size_t i) const {
    return i < attributes.size() ? attributes[i].value_or(std::vector<int64_t>()) : std::vector<int64_t>();
  }
  /// Attribute i as axes or sizes; none if the line omits it.
  Ints ints(size_t i) const { return attributes[i] ? Ints(*attributes[i]) : Ints(); }
  int one(size_t i) const { return static_cast<int>((*this)[i].at(0)); }
  std::optional<Axis> axis(size_t i) const {
    return attributes[i] ? std::optional<Axis>((*attributes[i])[0]) : std::nullopt;
  }
};

/// The dtypes that a function takes. `moved`: all. `computed`: all but bool. `ordered`: real numbers. `summed`: real
/// numbers, whose sums of u8 are u32. `index`: integers, of which it makes i64.
enum class Kinds { moved, computed, ordered, summed, index };
struct Function {
  Kinds kinds;
  List (*call)(const Call &);
};
using Functions = std::map<std::string, Function>;

/// A line of the script's output.
struct Golden {
  std::string line, name;
  std::vector<std::optional<std::vector<int64_t>>> attributes;
  std::vector<Shape> inputs;
  bool isWrong = false;
  std::vector<std::pair<Shape, std::vector<int64_t>>> results;
  Function function;

  bool has(Dtype dtype) const {
    switch (function.kinds) {
    case Kinds::moved:
      return true;
    case Kinds::computed:
      return dtype != Dtype::bool_;
    case Kinds::summed:
    case Kinds::ordered:
      return dtype != Dtype::bool_ && dtype != Dtype::c64;
    case Kinds::index:
      return kind(dtype) == Kind::integer;
    }
    return false;
  }
  Dtype result(Dtype of) const {
    return function.kinds == Kinds::index                       ? Dtype::i64
           : function.kinds == Kinds::summed && of == Dtype::u8 ? Dtype::u32
                                                                : of;
  }
  List arrays(Dtype dtype) const {
    List made;
    for (const Shape &shape : inputs) {
      const int k = static_cast<int>(made.size());
      const Array places = arange(element_count(shape).raw(), {}, 1, i64);
      made.push_back(reshape(astype((7 * places + 3 * k) % 23, dtype), shape));
    }
    return made;
  }
  List call(const List &x, Dtype dtype) const { return function.call({attributes, x, dtype}); }
};

/// Converts the numbers of a line to the dtype of the result.
using Expected = Array (*)(const Golden &one, const Array &numbers, Dtype dtype);
inline Array asWritten(const Golden &, const Array &numbers, Dtype dtype) { return astype(numbers, dtype); }

/// The lines that a script in this folder prints, and the functions that must repeat them.
class Goldens {
public:
  Goldens(const char *script, const Functions &functions, Expected expected = asWritten)
      : functions_(functions), expected_(expected) {
    std::istringstream in = numpyGoldens(script);
    for (std::string line; std::getline(in, line);)
      all_.push_back(read(line));
  }

  void expectEager(int leastOfEach) const {
    std::map<std::string, int> seen;
    for (const Golden &one : all_)
      for (Dtype dtype : {Dtype::bool_, Dtype::u8, Dtype::i32, Dtype::f32, Dtype::c64}) {
        if (!one.has(dtype))
          continue;
        const List x = one.arrays(dtype);
        if (one.isWrong) {
          EXPECT_THAT(errorOf([&] { one.call(x, dtype); }), testing::HasSubstr(one.name + ": ")) << one.line;
          continue;
        }
        expectResults(one, one.call(x, dtype), dtype);
        ++seen[one.name];
      }
    for (const auto &[name, function] : functions_)
      EXPECT_GE(seen[name], leastOfEach) << name;
  }

  void expectCompiled() const {
    for (Dtype dtype : {Dtype::u8, Dtype::f32}) {
      List inputs;
      for (const Golden &one : all_)
        if (!one.isWrong && one.has(dtype))
          for (const Array &x : one.arrays(dtype))
            inputs.push_back(x);
      auto program = jit([&](const List &x) {
        List results;
        size_t next = 0;
        for (const Golden &one : all_) {
          if (one.isWrong || !one.has(dtype))
            continue;
          const List mine(x.begin() + static_cast<ptrdiff_t>(next),
                          x.begin() + static_cast<ptrdiff_t>(next + one.inputs.size()));
          next += one.inputs.size();
          for (const Array &result : one.call(mine, dtype))
            results.push_back(result);
        }
        return results;
      });
      const List got = program(inputs);
      size_t next = 0;
      for (const Golden &one : all_) {
        if (one.isWrong || !one.has(dtype))
          continue;
        ASSERT_LE(next + one.results.size(), got.size());
        expectResults(one, List(&got[0] + next, &got[0] + next + one.results.size()), dtype);
        next += one.results.size();
      }
      EXPECT_EQ(next, got.size());
    }
  }

private:
  static std::vector<int64_t> longs(const std::string &text) {
    std::vector<int64_t> out;
    std::istringstream in(text);
    for (std::string one; std::getline(in, one, ',');)
      out.push_back(std::stoll(one));
    return out;
  }
  static std::vector<std::string> split(const std::string &text, char at) {
    std::vector<std::string> out{""};
    for (char c : text)
      c == at ? out.push_back("") : out.back().push_back(c);
    return out;
  }

  Golden read(const std::string &line) const {
    std::vector<std::string> fields = split(line, '|');
    for (std::string &field : fields)
      while (!field.empty() && field.back() == ' ')
        field.pop_back();
    Golden one;
    one.line = line;
    one.name = fields[0];
    one.function = functions_.at(one.name);
    for (const std::string &list : split(fields[1], ';'))
      one.attributes.push_back(list == "none" ? std::nullopt : std::optional(longs(list)));
    const size_t at = fields[2].find('@');
    if (std::stoi(fields[2].substr(0, at)) > 0)
      for (const std::string &shape : split(fields[2].substr(at + 1), ';'))
        one.inputs.push_back(Shape(longs(shape)));
    for (size_t i = 3; i < fields.size(); ++i) {
      one.isWrong |= fields[i] == "error";
      const std::vector<std::string> parts = split(fields[i], ':');
      one.results.push_back({one.isWrong ? Shape() : Shape(longs(parts[0])), longs(one.isWrong ? "" : parts[1])});
    }
    if (fields.size() == 4 && fields[3].empty())
      one.results.clear();
    return one;
  }

  void expectResults(const Golden &one, const List &got, Dtype dtype) const {
    SCOPED_TRACE(one.line + " of " + std::string(short_name(dtype)));
    ASSERT_EQ(got.size(), one.results.size());
    for (size_t i = 0; i < got.size(); ++i) {
      const auto &[shape, numbers] = one.results[i];
      EXPECT_EQ(got[i].shape(), shape);
      EXPECT_EQ(got[i].dtype(), one.result(dtype));
      if (got[i].shape() == shape) {
        EXPECT_TRUE(bool(all(got[i] == reshape(expected_(one, Array(numbers), one.result(dtype)), shape)))) << got[i];
      }
    }
  }

  const Functions &functions_;
  Expected expected_;
  std::vector<Golden> all_;
};

} // namespace tenon::test
