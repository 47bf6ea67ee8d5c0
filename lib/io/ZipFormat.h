//===- ZipFormat.h - the numbers of zip archives ---------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

namespace tenon::detail::zip {

// What parts start with, and how long they are without what varies.
inline constexpr uint32_t localHeader = 0x04034b50, directoryEntry = 0x02014b50, directoryEnd = 0x06054b50;
inline constexpr uint32_t wideEnd = 0x06064b50, wideEndLocator = 0x07064b50, descriptor = 0x08074b50;
inline constexpr size_t localHeaderSize = 30, directoryEntrySize = 46, directoryEndSize = 22;
inline constexpr size_t wideEndSize = 56, wideEndLocatorSize = 20;

// Flags of a member: its sizes follow its data; its name is UTF-8.
inline constexpr uint16_t hasDescriptor = 1 << 3, isNamedInUtf8 = 1 << 11;
// Encrypted, a patch, encrypted strongly, with a hidden header.
inline constexpr uint16_t refusedFlags = 1 << 0 | 1 << 5 | 1 << 6 | 1 << 13;
inline constexpr uint16_t stored = 0, deflated = 8;
// A number of 32 bits that says: it is in the extra field with this tag.
inline constexpr uint16_t wideTag = 1;
inline constexpr uint32_t wide32 = 0xffffffff;

} // namespace tenon::detail::zip
