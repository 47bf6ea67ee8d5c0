//===- grad_argument_count.cpp - calls of grad and vmap with too few arguments ----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect first: wrong_number_of_arguments_for_this_function
// expect: grad_argument_count.cpp:14:
// expect: grad_argument_count.cpp:16:
// errors: 2
#include <tenon/transform.h>

using tenon::Array;

Array product(const Array &x, const Array &y) { return x * y; }

Array slope(const Array &x) { return tenon::grad(product)(x); }

Array each(const Array &x) { return tenon::vmap(product)(x); }
