//===- Weight.cpp - building the Variables of layers -------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/io/Elements.h"
#include "lib/nn/ParamsOverlay.h"
#include "lib/nn/Running.h"
#include "lib/nn/WeightCell.h"
#include "lib/program/OutsideOfPrograms.h"
#include "lib/random/InitialKeys.h"

#include <tenon/nn/weight.h>
#include <tenon/ops.h>

using namespace tenon;
using namespace tenon::detail;

CellHandle detail::deferred_cell(bool trainable) { return handleOf(std::make_shared<WeightCell>("weight", trainable)); }

void detail::build_weight(const CellHandle &handle, const Shape &shape, const nn::Initializer &initializer, Dtype dtype,
                          Location at) {
  const CellRef &cell = refOf(handle);
  if (dtype == Dtype::f32)
    dtype = RunningLayer::weightDtype();
  const Type type{dtype, Device(), shape};
  StateOverlay *const found = StateOverlay::of(cell);
  const bool isCast = found && found->isCast();
  auto check = [&] {
    const Type &held = typeOfState(cell);
    if ((held.dtype != dtype && !isCast) || provably_equal(held.shape, shape) != Always::yes)
      throw Error("build: expected " + held.str() + ", which '" + cell->name() + "' was built with, got " + type.str() +
                      ". One layer that is called with inputs of two sizes shares its weights; for layers "
                      "of their own say nn::repeat(count, layer) or nn::clone(layer)",
                  userLocation(at));
  };
  if (isCast)
    return check();
  auto *const overlay = static_cast<ParamsOverlay *>(found);
  if (overlay && overlay->isInit)
    overlay->initial.try_emplace(cell.get(), ParamsOverlay::Initial{initializer, shape, dtype});
  if (hasState(cell) || (overlay && !overlay->isInit))
    return check();
  if (!shape.is_static())
    throw Error("build: expected known sizes for '" + cell->name() + "', got " + type.str(), userLocation(at));
  Array value;
  if (overlay) {
    const OutsideOfPrograms outside;
    StateOverlay::set(*overlay->find(cell.get()), zeros(shape, dtype));
    return RunningLayer::noteBuilt(cell->id, cell->name());
  }
  {
    const OutsideOfPrograms outside;
    value = initializer(random::nextInitialKey(), shape);
    if (!value.has_value() || value.shape() != shape)
      throw Error("build: expected the initializer '" + initializer.name() + "' to return the shape " + shape.str() +
                      ", got " + (value.has_value() ? value.shape().str() : "an empty Array"),
                  userLocation(at));
    value = denseOnHost(value.astype(dtype), "build", at);
  }
  if (cell->build(type, std::move(value)))
    RunningLayer::noteBuilt(cell->id, cell->name());
  else // another thread was faster
    check();
}
