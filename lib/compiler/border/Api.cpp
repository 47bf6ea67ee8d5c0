//===- Api.cpp - the border between libtenon and the compiler plug-in -------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/program/CompilerApi.h"

#include "lib/compiler/border/Compile.h"
#include "runtime/machine/Build.h"
#include "runtime/machine/Cpu.h"

#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <link.h>
#include <new>

using namespace tenon::compiler;

/// The start of this library in memory, from the linker.
extern "C" __attribute__((visibility("hidden"))) const ElfW(Ehdr) __ehdr_start;

namespace {

/// What a reply's pointers point into.
struct Owner {
  std::string data, text, hint;
};

std::string check(const tenon_compile_request &request) {
  if (request.abi != TENON_COMPILER_ABI)
    return "expected a request of compiler ABI " + std::to_string(TENON_COMPILER_ABI) + ", got " +
           std::to_string(request.abi);
  if (request.flags & ~TENON_COMPILE_OUR_TRACE)
    return "expected no request flags but " + std::to_string(TENON_COMPILE_OUR_TRACE) + ", got " +
           std::to_string(request.flags);
  if (!request.trace && request.trace_size)
    return "expected trace bytes, got a null pointer";
  if (!request.locations && request.locations_size)
    return "expected location bytes, got a null pointer";
  if (!request.emit)
    return "expected the name of a stage to emit, got a null pointer";
  std::string format = request.input_format ? request.input_format : "nothing";
  if (format != "trace" && format != "mlir")
    return "expected input format 'trace' or 'mlir', got '" + format + "'";
  if (std::string wrong = tenon::rt::checkFeatureList(request.features ? request.features : ""); !wrong.empty())
    return "features: " + wrong;
  return {};
}

CompileResult compile(const tenon_compile_request &request) {
  // Never destroyed: its thread runs until the process ends.
  static CompileThread *thread = [] {
    CompileThread::Options options = {};
    options.compile = compileRequest;
    options.contexts = {createMlirContext, destroyMlirContext};
    return new CompileThread(options);
  }();
  CompileResult result;
  result.text = check(request);
  if (!result.text.empty()) {
    result.status = TENON_COMPILE_INVALID;
    return result;
  }
  return thread->run(request, std::getenv("TENON_COMPILER_FAULT"));
}

void fill(tenon_compile_reply &reply, CompileResult result, const tenon_compile_request &request) {
  auto *owner = new Owner{std::move(result.out), std::move(result.text), {}};
  if (result.status != TENON_COMPILE_OK)
    owner->hint = std::string("tenon-run --emit=") + (request.emit ? request.emit : "blob") + " FILE";
  reply.data = owner->data.data();
  reply.size = owner->data.size();
  reply.text = owner->text.c_str();
  reply.reproducer_hint = owner->hint.c_str();
  reply.kernels = result.kernels;
  reply.new_kernels = result.newKernels;
  reply.library_steps = result.librarySteps;
  reply.nanoseconds = result.nanoseconds;
  reply.owner = owner;
}

/// The linker's build-id note of this library in hex.
std::string linkerHash() {
  const char *base = reinterpret_cast<const char *>(&__ehdr_start);
  const auto *headers = reinterpret_cast<const ElfW(Phdr) *>(base + __ehdr_start.e_phoff);
  for (unsigned i = 0; i < __ehdr_start.e_phnum; ++i) {
    if (headers[i].p_type != PT_NOTE)
      continue;
    const char *at = base + headers[i].p_vaddr, *end = at + headers[i].p_memsz;
    while (at + sizeof(ElfW(Nhdr)) <= end) {
      const auto *note = reinterpret_cast<const ElfW(Nhdr) *>(at);
      const char *name = at + sizeof(*note);
      const char *content = name + (note->n_namesz + 3) / 4 * 4;
      at = content + (note->n_descsz + 3) / 4 * 4;
      if (note->n_type != NT_GNU_BUILD_ID || note->n_namesz != 4 || std::memcmp(name, "GNU", 4))
        continue;
      std::string hex;
      for (unsigned k = 0; k < note->n_descsz; ++k) {
        unsigned byte = static_cast<unsigned char>(content[k]);
        hex += "0123456789abcdef"[byte / 16];
        hex += "0123456789abcdef"[byte % 16];
      }
      return hex;
    }
  }
  return "none";
}

} // namespace

#define TENON_EXPORT extern "C" __attribute__((visibility("default")))

TENON_EXPORT int32_t tenon_compiler_compile(const tenon_compile_request *request, tenon_compile_reply *reply) {
  if (!reply)
    return TENON_COMPILE_ERROR;
  std::memset(reply, 0, sizeof(*reply));
  reply->abi = TENON_COMPILER_ABI;
  reply->status = TENON_COMPILE_ERROR;
  reply->text = "expected a request, got a null pointer";
  reply->reproducer_hint = "";
  if (!request)
    return reply->status;
  try {
    CompileResult result = compile(*request);
    int32_t status = result.status;
    fill(*reply, std::move(result), *request);
    reply->status = status;
  } catch (...) {
    // On the caller's thread only an allocation or a lock can fail.
    reply->text = "out of memory while asking for a compilation";
  }
  return reply->status;
}

TENON_EXPORT void tenon_compiler_release(tenon_compile_reply *reply) {
  if (!reply)
    return;
  delete static_cast<Owner *>(reply->owner);
  std::memset(reply, 0, sizeof(*reply));
}

TENON_EXPORT const char *tenon_compiler_build_id(void) {
  static const std::string *id = new std::string(tenon::rt::buildText(tenon::rt::buildId()) + "/" + linkerHash());
  return id->c_str();
}

TENON_EXPORT uint32_t tenon_compiler_abi(void) { return TENON_COMPILER_ABI; }
