//===- File.cpp - whole files, safely ----------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "File.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace tenon;
using namespace tenon::detail;

void tenon::detail::fileError(const std::string &what, const std::string &message, const std::string &path) {
  throw Error(what + ": " + message + "\n  file: " + path);
}

// O_NONBLOCK: a pipe by that name must be refused, not waited for.
InputFile::InputFile(std::string what, std::string path)
    : what_(std::move(what)), path_(std::move(path)),
      descriptor_(open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  if (descriptor_ < 0)
    fail(std::string("expected a readable file, got: ") + std::strerror(errno));
  struct stat info;
  if (fstat(descriptor_, &info) == 0 && S_ISREG(info.st_mode)) {
    size_ = static_cast<uint64_t>(info.st_size);
    return;
  }
  close(descriptor_); // The destructor does not run when a constructor throws.
  fail(std::string("expected a regular file, got ") + (S_ISDIR(info.st_mode) ? "a directory" : "something else"));
}

InputFile::~InputFile() { close(descriptor_); }

void InputFile::read(std::span<std::byte> out, const std::string &part) {
  size_t done = 0;
  while (done < out.size()) {
    ssize_t got = ::read(descriptor_, out.data() + done, std::min<size_t>(out.size() - done, size_t(1) << 30));
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      fail("cannot read " + part + ": " + std::strerror(errno));
    if (got == 0)
      fail("expected " + std::to_string(out.size()) + " bytes of " + part + ", got " + std::to_string(done));
    done += static_cast<size_t>(got);
  }
  position_ = std::min<uint64_t>(size_, position_ + done);
}

/// Opens a new file beside path, so that the rename stays in one file system.
static int createTemporary(const std::string &path, std::string &temporary) {
  static unsigned counter = 0;
  for (int tries = 0; tries < 100; ++tries) {
    temporary = path + ".tmp-" + std::to_string(getpid()) + "-" +
                std::to_string(__atomic_fetch_add(&counter, 1, __ATOMIC_RELAXED));
    int descriptor = open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0 || errno != EEXIST)
      return descriptor;
  }
  return -1;
}

static bool writeAll(int descriptor, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    ssize_t put = write(descriptor, bytes.data(), std::min<size_t>(bytes.size(), size_t(1) << 30));
    if (put < 0 && errno == EINTR)
      continue;
    if (put < 0)
      return false;
    bytes = bytes.subspan(static_cast<size_t>(put));
  }
  return true;
}

/// Devices and pipes are written to: a rename would put a file in their place.
static bool isSpecial(const std::string &path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode);
}

static void writeSpecial(const std::string &what, const std::string &path,
                         std::span<const std::span<const std::byte>> parts) {
  int descriptor = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  bool good =
      descriptor >= 0 && std::all_of(parts.begin(), parts.end(), [&](auto part) { return writeAll(descriptor, part); });
  int problem = errno;
  if (descriptor >= 0 && close(descriptor) != 0 && good) {
    good = false;
    problem = errno;
  }
  if (!good)
    fileError(what, std::string("cannot write: ") + std::strerror(problem), path);
}

/// The file that a symbolic link stands for, there or not: it is replaced, not the
/// link. Throws for links in a circle.
static std::string withoutLinks(const std::string &what, const std::string &path) {
  std::string found = path;
  for (int links = 0; links < 40; ++links) {
    char target[PATH_MAX];
    ssize_t size = readlink(found.c_str(), target, sizeof target);
    if (size < 0)
      return found;
    size_t folder = target[0] == '/' ? 0 : found.rfind('/') + 1; // none: npos + 1 is 0
    found = found.substr(0, folder) + std::string(target, static_cast<size_t>(size));
  }
  fileError(what, std::string("cannot create a file: ") + std::strerror(ELOOP), path);
}

/// Makes a rename in the folder of path last. File systems that cannot sync a
/// folder refuse; the data itself is safe by then.
static void syncFolder(const std::string &path) {
  size_t slash = path.rfind('/');
  std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0)
    return;
  fsync(descriptor);
  close(descriptor);
}

void tenon::detail::writeFile(const std::string &what, const std::string &path,
                              std::span<const std::span<const std::byte>> parts) {
  if (isSpecial(path))
    return writeSpecial(what, path, parts);
  std::string target = withoutLinks(what, path), temporary;
  int descriptor = createTemporary(target, temporary);
  if (descriptor < 0)
    fileError(what, std::string("cannot create a file: ") + std::strerror(errno), path);
  bool good = std::all_of(parts.begin(), parts.end(), [&](auto part) { return writeAll(descriptor, part); });
  good = good && fsync(descriptor) == 0;
  int problem = errno;
  if (close(descriptor) != 0 && good) {
    good = false;
    problem = errno;
  }
  if (good && rename(temporary.c_str(), target.c_str()) != 0) {
    good = false;
    problem = errno;
  }
  if (!good) {
    unlink(temporary.c_str());
    fileError(what, std::string("cannot write: ") + std::strerror(problem), path);
  }
  syncFolder(target);
}
