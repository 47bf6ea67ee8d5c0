//===- ErfInv.cpp - the inverse error function -------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/composites/ErfInv.h"

#include "lib/ops/Composite.h"
#include "lib/ops/Door.h"
#include "runtime/math/ErfInv.h"

#include <cmath>

namespace tenon {
#include "lib/ops/Decompositions.gen.inc"
} // namespace tenon

using namespace tenon;
using namespace tenon::detail;

/// c[0] * w^n + ... + c[n], by Horner's rule.
static Array polynomial(const Array &w, std::span<const double> coefficients) {
  Array sum = w * coefficients[0];
  for (double c : coefficients.subspan(1, coefficients.size() - 2))
    sum = (sum + c) * w;
  return sum + coefficients.back();
}

Array detail::erfInv(const Array &x, const Array &w) {
  // Giles' tables for double precision, highest power first; those for single precision are the kernels' too.
  using math::erfInvSingle, math::erfInvSingleTail;
  static constexpr double wide[] = {
      -3.6444120640178196996e-21, -1.685059138182016589e-19,  1.2858480715256400167e-18,  1.115787767802518096e-17,
      -1.333171662854620906e-16,  2.0972767875968561637e-17,  6.6376381343583238325e-15,  -4.0545662729752068639e-14,
      -8.1519341976054721522e-14, 2.6335093153082322977e-12,  -1.2975133253453532498e-11, -5.4154120542946279317e-11,
      1.051212273321532285e-09,   -4.1126339803469836976e-09, -2.9070369957882005086e-08, 4.2347877827932403518e-07,
      -1.3654692000834678645e-06, -1.3882523362786468719e-05, 0.0001867342080340571352,   -0.00074070253416626697512,
      -0.0060336708714301490533,  0.24015818242558961693,     1.6536545626831027356};
  static constexpr double wideTail[] = {
      2.2137376921775787049e-09,  9.0756561938885390979e-08, -2.7517406297064545428e-07, 1.8239629214389227755e-08,
      1.5027403968909827627e-06,  -4.013867526981545969e-06, 2.9234449089955446044e-06,  1.2475304481671778723e-05,
      -4.7318229009055733981e-05, 6.8284851459573175448e-05, 2.4031110387097893999e-05,  -0.0003550375203628474796,
      0.00095328937973738049703,  -0.0016882755560235047313, 0.0024914420961078508066,   -0.0037512085075692412107,
      0.005370914553590063617,    1.0052589676941592334,     3.0838856104922207635};
  static constexpr double wideFar[] = {
      -2.7109920616438573243e-11, -2.5556418169965252055e-10, 1.5076572693500548083e-09,  -3.7894654401267369937e-09,
      7.6157012080783393804e-09,  -1.4960026627149240478e-08, 2.9147953450901080826e-08,  -6.7711997758452339498e-08,
      2.2900482228026654717e-07,  -9.9298272942317002539e-07, 4.5260625972231537039e-06,  -1.9681778105531670567e-05,
      7.5995277030017761139e-05,  -0.00021503011930044477347, -0.00013871931833623122026, 1.0103004648645343977,
      4.8499064014085844221};
  // The tails begin at 5 or more; below, a root's derivative must stay finite.
  Array root = sqrt(maximum(w, 4));
  Array p;
  if (x.dtype() == Dtype::f64)
    p = where(w < 6.25, polynomial(w - 3.125, wide),
              where(w < 16, polynomial(root - 3.25, wideTail), polynomial(root - 5, wideFar)));
  else
    p = where(w < 5, polynomial(w - 2.5f, erfInvSingle), polynomial(root - 3, erfInvSingleTail));
  // At -1 and 1 the root is infinite and so is the polynomial, with the wrong sign.
  return where(abs(x) == 1, where(x <= 0, -INFINITY, INFINITY), p * x);
}

Array tenon::decomposeErfInv(std::span<const Array> operands, AttrWords) {
  const Array &x = operands[0];
  return erfInv(x, -log((1 - x) * (1 + x)));
}

Array tenon::erf_inv(const Operand &operand) {
  DoorScope scope("erf_inv", operand.location(), {{"x", operand}});
  Array given = toArray(operand, OpCode::log);
  Dtype dtype = floatingDtype(given.dtype());
  bool narrow = is_narrow(dtype);
  Array x = convert(given, narrow ? Dtype::f32 : dtype, operand.location());
  Array result = bindComposite(CompositeId::erf_inv, {x.value()}, {}, operand.location());
  return narrow ? convert(result, dtype, operand.location()) : result;
}
