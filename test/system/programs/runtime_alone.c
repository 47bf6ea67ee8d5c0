/*===- runtime_alone.c - a saved program, run from C by the runtime alone --------===*/
/* Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.          */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                     */
/*
 * runtime_alone FILE: x + y of an f32[n, 33] and an f32[33], which FILE holds.
 *===------------------------------------------------------------------------===*/
#include <tenon_rt.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS 33

static tenon_rt_error error = {sizeof(tenon_rt_error), "", ""};

static void check(int holds, const char *what) {
  if (holds)
    return;
  fprintf(stderr, "%s (%s)\n", what, error.message);
  exit(1);
}
static void expect(int32_t status, const char *what) { check(status == TENON_RT_OK, what); }

/* Runs it at n, x with these strides, and compares each element. */
static void run(tenon_rt_program *program, int64_t n, int64_t row, int64_t column) {
  const int64_t dims[] = {n, COLUMNS}, strides[] = {row, column}, length[] = {COLUMNS};
  tenon_rt_view views[] = {{sizeof(tenon_rt_view), TENON_RT_f32, 2, 0, NULL, NULL},
                           {sizeof(tenon_rt_view), TENON_RT_f32, 1, 0, NULL, NULL}};
  views[0].dims = dims;
  views[0].strides = strides;
  views[1].dims = length;
  tenon_rt_plan *plan;
  expect(tenon_rt_make_plan(program, views, 2, &plan, &error), "a plan");

  tenon_rt_type type = {sizeof(type), 0, 0, 0, 0, {0}};
  expect(tenon_rt_plan_output(plan, 0, &type, &error), "the type of the result");
  check(type.dtype == TENON_RT_f32 && type.rank == 2 && type.dims[0] == n && type.dims[1] == COLUMNS, "its sizes");
  check(type.bytes == (size_t)n * COLUMNS * sizeof(float) && type.source == -1, "its bytes");

  const size_t count = (size_t)n * COLUMNS;
  float *x = malloc((count + 1) * sizeof(float)), y[COLUMNS];
  for (size_t i = 0; i < count; ++i)
    x[i] = (float)i * 0.25f - 3;
  for (size_t i = 0; i < COLUMNS; ++i)
    y[i] = 1.0f / (float)(i + 1);
  /* Strides that walk backwards begin at the end. */
  const float *first = x + (row < 0 ? -row * (n - 1) : 0) + (column < 0 ? -column * (COLUMNS - 1) : 0);
  void *result;
  expect(tenon_rt_allocate(0, type.bytes, &result, &error), "memory");
  const void *inputs[2];
  inputs[0] = first;
  inputs[1] = y;
  const uint32_t cancel = 0;
  expect(tenon_rt_run(plan, inputs, 2, &result, 1, &cancel, &error), "a run");
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < COLUMNS; ++j) {
      const float sum = first[i * row + j * column] + y[j];
      check(memcmp((const float *)result + i * COLUMNS + j, &sum, sizeof(sum)) == 0, "an element of the sum");
    }
  tenon_rt_free(0, result, type.bytes);
  tenon_rt_free_plan(plan);
  free(x);
}

int main(int count, char **arguments) {
  check(count == 2, "expected the name of a file");
  check(tenon_rt_version() == TENON_RT_VERSION, "the version of this header");
  check(strcmp(tenon_rt_device_name(0), "cpu:0") == 0 && strcmp(tenon_rt_device_kind(0), "cpu") == 0, "the host");

  tenon_rt_program *program;
  check(tenon_rt_load_file("/nowhere/x.blob", &program, &error) == TENON_RT_NO_FILE, "a file that is not there");
  check(strstr(error.message, "expected a readable file") != NULL, "says so");
  expect(tenon_rt_load_file(arguments[1], &program, &error), "a program");
  check(tenon_rt_input_count(program) == 2 && tenon_rt_output_count(program) == 1, "its inputs and outputs");
  tenon_rt_type type = {sizeof(type), 0, 0, 0, 0, {0}};
  expect(tenon_rt_input(program, 0, &type, &error), "an input");
  check(type.dtype == TENON_RT_f32 && type.rank == 2 && type.dims[0] == -1 && type.dims[1] == COLUMNS, "f32[n, 33]");
  check(type.bytes == 0, "bytes that are not known");
  expect(tenon_rt_output(program, 0, &type, &error), "an output");
  check(type.rank == 2 && type.dims[0] == -1, "its first size depends on the call");

  for (int64_t n = 2; n < 200; n *= 3) {
    run(program, n, COLUMNS, 1);
    run(program, n, 1, n);
    run(program, n, -COLUMNS, -1);
  }
  tenon_rt_unload(program);
  printf("ran %s\n", arguments[1]);
  return 0;
}
