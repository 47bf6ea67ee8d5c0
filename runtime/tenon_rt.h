/*===- tenon_rt.h - the runtime as a C library ------------------------------------===*/
/* Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.          */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                     */
/*
 * What runs a saved program (`save_blob`, `tenon-run --emit=blob`) without the
 * library of arrays and without a compiler: from C, from another language,
 * from objects compiled ahead of time.
 *
 *   tenon_rt_program *program;
 *   tenon_rt_error error = {sizeof(error)};
 *   if (tenon_rt_load_file("step.blob", &program, &error)) puts(error.message);
 *   tenon_rt_view x = {sizeof(x), TENON_RT_f32, 1, 0, dims, NULL};
 *   tenon_rt_plan *plan;
 *   tenon_rt_make_plan(program, &x, 1, &plan, &error);
 *   tenon_rt_type y = {sizeof(y)};
 *   tenon_rt_plan_output(plan, 0, &y, &error);         // what to allocate
 *   tenon_rt_run(plan, inputs, 1, outputs, 1, NULL, &error);
 *
 * Every function may be called from any thread, any number at once on one
 * program or plan; what is freed must not be in use. Functions are only ever
 * added. Structs may grow at their end: `struct_size` says which form the
 * caller knows, and is set by the caller. No exception, longjmp or signal
 * leaves a function. Whatever can be wrong with arguments that are not dangling,
 * and are of the device they are given as, is a status and a sentence. A blob is
 * machine code: one from a stranger is not made safe by being checked.
 *
 * On the host, device 0, everything is done when a function returns. Another
 * device does what one thread asks of it in that order, but later: a run or a
 * copy may have returned before it is done. A copy to the host and
 * tenon_rt_synchronize wait for what the calling thread has asked for, and say
 * what has failed since the last of them; after a failure nothing is done that
 * was asked for meanwhile. What other threads are to use, or arrays of libtenon
 * on this one, is waited for first.
 *===------------------------------------------------------------------------===*/
#ifndef TENON_RT_H
#define TENON_RT_H

#include <stddef.h>
#include <stdint.h>

/* Raised with everything that is added. */
#define TENON_RT_VERSION 3u

#define TENON_RT_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/* TENON_RT_VERSION of the library: at least that of this header, or functions are missing. */
TENON_RT_API uint32_t tenon_rt_version(void);

enum tenon_rt_status {
  TENON_RT_OK = 0,
  TENON_RT_OUT_OF_MEMORY = 1,
  TENON_RT_CANCELLED = 2,
  TENON_RT_FAILED = 3, /* a step of the program; `location` says which */
  TENON_RT_UNSUPPORTED_CPU = 4,
  TENON_RT_INVALID = 5,      /* an argument */
  TENON_RT_REFUSED = 6,      /* the blob is not one, is damaged, or is not for this build or machine */
  TENON_RT_MISMATCH = 7,     /* the inputs do not fit to the program */
  TENON_RT_NO_FILE = 8,      /* tenon_rt_load_file: it cannot be read, or is refused */
  TENON_RT_OUT_OF_BOUNDS = 9 /* an index is outside of its axis; `location` says which. Since version 3. */
};

/* Why a function has not returned TENON_RT_OK; not looked at or written if it has. Where one is taken it may be null.
 */
typedef struct tenon_rt_error {
  uint32_t struct_size;
  char message[1020]; /* "expected X, got Y"; cut where it is too long */
  char location[512]; /* file:line:column of the user's operation, or "" */
} tenon_rt_error;

/* TENON_RT_f32 and so on. */
enum tenon_rt_dtype {
#define TENON_DTYPE(name, code, ...) TENON_RT_##name = code,
#include <tenon/detail/dtypes.def>
};

#define TENON_RT_MAX_RANK 16

/*===----------------------------------------------------------------------===*/
/* Programs                                                                     */
/*===----------------------------------------------------------------------===*/

typedef struct tenon_rt_program tenon_rt_program;

/* Checks the blob and maps its code; its bytes, at any alignment, may go away afterwards. */
TENON_RT_API int32_t tenon_rt_load(const void *blob, size_t size, tenon_rt_program **program, tenon_rt_error *error);
TENON_RT_API int32_t tenon_rt_load_file(const char *path, tenon_rt_program **program, tenon_rt_error *error);
/* Plans keep what they need: they may live on. Null is ignored. */
TENON_RT_API void tenon_rt_unload(tenon_rt_program *program);

/* Of an input or an output. */
typedef struct tenon_rt_type {
  uint32_t struct_size;
  int32_t dtype;
  int32_t rank;
  int32_t source;                  /* an output that is an input handed on: which; else -1 */
  size_t bytes;                    /* of all elements; 0 where a dim is not known */
  int64_t dims[TENON_RT_MAX_RANK]; /* -1: depends on the sizes of a call */
} tenon_rt_type;

