//===- allocation_faults.cpp - a process that is refused memory goes on -------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// allocation_faults FOLDER [SCENARIO | all] [every | N]: in each scenario the n-th
// allocation fails, for n up to 2000 as far as there are so many: for some n, with
// `every` for every one, with a number for that one in this very process. Each time is a process of its own. What a
// user may see is std::bad_alloc, std::system_error or a tenon::Error; after that the same process computes, eagerly
// and by jit, what it should.
//
// Two kinds do not fail, as nothing of ours could catch what follows: those that
// the dynamic loader makes (glibc ends the process that has no memory for a
// thread's storage), and those of constructors while a library is opened (they
// are a shared LLVM's; before that the plug-in's loading asks for headroom).
//===----------------------------------------------------------------------===//
#include <tenon/tenon.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <functional>
#include <link.h>
#include <new>
#include <sstream>
#include <string>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

using namespace tenon;

//===----------------------------------------------------------------------===//
// The allocator of the whole process
//===----------------------------------------------------------------------===//

extern "C" {
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
}

/// Allocations until one fails; negative: none does.
static std::atomic<long> left{-1};
static std::atomic<bool> hasFailed{false};
static std::atomic<int> opening{0};
static uintptr_t loaderBegin, loaderEnd;

static bool fails(const void *caller) {
  if (left.load(std::memory_order_relaxed) < 0 || opening.load(std::memory_order_relaxed))
    return false;
  auto address = reinterpret_cast<uintptr_t>(caller);
  if ((address >= loaderBegin && address < loaderEnd) || left.fetch_sub(1) != 0)
    return false;
  hasFailed = true;
  return true;
}

static void *refused() {
  errno = ENOMEM;
  return nullptr;
}

extern "C" {
void *malloc(size_t size) { return fails(__builtin_return_address(0)) ? refused() : __libc_malloc(size); }
void *calloc(size_t count, size_t size) {
  return fails(__builtin_return_address(0)) ? refused() : __libc_calloc(count, size);
}
void *realloc(void *block, size_t size) {
  return fails(__builtin_return_address(0)) ? refused() : __libc_realloc(block, size);
}
void *aligned_alloc(size_t alignment, size_t size) {
  return fails(__builtin_return_address(0)) ? refused() : __libc_memalign(alignment, size);
}
int posix_memalign(void **block, size_t alignment, size_t size) {
  if (fails(__builtin_return_address(0)))
    return ENOMEM;
  *block = __libc_memalign(alignment, size);
  return *block ? 0 : ENOMEM;
}

void *dlopen(const char *file, int mode) {
  static const auto real = reinterpret_cast<void *(*)(const char *, int)>(dlsym(RTLD_NEXT, "dlopen"));
  ++opening;
  void *library = real(file, mode);
  --opening;
  return library;
}
}

static void findLoader() {
  dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *) {
        if (info->dlpi_addr != getauxval(AT_BASE))
          return 0;
        loaderBegin = info->dlpi_addr;
        for (int i = 0; i < info->dlpi_phnum; ++i)
          if (info->dlpi_phdr[i].p_type == PT_LOAD)
            loaderEnd = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;
        return 1;
      },
      nullptr);
}

//===----------------------------------------------------------------------===//
// Scenarios
//===----------------------------------------------------------------------===//

