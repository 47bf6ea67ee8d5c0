//===- optim.h - optimizers, schedules, moving averages -------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/optim/ema.h>
#include <tenon/optim/lbfgs.h>
#include <tenon/optim/loss_scale.h>
#include <tenon/optim/optimizer.h>
#include <tenon/optim/schedule.h>
#include <tenon/optim/transform.h>
