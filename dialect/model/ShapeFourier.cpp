//===- ShapeFourier.cpp - the shape rule of Fourier transforms ----------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/model/Shape.h"

namespace tenon {

std::string inferDft(const ShapeCall &call, std::vector<Type> &results) {
  const DftAttrs a = DftAttrs::read(call.attributes);
  const Type &x = call.operands[0];
  if (a.axis < 0 || a.axis >= x.shape.rank())
    return "axis " + std::to_string(a.axis) + " is out of range for an array of rank " + std::to_string(x.shape.rank());
  const bool isReal = a.kind == "rfft", isToReal = a.kind == "irfft";
  if (!isReal && !isToReal && a.kind != "fft" && a.kind != "ifft")
    return "expected the kind fft, ifft, rfft or irfft, got '" + std::string(a.kind) + "'";
  if (a.divisor != "one" && a.divisor != "n" && a.divisor != "sqrt")
    return "expected the divisor one, n or sqrt, got '" + std::string(a.divisor) + "'";
  if ((kind(x.dtype) == Kind::complex) == isReal)
    return std::string("expected ") + (isReal ? "real" : "complex") + " numbers, got " + x.str();
  if (a.length.size() != (isToReal ? 1 : 0))
    return "expected " + std::string(isToReal ? "one length" : "no length") + " of the kind " + std::string(a.kind) +
           ", got " + std::to_string(a.length.size());
  const auto axis = static_cast<int>(a.axis);
  const Dim size = x.shape[axis], length = isToReal ? a.length[0] : size;
  auto isEmpty = [&] { return "expected a length of at least 1, got " + length.str(); };
  if (!mayHold(call, 1, length, isEmpty))
    return isEmpty();
  Type result = x;
  if (isReal) {
    result.dtype = complexDtype(x.dtype);
    result.shape.at(axis) = floor_div(length, 2) + 1;
  } else if (isToReal) {
    auto isOther = [&] {
      return "expected " + (floor_div(length, 2) + 1).str() + " elements for the length " + length.str() + ", got " +
             size.str();
    };
    const Dim needed = floor_div(length, 2) + 1;
    if (!mayHold(call, needed, size, isOther) || !mayHold(call, size, needed, isOther))
      return isOther();
    result.dtype = partDtype(x.dtype);
    result.shape.at(axis) = length;
  }
  results.push_back(result);
  return "";
}

} // namespace tenon
