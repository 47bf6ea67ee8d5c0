//===- EvalShape.cpp - the types of a function's results, without running it ---------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/base/CallSite.h"
#include "lib/base/DimExpr.h"
#include "lib/trace/Record.h"
#include "lib/tree/Arguments.h"

#include <tenon/eval_shape.h>

using namespace tenon;
using namespace tenon::detail;

OwnedTree detail::run_eval_shape(const TreeFunction &function, std::span<const TreeRef> trees,
                                 std::span<const TensorSpec *const> specs, Location at) {
  const Arguments arguments(trees, true);
  const std::vector<size_t> counts = arguments.counts();
  const std::vector<Array> given = arguments.arrays();
  Record record(siteName("eval_shape", at));
  std::vector<Array> inputs;
  for (size_t argument = 0; argument < trees.size(); ++argument)
    for (size_t i = 0; i < counts[argument]; ++i) {
      const std::string name = arguments.name(inputs.size());
      const Array &array = given[inputs.size()];
      if (!specs[argument] && !array.has_value())
        throw Error("eval_shape: expected an array as " + name + ", got an empty Array", userLocation(at));
      Type type = specs[argument] ? Type{specs[argument]->dtype, default_device(), specs[argument]->shape}
                                  : typeOf(array.value());
      for (Dim &dim : type.shape)
        dim = withoutBounds(dim);
      inputs.push_back(record.input(type, name, at));
    }
  const ActiveInterpreter active(record);
  return arguments.call(function, inputs, at);
}
