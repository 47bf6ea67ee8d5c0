//===- DeviceCall.h - what buffers of a device wait for -----------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device does its work later, in the order of streams. A buffer has the event of
// the call that writes it; whoever reads it waits: the next call's work on its own
// stream, the host where it stands, as one that is told if that call has failed.
// On the host there are no streams, and nothing of this costs more than a test.
//===----------------------------------------------------------------------===//
#pragma once

#include "lib/array/Buffer.h"

namespace tenon::detail {

/// One call's work on a device.
class DeviceCall {
public:
  /// `origin`: what an Error names if the work fails.
  DeviceCall(const rt::DeviceTable &device, rt::Origin origin)
      : device_(device), origin_(origin), stream_(device.streams ? device.streams->ofThread() : nullptr) {}
  /// What has been asked for, if the call was not ended, comes to its end.
  ~DeviceCall() {
    if (stream_) [[unlikely]]
      device_.streams->finish(stream_);
  }
  DeviceCall(const DeviceCall &) = delete;

  /// Null on the host.
  rt::Stream *stream() const { return stream_; }

  /// What is asked of the stream from here on comes after what writes `value`.
  void await(const Value *value) {
    if (stream_) [[unlikely]]
      awaitSlow(value);
  }
  /// The same for all that may read a buffer that is written over.
  void awaitAll() {
    if (stream_) [[unlikely]]
      device_.streams->awaitAll(stream_);
  }
  /// Ends the call, which writes `results`. Where there are none, who else would wait
  /// for it: it is waited for here.
  void end(std::span<const Array> results) {
    if (stream_) [[unlikely]]
      endSlow(results);
  }

private:
  void awaitSlow(const Value *value);
  void endSlow(std::span<const Array> results);

  const rt::DeviceTable &device_;
  rt::Origin origin_;
  rt::Stream *stream_; ///< null once the call has ended, too
};

/// Waits until the elements of a buffer are written; throws why they are not.
void waitFor(const Value *value);

/// Gives up what a buffer of a device waits for.
void releaseReady(Value *value) noexcept;

/// Throws what became of an op's kernel, or a program (an origin without a name).
[[noreturn]] void throwFailure(const rt::Failure &failure);

} // namespace tenon::detail
