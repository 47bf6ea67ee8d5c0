//===- ImageMemory.cpp - the memory of programs' images --------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ImageMemory.h"

#include "lib/base/Fork.h"
#include "lib/base/Lasting.h"

#include <algorithm>
#include <atomic>
#include <bitset>
#include <cerrno>
#include <cstring>
#include <memory>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace tenon::rt;

static constexpr std::size_t windowPages = kImageWindow / kImagePage;
/// Larger images have mappings of their own: there cannot be many.
static constexpr std::size_t mostShared = kImageWindow / 4;
/// Where text must be a file's, an image takes mappings of its own; that many are
/// a quarter of what the system allows.
static constexpr int mostFiles = 8192;
static std::atomic<int> files = 0;

static std::string systemError(const char *call) {
  return std::string("program image: ") + call + " failed: " + std::strerror(errno);
}

static void *map(std::size_t bytes, int protection) {
  return mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

struct ImageMemory::Region {
  std::byte *base;
  std::bitset<windowPages> used;
  std::size_t free = windowPages;
  std::size_t fresh = 0; ///< pages from here on are as they were mapped

  /// The first of `pages` unused pages; windowPages if there are not so many.
  std::size_t find(std::size_t pages) const {
    std::size_t run = 0;
    for (std::size_t i = 0; free >= pages && i < windowPages; ++i) {
      run = used[i] ? 0 : run + 1;
      if (run == pages)
        return i + 1 - pages;
    }
    return windowPages;
  }
};

namespace tenon::rt {
struct ImageRegions {
  using Region = ImageMemory::Region;
  ForkLock lock{LockOrder::images};
  std::vector<std::unique_ptr<Region>> all;

  static ImageRegions &get() {
    static constinit Lasting<ImageRegions> instance;
    return instance.get();
  }

  /// Finds room for the extent of `image`. True if these pages were used before.
  bool place(ImageMemory &image) {
    std::size_t pages = image.extent() / kImagePage, at = windowPages;
    std::lock_guard guard(lock);
    Region *region = nullptr;
    for (std::size_t i = 0; i < all.size() && at == windowPages; ++i) {
      region = all[i].get();
      at = region->find(pages);
    }
    if (at == windowPages) {
      auto made = std::make_unique<Region>();
      void *memory = map(2 * kImageWindow, PROT_READ | PROT_WRITE);
      if (memory == MAP_FAILED)
        return false;
      made->base = static_cast<std::byte *>(memory);
      region = all.emplace_back(std::move(made)).get();
      at = 0;
    }
    for (std::size_t i = at; i < at + pages; ++i)
      region->used.set(i);
    region->free -= pages;
    bool usedBefore = at < region->fresh;
    region->fresh = std::max(region->fresh, at + pages);
    image.region = region;
    image.base = region->base + at * kImagePage;
    return usedBefore;
  }

  void giveBack(const ImageMemory &image) {
    Region *region = image.region;
    std::size_t at = static_cast<std::size_t>(image.base - region->base) / kImagePage,
                pages = image.extent() / kImagePage;
    std::lock_guard guard(lock);
    for (std::size_t i = at; i < at + pages; ++i)
      region->used.reset(i);
    region->free += pages;
    if (region->free != windowPages)
      return;
    munmap(region->base, 2 * kImageWindow);
    std::erase_if(all, [&](const std::unique_ptr<Region> &other) { return other.get() == region; });
  }
};
} // namespace tenon::rt

std::size_t ImageMemory::regions() {
  ImageRegions &regions = ImageRegions::get();
  std::lock_guard guard(regions.lock);
  return regions.all.size();
}

ImageMemory ImageMemory::allocate(std::size_t textBytes, std::size_t dataBytes, std::string &error) {
  ImageMemory image;
  image.textBytes = textBytes;
  image.dataBytes = dataBytes;
  bool mustWrite = true;
  if (std::size_t extent = image.extent(); extent <= mostShared) {
    mustWrite = ImageRegions::get().place(image);
  } else {
    void *memory = map(imageDataOffset(textBytes) + pageBytes(dataBytes), PROT_NONE);
    image.base = memory == MAP_FAILED ? nullptr : static_cast<std::byte *>(memory);
  }
  if (!image.base) {
    error = systemError("mmap");
    return {};
  }
  std::size_t text = image.region ? image.extent() : pageBytes(textBytes);
  std::size_t data = image.region ? image.extent() : pageBytes(dataBytes);
  if (mustWrite && (mprotect(image.text(), text, PROT_READ | PROT_WRITE) != 0 ||
                    mprotect(image.data(), data, PROT_READ | PROT_WRITE) != 0)) {
    error = systemError("mprotect");
    return {};
  }
  // Every page is about to be written: one call for many of them costs less than
  // a fault for each. Where there is no such call, they fault.
#if defined(MADV_POPULATE_WRITE)
  if (textBytes > 4 * kImagePage)
    madvise(image.text(), pageBytes(textBytes), MADV_POPULATE_WRITE);
  if (dataBytes > 4 * kImagePage)
    madvise(image.data(), pageBytes(dataBytes), MADV_POPULATE_WRITE);
#endif
  return image;
}

/// Puts the text into a memory file and maps that over it: systems that refuse to
/// make written memory executable (PR_SET_MDWE, SELinux) allow it.
bool ImageMemory::mapTextFromFile(std::string &error) {
  if (files.fetch_add(1) >= mostFiles) {
    files.fetch_sub(1);
    error = "program image: expected at most " + std::to_string(mostFiles) +
            " programs in a process in which memory that was written cannot be executed, got more";
    return false;
  }
  ownsFile = true;
  int file = memfd_create("tenon-program", MFD_CLOEXEC);
  if (file < 0) {
    error = systemError("memfd_create");
    return false;
  }
  std::size_t done = 0;
  while (done < textBytes) {
    ssize_t n = write(file, text() + done, textBytes - done);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0) {
      error = systemError("write");
      close(file);
      return false;
    }
    done += static_cast<std::size_t>(n);
  }
  void *at = mmap(text(), textBytes, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, file, 0);
  if (at == MAP_FAILED)
    error = systemError("mmap of executable memory");
  close(file);
  return at != MAP_FAILED;
}

bool ImageMemory::seal(std::string &error) {
  std::size_t textSpan = region ? extent() : pageBytes(textBytes);
  std::size_t dataSpan = region ? extent() : pageBytes(dataBytes);
  if (textSpan != 0 && mprotect(text(), textSpan, PROT_READ | PROT_EXEC) != 0) {
    if (errno != EACCES && errno != EPERM) {
      error = systemError("mprotect");
      return false;
    }
    if (!mapTextFromFile(error))
      return false;
  }
  if (dataSpan != 0 && mprotect(data(), dataSpan, PROT_READ) != 0) {
    error = systemError("mprotect");
    return false;
  }
  return true;
}

ImageMemory::~ImageMemory() {
  if (!base)
    return;
  if (ownsFile)
    files.fetch_sub(1);
  if (!region) {
    munmap(base, imageDataOffset(textBytes) + pageBytes(dataBytes));
    return;
  }
  // The pages go, their protection stays, so that neighbours remain one mapping.
  if (ownsFile)
    mmap(text(), extent(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  else
    madvise(text(), extent(), MADV_DONTNEED);
  madvise(data(), extent(), MADV_DONTNEED);
  ImageRegions::get().giveBack(*this);
}
