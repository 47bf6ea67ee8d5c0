//===- Record.h - recording a function into a trace ---------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/trace/Interpreter.h"

namespace tenon {

/// Records what is bound while it is active. Operands that are not its own
/// (buffers, values of interpreters below) become hidden inputs, in order of
/// first use.
class Record : public Interpreter {
public:
  explicit Record(std::string name);
  ~Record() override;

  /// An explicit input. All are made before anything is recorded.
  Array input(const Type &type, std::string path = {});
  void process(const Bind &bind, std::span<Array> results) override;

  /// The number of `array` in this trace; captures it if it is not its own.
  ValueId number(const Array &array);

  struct Result {
    TraceRef trace;
    /// What the hidden inputs, the last ones of the trace, were captured from.
    std::vector<Array> captures;
  };
  /// Freezes; this Record takes no further ops.
  Result finish(std::span<const Array> outputs);

private:
  TraceBody body_;
  std::vector<ValueId> hiddenInputs_;
  std::vector<Array> captures_;
  struct Captured;
  Captured *captured_;
};

/// Records `function` on inputs of these types in a Record of its own.
template <class F>
Record::Result recordFunction(std::string name, std::span<const Type> inputs, F &&function) {
  Record record(std::move(name));
  ActiveInterpreter active(record);
  std::vector<Array> arguments;
  for (const Type &type : inputs)
    arguments.push_back(record.input(type));
  std::vector<Array> outputs = function(std::span<const Array>(arguments));
  return record.finish(outputs);
}

} // namespace tenon
