//===- CompilerPlugin.cpp - libtenon's side of the compiler border ----------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/program/CompilerPlugin.h"

#include "lib/base/Fork.h"
#include "lib/program/CompilerApi.h"
#include "lib/trace/Trace.h"
#include "runtime/machine/Build.h"
#include "runtime/machine/Cpu.h"

#include <atomic>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <memory>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

using namespace tenon;
using namespace tenon::detail;

namespace {

constexpr const char *pluginName = "libtenon-compiler.so";

/// The plug-in's functions, or why there are none. Made once in a process.
struct Plugin {
  tenon_compiler_compile_t compile = nullptr;
  tenon_compiler_release_t release = nullptr;
  std::string buildId;
  std::string error;
  /// Another time it may be there.
  bool isShort = false;
};

std::string folderOf(const std::string &path) {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

std::string folderOfThisLibrary() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<void *>(&folderOf), &info) || !info.dli_fname)
    return {};
  char real[PATH_MAX];
  return realpath(info.dli_fname, real) ? folderOf(real) : folderOf(info.dli_fname);
}

std::string folderOfExecutable() {
  char path[PATH_MAX];
  ssize_t size = readlink("/proc/self/exe", path, sizeof(path) - 1);
  return size > 0 ? folderOf(std::string(path, size)) : std::string();
}

/// The path in TENON_COMPILER; null if it is not set or empty. A process with more rights than its
/// caller ignores the variable: a stranger's library would run with these rights.
const char *namedCompiler() {
  const char *named = secure_getenv("TENON_COMPILER");
  return named && *named ? named : nullptr;
}

/// Where the plug-in is looked for. TENON_COMPILER, if set, is the only place.
std::vector<std::string> candidates() {
  if (const char *named = namedCompiler())
    return {named};
  std::vector<std::string> paths;
  auto add = [&](const std::string &folder, const char *below) {
    std::string path = folder + below + pluginName;
    for (const std::string &known : paths)
      if (known == path)
        return;
    if (!folder.empty())
      paths.push_back(path);
  };
  std::string library = folderOfThisLibrary(), executable = folderOfExecutable();
  // A hard link puts a setuid program into a folder of its caller.
  if (getauxval(AT_SECURE))
    executable.clear();
  add(library, "/");
  add(executable, "/");
  add(library, "/../lib/");
  add(executable, "/../lib/");
  return paths;
}

template <class T>
T symbol(void *library, const char *name) {
  return reinterpret_cast<T>(dlsym(library, name));
}

/// Constructors in the compiler's libraries run before anything can catch what
/// they throw: without the memory that opening and a first compilation take, it is
/// not loaded at all.
bool hasHeadroom(const std::string &path) {
  constexpr size_t stackAndHeap = size_t(128) << 20;
  struct stat info;
  size_t size = stackAndHeap + (stat(path.c_str(), &info) == 0 ? static_cast<size_t>(info.st_size) : 0);
  void *memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory != MAP_FAILED && munmap(memory, size) == 0;
}

Plugin load() {
  rt::warnOfWrongIsa();
  Plugin plugin;
  std::string path = compilerPath();
  if (path.empty()) {
    std::vector<std::string> paths = candidates();
    if (namedCompiler()) {
      plugin.error = "TENON_COMPILER names '" + paths[0] + "', which is not a readable file";
      return plugin;
    }
    plugin.error = "no compiler found, looked for";
    for (size_t i = 0; i < paths.size(); ++i)
      plugin.error += (i ? ", '" : " '") + paths[i] + "'";
    plugin.error += "; set TENON_COMPILER to its path";
    return plugin;
  }
  std::string named = (namedCompiler() ? "TENON_COMPILER names '" : "found the compiler at '") + path + "', ";
  if (!hasHeadroom(path)) {
    plugin.error = named + "which was not loaded because the system is short of memory";
    plugin.isShort = true;
    return plugin;
  }
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!library) {
    const char *why = dlerror();
    plugin.error = named + "which cannot be loaded: " + (why ? why : "dlopen gives no reason");
    return plugin;
  }
  auto compile = symbol<tenon_compiler_compile_t>(library, "tenon_compiler_compile");
  auto release = symbol<tenon_compiler_release_t>(library, "tenon_compiler_release");
  auto buildId = symbol<tenon_compiler_build_id_t>(library, "tenon_compiler_build_id");
  auto abi = symbol<tenon_compiler_abi_t>(library, "tenon_compiler_abi");
  if (!compile || !release || !buildId || !abi) {
    plugin.error = named + "which is not a Tenon compiler";
    return plugin;
  }
  if (abi() != TENON_COMPILER_ABI) {
    plugin.error =
        named + "expected compiler ABI " + std::to_string(TENON_COMPILER_ABI) + ", got " + std::to_string(abi());
    return plugin;
  }
  std::string id = buildId();
  const std::string build = id.substr(0, id.rfind('/')), own = rt::buildText(rt::buildId());
  if (build != own) {
    plugin.error = named + "expected build '" + own + "', got '" + build + "'";
    return plugin;
  }
  plugin.compile = compile;
  plugin.release = release;
  plugin.buildId = id;
  return plugin;
}

/// A fork waits for it: the dynamic linker would stay locked in the child.
constinit rt::ForkLock loading(rt::LockOrder::pluginLoad);
constinit std::atomic<const Plugin *> loaded{nullptr};

/// Null, and why, if there is too little memory to load it now.
const Plugin *plugin(std::string &refused) {
  if (const Plugin *known = loaded.load(std::memory_order_acquire))
    return known;
  std::lock_guard lock(loading);
  if (const Plugin *known = loaded.load(std::memory_order_relaxed))
    return known;
  auto made = std::make_unique<Plugin>(load());
  if (made->isShort) {
    refused = std::move(made->error);
    return nullptr;
  }
  loaded.store(made.get(), std::memory_order_release);
  return made.release(); // never destroyed: used until the process ends
}