/* How many; 0 for a null program. */
TENON_RT_API uint32_t tenon_rt_input_count(const tenon_rt_program *program);
TENON_RT_API uint32_t tenon_rt_output_count(const tenon_rt_program *program);
TENON_RT_API int32_t tenon_rt_input(const tenon_rt_program *program, uint32_t number, tenon_rt_type *type,
                                    tenon_rt_error *error);
TENON_RT_API int32_t tenon_rt_output(const tenon_rt_program *program, uint32_t number, tenon_rt_type *type,
                                     tenon_rt_error *error);

/*===----------------------------------------------------------------------===*/
/* Runs                                                                         */
/*===----------------------------------------------------------------------===*/

/* How an input lies. */
typedef struct tenon_rt_view {
  uint32_t struct_size;
  int32_t dtype;
  int32_t rank;
  uint32_t device;        /* where it is; all inputs of a plan are on one */
  const int64_t *dims;    /* rank of them */
  const int64_t *strides; /* in elements: 0 repeats, negative walks backwards; null: row-major without gaps */
} tenon_rt_view;

typedef struct tenon_rt_plan tenon_rt_plan;

/* All that follows from one set of sizes, for any number of runs. Programs keep the last few, so one that was made
 * before is found in nanoseconds. */
TENON_RT_API int32_t tenon_rt_make_plan(tenon_rt_program *program, const tenon_rt_view *inputs, size_t count,
                                        tenon_rt_plan **plan, tenon_rt_error *error);
TENON_RT_API void tenon_rt_free_plan(tenon_rt_plan *plan); /* null is ignored */
/* The type of an output, all dims known. */
TENON_RT_API int32_t tenon_rt_plan_output(const tenon_rt_plan *plan, uint32_t number, tenon_rt_type *type,
                                          tenon_rt_error *error);

/* Runs the program. `inputs`: the first element of each, aligned to its elements; they may alias each other.
 * `outputs`: for each `bytes` bytes at a multiple of 64 that alias no input and no other output, filled row-major
 * without gaps; for one that is an input handed on (`source`) it may be null, and nothing is copied. `cancel`, polled
 * between steps, rounds of loops and chunks, may be null; another thread sets it to anything but 0 to end the run.
 * After another status than TENON_RT_OK the outputs hold anything. */
TENON_RT_API int32_t tenon_rt_run(const tenon_rt_plan *plan, const void *const *inputs, size_t input_count,
                                  void *const *outputs, size_t output_count, const uint32_t *cancel,
                                  tenon_rt_error *error);

/*===----------------------------------------------------------------------===*/
/* Devices, memory, threads                                                     */
/*===----------------------------------------------------------------------===*/

/* Devices are numbered from 0, which is the host. */
TENON_RT_API uint32_t tenon_rt_device_count(void);
/* "cpu:0", and its part before the colon; null for a number that is none. */
TENON_RT_API const char *tenon_rt_device_name(uint32_t device);
TENON_RT_API const char *tenon_rt_device_kind(uint32_t device);

/* `bytes` bytes at a multiple of 64, not set, counted by the memory limit. */
TENON_RT_API int32_t tenon_rt_allocate(uint32_t device, size_t bytes, void **memory, tenon_rt_error *error);
/* Gives them back; `bytes` is what was asked for. Null is ignored. */
TENON_RT_API void tenon_rt_free(uint32_t device, void *memory, size_t bytes);
/* Copies between devices, or on one; the two must not overlap. The host's memory is read, or written, when this
 * returns. */
TENON_RT_API int32_t tenon_rt_copy(uint32_t to_device, void *to, uint32_t from_device, const void *from, size_t bytes,
                                   tenon_rt_error *error);

/* Waits for all that the calling thread has asked of the device; the status of a run that has failed. Since version 2.
 */
TENON_RT_API int32_t tenon_rt_synchronize(uint32_t device, tenon_rt_error *error);

typedef struct tenon_rt_memory {
  uint32_t struct_size;
  size_t bytes_in_use;    /* in blocks that are held */
  size_t blocks_in_use;   /* how many */
  size_t bytes_committed; /* what the limit is held against */
  size_t peak_bytes;      /* the most of that so far */
  size_t limit;           /* 0: none */
} tenon_rt_memory;

/* Of the host. */
TENON_RT_API int32_t tenon_rt_memory_statistics(tenon_rt_memory *memory, tenon_rt_error *error);
/* The most bytes that may be committed, in place of TENON_MEMORY_LIMIT; 0: no limit. */
TENON_RT_API void tenon_rt_set_memory_limit(size_t bytes);

/* Threads that take part in a run, the caller's included. */
TENON_RT_API int32_t tenon_rt_thread_count(void);
/* In place of TENON_NUM_THREADS: 1 to 1024; 0 goes back to the default. */
TENON_RT_API int32_t tenon_rt_set_thread_count(int32_t count, tenon_rt_error *error);

#ifdef __cplusplus
}
#endif

#endif
