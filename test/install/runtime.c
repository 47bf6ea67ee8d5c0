/*===- runtime.c - a program in C that only knows an installed Tenon --------------===*/
/* Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.          */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                     */
#include <tenon_rt.h>

#include <stdio.h>
#include <string.h>

int main(void) {
  tenon_rt_error error = {sizeof(tenon_rt_error), "", ""};
  tenon_rt_program *program;
  const int32_t status = tenon_rt_load("no blob", 7, &program, &error);
  printf("version %u, %s, status %d: %s\n", tenon_rt_version(), tenon_rt_device_name(0), status, error.message);
  return tenon_rt_version() == TENON_RT_VERSION && status == TENON_RT_REFUSED && !program &&
                 strstr(error.message, "expected at least 64 bytes, got 7")
             ? 0
             : 1;
}
