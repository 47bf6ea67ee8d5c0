//===- Directions.h - the directions of optimizers -----------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each is what an optimizer's step is without the learning rate and the sign.
//===----------------------------------------------------------------------===//
#pragma once

#include "lib/optim/Parts.h"

#include <tenon/optim/optimizer.h>

namespace tenon::optim {

Transform rmsDirection(const RMSpropOptions &options, Location at);
/// With momentum RMSprop adds up steps, not directions: this takes the place of scaledBy.
Transform rmsMomentum(double momentum, const Rate &rate, const Count &count, Location at);
Transform adagradDirection(const AdagradOptions &options, Location at);
Transform nadamDirection(const NadamOptions &options, const Count &count, Location at);
Transform adamaxDirection(const AdamaxOptions &options, const Count &count, Location at);
Transform lionDirection(const LionOptions &options, Location at);
Transform lambDirection(const LAMBOptions &options, const Count &count, Location at);
/// The whole step: its size depends on the learning rate in its own way.
Transform adafactorStep(const AdafactorOptions &options, const Rate &rate, const Count &count, Location at);

} // namespace tenon::optim
