//===- Writer.cpp - files of events, and which one is the default ------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/summary/Writer.h"

#include "lib/base/ErrorLocation.h"
#include "lib/base/File.h"
#include "lib/base/Fork.h"
#include "lib/base/PerThread.h"
#include "lib/data/Records.h"
#include "lib/summary/Events.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

using namespace tenon;
using namespace tenon::summary;

/// One lock for several writers. While it is held no other lock of ours is taken; a fork finds whole events.
static rt::ForkLock &lockOf(const WriterBody *body) { return rt::ForkLocks<rt::LockOrder::fileNames, 8>::of(body); }

double summary::wallTime() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

WriterBody::WriterBody(const std::string &folder, const FileWriterOptions &options)
    : folder_(folder), options_(options) {
  open();
}
WriterBody::~WriterBody() {
  try {
    close();
  } catch (const Error &error) { // nobody is there to catch it
    std::fprintf(stderr, "%s\n", error.what());
  }
  if (descriptor_ >= 0)
    ::close(descriptor_);
}
void WriterBody::fail(const std::string &message) const {
  tenon::detail::fileError("summary::FileWriter", message, path_);
}

/// A name that is not taken yet: also of writers that are opened in one second, by one process or several hosts.
void WriterBody::open() {
  std::error_code problem;
  std::filesystem::create_directories(folder_.empty() ? "." : folder_, problem);
  path_ = folder_;
  if (problem)
    fail("cannot make the folder: " + problem.message());
  char host[HOST_NAME_MAX + 1] = "localhost";
  ::gethostname(host, sizeof(host) - 1);
  process_ = ::getpid();
  std::string time = std::to_string(static_cast<int64_t>(wallTime()));
  time.insert(0, time.size() < 10 ? 10 - time.size() : 0, '0');
  const std::string base = (std::filesystem::path(folder_) /
                            ("events.out.tfevents." + time + "." + host + "." + std::to_string(process_) + "."))
                               .string();
  for (int number = 0; descriptor_ < 0; ++number) {
    path_ = base + std::to_string(number) + options_.filename_suffix;
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
    if (descriptor_ < 0 && errno != EEXIST && errno != EINTR)
      fail(std::string("cannot create a file: ") + std::strerror(errno));
  }
  size_ = 0;
  data::detail::appendRecord(pending_, versionEvent(wallTime()));
  write();
}

/// A forked child drops the collected events, which its parent writes, and opens a file of its own.
void WriterBody::reopenAfterFork() {
  if (descriptor_ < 0 || process_ == ::getpid())
    return;
  ::close(descriptor_);
  descriptor_ = -1;
  pending_.clear();
  open();
}

void WriterBody::write() {
  struct stat info;
  if (::fstat(descriptor_, &info) == 0 && info.st_nlink == 0)
    fail("expected the file to be there, got one that was removed");
  for (size_t done = 0; done < pending_.size();) {
    const ssize_t put = ::write(descriptor_, pending_.data() + done, pending_.size() - done);
    if (put < 0 && errno == EINTR)
      continue;
    if (put < 0) {
      const std::string reason = std::strerror(errno);
      // Readers stop at an event that is cut: the file gets its old length back, and the events may be written later.
      if (::ftruncate(descriptor_, size_) != 0)
        fail("cannot write, and the file ends within an event: " + reason);
      fail("cannot write: " + reason);
    }
    done += static_cast<size_t>(put);
  }
  size_ += static_cast<int64_t>(pending_.size());
  pending_.clear();
  count_ = 0;
  written_ = wallTime();
}

void WriterBody::add(std::string_view event) {
  const std::scoped_lock lock(lockOf(this));
  if (descriptor_ < 0)
    fail("expected an open writer, got one that close() has ended");
  reopenAfterFork();
  data::detail::appendRecord(pending_, event);
  if (++count_ >= options_.max_queue || wallTime() - written_ >= options_.flush_seconds)
    write();
}
void WriterBody::flush() {
  const std::scoped_lock lock(lockOf(this));
  if (descriptor_ < 0 || process_ != ::getpid())
    return;
  write();
}
void WriterBody::close() {
  const std::scoped_lock lock(lockOf(this));
  if (descriptor_ < 0)
    return;
  if (process_ == ::getpid() && count_ > 0)
    write();
  ::close(std::exchange(descriptor_, -1));
}
std::string WriterBody::path() {
  const std::scoped_lock lock(lockOf(this));
  return path_;
}

void summary::retain(WriterBody *body) { body->references.fetch_add(1, std::memory_order_relaxed); }
void summary::release(WriterBody *body) {
  if (body->references.fetch_sub(1, std::memory_order_acq_rel) == 1)
    delete body;
}

FileWriter::FileWriter(std::string folder, const FileWriterOptions &options, Location at)
    : body_(tenon::detail::placed(at, [&] {
        if (options.max_queue < 1)
          throw Error("summary::FileWriter: expected a max_queue >= 1, got " + std::to_string(options.max_queue));
        return new WriterBody(folder, options);
      })) {}
void FileWriter::flush(Location at) const {
  tenon::detail::placed(at, [&] { body_.get()->flush(); });
}
void FileWriter::close(Location at) const {
  tenon::detail::placed(at, [&] { body_.get()->close(); });
}
std::string FileWriter::path() const { return body_.get()->path(); }

TENON_PER_THREAD rt::PerThread<DefaultScope *> innermost;

DefaultScope::DefaultScope(const tenon::detail::StateRef<WriterBody> &writer) : writer_(writer), outer_(*innermost) {
  *innermost = this;
}
DefaultScope::~DefaultScope() {
  // Nearly always the innermost one.
  for (DefaultScope **at = &*innermost; *at; at = &(*at)->outer_)
    if (*at == this) {
      *at = outer_;
      return;
    }
}
WriterBody *summary::defaultWriter() { return *innermost ? (*innermost)->writer_.get() : nullptr; }
