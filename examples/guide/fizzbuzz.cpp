//===- fizzbuzz.cpp - loops and branches of C++ on arrays ------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include <tenon/tenon.h>

#include <iostream>

namespace tn = tenon;

static void fizzbuzz(const tn::Array &last) {
  tn::Array counter = 0;
  for (tn::Array number = 1; number <= last; number += 1) {
    if (number % 3 == 0 && number % 5 == 0)
      std::cout << "FizzBuzz\n";
    else if (number % 3 == 0)
      std::cout << "Fizz\n";
    else if (number % 5 == 0)
      std::cout << "Buzz\n";
    else
      std::cout << int(number) << "\n";
    counter += 1;
  }
  std::cout << tn::format("counted to {}\n", counter);
}

int main() { fizzbuzz(15); }
