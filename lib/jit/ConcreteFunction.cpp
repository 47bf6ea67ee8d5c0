//===- ConcreteFunction.cpp - one signature of a jitted function, to be held ------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/jit/Core.h"

#include "lib/array/Buffer.h"
#include "lib/base/DimExpr.h"
#include "lib/jit/Text.h"
#include "lib/trace/Record.h"

#include <ostream>

using namespace tenon;
using namespace tenon::detail;

namespace {
/// Arguments of which some are specs, which get arrays without elements.
class SpecifiedArguments {
public:
  SpecifiedArguments(const JitCore &core, std::span<const JitArgument> given)
      : record_(core.name()), arguments_(given.begin(), given.end()) {
    arrays_.reserve(given.size());
    for (JitArgument &argument : arguments_)
      if (const TensorSpec *const spec = argument.spec) {
        Shape shape = spec->shape;
        for (Dim &dim : shape)
          dim = withoutBounds(dim);
        arrays_.push_back(record_.input({spec->dtype, default_device(), shape}));
        argument.ref.tree = &arrays_.back();
      }
  }
  std::span<const JitArgument> all() const { return arguments_; }

private:
  Record record_;
  std::vector<Array> arrays_;
  std::vector<JitArgument> arguments_;
};
} // namespace

JitEntry *detail::concreteJit(JitCore &core, const TreeFunction &function, std::span<const JitArgument> given,
                              Location at) {
  const SpecifiedArguments arguments(core, given);
  JitCall call(function, arguments.all(), core.argumentNames(), at);
  return core.concrete(call).detach();
}

Lowered detail::lowerJit(JitCore &core, const TreeFunction &function, std::span<const JitArgument> given, Location at) {
  const SpecifiedArguments arguments(core, given);
  JitCall call(function, arguments.all(), core.argumentNames(), at);
  return core.lower(call);
}

Explanation detail::explainJit(JitCore &core, const TreeFunction &function, std::span<const JitArgument> given,
                               Location at) {
  const SpecifiedArguments arguments(core, given);
  JitCall call(function, arguments.all(), core.argumentNames(), at);
  return core.explain(call);
}

JitResult detail::callConcrete(JitCore &core, JitEntry &entry, const TreeFunction &function,
                               std::span<const JitArgument> arguments, Location at) {
  JitCall call(function, arguments, core.argumentNames(), at);
  return core.callOf(EntryRef::share(&entry), call);
}

ConcreteBase::ConcreteBase(JitCore *core, JitEntry *entry) : core_(core), entry_(entry) { retainJit(core_); }
ConcreteBase::ConcreteBase(const ConcreteBase &other) : core_(other.core_), entry_(other.entry_) {
  retainJit(core_);
  EntryRef::share(entry_).detach();
}
ConcreteBase::~ConcreteBase() {
  releaseJitEntry(entry_);
  releaseJit(core_);
}

std::string ConcreteBase::str() const { return concreteText(core_->name(), core_->argumentNames(), *entry_); }
std::ostream &ConcreteBase::print(std::ostream &out) const { return out << str(); }
Lowered ConcreteBase::lowered() const {
  core_->expectAlive(*entry_, {});
  return entry_->path().whole();
}
size_t ConcreteBase::variants() const { return entry_->paths().size(); }
ConcreteStats ConcreteBase::stats() const { return core_->statsOf(*entry_); }
ProgramCost ConcreteBase::cost(Location at) const {
  return placed(at, [&] { return core_->costOf(*entry_); });
}

std::ostream &tenon::operator<<(std::ostream &out, const ProgramCost &cost) { return out << costText(cost); }
std::ostream &tenon::operator<<(std::ostream &out, const Explanation &explanation) { return out << explanation.text; }
std::ostream &detail::print(std::ostream &out, const std::string &text) { return out << text; }
std::string detail::textOf(const JitCore &core) {
  const std::vector<EntryRef> entries = core.entries();
  std::string text = "Function " + core.name() + ": " + std::to_string(entries.size()) + " concrete function" +
                     (entries.size() == 1 ? "" : "s");
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry)
    text += "\n" + concreteText(core.name(), core.argumentNames(), **entry);
  return text;
}
