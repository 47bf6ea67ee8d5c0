//===- Reference.cpp - results computed by NumPy ---------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/conformance/Reference.h"
#include "test/conformance/Files.h"

#include <tenon/error.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

namespace tenon::conformance {

int Reference::ask(const Case &of, Column column) {
  questions_.push_back({&of, column});
  return static_cast<int>(questions_.size()) - 1;
}

static std::string jsonList(const auto &values, auto &&text) {
  std::string out = "[";
  for (const auto &value : values)
    out += (out.size() > 1 ? ", " : "") + std::string(text(value));
  return out + "]";
}

/// Columns with the same mathematics share a reference: jitted and plain gradients, grad.grad and hessian, vmap and
/// vmap.vmap.
static Column referenceColumn(Column column) {
  switch (column) {
  case Column::jitGrad:
  case Column::gradJit:
    return Column::grad;
  case Column::hessian:
    return Column::gradGrad;
  case Column::vmapVmap:
    return Column::vmap;
  default:
    return column;
  }
}

void Reference::compute() {
  TemporaryFolder folder;
  std::ofstream cases(folder / "cases"), inputs(folder / "inputs", std::ios::binary);
  std::map<std::pair<const Case *, Column>, std::vector<int>> same;
  for (size_t i = 0; i < questions_.size(); ++i)
    same[{questions_[i].of, referenceColumn(questions_[i].column)}].push_back(static_cast<int>(i));
  size_t offset = 0;
  for (const auto &[question, numbers] : same) {
    const auto &[of, column] = question;
    std::string list;
    for (const HostData &data : makeInputs(*of, column)) {
      offset = (offset + 15) & ~size_t(15);
      inputs.seekp(static_cast<std::streamoff>(offset));
      inputs.write(reinterpret_cast<const char *>(data.bytes.data()), static_cast<std::streamsize>(data.bytes.size()));
      list += format("{}{{\"dtype\": \"{}\", \"dims\": {}, \"offset\": {}}}", list.empty() ? "" : ", ",
                     short_name(data.dtype), jsonList(data.dims, [](int64_t n) { return std::to_string(n); }), offset);
      offset += data.bytes.size();
    }
    cases << format("{{\"id\": {}, \"op\": \"{}\", \"column\": \"{}\", \"dtype\": \"{}\", \"ulp\": {}, \"batch\": {}, ",
                    numbers[0], of->op, columnNames[static_cast<int>(column)], short_name(of->dtype), of->referenceUlp,
                    batch)
          << "\"mapped\": " << jsonList(mappedInputs(*of, column), [](bool is) { return is ? "true" : "false"; })
          << ", \"attributes\": {" << of->attributes << "}, \"inputs\": [" << list << "]}\n";
  }
  // Arrays without elements at the very end still lie inside the file.
  inputs.seekp(static_cast<std::streamoff>(offset + 16));
  inputs.put(0);
  cases.close();
  inputs.close();

  const char *python = std::getenv("TENON_PYTHON"), *source = std::getenv("TENON_SOURCE_DIR");
  if (!python || !source)
    throw Error("expected TENON_PYTHON (a Python with NumPy) and TENON_SOURCE_DIR; ctest sets both");
  std::string command =
      format("'{}' -B '{}/test/conformance/reference' '{}' '{}' '{}' '{}' 2>'{}'", python, source, folder / "cases",
             folder / "inputs", folder / "results", folder / "values", folder / "errors");
  if (std::system(command.c_str()) != 0) {
    std::stringstream text;
    text << std::ifstream(folder / "errors").rdbuf();
    throw Error("the reference failed: " + text.str());
  }

  std::vector<std::byte> values = readFile(folder / "values");
  auto take = [&](size_t at, size_t count, auto *type) {
    std::vector<std::remove_pointer_t<decltype(type)>> out(count);
    if (count)
      std::memcpy(out.data(), &values.at(at), count * sizeof(out[0]));
    return out;
  };
  std::ifstream results(folder / "results");
  std::string word;
  while (results >> word) {
    int id = 0;
    results >> id;
    std::string message;
    std::vector<Expected> answers;
    if (word == "error") {
      std::getline(results, message);
    } else {
      size_t count = 0;
      results >> count;
      while (count--) {
        Expected expected;
        std::string dtype;
        char form = 0;
        size_t rank = 0, elements = 1, at = 0;
        int64_t tolerance = 0;
        results >> dtype >> form >> rank;
        for (expected.dims.resize(rank); int64_t &dim : expected.dims)
          results >> dim, elements *= static_cast<size_t>(dim);
        results >> at >> tolerance;
        for (int code = 0; code < dtype_count; ++code)
          if (short_name(static_cast<Dtype>(code)) == dtype)
            expected.dtype = static_cast<Dtype>(code);
        if (form == 'i')
          expected.integers = take(at, elements, static_cast<int64_t *>(nullptr));
        else
          expected.reals = take(at, form == 'c' ? 2 * elements : elements, static_cast<double *>(nullptr));
        if (tolerance >= 0)
          expected.tolerance = take(static_cast<size_t>(tolerance), elements, static_cast<double *>(nullptr));
        answers.push_back(std::move(expected));
      }
    }
    const Question &first = questions_[static_cast<size_t>(id)];
    for (int number : same[{first.of, referenceColumn(first.column)}])
      if (word == "error")
        errors_[number] = message;
      else
        answers_[number] = answers;
  }
}

const std::vector<Expected> &Reference::answer(int number) const {
  if (auto found = errors_.find(number); found != errors_.end())
    throw Error("the reference:" + found->second);
  auto found = answers_.find(number);
  if (found == answers_.end())
    throw Error("the reference gave no answer");
  return found->second;
}

//===----------------------------------------------------------------------===//
// Comparing
//===----------------------------------------------------------------------===//

/// The parts of element i as doubles (of complex numbers: two) or its integer.
static int64_t integerAt(const HostData &data, size_t i) {
  const std::byte *at = &data.bytes[i * item_size(data.dtype)];
  auto as = [&]<class T>(T value) {
    std::memcpy(&value, at, sizeof value);
    return static_cast<int64_t>(value);
  };
  return detail::visitDtype(data.dtype, [&]<Dtype D>() -> int64_t {
    if constexpr (kind(D) <= Kind::integer)
      return as(typename detail::ElementOf<D>::type());
    else
      std::abort();
  });
}

static double realAt(const HostData &data, size_t part) {
  auto as = [&]<class T>(T value) {
    std::memcpy(&value, &data.bytes[part * sizeof value], sizeof value);
    return value;
  };
  return detail::visitDtype(data.dtype, [&]<Dtype D>() -> double {
    using T = typename detail::ElementOf<D>::type;
    if constexpr (kind(D) == Kind::floating)
      return as(T());
    else if constexpr (kind(D) == Kind::complex)
      return as(decltype(T::real)());
    else
      std::abort();
  });
}

static bool isReal(Dtype dtype) { return kind(dtype) >= Kind::floating; }

static std::string typeText(Dtype dtype, const Dims &dims) {
  return std::string(short_name(dtype)) + "[" + dimsText(dims) + "]";
}

static std::string place(size_t result, size_t element, const Dims &dims) {
  std::string index;
  for (size_t d = dims.size(); d-- > 0; element /= static_cast<size_t>(dims[d]))
    index = std::to_string(element % static_cast<size_t>(dims[d])) + (index.empty() ? "" : ", ") + index;
  return "result " + std::to_string(result) + " at [" + index + "]: ";
}

static std::string number(double value) { return format("{} ({:.17g})", value, value); }

std::string compareToReference(const std::vector<HostData> &got, const std::vector<Expected> &expected) {
  if (got.size() != expected.size())
    return format("expected {} results, got {}", expected.size(), got.size());
  for (size_t r = 0; r < got.size(); ++r) {
    const HostData &data = got[r];
    const Expected &want = expected[r];
    if (data.dtype != want.dtype || data.dims != want.dims)
      return format("result {}: expected {}, got {}", r, typeText(want.dtype, want.dims),
                    typeText(data.dtype, data.dims));
    size_t parts = kind(data.dtype) == Kind::complex ? 2 : 1, count = data.bytes.size() / item_size(data.dtype);
    for (size_t i = 0; i < count * parts; ++i) {
      if (!isReal(data.dtype)) {
        int64_t wanted = want.integers.empty() ? static_cast<int64_t>(want.reals[i]) : want.integers[i];
        if (integerAt(data, i) != wanted)
          return place(r, i, want.dims) + format("expected {}, got {}", wanted, integerAt(data, i));
        continue;
      }
      double a = realAt(data, i), b = want.reals.empty() ? static_cast<double>(want.integers[i]) : want.reals[i];
      if (std::isnan(a) && std::isnan(b))
        continue;
      if (want.tolerance.empty()) {
        if (a != b || std::signbit(a) != std::signbit(b))
          return place(r, i / parts, want.dims) + format("expected {}, got {}", number(b), number(a));
        continue;
      }
      if (a == b || std::abs(a - b) <= want.tolerance[i / parts])
        continue;
      return place(r, i / parts, want.dims) + format("expected {} within {:.3g}, got {}: {:.2f} times as far",
                                                     number(b), want.tolerance[i / parts], number(a),
                                                     std::abs(a - b) / want.tolerance[i / parts]);
    }
  }
  return "";
}

std::string compareBits(const std::vector<HostData> &got, const std::vector<HostData> &expected) {
  if (got.size() != expected.size())
    return format("expected {} results, got {}", expected.size(), got.size());
  for (size_t r = 0; r < got.size(); ++r) {
    const HostData &a = got[r], &b = expected[r];
    if (a.dtype != b.dtype || a.dims != b.dims)
      return format("result {}: expected {}, got {}", r, typeText(b.dtype, b.dims), typeText(a.dtype, a.dims));
    if (a.bytes == b.bytes)
      continue;
    size_t parts = kind(a.dtype) == Kind::complex ? 2 : 1, size = item_size(a.dtype) / parts,
           count = a.bytes.size() / size;
    for (size_t i = 0; i < count; ++i) {
      if (std::memcmp(&a.bytes[i * size], &b.bytes[i * size], size) == 0)
        continue;
      if (!isReal(a.dtype))
        return place(r, i, a.dims) + format("expected {}, got {}", integerAt(b, i), integerAt(a, i));
      double x = realAt(a, i), y = realAt(b, i);
      if (!std::isnan(x) || !std::isnan(y))
        return place(r, i / parts, a.dims) + format("expected {} as eagerly, got {}", number(y), number(x));
    }
  }
  return "";
}

uint64_t hashBits(const std::vector<HostData> &results) {
  uint64_t hash = 14695981039346656037u;
  auto add = [&](uint64_t word) { hash = (hash ^ word) * 1099511628211u, hash ^= hash >> 29; };
  for (const HostData &data : results) {
    add(static_cast<uint64_t>(data.dtype));
    for (int64_t dim : data.dims)
      add(static_cast<uint64_t>(dim));
    size_t parts = kind(data.dtype) == Kind::complex ? 2 : 1, size = item_size(data.dtype) / parts;
    for (size_t i = 0; i < data.bytes.size() / size; ++i) {
      uint64_t word = 0;
      std::memcpy(&word, &data.bytes[i * size], size);
      add(isReal(data.dtype) && std::isnan(realAt(data, i)) ? 0x7ff8u : word);
    }
  }
  return hash;
}

} // namespace tenon::conformance
