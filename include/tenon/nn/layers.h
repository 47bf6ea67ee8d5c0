//===- layers.h - the library's layers ----------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options are Keras', in Keras' order, by name: `nn::Dense{64, {.activation = tn::relu}}`. Axis 0 of an input is the
// batch. Images are (batch, height, width, channels) unless `data_format` says otherwise.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/nn/layers/activations.h>
#include <tenon/nn/layers/convolution.h>
#include <tenon/nn/layers/dense.h>
#include <tenon/nn/layers/merging.h>
#include <tenon/nn/layers/noise.h>
#include <tenon/nn/layers/normalization.h>
#include <tenon/nn/layers/pooling.h>
#include <tenon/nn/layers/shaping.h>
