//===- AutoSymbols.h - sizes that become symbols by themselves -------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function that is called with a batch of 8, 16 and 24 will be called with one of 32.
// A size that alone tells a call from enough signatures is tried as a symbol: the
// function is recorded with it, and where that does not work, at the sizes of the call.
//===----------------------------------------------------------------------===//
#pragma once

#include "lib/base/Fork.h"
#include "lib/jit/Signature.h"

#include <deque>
#include <map>
#include <string>
#include <vector>

namespace tenon::detail {

/// An axis of a leaf.
struct SizePlace {
  size_t leaf;
  int axis;
  friend auto operator<=>(const SizePlace &, const SizePlace &) = default;
};

/// One size, which stands in all of these places.
struct SizeGroup {
  std::vector<SizePlace> places;
  /// Once it is recorded with it.
  Dim symbol;
  friend bool operator==(const SizeGroup &a, const SizeGroup &b) { return a.places == b.places; }
};

/// What a call is recorded with beside its specs: the sizes that are symbols.
struct AutoChoice {
  std::vector<SizeGroup> groups;
  /// How many of them, the first ones, have been found for calls before.
  size_t known = 0;
  explicit operator bool() const { return !groups.empty(); }
};

/// What makes a recording with such symbols worthless: the call is recorded at its sizes.
struct SizesRefused {
  std::string reason;
};

/// Of one jitted function, what has become a symbol, and what has not.
class AutoSymbols {
public:
  /// `enough`: values of a size, beside that of the call; 0: there are no such symbols.
  explicit AutoSymbols(unsigned enough) : enough_(enough) {}

  /// For a call with the signature `exact`, and those that are `kept`. `specs`: what the user says, where no size
  /// becomes a symbol.
  AutoChoice choose(const JitCall &call, const Signature &exact, const LeafSpecs &specs,
                    std::span<const Signature *const> kept) const;
  /// The specs that the symbols make, beside those that are given; they live as long as `made`.
  static LeafSpecs specsOf(const JitCall &call, const LeafSpecs &given, const AutoChoice &choice,
                           std::deque<TensorSpec> &made);
  /// It has been recorded with them.
  void accept(const Signature &exact, const AutoChoice &choice);
  /// It cannot be, so that nobody tries once more: those that are new, or all.
  void refuse(const JitCall &call, const AutoChoice &choice, const std::string &reason);
  /// As if nothing had been recorded.
  void clear();
  /// `axis 0 of arg 0 and axis 0 of arg 1`
  static std::string text(const JitCall &call, const SizeGroup &group);
  /// `; axis 0 of arg 0 is ...` for each group.
  static std::string text(const JitCall &call, const AutoChoice &choice, const std::string &is);
  /// `; axis 0 of arg 0 cannot be a symbol: ...` for each that was refused.
  std::string refusals() const;

private:
  struct Accepted {
    Signature like;
    SizeGroup group;
  };
  bool isRefused(const std::vector<std::string> &paths, const SizeGroup &group) const;

  /// There may be as many types of arguments as calls: the oldest go.
  static constexpr size_t mostAccepted = 256;
  unsigned enough_;
  /// Of what follows.
  rt::ForkLock &lock_ = rt::ForkLocks<rt::LockOrder::jit, 16>::of(this);
  std::vector<Accepted> accepted_;
  /// By place, in words: why.
  std::map<std::string, std::string> refused_;
};

} // namespace tenon::detail
