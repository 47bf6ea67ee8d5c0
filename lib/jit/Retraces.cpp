//===- Retraces.cpp - what is said of a function that is traced again ---------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/jit/Retraces.h"

#include "lib/program/Log.h"

#include <tenon/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

using namespace tenon;
using namespace tenon::detail;

Nearest detail::nearest(std::span<const EntryRef> entries, const Signature &signature, const JitCall &call) {
  Nearest best;
  size_t least = SIZE_MAX;
  for (const EntryRef &entry : entries) {
    size_t count = 0;
    std::string text = signature.difference(entry->signature, call, count);
    if (count < least) {
      least = count;
      best = {entry, std::move(text)};
    }
  }
  return best;
}

namespace {
/// The one thing in which two signatures differ.
struct Change {
  std::string what; ///< the same for all its values
  std::string value, text, wayOut;
};
} // namespace

/// The one size, or dtype, that differs between them; none if nothing or more does, or anything else.
static std::optional<Change> changedType(const Signature &was, const Signature &is, const JitCall &call) {
  const std::vector<Type> before = was.types(), now = is.types();
  if (before.size() != now.size())
    return std::nullopt;
  std::optional<Change> change;
  const std::vector<std::string> paths = call.paths();
  for (size_t i = 0; i < now.size(); ++i) {
    const Type &a = before[i], &b = now[i];
    if (a == b)
      continue;
    if (change || a.device != b.device || a.shape.rank() != b.shape.rank())
      return std::nullopt;
    if (a.dtype != b.dtype) {
      if (!std::ranges::equal(a.shape, b.shape, {}, &Dim::raw, &Dim::raw))
        return std::nullopt;
      change = {paths[i] + ": dtype", b.str(),
                "the dtype of " + paths[i] + " (was " + a.str() + ", is " + b.str() + ")",
                "convert it before the call"};
      continue;
    }
    for (int axis = 0; axis < b.shape.rank(); ++axis) {
      if (a.shape[axis].raw() == b.shape[axis].raw())
        continue;
      if (change)
        return std::nullopt;
      change = {paths[i] + ": axis " + std::to_string(axis), b.shape[axis].str(),
                "one size, axis " + std::to_string(axis) + " of " + paths[i] + " (was " + a.shape[axis].str() +
                    ", is " + b.shape[axis].str() + ")",
                "for one program for all sizes, name it in a spec: {.specs = {tn::TensorSpec{dtype, {\"n\", ...}}}}"};
    }
  }
  return change;
}

static std::optional<Change> onlyChange(const Signature &was, const Signature &is, const JitCall &call) {
  if (const std::optional<NumberChange> number = is.numberChange(was, call))
    return Change{
        number->path, number->is,
        "one number, " + number->path + " (was " + number->was + ", is " + number->is +
            "), which is compiled into the program",
        "to make it an input, declare it as a tn::Array (a parameter const tn::Array &, or a field of the struct)"};
  return is.hasStructureOf(was) ? changedType(was, is, call) : std::nullopt;
}

void Retraces::watch(const JitCall &call, const Signature &signature, std::span<const EntryRef> recent) {
  constexpr size_t enough = 8;
  std::optional<Change> said;
  for (const EntryRef &entry : recent) {
    std::optional<Change> change = onlyChange(entry->signature, signature, call);
    if (!change)
      continue;
    std::lock_guard lock(lock_);
    std::set<std::string> &values = values_[change->what];
    if (values.size() == enough || !values.insert(change->value).second || values.size() < enough)
      continue;
    said = std::move(change);
  }
  if (said)
    say(LogTopic::warning,
        "traced again " + std::to_string(enough) + " times because of " + said->text + "; " + said->wayOut);
}

void Retraces::traced(const JitCall &call, const Signature &signature, std::span<const EntryRef> recent) {
  if (logs(LogTopic::retrace)) {
    const Nearest last = nearest(recent, signature, call);
    say(LogTopic::retrace, last.entry ? "traced again: " + last.difference + " (as of " + last.entry->tracedAt + ")"
                                      : "traced (first call)");
    for (const std::string &note : signature.notes())
      say(LogTopic::retrace, note);
  }
  watch(call, signature, recent);
}

void Retraces::recorded(const JitPath &path) {
  constexpr unsigned enough = 3;
  unsigned calls = 0;
  {
    std::lock_guard lock(lock_);
    calls = makingCalls_ = path.makesVariables ? makingCalls_ + 1 : 0;
  }
  if (calls == enough)
    say(LogTopic::warning, "created Variables in " + std::to_string(enough) +
                               " consecutive calls; each such call is traced and interpreted, so create them once, "
                               "outside of the function");
  if (!path.refused.empty() && !path.makesVariables)
    refused(path.refused);
}

void Retraces::refused(const std::string &why) {
  if (innermostRecord()) // the function around may be compiled
    return;
  {
    std::lock_guard lock(lock_);
    if (std::exchange(saidRefused_, true))
      return;
  }
  say(LogTopic::warning, "some calls are traced and interpreted each time: " + why);
}

void Retraces::leaked(const std::string &text) {
  {
    std::lock_guard lock(lock_);
    if (std::exchange(saidLeaked_, true))
      return;
  }
  say(LogTopic::warning, text);
}

void Retraces::say(LogTopic topic, const std::string &what) const { logLine(topic, name_ + ": " + what); }
