//===- Stage.cpp - what all stages share --------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/data/Stage.h"

#include <tenon/data.h>

#include <exception>

using namespace tenon;
using namespace tenon::data;

void data::detail::retain(Stage *stage) { stage->references_.fetch_add(1, std::memory_order_relaxed); }
void data::detail::release(Stage *stage) {
  if (stage->references_.fetch_sub(1, std::memory_order_acq_rel) == 1)
    delete stage;
}
std::optional<int64_t> data::detail::size_of(const StageRef &stage) { return stage.get()->size(); }

int64_t data::detail::Walk::skip(int64_t count) {
  Item element;
  for (int64_t i = 0; i < count; ++i) {
    if (rows() ? nextRow() < 0 : !next(element))
      return i;
    element.reset();
  }
  return count;
}

void data::detail::expect_at_least(const char *name, const char *what, int64_t least, int64_t value, Location at) {
  if (value < least)
    throw Error(std::string("data::") + name + ": expected " + what + ", got " + std::to_string(value), at);
}

static std::string contextOf(const char *name, int64_t epoch, int64_t number, const data::detail::Origin &origin) {
  std::string text =
      std::string("\n  in ") + name + " at element " + std::to_string(number) + " of epoch " + std::to_string(epoch);
  if (origin.file)
    text += "\n  file: " + *origin.file + ", " + origin.unit + " " + std::to_string(origin.number);
  return text;
}

void data::detail::rethrowForElement(const char *name, int64_t epoch, int64_t number, const Origin &origin,
                                     Location at) {
  // An Error's own place stays; its text ends with the place, before which the context belongs.
  auto textOf = [](const Error &error) {
    std::string text = error.what();
    return error.location().known() ? text.substr(0, text.rfind("\n  at ")) : text;
  };
  const std::string context = contextOf(name, epoch, number, origin);
  try {
    throw;
  } catch (const InternalError &error) {
    throw InternalError(textOf(error) + context, error.location().known() ? error.location() : at);
  } catch (const Error &error) {
    throw Error(textOf(error) + context, error.location().known() ? error.location() : at);
  } catch (const std::exception &error) {
    std::throw_with_nested(Error(std::string(name) + ": the function threw: " + error.what() + context, at));
  }
}
