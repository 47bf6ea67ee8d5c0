//===- Calling.cpp - calls of layers that take more than one array -------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tenon/nn/calling.h>

#include "lib/nn/Call.h"
#include "lib/trace/Context.h"
#include "lib/trace/State.h"

using namespace tenon;
using namespace tenon::detail;

CallingLayer::CallingLayer(const nn::Layer &layer, std::optional<bool> training, Location at)
    : layer_(layer), at_(at), before_(isTraining), running_(new RunningLayer(layer, at)) {
  if (training)
    isTraining = *training;
}
CallingLayer::~CallingLayer() {
  delete running_;
  isTraining = before_;
}
Array CallingLayer::array(const Operand &x) const {
  if (x.is_scalar())
    return Array(x.scalar(), x.scalar().default_dtype(), at_);
  if (!x.value())
    throw Error(layer_.name() + ": expected an array, got an empty Array", userLocation(at_));
  return Array::share(x.value());
}
Array CallingLayer::returns(Array result) const {
  running_->expectReachable();
  running_->noteResult(result.shape(at_));
  return result;
}
