//===- Text.cpp - jitted functions as people read them ------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/jit/Text.h"

#include "lib/array/Buffer.h"

#include <algorithm>
#include <set>

using namespace tenon;
using namespace tenon::detail;

/// `float32 Tensor, shape=(60, 28)`, as TensorFlow prints it.
static std::string tensorText(const Type &type) {
  std::string sizes;
  for (int axis = 0; axis < type.shape.rank(); ++axis)
    sizes += (axis ? ", " : "") + type.shape[axis].str();
  if (type.shape.rank() == 1)
    sizes += ",";
  return std::string(name(type.dtype)) + " Tensor, shape=(" + sizes + ")" +
         (type.device == Device::cpu ? "" : ", on " + name(type.device));
}

/// Of a path, what one of its results is.
static Type typeFrom(const Origin &origin, const JitPath &path, std::span<const Type> arguments) {
  switch (origin.kind) {
  case Origin::output:
    return path.trace->type(path.trace->outputs()[origin.index]);
  case Origin::input:
    return arguments[origin.index];
  case Origin::variable:
    return path.trace->type(path.trace->inputs()[arguments.size() + *path.state.variables[origin.index].read]);
  case Origin::constant:
    return tenon::typeOf(origin.array.value());
  }
  __builtin_unreachable();
}

std::string detail::concreteText(const std::string &name, std::span<const std::string> names, const JitEntry &entry) {
  const JitPath &path = const_cast<JitEntry &>(entry).path();
  const std::vector<std::string> &paths = entry.leafPaths;
  const std::vector<Type> types = entry.signature.types();
  std::string text = "ConcreteFunction " + name + entry.signature.parameters(names) + "\n  Args:\n";
  for (size_t i = 0; i < types.size(); ++i)
    text += "    " + paths[i] + ": " + tensorText(types[i]) + "\n";
  if (types.empty())
    text += "    none\n";
  text += "  Returns:\n";
  std::vector<std::string> results;
  if (path.prototype && path.prototype->get())
    path.prototype->ref().ops->paths(path.prototype->get(), results);
  for (size_t i = 0; i < path.results.size(); ++i)
    text += "    " + (results[i].empty() ? "" : results[i] + ": ") +
            tensorText(typeFrom(path.results[i], path, types)) + "\n";
  if (path.results.empty())
    text += "    none\n";
  const bool assigns =
      std::ranges::any_of(path.state.variables, [](const VariableUse &use) { return use.assigned.has_value(); });
  if (!path.state.writes.empty() || assigns)
    text += "  Updates:\n";
  for (const Write &write : path.state.writes)
    text += "    " + paths[write.leaf] + ": " + tensorText(typeFrom(write.origin, path, types)) + "\n";
  for (const VariableUse &use : path.state.variables)
    if (use.assigned)
      text += "    a Variable: " + tensorText(typeFrom(*use.assigned, path, types)) + "\n";
  text.pop_back();
  return text;
}

/// What C++ asks after the answers that the first `depth` guards of `paths` share.
static void appendQuestions(std::string &text, std::span<const JitPath *const> paths, size_t depth) {
  const auto asks = std::ranges::find_if(paths, [&](const JitPath *path) { return path->guards.size() > depth; });
  if (asks == paths.end())
    return;
  const Guard &question = (*asks)->guards[depth];
  const std::string indent(2 + 2 * depth, ' ');
  text += "\n" + indent + "asks at " + question.place + ":";
  std::set<int64_t> answers;
  for (const JitPath *path : paths)
    if (path->guards.size() > depth)
      answers.insert(path->guards[depth].answer);
  for (const int64_t answer : answers) {
    std::vector<const JitPath *> those;
    uint64_t calls = 0;
    for (const JitPath *path : paths)
      if (path->guards.size() > depth && path->guards[depth].answer == answer) {
        those.push_back(path);
        calls += __atomic_load_n(&path->calls, __ATOMIC_RELAXED);
      }
    text += "\n" + indent + "  " + answerText(question, answer) + " in " + std::to_string(calls) +
            (calls == 1 ? " call" : " calls");
    appendQuestions(text, those, depth + 1);
  }
  for (const JitPath *path : paths)
    if (const JitPath *both = __atomic_load_n(&path->both, __ATOMIC_ACQUIRE); both && both->guards.size() == depth) {
      const uint64_t calls = __atomic_load_n(&both->calls, __ATOMIC_RELAXED);
      text += "\n" + indent + "  both answers merged into one program, in " + std::to_string(calls) +
              (calls == 1 ? " call" : " calls");
      break;
    }
}

std::string detail::hitText(const JitEntry &entry, uint64_t calls) {
  std::string text = "traced at " + entry.tracedAt + " (" + std::to_string(calls) + (calls == 1 ? " call)" : " calls)");
  std::vector<const JitPath *> paths;
  for (const auto &path : entry.paths())
    paths.push_back(path.get());
  appendQuestions(text, paths, 0);
  return text;
}

std::string detail::costText(const ProgramCost &cost) {
  auto bytes = [](int64_t count) { return count < 0 ? std::string("of open size") : std::to_string(count) + " bytes"; };
  return std::to_string(cost.ops) + " ops: " + std::to_string(cost.kernels) + " kernels, " +
         std::to_string(cost.library_steps) + " library steps, " + std::to_string(cost.copies) + " copies; arguments " +
         bytes(cost.argument_bytes) + ", results " + bytes(cost.result_bytes) + ", temporary " +
         bytes(cost.temporary_bytes);
}
