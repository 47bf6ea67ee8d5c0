//===- plugin_host.cpp - a program that loads its libraries when it runs ----------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// plugin_host LIBRARY...: loads them in this order, as Python does, and calls `plug` of the last one.
//===----------------------------------------------------------------------===//
#include <cstdio>
#include <dlfcn.h>

int main(int count, char **arguments) {
  void *library = nullptr;
  for (int i = 1; i < count; ++i)
    if (library = dlopen(arguments[i], RTLD_NOW | RTLD_LOCAL); !library) {
      std::printf("%s\n", dlerror());
      return 1;
    }
  auto plug = library ? reinterpret_cast<int (*)()>(dlsym(library, "plug")) : nullptr;
  return plug ? plug() : 1;
}
