//===- static_tls.cpp - a library that takes most of the static TLS --------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

static thread_local char bytes[1200]; // initial-exec, by its options

extern "C" char *staticTls() { return bytes; }