/// A fork waits for the compilation that runs, since LLVM's own locks cannot be
/// remade. The lock is libtenon's: handlers that the plug-in made known would be
/// missed by a fork that began before it was loaded.
constinit rt::ForkLock compiling(rt::LockOrder::compiler);

/// 64-bit FNV-1a: a name for a file, not a key.
uint64_t nameOf(const void *data, size_t size) {
  uint64_t hash = 0xcbf29ce484222325;
  for (size_t i = 0; i < size; ++i)
    hash = (hash ^ static_cast<const unsigned char *>(data)[i]) * 0x100000001b3;
  return hash;
}

/// Saves the input of a failed compilation as a file that tenon-run reads and
/// returns its path; empty if that fails. Equal inputs are one file.
std::string saveReproducer(const tenon_compile_request &request, bool isTrace) {
  auto bytesOf = [](const void *data, size_t size) { return std::span(static_cast<const std::byte *>(data), size); };
  std::span<const std::byte> contents = bytesOf(request.trace, request.trace_size);
  std::vector<std::byte> packed;
  if (isTrace) {
    packed = packTrace(contents, bytesOf(request.locations, request.locations_size));
    contents = packed;
  }
  const char *folder = secure_getenv("TMPDIR");
  char hash[17];
  std::snprintf(hash, sizeof(hash), "%016llx",
                static_cast<unsigned long long>(nameOf(request.trace, request.trace_size)));
  std::string path =
      std::string(folder && *folder ? folder : "/tmp") + "/tenon-repro-" + hash + (isTrace ? ".trace" : ".mlir");
  std::string temporary = path + ".XXXXXX";
  int file = mkstemp(temporary.data()); // 0600, and never follows a planted link
  if (file < 0)
    return {};
  bool written = true;
  for (size_t done = 0; written && done < contents.size();) {
    ssize_t n = write(file, contents.data() + done, contents.size() - done);
    written = n > 0;
    done += written ? n : 0;
  }
  written = !close(file) && written && !std::rename(temporary.c_str(), path.c_str());
  if (!written)
    unlink(temporary.c_str());
  return written ? path : std::string();
}

CompileReply ask(const tenon_compile_request &request) {
  CompileReply reply;
  const Plugin *compiler = plugin(reply.text);
  if (!compiler)
    return reply;
  if (!compiler->compile) {
    reply.text = compiler->error;
    return reply;
  }
  tenon_compile_reply raw;
  {
    std::lock_guard lock(compiling);
    compiler->compile(&request, &raw);
  }
  const std::unique_ptr<tenon_compile_reply, tenon_compiler_release_t> owner(&raw, compiler->release);
  reply.status = static_cast<CompileStatus>(raw.status);
  reply.data.assign(static_cast<const char *>(raw.data), raw.data ? raw.size : 0);
  reply.text = raw.text ? raw.text : "";
  reply.replayCommand = raw.reproducer_hint ? raw.reproducer_hint : "";
  reply.kernels = raw.kernels;
  reply.newKernels = raw.new_kernels;
  reply.librarySteps = raw.library_steps;
  reply.nanoseconds = raw.nanoseconds;

  bool isTrace = !std::strcmp(request.input_format, "trace");
  if (reply.status == CompileStatus::Crashed || (reply.status == CompileStatus::Refused && isTrace))
    reply.reproducer = saveReproducer(request, isTrace);
  size_t place = reply.replayCommand.rfind("FILE");
  if (reply.reproducer.empty() || place == std::string::npos)
    reply.replayCommand.clear();
  else
    reply.replayCommand.replace(place, 4, reply.reproducer);
  return reply;
}

CompileReply ask(const void *input, size_t size, std::span<const std::byte> locations, const char *format,
                 uint32_t flags, std::string_view emit, std::string_view features, std::string_view name = {}) {
  std::string emitText(emit), featureText(features), nameText(name);
  tenon_compile_request request = {};
  request.abi = TENON_COMPILER_ABI;
  request.flags = flags;
  request.trace = input;
  request.trace_size = size;
  request.locations = locations.data();
  request.locations_size = locations.size();
  request.emit = emitText.c_str();
  request.input_format = format;
  request.features = features.empty() ? nullptr : featureText.c_str();
  request.name = nameText.c_str();
  return ask(request);
}

} // namespace

CompileReply tenon::detail::compileTrace(std::span<const std::byte> trace, std::span<const std::byte> locations,
                                         std::string_view emit, std::string_view features) {
  return ask(trace.data(), trace.size(), locations, "trace", 0, emit, features);
}

CompileReply tenon::detail::compileToBlob(const Trace &trace, std::span<const std::byte> locations) {
  const std::span<const std::byte> bytes = trace.bytes();
  return ask(bytes.data(), bytes.size(), locations, "trace", TENON_COMPILE_OUR_TRACE, "blob", {});
}

CompileReply tenon::detail::compileMlir(std::string_view text, std::string_view emit, std::string_view features,
                                        std::string_view name) {
  return ask(text.data(), text.size(), {}, "mlir", 0, emit, features, name);
}

std::string tenon::detail::compilerPath() {
  for (const std::string &path : candidates())
    if (!access(path.c_str(), R_OK))
      return path;
  return {};
}

bool tenon::detail::compilerLoaded() {
  const Plugin *known = loaded.load(std::memory_order_acquire);
  return known && known->compile;
}

std::string tenon::detail::compilerBuildId() {
  std::string refused;
  const Plugin *compiler = plugin(refused);
  return compiler ? compiler->buildId : std::string();
}
