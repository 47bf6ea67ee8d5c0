/*===- CompilerApi.h - the border between libtenon and the compiler plug-in --------===*/
/* Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.          */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                     */
/*
 * Plain C, and nothing else crosses: canonical trace bytes (or MLIR text) and
 * options in; a program blob, the text of a stage, or an error text out. No
 * exception, longjmp or signal leaves these functions. All of them may be
 * called from any thread; requests queue for the one compile thread.
 *
 * For tests, TENON_COMPILER_FAULT in the environment plants a fault at the
 * entry of a compilation: abort, segv, stack, fatal, usage, emit, badalloc,
 * exit, terminate or throw.
 *===------------------------------------------------------------------------===*/
#ifndef TENON_COMPILER_API_H
#define TENON_COMPILER_API_H

#include <stddef.h>
#include <stdint.h>

/* Raised with every change of these structs, of the trace bytes or of the blob. */
#define TENON_COMPILER_ABI 4u

#ifdef __cplusplus
extern "C" {
#endif

enum tenon_compile_status {
  TENON_COMPILE_OK = 0,
  TENON_COMPILE_ERROR = 1,  /* the compiler says why in `text` and is as well as before */
  TENON_COMPILE_CRASH = 2,  /* it fell into a net; what it worked on is left behind */
  TENON_COMPILE_OFF = 3,    /* off in this process; `text` says since when */
  TENON_COMPILE_INVALID = 4 /* the request asks for what there is not; `text` says what was expected */
};

/* The trace bytes are what libtenon of this very build has just written: they are read without all checks. */
#define TENON_COMPILE_OUR_TRACE 1u

struct tenon_compile_request {
  uint32_t abi;      /* TENON_COMPILER_ABI */
  uint32_t flags;    /* TENON_COMPILE_OUR_TRACE or 0 */
  const void *trace; /* trace bytes, or MLIR text (need not end in 0) */
  size_t trace_size;
  const void *locations; /* the side table of locations; may be null */
  size_t locations_size;
  const char *emit;         /* "blob", or the text of a stage: see Compile.cpp */
  const char *input_format; /* "trace" or "mlir" */
  const char *features;     /* ISA features, as "+avx2,+fma"; null for the host's */
  const char *name;         /* of the file the MLIR text is from, for diagnostics and locations; may be null */
};

/* Zeroed by the compiler before it is filled; given back with tenon_compiler_release. */
struct tenon_compile_reply {
  int32_t status; /* enum tenon_compile_status; also what tenon_compiler_compile returns */
  uint32_t abi;
  const void *data; /* the blob, or the text of the stage */
  size_t size;
  const char *text;            /* error or diagnostics; "" if there are none */
  const char *reproducer_hint; /* a shell command in which FILE stands for the saved input; "" if status is 0 */
  uint64_t kernels;            /* generated kernels in the blob, equal ones counted once */
  uint64_t new_kernels;        /* of these, those that no earlier request had compiled */
  uint64_t library_steps;      /* steps of the schedule that call the library */
  uint64_t nanoseconds;        /* on the compile thread */
  void *owner;                 /* the compiler's own */
};

typedef int32_t (*tenon_compiler_compile_t)(const struct tenon_compile_request *, struct tenon_compile_reply *);
typedef void (*tenon_compiler_release_t)(struct tenon_compile_reply *);
typedef const char *(*tenon_compiler_build_id_t)(void);
typedef uint32_t (*tenon_compiler_abi_t)(void);

int32_t tenon_compiler_compile(const struct tenon_compile_request *request, struct tenon_compile_reply *reply);

/* Frees what a reply points to and zeroes it; a second call does nothing. */
void tenon_compiler_release(struct tenon_compile_reply *reply);

/* The build, as a blob names it (runtime/machine/Build.h), a slash, and the linker's hash of this very library ("none"
 * without one): the second part changes with every change of the compiler's code. */
const char *tenon_compiler_build_id(void);

uint32_t tenon_compiler_abi(void);

#ifdef __cplusplus
}
#endif

#endif
