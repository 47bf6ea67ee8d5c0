//===- HostFunction.h - C++ functions that programs call ---------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The op host_call names one by a number. It lives as long as somebody holds it: who
// records, each trace with such an op (Trace::make finds it by its number), so every
// program that a jitted function keeps. Caches hold none: their entries are of use to
// nobody but holders, and go when it has.
//   Numbers are never used twice, so that another function is another program. A function
// without captures is the same one wherever it is recorded, and lasts.
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tenon {

class Array;
class Trace;

class HostFunction {
public:
  /// Appends the arrays in what the function returns.
  using Call = void (*)(void *state, std::span<const Array> arguments, std::vector<Array> &results);
  using Destroy = void (*)(void *state);

  HostFunction(Call call, Destroy destroy, void *state, bool isLasting);
  ~HostFunction();
  HostFunction(const HostFunction &) = delete;
  /// Takes over the state. `key`: one that is known by the same bytes, and is still there, is the same function.
  static std::shared_ptr<const HostFunction> make(Call call, Destroy destroy, void *state, std::string key = {});
  /// The one that is called so and known by this key; `make` gives its state, from `from`, if there is none yet.
  static std::shared_ptr<const HostFunction> lasting(Call call, Destroy destroy, const void *key,
                                                     void *(*make)(const void *from), const void *from);
  /// Null: there is none any more, or it is another process's.
  static std::shared_ptr<const HostFunction> find(int64_t id);
  static bool isThere(int64_t id);
  /// Whether the two are of one C++ type: where a function is recorded again, its closures are others.
  static bool areAlike(int64_t a, int64_t b);
  /// How many have ended: what a cache has of them it may let go.
  static uint64_t ended();

  int64_t id() const { return id_; }
  bool isLasting() const { return isLasting_; }
  void call(std::span<const Array> arguments, std::vector<Array> &results) const;

private:
  Call call_;
  Destroy destroy_;
  void *state_;
  int64_t id_;
  bool isLasting_;
  std::string key_;
};

/// `FILE:LINE` of the first op that calls the host, as far as it is known.
std::string placeOfHostCall(const Trace &trace);
/// Whether it calls a function that has ended.
bool callsEndedHost(const Trace &trace);

} // namespace tenon
