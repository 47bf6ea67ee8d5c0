//===- 01_arrays.cpp - lesson 1: arrays -------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expected output: 01_arrays.expected.
//===----------------------------------------------------------------------===//
#include <tenon/tenon.h>

#include <iostream>

namespace tn = tenon;

int main() {
  // From nested lists. The type of the numbers decides: int gives int32, float
  // and double give float32.
  tn::Array a = {{1, 2, 3}, {4, 5, 6}};
  std::cout << a << "\n";
  std::cout << a.shape() << " " << tn::name(a.dtype()) << "\n\n";

  // Arithmetic is elementwise; shapes broadcast as in NumPy. A C++ number takes
  // the array's dtype if it can: a + 1 is int32, a * 0.5 is float32.
  tn::Array row = {10, 20, 30};
  std::cout << a + row << "\n" << a * 0.5f << "\n\n";

  // Slices, transposes and broadcasts are views: no element is copied.
  tn::Array columns = tn::transpose(a);
  std::cout << columns << "\n" << tn::slice(a, {0, 1}, {2, 3}) << "\n" << a[-1] << "\n";
  // One element is a[1][0]. (In C++20 the comma of a[1, 0] is C++'s own: it means
  // a[0], and compilers warn.) Sizes are integers.
  int rows = a.dim(0);
  std::cout << a[rows - 1][0] << "\n\n";

  // Reductions, over some axes or all. item() gives a C++ number.
  std::cout << tn::sum(a, 0) << "\n" << tn::mean(a, 1, /*keepdims=*/true) << "\n";
  std::cout << "largest: " << tn::max(a).item<int>() << " at " << tn::argmax(a).item<int64_t>() << "\n\n";

  // Comparisons give bools, which &&, || and ! combine; any and all ask about all
  // of them. A C++ `if` wants one: of several it is an error.
  tn::Array inside = a > 1 && !(a > 4 || a == 3);
  std::cout << inside << "\n" << tn::any(inside, 0) << "\n";
  if (tn::all(inside || a > 0))
    std::cout << "all are positive\n\n";

  // if, while and switch may ask arrays of one element: op by op, all of C++ works.
  tn::Array last = 15;
  for (tn::Array n = 1; n <= last; n = n + 1) {
    if (int(n % 3) == 0 && int(n % 5) == 0)
      std::cout << "FizzBuzz ";
    else if (n % 3 == 0)
      std::cout << "Fizz ";
    else if (n % 5 == 0)
      std::cout << "Buzz ";
    else
      std::cout << n.item<int>() << " ";
  }
  std::cout << "\n\n";

  // Assigning rebinds a handle; whoever else holds the array sees no change.
  tn::Array b = a;
  b += 100;
  std::cout << a[0] << "\n" << b[0] << "\n\n";

  // Random numbers are functions of a key: the same on every run and machine.
  std::cout << tn::random::uniform(tn::random::key(7), {3}) << "\n\n";

  // What cannot work is an error that shows the operands and your line.
  try {
    (void)tn::matmul(a, row + a);
  } catch (const tn::Error &error) {
    std::cout << error.message() << "\n";
  }
}
