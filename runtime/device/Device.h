//===- Device.h - what the runtime asks of a device ---------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device is a table of functions. The host is one of them; what is hot asks
// whether it is the host first and calls the host's functions directly, which
// inlines them. A pointer to a device's memory is a number to the host: it may
// be moved along, and is read and written through the table alone.
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/device/Launch.h"
#include "runtime/memory/Memory.h"

#include <tenon/device.h>
#include <tenon/location.h>

#include <optional>
#include <span>
#include <string>

namespace tenon::rt {

/// Who asked for work: what an Error about it names. Null: a program.
struct Origin {
  const char *name = nullptr;
  Location at = {};
};

/// Why work was not done.
struct Failure {
  Status status = Status::ok;
  std::string place = {};            ///< of the step of a program; or empty
  std::optional<Origin> origin = {}; ///< none: the call goes on, or has no event
  Fault fault = {};                  ///< of Status::outOfBounds and otherwise
};

/// What is said of Status::outOfBounds.
std::string describe(const Fault &fault);

/// An order of work: what one thread asks of a device is done one after another.
struct Stream;
/// A place in that order, with a count of its owners.
struct Event;

/// Work that is asked for now and done later. It comes in calls (an eager op, a run, a
/// copy); when a part of one fails, what follows in the call is not done, and whoever
/// waits for its event, or for an event of work that waits for it, is told why.
struct StreamTable {
  /// The calling thread's.
  Stream *(*ofThread)();
  /// What is asked of the stream from here on is done after the event, and fails if
  /// that has failed.
  void (*await)(Stream *stream, Event *event);
  /// The same for all that any thread has asked of the device by now, whether it fails or not.
  void (*awaitAll)(Stream *stream);
  /// Where work comes from that is asked for from here on; lives until it is done. Null: nowhere.
  void (*setPlace)(Stream *stream, const std::string *place);
  /// Ends a call: an event after it, of which the caller is an owner.
  Event *(*record)(Stream *stream, const Origin &origin);
  void (*retain)(Event *event);
  void (*release)(Event *event);
  /// Waits for an event. What it says stays for as long as the event.
  const Failure &(*wait)(Event *event);
  /// Waits for all that was asked of the stream; false if the call, which goes on, has failed.
  bool (*settle)(Stream *stream);
  /// The same, and ends the call, of which there is no event.
  Failure (*finish)(Stream *stream);
  /// Waits for all that any thread has asked of the device.
  void (*finishAll)();
};

struct DeviceTable {
  Device device;
  /// "cpu:0" and "cpu".
  const char *name, *kind;
  /// Null on the host, and there alone: there all work is done when the call returns,
  /// streams and events are null.
  const StreamTable *streams;
  /// A block of this many bytes, aligned to 64, not set; null, and why, if it is
  /// refused. It is given back with the number of bytes it was asked for, and is used
  /// until all is done that was asked of the device before.
  void *(*allocate)(size_t bytes, AllocationFailure *why);
  void (*deallocate)(void *block, size_t bytes);
  /// Copies the host's memory, which has been read when this returns, to the device's.
  Status (*toDevice)(Stream *stream, void *to, const void *from, size_t bytes);
  /// Copies to the host, at once: who asks has waited for what is copied.
  void (*toHost)(void *to, const void *from, size_t bytes);
  /// Copies inside of the device's memory; no overlap.
  Status (*copyBytes)(Stream *stream, void *to, const void *from, size_t bytes);
  /// Copies between views of the device, as rt::copy does.
  Status (*copyView)(Stream *stream, const View &from, const View &to);
  /// The eager kernel of an op, null for an op that has none; its views are of the
  /// device's memory.
  Kernel (*kernel)(OpCode op);
  /// The one that stands for a composite, null where the decomposition is used. What
  /// it may decline it declines when it is called.
  Kernel (*composite)(CompositeId id);
  Status (*launch)(const Launch &launch);
};

/// The host's.
extern const DeviceTable hostDevice;

/// All devices of this process, the host first.
std::span<const DeviceTable *const> devices();
/// The one of that kind and index; null if there is none.
const DeviceTable *findDevice(Device device);
/// "cpu:0 or null:0": for errors.
std::string deviceNames();

} // namespace tenon::rt
