//===- Print.cpp - the host step of print -------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/program/Print.h"

#include "lib/array/Buffer.h"
#include "lib/array/Text.h"

#include <cstdio>

using namespace tenon;
using namespace tenon::detail;

static std::string textOf(const rt::View &view, std::string_view spec) {
  if (spec.empty())
    return arrayText({view.data, view.dtype, {view.dims, view.rank}, {view.strides, view.rank}}, print_options());
  Array element = Array::adopt(makeBuffer(view.dtype, {}));
  if (rt::copy(view, viewOf(element.value())) != rt::Status::ok)
    throw Error("print: " + rt::cpuError());
  return format(FormatText("{:" + std::string(spec) + "}", {}), element.item<double>({}));
}

/// `format` with the arrays in place of its fields, and a newline. The shape
/// rule has checked the braces; a spec needs an array of rank 0.
static rt::Status printArrays(std::string_view format, std::span<const rt::View> arrays) {
  std::string out;
  size_t next = 0;
  for (size_t i = 0; i < format.size(); ++i) {
    bool doubled = i + 1 < format.size() && format[i + 1] == format[i];
    if ((format[i] == '{' || format[i] == '}') && doubled) {
      out += format[i++];
    } else if (format[i] == '{') {
      size_t close = format.find('}', i);
      std::string_view spec = format.substr(i + 1, close - i - 1);
      out += textOf(arrays[next++], spec.substr(std::min<size_t>(spec.size(), 1)));
      i = close;
    } else {
      out += format[i];
    }
  }
  for (; next < arrays.size(); ++next) {
    out += out.empty() ? "" : " ";
    out += textOf(arrays[next], "");
  }
  out += "\n";
  fwrite(out.data(), 1, out.size(), stdout);
  fflush(stdout);
  return rt::Status::ok;
}

void detail::installPrinter() { rt::setPrinter(printArrays); }
