//===- ErrorLocation.h - giving an Error the user's line -----------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/error.h>

#include <type_traits>

namespace tenon::detail {

struct ErrorAccess {
  static void markOfHost(Error &error) { error.isOfHost_ = true; }
  /// Whether who catches it leaves it as it is.
  static bool isFinal(const Error &error) { return error.location().known() || error.isOfHost_; }
};

/// Runs `body`; an Error without a place, as what does not know its caller throws
/// it, gets the user's: `where` is a Location, or gives one.
template <class Where, class F>
[[gnu::always_inline]] inline auto placed(const Where &where, F &&body) {
  auto place = [&]() -> Location {
    if constexpr (std::is_convertible_v<Where, Location>)
      return where;
    else
      return where();
  };
  try {
    return body();
  } catch (const InternalError &error) {
    if (ErrorAccess::isFinal(error))
      throw;
    throw InternalError(error.what(), place());
  } catch (const Error &error) {
    if (ErrorAccess::isFinal(error))
      throw;
    throw Error(error.what(), place());
  }
}

} // namespace tenon::detail
