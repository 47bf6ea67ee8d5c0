//===- Digits.cpp - handwritten digits in the library ----------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/data/Digits.h"

// The assembler reads the files, by the path that headers of the project are found on.
#define DIGITS(name, file)                                                                                             \
  asm(".pushsection .rodata\n"                                                                                         \
      ".local " #name "\n" #name ":\n"                                                                                 \
      ".incbin \"examples/data/digits/" file "\"\n"                                                                    \
      ".local " #name "_end\n" #name "_end:\n"                                                                         \
      ".popsection\n");                                                                                                \
  extern "C" [[gnu::visibility("hidden")]] const std::byte name[], name##_end[]

DIGITS(tenon_digits_train_images, "train-images-idx3-ubyte");
DIGITS(tenon_digits_train_labels, "train-labels-idx1-ubyte");
DIGITS(tenon_digits_test_images, "t10k-images-idx3-ubyte");
DIGITS(tenon_digits_test_labels, "t10k-labels-idx1-ubyte");

tenon::data::detail::DigitFiles tenon::data::detail::digitFiles() {
  return {{tenon_digits_train_images, tenon_digits_train_images_end},
          {tenon_digits_train_labels, tenon_digits_train_labels_end},
          {tenon_digits_test_images, tenon_digits_test_images_end},
          {tenon_digits_test_labels, tenon_digits_test_labels_end}};
}