namespace {
std::string folder;

Array wave(const Array &x) { return sum(tanh(x * 0.5f) + x, {1}); }

struct Scenario {
  const char *name;
  /// Whether the compiler is loaded, and a thread pool running, before it.
  bool isWarm;
  std::function<void()> run;
};

const Scenario scenarios[] = {
    {"eager", false,
     [] {
       Array x = reshape(arange(0, 400, 1, f32), {20, 20});
       Array y = concatenate({matmul(x, transpose(x)), pad(x, 0, {0, 0}, {0, 0})}, 1);
       (sum(max(y, {1}) * 2) + mean(softmax(y))).item<float>();
     }},
    {"threads", false, [] { sum(exp(full({1 << 22}, 0.25f)) * 2).item<float>(); }},
    {"first-jit", false, [] { jit(wave)(ones({3, 5})); }},
    {"next-jit", true, [] { jit(wave, {.specs = {TensorSpec{f32, {"rows", 7}}}})(ones({4, 7})); }},
    {"transformed", true,
     [] {
       auto loss = [](const Array &w, const Array &x) { return mean(tanh(matmul(x, w)) * 3); };
       jit(vmap(grad(loss)))(ones({2, 3, 4}), ones({2, 5, 3}));
     }},
    {"control-flow", true,
     [] {
       auto [last, all] =
           scan([](const Array &c, const Array &x) { return std::pair(c + x, c * x); }, zeros({3}), ones({5, 3}));
       cond(sum(last) > 0, [](const Array &y) { return y + 1; }, [](const Array &y) { return y - 1; }, all);
       grad([](const Array &p) {
         return sum(fori_loop(0, 3, [](const Array &, const Array &c) { return c * 2; }, p));
       })(ones({4}));
     }},
    {"stages", true,
     [] {
       Lowered lowered = jit(wave).lower(ones({6, 5}));
       lowered.trace();
       lowered.stage("grouped");
       lowered.save_trace(folder + "/" + std::to_string(getpid()) + ".trace");
     }},
    {"files", false,
     [] {
       std::string path = folder + "/" + std::to_string(getpid()) + ".npy";
       save_npy(path, transpose(reshape(arange(0, 60, 1, f32), {6, 10})));
       load_npy(path);
       load_npy(folder + "/fortran.npy");
     }},
    {"load-program", false, [] { load_program(folder + "/wave.blob")({ones({3, 5})}); }},
    {"texts", false,
     [] {
       std::ostringstream out;
       out << reshape(arange(0, 100, 1, f32), {10, 10}) << ones({3}, bool_);
       try {
         (void)(ones({3}) + ones({4}));
       } catch (const Error &error) {
         out << error.what();
       }
     }},
};

/// What the process computes afterwards; 0 if it is right.
int goesOn() {
  Array x = ones({3, 5}) * 2;
  Array eager = wave(x), compiled = jit(wave)(x);
  if (eager.to_vector<float>() != compiled.to_vector<float>())
    return 3;
  if (sum(full({1 << 21}, 1.0f)).item<float>() != float(1 << 21))
    return 4;
  return load_program(folder + "/wave.blob")({x})[0].to_vector<float>() == eager.to_vector<float>() ? 0 : 5;
}

constexpr int notReached = 10, hung = 60;

/// In a process of its own.
int runRefused(const Scenario &scenario, long n) {
  left = n - 1;
  int status = 0;
  try {
    scenario.run();
  } catch (const std::bad_alloc &) {
  } catch (const std::system_error &) { // a thread that could not be made
  } catch (const Error &) {
  } catch (...) {
    status = 6;
  }
  left = -1;
  if (status == 0)
    status = goesOn();
  return status == 0 && !hasFailed ? notReached : status;
}

/// How many n left a process that did not go on.
int attack(const Scenario &scenario, bool every) {
  int wrong = 0, tried = 0;
  for (long n = 1; n <= 2000; n += every || n < 24 ? 1 : 1 + n / 16) {
    std::fflush(nullptr);
    pid_t child = fork();
    if (child == 0) {
      alarm(hung);
      _exit(std::freopen("/dev/null", "w", stderr) ? runRefused(scenario, n) : 2);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child)
      return 1;
    std::remove((folder + "/" + std::to_string(child) + ".trace").c_str());
    std::remove((folder + "/" + std::to_string(child) + ".npy").c_str());
    if (WIFEXITED(status) && WEXITSTATUS(status) == notReached)
      break;
    ++tried;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
      continue;
    ++wrong;
    if (WIFSIGNALED(status))
      std::printf("%s: allocation %ld: signal %d\n", scenario.name, n, WTERMSIG(status));
    else
      std::printf("%s: allocation %ld: exit status %d\n", scenario.name, n, WEXITSTATUS(status));
  }
  std::printf("%s: %d allocations refused, %d processes did not go on\n", scenario.name, tried, wrong);
  return wrong;
}
} // namespace

int main(int count, char **arguments) {
  if (count < 2) {
    std::fprintf(stderr, "usage: allocation_faults FOLDER [SCENARIO | all] [every]\n");
    return 2;
  }
  findLoader();
  folder = arguments[1];
  const std::string only = count > 2 ? arguments[2] : "all";
  const bool every = count > 3 && !std::strcmp(arguments[3], "every");
  const long single = count > 3 ? std::atol(arguments[3]) : 0;
  // Its files are made by another process: this one stays as it is.
  std::fflush(nullptr);
  if (pid_t child = fork(); child == 0) {
    jit(wave).lower(ones({3, 5})).save_blob(folder + "/wave.blob");
    save_npy(folder + "/fortran.npy", reshape(arange(0, 60, 1, f32), {6, 10}));
    // The same elements in Fortran's order.
    std::FILE *file = std::fopen((folder + "/fortran.npy").c_str(), "r+");
    char header[128] = {};
    if (!file || std::fread(header, 1, sizeof header, file) != sizeof header)
      _exit(1);
    char *place = std::strstr(header + 10, "False");
    std::fseek(file, place - header, SEEK_SET);
    std::fputs("True ", file);
    _exit(std::fclose(file));
  } else {
    int status = 1;
    waitpid(child, &status, 0);
    if (status != 0)
      return 1;
  }
  int wrong = 0;
  for (bool warm : {false, true}) {
    if (warm)
      jit(wave)(ones({2, 2}));
    for (const Scenario &scenario : scenarios)
      if (scenario.isWarm == warm && (only == "all" || only == scenario.name))
        wrong += single ? runRefused(scenario, single) : attack(scenario, every);
  }
  return wrong != 0;
}
