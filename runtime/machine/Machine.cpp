//===- Machine.cpp - how much of the machine this process may use ---------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "Machine.h"

#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sched.h>
#include <string>
#include <unistd.h>
#include <vector>

using namespace tenon::rt;

/// The whole file, or nothing if it cannot be read.
static std::string readFile(const std::string &path) {
  std::string text;
  FILE *file = std::fopen(path.c_str(), "re");
  if (!file)
    return text;
  char buffer[4096];
  while (size_t n = std::fread(buffer, 1, sizeof(buffer), file))
    text.append(buffer, n);
  std::fclose(file);
  return text;
}

static std::vector<std::string> split(const std::string &text, char separator) {
  std::vector<std::string> parts;
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find(separator, at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

static bool contains(const std::string &list, const std::string &word) {
  for (const std::string &part : split(list, ','))
    if (part == word)
      return true;
  return false;
}

namespace {
/// The folders of one hierarchy that limit this process, its own group first.
struct Hierarchy {
  bool v2 = false;
  std::vector<std::string> folders;
};
} // namespace

/// Finds the hierarchies that can limit `controller`. A line of cgroup is
/// `id:controllers:path` (v2: `0::path`); a line of mountinfo is
/// `id parent major:minor root mountpoint options [fields] - type source options`.
static std::vector<Hierarchy> hierarchies(const std::string &proc, const std::string &controller) {
  std::vector<Hierarchy> found;
  std::vector<std::string> mounts = split(readFile(proc + "/mountinfo"), '\n');
  for (const std::string &line : split(readFile(proc + "/cgroup"), '\n')) {
    size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos)
      continue;
    std::string controllers = line.substr(first + 1, second - first - 1), path = line.substr(second + 1);
    bool v2 = controllers.empty();
    if (!v2 && !contains(controllers, controller))
      continue;
    for (const std::string &mount : mounts) {
      size_t dash = mount.find(" - ");
      if (dash == std::string::npos)
        continue;
      std::vector<std::string> left = split(mount.substr(0, dash), ' '), right = split(mount.substr(dash + 3), ' ');
      if (left.size() < 5 || right.size() < 3 || right[0] != (v2 ? "cgroup2" : "cgroup") ||
          (!v2 && !contains(right[2], controller)))
        continue;
      const std::string &root = left[3], &point = left[4];
      // In a container the mount shows only the part below `root`.
      std::string below = root != "/" && path.starts_with(root) ? path.substr(root.size()) : path;
      Hierarchy h{v2, {}};
      while (below.size() > 1) {
        h.folders.push_back(point + below);
        below.resize(below.rfind('/') == std::string::npos ? 0 : below.rfind('/'));
      }
      h.folders.push_back(point);
      found.push_back(std::move(h));
      break;
    }
  }
  return found;
}

/// A non-negative number at the start of the text, else -1 (so `max` is -1).
static double leadingNumber(const std::string &text) {
  char *end = nullptr;
  double value = std::strtod(text.c_str(), &end);
  return end == text.c_str() ? -1 : value;
}

double detail::cgroupCpus(const char *proc) {
  double least = 0;
  for (const Hierarchy &h : hierarchies(proc, "cpu"))
    for (const std::string &folder : h.folders) {
      double quota = -1, period = -1;
      if (h.v2) {
        std::vector<std::string> fields = split(readFile(folder + "/cpu.max"), ' ');
        if (fields.size() == 2) {
          quota = leadingNumber(fields[0]);
          period = leadingNumber(fields[1]);
        }
      } else {
        quota = leadingNumber(readFile(folder + "/cpu.cfs_quota_us"));
        period = leadingNumber(readFile(folder + "/cpu.cfs_period_us"));
      }
      if (quota > 0 && period > 0 && (least == 0 || quota / period < least))
        least = quota / period;
    }
  return least;
}

size_t detail::cgroupMemory(const char *proc) {
  double least = 0;
  for (const Hierarchy &h : hierarchies(proc, "memory"))
    for (const std::string &folder : h.folders) {
      double bytes = leadingNumber(readFile(folder + (h.v2 ? "/memory.max" : "/memory.limit_in_bytes")));
      if (bytes > 0 && (least == 0 || bytes < least))
        least = bytes;
    }
  // Version 1 writes "no limit" as nearly 2^63.
  return least < 0x1p62 ? size_t(least) : 0;
}

int detail::usableCpus(const char *proc) {
  int cpus = 0;
  // The mask of a big machine does not fit cpu_set_t; the kernel says EINVAL.
  for (int width = 1024; width <= 1 << 20 && cpus == 0; width *= 4) {
    cpu_set_t *mask = CPU_ALLOC(width);
    if (!mask)
      break;
    size_t bytes = CPU_ALLOC_SIZE(width);
    bool done = sched_getaffinity(0, bytes, mask) == 0;
    if (done)
      cpus = CPU_COUNT_S(bytes, mask);
    bool wider = !done && errno == EINVAL;
    CPU_FREE(mask);
    if (!wider)
      break;
  }
  if (cpus < 1)
    cpus = int(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  double quota = cgroupCpus(proc);
  if (quota > 0 && quota < cpus)
    cpus = std::max(1, int(std::ceil(quota)));
  return cpus;
}

int tenon::rt::usableCpus() { return detail::usableCpus("/proc/self"); }

size_t tenon::rt::usableMemory() {
  size_t bytes = size_t(sysconf(_SC_PHYS_PAGES)) * size_t(sysconf(_SC_PAGESIZE));
  size_t limit = detail::cgroupMemory("/proc/self");
  return limit && limit < bytes ? limit : bytes;
}
