//===- File.cpp - whole files, safely ----------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "File.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

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

void InputFile::seek(uint64_t position) {
  if (lseek(descriptor_, static_cast<off_t>(position), SEEK_SET) < 0)
    fail("cannot go to byte " + std::to_string(position) + ": " + std::strerror(errno));
  position_ = std::min(size_, position);
}

FileMapping::~FileMapping() {
  if (!bytes_.empty())
    munmap(const_cast<std::byte *>(bytes_.data()), bytes_.size());
}

std::shared_ptr<const FileMapping> InputFile::map() const {
  auto mapping = std::make_shared<FileMapping>();
  if (size_ == 0) // nothing is no mapping
    return mapping;
  void *bytes = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, descriptor_, 0);
  if (bytes == MAP_FAILED)
    fail("cannot map " + std::to_string(size_) + " bytes: " + std::strerror(errno));
  mapping->bytes_ = std::span(static_cast<const std::byte *>(bytes), size_);
  return mapping;
}

/// Removes a temporary file whose writer was killed. A living writer holds a lock on its own.
static void removeAbandoned(const std::string &temporary) {
  // O_NONBLOCK: a pipe by that name must not be waited for.
  const int descriptor = open(temporary.c_str(), O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0)
    return;
  struct stat locked, named;
  // By now the name may be that of another writer's file.
  if (flock(descriptor, LOCK_EX | LOCK_NB) == 0 && fstat(descriptor, &locked) == 0 && S_ISREG(locked.st_mode) &&
      lstat(temporary.c_str(), &named) == 0 && named.st_dev == locked.st_dev && named.st_ino == locked.st_ino)
    unlink(temporary.c_str());
  close(descriptor);
}

/// Opens and locks a new file beside path, so that the rename stays in one file system, and removes
/// what killed writers of path left.
static int createTemporary(const std::string &path, std::string &temporary) {
  auto nameOf = [&](int number) { return path + ".tmp-" + std::to_string(number); };
  constexpr int alwaysCleaned = 16, most = 1000;
  for (int number = 0; number < alwaysCleaned; ++number)
    removeAbandoned(nameOf(number));
  for (int number = 0; number < most;) {
    temporary = nameOf(number);
    const int descriptor = open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0 && errno == EEXIST) {
      ++number;
      continue;
    }
    if (descriptor < 0)
      return descriptor;
    // Another writer may have removed the file before it was locked.
    flock(descriptor, LOCK_EX);
    struct stat info;
    if (fstat(descriptor, &info) != 0 || info.st_nlink > 0)
      return descriptor;
    close(descriptor);
  }
  errno = EEXIST;
  return -1;
}

/// Renames a file unless there is one by the new name.
static bool renameToNew(const std::string &from, const std::string &to) {
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0)
    return true;
  if (errno != EINVAL && errno != ENOSYS)
    return false;
  // Not every file system has that call, NFS has not.
  if (link(from.c_str(), to.c_str()) != 0)
    return false;
  unlink(from.c_str());
  return true;
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

OutputFile::OutputFile(std::string what, std::string path, Target target)
    : what_(std::move(what)), path_(std::move(path)) {
  if (target == Target::replaced && isSpecial(path_)) {
    descriptor_ = open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0)
      failWriting();
    return;
  }
  target_ = target == Target::replaced ? withoutLinks(what_, path_) : path_;
  descriptor_ = createTemporary(target_, temporary_);
  if (descriptor_ < 0)
    fail(std::string("cannot create a file: ") + std::strerror(errno));
}

OutputFile::~OutputFile() { discard(); }

void OutputFile::discard() {
  // First the name, while the file is locked: afterwards it may be another writer's.
  if (!temporary_.empty())
    unlink(temporary_.c_str());
  temporary_.clear();
  if (descriptor_ >= 0)
    close(std::exchange(descriptor_, -1));
}

void OutputFile::failWriting() {
  const int problem = errno;
  discard();
  fail(std::string("cannot write: ") + std::strerror(problem));
}

void OutputFile::write(std::span<const std::byte> bytes) {
  if (!writeAll(descriptor_, bytes))
    failWriting();
  written_ += bytes.size();
}

void OutputFile::commit() {
  if (temporary_.empty()) {
    if (close(std::exchange(descriptor_, -1)) != 0)
      failWriting();
    return;
  }
  if (fsync(descriptor_) != 0 || rename(temporary_.c_str(), target_.c_str()) != 0)
    failWriting();
  finish(target_);
}

bool OutputFile::commitAs(const std::string &path) {
  if (fsync(descriptor_) != 0)
    failWriting();
  if (!renameToNew(temporary_, path)) {
    if (errno == EEXIST)
      return false;
    failWriting();
  }
  finish(path);
  return true;
}

void OutputFile::finish(const std::string &path) {
  temporary_.clear();
  close(std::exchange(descriptor_, -1)); // its bytes are on the disk already
  syncFolder(path);
}

void tenon::detail::writeFile(const std::string &what, const std::string &path,
                              std::span<const std::span<const std::byte>> parts) {
  OutputFile file(what, path);
  for (std::span<const std::byte> part : parts)
    file.write(part);
  file.commit();
}
