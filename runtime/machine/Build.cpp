//===- Build.cpp - which build this is -------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/machine/Build.h"

using namespace tenon;

const std::array<std::uint8_t, 16> &rt::buildId() {
  static constexpr std::array<std::uint8_t, 16> id = {
#include "runtime/machine/BuildId.gen.inc"
  };
  return id;
}

std::string rt::buildText(const std::array<std::uint8_t, 16> &id) {
  std::string text;
  for (std::uint8_t byte : id) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}
