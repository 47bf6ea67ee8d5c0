//===- Format.cpp - format() and print options ------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/base/ErrorLocation.h"
#include "lib/base/Fork.h"
#include "lib/base/PrintPrecision.h"

#include <tenon/format.h>

#include <fmt/args.h>
#include <fmt/format.h>

using namespace tenon;
using detail::FormatArg;

/// Passes the spec of a custom argument on to its own function.
template <>
struct fmt::formatter<FormatArg::Custom> {
  std::string_view spec;
  constexpr auto parse(format_parse_context &context) {
    auto end = context.begin();
    while (end != context.end() && *end != '}' && *end != '{')
      ++end;
    spec = {context.begin(), static_cast<size_t>(end - context.begin())};
    return end;
  }
  auto format(const FormatArg::Custom &arg, format_context &context) const {
    std::string text;
    arg.write(text, spec, arg.object);
    return std::copy(text.begin(), text.end(), context.out());
  }
};

static void push(fmt::dynamic_format_arg_store<fmt::format_context> &store, const FormatArg &arg) {
  switch (arg.tag) {
  case FormatArg::Tag::boolean:
    return store.push_back(arg.boolean);
  case FormatArg::Tag::character:
    return store.push_back(arg.character);
  case FormatArg::Tag::signed_:
    return store.push_back(arg.signed_);
  case FormatArg::Tag::unsigned_:
    return store.push_back(arg.unsigned_);
  case FormatArg::Tag::single:
    return store.push_back(arg.single);
  case FormatArg::Tag::real:
    return store.push_back(arg.real);
  case FormatArg::Tag::text:
    return store.push_back(fmt::string_view(arg.text.data(), arg.text.size()));
  case FormatArg::Tag::custom:
    return store.push_back(arg.custom);
  }
}

std::string tenon::detail::formatArgs(const FormatText &text, std::span<const FormatArg> args) {
  fmt::dynamic_format_arg_store<fmt::format_context> store;
  for (const FormatArg &arg : args)
    push(store, arg);
  return placed(text.at, [&] {
    try {
      return fmt::vformat(fmt::string_view(text.text.data(), text.text.size()), store);
    } catch (const fmt::format_error &error) {
      throw Error("format: " + std::string(error.what()) + ", got \"" + std::string(text.text) + "\" with " +
                  std::to_string(args.size()) + (args.size() == 1 ? " argument" : " arguments"));
    }
  });
}

/// Inside of a format() that knows the user's line.
template <class T>
static std::string withSpec(std::string_view spec, T value) {
  return tenon::format({"{:" + std::string(spec) + "}", Location()}, value);
}

template <detail::NarrowElement T>
void tenon::format_value(std::string &out, std::string_view spec, const T &value) {
  out += withSpec(spec, static_cast<float>(value));
}
template void tenon::format_value(std::string &out, std::string_view spec, const bfloat16_t &value);
template void tenon::format_value(std::string &out, std::string_view spec, const float16_t &value);
template void tenon::format_value(std::string &out, std::string_view spec, const float8_e4m3fn_t &value);
template void tenon::format_value(std::string &out, std::string_view spec, const float8_e5m2_t &value);

template <class Complex>
static void formatComplex(std::string &out, std::string_view spec, const Complex &value) {
  std::string imag = withSpec(spec, value.imag);
  out += '(' + withSpec(spec, value.real);
  if (imag[0] != '-' && imag[0] != '+')
    out += '+';
  out += imag + "j)";
}

void tenon::format_value(std::string &out, std::string_view spec, const complex64_t &value) {
  formatComplex(out, spec, value);
}

void tenon::format_value(std::string &out, std::string_view spec, const complex128_t &value) {
  formatComplex(out, spec, value);
}

void tenon::format_value(std::string &out, std::string_view spec, const Dtype &value) {
  out += withSpec(spec, name(value));
}

static constinit rt::ForkLock optionsMutex(rt::LockOrder::printOptions);
static PrintOptions currentOptions;
constinit std::atomic<int> detail::printPrecision = PrintOptions().precision;

PrintOptions tenon::print_options() {
  std::lock_guard lock(optionsMutex);
  return currentOptions;
}

void tenon::set_print_options(const PrintOptions &options, Location at) {
  auto check = [at](std::string_view what, int64_t value) {
    if (value < 0)
      throw Error(tenon::format("set_print_options: expected {} of at least 0, got {}", what, value), at);
  };
  check("precision", options.precision);
  check("threshold", options.threshold);
  check("edge_items", options.edge_items);
  check("line_width", options.line_width);
  std::lock_guard lock(optionsMutex);
  currentOptions = options;
  detail::printPrecision.store(options.precision, std::memory_order_relaxed);
}
