//===- format.h - text of numbers and arrays -------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Print options for arrays (NumPy's) and format(), which accepts the format strings of C++20's std::format. A type
// supports format() through a function found in its namespace:
//
//   void format_value(std::string &out, std::string_view spec, const T &value);
//
// It appends the text of value to out; spec is the text after the colon, "" for "{}".
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/dtype.h>
#include <tenon/location.h>

#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace tenon {

/// NumPy's print options, with its defaults.
struct PrintOptions {
  int precision = 8;        ///< digits after the point, at most
  int64_t threshold = 1000; ///< elements beyond which "..." replaces the middle
  int64_t edge_items = 3;   ///< elements kept at each end of an axis then
  int64_t line_width = 75;  ///< columns before a row is wrapped
  bool suppress = false;    ///< print small numbers as 0 rather than with an exponent
  friend bool operator==(const PrintOptions &, const PrintOptions &) = default;
};

/// Returns the print options of the process.
PrintOptions print_options();
/// Sets the print options of the process. A negative number is an Error.
void set_print_options(const PrintOptions &options, Location at = Location::current());

/// A narrow float formats as the float it equals; a complex number as "(1+2j)",
/// the spec holding for both parts; an element type as its NumPy name.
template <detail::NarrowElement T>
void format_value(std::string &out, std::string_view spec, const T &value);
void format_value(std::string &out, std::string_view spec, const complex64_t &value);
void format_value(std::string &out, std::string_view spec, const complex128_t &value);
void format_value(std::string &out, std::string_view spec, const Dtype &value);

namespace detail {

/// One argument of format(), its type erased. Refers to the argument.
struct FormatArg {
  enum class Tag : uint8_t { boolean, character, signed_, unsigned_, single, real, text, custom };
  struct Custom {
    const void *object;
    void (*write)(std::string &out, std::string_view spec, const void *object);
  };

  Tag tag;
  union {
    bool boolean;
    char character;
    int64_t signed_;
    uint64_t unsigned_;
    float single;
    double real;
    std::string_view text;
    Custom custom;
  };

  template <class T>
  FormatArg(const T &value) {
    // Numbers and text first: an Array or a Dim can be made of them.
    if constexpr (std::is_same_v<T, bool>) {
      tag = Tag::boolean, boolean = value;
    } else if constexpr (std::is_same_v<T, char>) {
      tag = Tag::character, character = value;
    } else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
      tag = Tag::signed_, signed_ = value;
    } else if constexpr (std::is_integral_v<T>) {
      tag = Tag::unsigned_, unsigned_ = value;
    } else if constexpr (std::is_same_v<T, float>) {
      tag = Tag::single, single = value;
    } else if constexpr (std::is_floating_point_v<T>) {
      tag = Tag::real, real = static_cast<double>(value);
    } else if constexpr (std::is_convertible_v<const T &, std::string_view>) {
      tag = Tag::text, text = value;
    } else {
      static_assert(
          requires(std::string &out, std::string_view spec) { format_value(out, spec, value); },
          "tenon::format: declare void format_value(std::string &, std::string_view, const T &) beside T");
      tag = Tag::custom;
      custom = {&value, [](std::string &out, std::string_view spec, const void *object) {
                  format_value(out, spec, *static_cast<const T *>(object));
                }};
    }
  }
};

/// The first argument of format(): brings the user's line along.
struct FormatText {
  std::string_view text;
  Location at;
  template <class T>
    requires std::is_convertible_v<const T &, std::string_view>
  FormatText(const T &string, Location place = Location::current()) : text(string), at(place) {}
};

std::string formatArgs(const FormatText &text, std::span<const FormatArg> args);

} // namespace detail

/// Replaces {}, {0}, {:spec} in text by args as std::format does; {{ and }} are
/// braces. Throws Error for a malformed string or a spec the argument has not.
template <class... Args>
std::string format(const detail::FormatText &text, const Args &...args) {
  if constexpr (sizeof...(Args) == 0) {
    return detail::formatArgs(text, {});
  } else {
    const detail::FormatArg erased[] = {detail::FormatArg(args)...};
    return detail::formatArgs(text, erased);
  }
}

} // namespace tenon
