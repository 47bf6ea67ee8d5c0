//===- learning.h - layers, losses, optimizers, data, training, summaries ------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/data.h>
#include <tenon/datasets.h>
#include <tenon/losses.h>
#include <tenon/metrics.h>
#include <tenon/nn.h>
#include <tenon/optim.h>
#include <tenon/plot.h>
#include <tenon/summary.h>
#include <tenon/tenon.h>
#include <tenon/train.h>
