//===- Error.cpp - what Tenon throws ----------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tenon/error.h>

#include "lib/base/CalledFunction.h"
#include "lib/base/SizeWatch.h"

using namespace tenon;

static std::string withPlace(const std::string &message, Location at) {
  if (!at.known())
    return message;
  return message + "\n  at " + at.file + ":" + std::to_string(at.line) +
         (at.column ? ":" + std::to_string(at.column) : std::string());
}

Error::Error(const std::string &message, Location at)
    : std::runtime_error(withPlace(message, at)), first_(message.substr(0, message.find('\n'))), at_(at) {
  detail::SizeWatch::note(first_, at);
}

constinit thread_local detail::SizeWatch *detail::SizeWatch::current_ = nullptr;

void detail::SizeWatch::add(std::string_view what, Location at) {
  text_ = what;
  if (at.known()) // one that is told where it was made is made again
    at_ = at;
}

constinit detail::CalledFunction detail::calledFunction;

std::string detail::calledName(std::string_view otherwise) {
  const std::string name = calledFunction.name ? calledFunction.name() : "";
  return name.empty() ? std::string(otherwise) : name;
}

void detail::throwOfCall(const std::string &sentence, Location at) {
  const std::string name = calledName("");
  if (name.empty())
    throw Error(sentence, at);
  throw Error(name + ": " + sentence, calledFunction.place(at));
}
