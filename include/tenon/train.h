//===- train.h - training loops --------------------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   train::History history = train::fit(model, x, y, {.optimizer = "adam",
//                                                     .loss = losses::SparseCategoricalCrossentropy{.from_logits =
//                                                     true}, .metrics = {"accuracy"}, .epochs = 5});
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/train/callbacks.h>
#include <tenon/train/checkpoints.h>
#include <tenon/train/fit.h>
#include <tenon/train/progress.h>
