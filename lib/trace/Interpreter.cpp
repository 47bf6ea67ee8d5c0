//===- Interpreter.cpp - the stack that decides what an op does --------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/trace/Tapes.h"

#include "lib/array/Buffer.h"
#include "lib/base/CalledFunction.h"
#include "lib/base/Fork.h"
#include "lib/base/Lasting.h"
#include "lib/base/PerThread.h"
#include "lib/trace/ThreadScratch.h"
#include "runtime/memory/Memory.h"

#include <tenon/detail/inline_vector.h>

#include <algorithm>
#include <atomic>
#include <map>

using namespace tenon;
using namespace tenon::detail;

/// Transformations nest a few levels deep, bodies of region ops included.
static constexpr int maxDepth = 64;

namespace {
/// What stands at or above the owner of an op, moved aside while it is processed.
struct Aside {
  explicit Aside(int owner);
  ~Aside();
  Aside(const Aside &) = delete;

  InlineVector<Interpreter *, 4> items; ///< null: has ended meanwhile
  Aside *outer;
};

struct ThreadStack {
  Interpreter *items[maxDepth] = {};
  int depth = 0;
  /// 1 + index of the innermost Record; 0: none.
  int record = 0;
  /// How many tapes there are.
  int tapes = 0;
  /// How many are aside, and the innermost of those that hold them.
  int asideCount = 0;
  Aside *aside = nullptr;
  const LocationScope *scope = nullptr;

  void push(Interpreter *item) {
    items[depth++] = item;
    if (item->kind() == InterpreterKind::record)
      record = depth;
    tapes += item->kind() == InterpreterKind::tape;
  }
  void findRecord(int from) {
    record = from;
    while (record && items[record - 1]->kind() != InterpreterKind::record)
      --record;
  }
};
} // namespace
TENON_PER_THREAD rt::PerThread<ThreadStack> stack;

Aside::Aside(int owner) : outer(stack->aside) {
  const int from = std::max(owner - 1, 0);
  for (int i = from; i < stack->depth; ++i) {
    items.push_back(stack->items[i]);
    stack->tapes -= stack->items[i]->kind() == InterpreterKind::tape;
  }
  stack->depth = from;
  stack->asideCount += static_cast<int>(items.size());
  stack->aside = this;
  if (stack->record > from)
    stack->findRecord(from);
}

Aside::~Aside() {
  stack->aside = outer;
  stack->asideCount -= static_cast<int>(items.size());
  for (Interpreter *item : items)
    if (item)
      stack->push(item);
}

struct EmptyStack::Stack {
  explicit Stack(int from) : aside(from) {}
  Aside aside;
};
EmptyStack::EmptyStack() : stack_(std::make_unique<Stack>(0)) {}
EmptyStack::~EmptyStack() = default;

StackBelow::StackBelow(const Interpreter &one) {
  for (int level = stack->depth; level > 0; --level)
    if (stack->items[level - 1] == &one) {
      stack_ = std::make_unique<EmptyStack::Stack>(level);
      return;
    }
}
StackBelow::~StackBelow() = default;

/// Names of interpreters by id, for the errors about values that outlived
/// theirs. Bounded: the oldest are forgotten.
namespace {
struct NameTable {
  rt::ForkLock lock{rt::LockOrder::interpreterNames};
  std::map<uint64_t, std::string> names;
  uint64_t next = 1;
};
} // namespace
static NameTable &nameTable() {
  static constinit rt::Lasting<NameTable> table;
  return table.get();
}

Interpreter::Interpreter(InterpreterKind kind, std::string name) : name_(std::move(name)), kind_(kind), id_(0) {
  if (kind == InterpreterKind::eager)
    return;
  NameTable &table = nameTable();
  std::lock_guard lock(table.lock);
  id_ = table.next++;
  table.names.emplace(id_, name_);
  if (table.names.size() > 1024)
    table.names.erase(table.names.begin());
}

void detail::skipInterpreterIds(uint64_t next) {
  NameTable &table = nameTable();
  std::lock_guard lock(table.lock);
  table.next = std::max(table.next, next);
}

ActiveInterpreter::ActiveInterpreter(Interpreter &interpreter) : interpreter_(interpreter) {
  if (stack->depth + stack->asideCount == maxDepth)
    throw Error("expected at most " + std::to_string(maxDepth) +
                " nested transformations (jitted functions included), got more; a recursive function is traced at "
                "every level: use tn::while_loop, or run it in a tn::EagerScope");
  stack->push(&interpreter);
}

ActiveInterpreter::~ActiveInterpreter() {
  for (int i = stack->depth - 1; i >= 0; --i)
    if (stack->items[i] == &interpreter_) {
      const bool isTape = interpreter_.kind() == InterpreterKind::tape;
      stack->tapes -= isTape;
      // Tapes that stand on it have seen all they can.
      for (int above = i + 1; !isTape && stack->tapes && above < stack->depth; ++above)
        if (stack->items[above]->kind() == InterpreterKind::tape)
          static_cast<TapeInterpreter *>(stack->items[above])->groundEnds();
      std::copy(stack->items + i + 1, stack->items + stack->depth, stack->items + i);
      --stack->depth;
      if (stack->record > i)
        stack->findRecord(stack->depth);
      return;
    }
  for (Aside *aside = stack->aside; aside; aside = aside->outer)
    for (Interpreter *&item : aside->items)
      if (item == &interpreter_) {
        item = nullptr;
        return;
      }
}

Interpreter *tenon::innermostRecord() { return stack->record ? stack->items[stack->record - 1] : nullptr; }
Interpreter *tenon::innermost(InterpreterKind kind) {
  for (int i = stack->depth; i-- > 0;)
    if (stack->items[i]->kind() == kind)
      return stack->items[i];
  return nullptr;
}
bool tenon::onlyEager() { return stack->depth == stack->tapes; }
bool tenon::transforms() { return stack->depth > stack->record; }
bool tenon::onlyBatches() {
  return std::all_of(stack->items, stack->items + stack->depth,
                     [](const Interpreter *one) { return one->kind() == InterpreterKind::batch; });
}

LocationScope::LocationScope(const char *name, Location at) : name_(name), at_(at), outer_(stack->scope) {
  stack->scope = this;
}
LocationScope::LocationScope(const char *name, Location at, const DoorScope *door) : LocationScope(name, at) {
  door_ = door;
}
LocationScope::~LocationScope() { stack->scope = outer_; }

DoorScope::DoorScope(const char *frame, std::string_view name, Location at,
                     std::initializer_list<DoorArgument> arguments)
    : LocationScope(frame, at, this), publicName_(name), count_(std::min(arguments.size(), maxArguments)) {
  std::copy_n(arguments.begin(), count_, arguments_);
}

const DoorScope *DoorScope::current() {
  const DoorScope *outermost = nullptr;
  for (const LocationScope *scope = stack->scope; scope; scope = scope->outer()) {
    if (scope->door())
      outermost = scope->door();
    else if (*scope->name())
      break; // a rule, a batch: what is further out did not call this
  }
  return outermost;
}

std::string tenon::publicName(std::string_view op) {
  const DoorScope *door = DoorScope::current();
  return std::string(door ? door->publicName() : op);
}

/// Of the doors that are open, for what stands below them.
[[maybe_unused]] static const bool namesAreKnown = [] {
  calledFunction.name = [] {
    const DoorScope *door = DoorScope::current();
    return std::string(door ? door->publicName() : "");
  };
  calledFunction.place = userLocation;
  return true;
}();

std::string tenon::namedSentence(std::string_view op, const std::string &sentence) {
  return sentence.starts_with(publicName(op) + ": ") ? sentence : std::string(op) + ": " + sentence;
}

std::string tenon::publicSentence(std::string_view op, const std::string &sentence) {
  bool named =
      sentence.starts_with(op) && (sentence.substr(op.size(), 1) == ":" || sentence.substr(op.size(), 1) == " ");
  return named ? publicName(op) + sentence.substr(op.size()) : sentence;
}

DetachedLocations::DetachedLocations() : hidden_(std::exchange(stack->scope, nullptr)) {}
DetachedLocations::~DetachedLocations() { stack->scope = hidden_; }
const LocationScope *LocationScope::innermost() { return stack->scope; }

Location tenon::userLocation(Location at) {
  for (const LocationScope *scope = stack->scope; scope; scope = scope->outer())
    if (scope->at().known())
      at = scope->at();
  return at;
}

Type tenon::typeOf(const Value *value) { return {value->dtype(), value->device(), value->shape()}; }

Value *tenon::makeValue(const Interpreter &interpreter, const Type &type, uint32_t number, Value *base, Location at,
                        Value *tangent) {
  int rank = type.shape.rank();
  rt::AllocationFailure why;
  const size_t bytes = sizeof(Value) + size_t(rank) * 16 + (tangent ? sizeof(Value *) : 0);
  Value *value = static_cast<Value *>(rt::tryAllocate(bytes, &why));
  at = userLocation(at);
  if (!value)
    throw Error("cannot allocate a traced " + type.str() + ": " + why.message(), at);
  value->references = 1;
  value->word = Value::makeWord(type.dtype, rank, type.device, tangent ? Value::moving : 0);
  value->isTraced = 1;
  value->number = number;
  value->data = const_cast<char *>(at.file);
  value->base = base;
  value->owner = interpreter.id();
  value->ownedBytes = size_t(at.line) << 32 | at.column;
  retain(base);
  std::copy(type.shape.begin(), type.shape.end(), value->dims());
  if (tangent)
    retain(value->tangent() = tangent);
  return value;
}

/// 1 + index on the stack of the interpreter that owns `value`; 0: a buffer.
static int levelOf(const Value *value) {
  if (value->isBuffer())
    return 0;
  for (int level = stack->depth; level > 0; --level)
    if (stack->items[level - 1]->id() == value->owner)
      return level;
  return -1;
}

const Interpreter *tenon::interpreterOf(const Value *value) {
  if (int level = levelOf(value); level >= 0)
    return level ? stack->items[level - 1] : nullptr;
  for (const Aside *aside = stack->aside; aside; aside = aside->outer)
    for (const Interpreter *item : aside->items)
      if (item && item->id() == value->owner)
        return item;
  return nullptr;
}

Value *tenon::withoutDerivatives(Value *value) {
  for (;;) {
    const Interpreter *const owner = interpreterOf(value);
    Value *const below = owner ? owner->below(value) : nullptr;
    if (!below)
      return value;
    value = below;
  }
}

Value *detail::concreteOrNull(Value *value) {
  value = withoutDerivatives(value);
  return value->isBuffer() ? value : nullptr;
}

/// The name of the interpreter that owns, or owned, the value.
static std::string ownerOf(const Value *value) {
  NameTable &table = nameTable();
  std::lock_guard lock(table.lock);
  auto place = table.names.find(value->owner);
  return place != table.names.end() ? place->second : "a transformation";
}

static std::string pathOf(const Value *value) {
  const Interpreter *owner = interpreterOf(value);
  std::string path = owner ? owner->path(value) : "";
  return path.empty() ? "" : " (" + path + ")";
}

[[noreturn]] static void throwEscaped(std::string_view what, const Value *value, Location at) {
  std::string text = std::string(what) + ": a value of " + ownerOf(value) +
                     " was used outside of it (it has ended, or runs on another thread)\n  value: " +
                     describe(value->dtype(), value->shape(), value->device());
  Location made = value->place();
  if (made.known())
    text += ", made at " + placeText(made);
  throw Error(text, userLocation(at));
}

void tenon::expectInUse(std::string_view what, const Value *value, Location at) {
  if (!value->isBuffer() && levelOf(value) < 0)
    throwEscaped(what, value, at);
}

Value *detail::concrete(Value *value, const char *what, Location at) {
  if (!value)
    throw Error(std::string(what) + ": expected an array, got an empty Array", at);
  if (Value *buffer = concreteOrNull(value)) [[likely]]
    return buffer;
  throwNotKnown(withoutDerivatives(value), what, at);
}

Array detail::asked(Value *value, Dtype dtype, const char *what, Location at) {
  value = withoutDerivatives(value);
  const Interpreter *owner = interpreterOf(value);
  if (owner) // on this thread's stack, where nobody has it as const
    if (auto answer = const_cast<Interpreter *>(owner)->ask(value, dtype, what, at))
      return *answer;
  for (int level = stack->depth; level-- > 0;)
    stack->items[level]->refusedAnswer();
  throwNotKnown(value, what, at);
}

void detail::throwNotKnown(const Value *value, const char *what, Location at) {
  if (!value->isBuffer() && !interpreterOf(value))
    throwEscaped(what, value, at.known() ? at : value->place());
  throw Error(std::string(what) + ": expected an array whose elements are known, got a value of " + ownerOf(value) +
                  "; to choose by a value use where or cond, to loop scan or while_loop\n  value: " +
                  describe(value->dtype(), value->shape(), value->device()) + pathOf(value),
              userLocation(at.known() ? at : value->place()));
}

std::string tenon::shown(const Value *value) {
  std::string text = describe(value->dtype(), value->shape(), value->device()) + pathOf(value);
  const Location made = value->isBuffer() ? Location() : value->place();
  if (made.known() && text.back() != ')')
    text += ", made at " + placeText(made);
  return text;
}

std::string tenon::operandName(const OpInfo &info, size_t number) {
  std::string name(info.operands[std::min(number, info.operands.size() - 1)]);
  if (info.variadic && number + 1 >= info.operands.size())
    name += "[" + std::to_string(number - (info.operands.size() - 1)) + "]";
  return name;
}

void tenon::throwOpError(const OpInfo &info, std::span<Value *const> operands, const std::string &sentence,
                         Location at) {
  const DoorScope *door = DoorScope::current();
  std::string text = publicSentence(info.name, sentence);
  auto add = [&](std::string_view name, const Value *value) {
    text +=
        "\n  " + std::string(name) + ": " + describe(value->dtype(), value->shape(), value->device()) + pathOf(value);
  };
  if (door && !door->arguments().empty()) {
    for (const DoorArgument &argument : door->arguments()) {
      if (argument.number)
        text += "\n  " + std::string(argument.name) + ": " + argument.number->scalar().str();
      if (argument.value)
        add(argument.name, argument.value);
      size_t number = 0;
      if (argument.list)
        for (const Array &array : *argument.list) {
          const std::string name = std::string(argument.name) + "[" + std::to_string(number++) + "]";
          if (array.has_value())
            add(name, array.value());
          else
            text += "\n  " + name + ": an empty Array";
        }
    }
  } else {
    for (size_t i = 0; i < operands.size(); ++i)
      if (operands[i])
        add(operandName(info, i), operands[i]);
  }
  const char *separator = "\n  inside ";
  const LocationScope *outside = door ? door->outer() : stack->scope;
  for (const LocationScope *scope = outside; scope; scope = scope->outer()) {
    if (!*scope->name())
      continue;
    text += separator + std::string(scope->name());
    separator = ", ";
  }
  throw Error(text, userLocation(at));
}

//===----------------------------------------------------------------------===//
// Tapes
//===----------------------------------------------------------------------===//

/// A thread takes serials by the thousand.
static constexpr uint64_t serialsAtOnce = 1 << 12;
static constinit std::atomic<uint64_t> nextSerials = 1;
namespace {
struct Serials {
  uint64_t next, last;
};
} // namespace
TENON_PER_THREAD rt::PerThread<Serials> serials;

uint64_t tenon::serialOf(Value *buffer) {
  uint64_t *place = placeOfSerial(buffer);
  uint64_t serial = __atomic_load_n(place, __ATOMIC_RELAXED);
  if (serial)
    return serial;
  Serials &mine = *serials;
  if (mine.next == mine.last) {
    mine.next = nextSerials.fetch_add(serialsAtOnce, std::memory_order_relaxed);
    mine.last = mine.next + serialsAtOnce;
  }
  // Another thread may note the buffer, too.
  const uint64_t fresh = mine.next++;
  return __atomic_compare_exchange_n(place, &serial, fresh, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED) ? fresh : serial;
}

static TapeInterpreter *recordingTape(Interpreter *item) {
  auto *tape = item && item->kind() == InterpreterKind::tape ? static_cast<TapeInterpreter *>(item) : nullptr;
  return tape && tape->isRecording() ? tape : nullptr;
}

/// 1 + index of the topmost recording tape above level `owner`, which may have noted one of
/// the operands; else `owner`.
static int topmostTape(int owner, std::span<Value *const> operands) {
  if (std::none_of(operands.begin(), operands.end(), [](const Value *value) { return value && mayBeTracked(value); }))
    return owner;
  for (int level = stack->depth; level > owner; --level)
    if (recordingTape(stack->items[level - 1]))
      return level;
  return owner;
}

template <class F>
static void forEachRecordingTape(F &&function) {
  for (int level = stack->depth; stack->tapes && level > 0; --level)
    if (TapeInterpreter *tape = recordingTape(stack->items[level - 1]))
      function(*tape);
}

bool tenon::tapesTrack(std::span<Value *const> operands) {
  bool tracked = false;
  forEachRecordingTape([&](const TapeInterpreter &tape) {
    for (const Value *operand : operands)
      tracked |= operand && tape.tracks(operand);
  });
  return tracked;
}

bool tenon::tapesStand() { return stack->tapes != 0; }

uint64_t tenon::newestTape() {
  uint64_t newest = 0;
  forEachRecordingTape([&](const TapeInterpreter &tape) { newest = std::max(newest, tape.id()); });
  return newest;
}

bool tenon::aTapeRecordsAbove(const Interpreter &tape) {
  for (const Aside *aside = stack->aside; aside; aside = aside->outer)
    for (Interpreter *item : aside->items)
      if (item != &tape && recordingTape(item))
        return true;
  return false;
}

bool tenon::tapesStandAbove(const Interpreter &one) {
  for (int level = stack->depth; level > 0 && stack->items[level - 1] != &one; --level)
    if (const Interpreter *item = stack->items[level - 1];
        item->kind() == InterpreterKind::tape && !static_cast<const TapeInterpreter *>(item)->isUsedUp())
      return true;
  return false;
}

void tenon::noteOnTapes(const Bind &bind, std::span<Array> results) {
  forEachRecordingTape([&](TapeInterpreter &tape) { tape.note(bind, results); });
}

void tenon::watchOnTapes(const std::shared_ptr<Cell> &variable, Value *value, uint64_t since) {
  forEachRecordingTape([&](TapeInterpreter &tape) {
    if (tape.id() > since)
      tape.watchVariable(variable, value);
  });
}

TapeReads::TapeReads() {
  forEachRecordingTape([&](TapeInterpreter &tape) { counts_.emplace_back(&tape, tape.variableCount()); });
}
void TapeReads::forget() const {
  for (const auto &[tape, count] : counts_)
    tape->forgetVariables(count);
}

const Interpreter *tenon::interpreterAbove(const Interpreter &tape, const Value *value) {
  for (int level = levelOf(value); level > 0; --level)
    if (stack->items[level - 1] == &tape)
      return interpreterOf(value);
  return nullptr;
}

void tenon::dropAbandonedTapes() {
  for (int level = stack->depth; stack->tapes && level > 0; --level)
    if (Interpreter *item = stack->items[level - 1]; item->kind() == InterpreterKind::tape)
      if (auto *tape = static_cast<TapeInterpreter *>(item); tape->isAbandoned()) {
        delete tape;
        level = stack->depth + 1;
      }
}

const void *tenon::thisThread() { return &*stack; }

void tenon::bind(const Bind &bind, std::span<Array> results) {
  int owner = stack->record;
  for (const Value *value : bind.operands) {
    if (!value)
      continue;
    int level = levelOf(value);
    if (level < 0)
      throwEscaped(publicName(opInfo(bind.op).name), value, bind.at);
    owner = std::max(owner, level);
  }
  if (stack->depth == 0)
    return eager().process(bind, results);
  if (stack->tapes) [[unlikely]]
    owner = topmostTape(owner, bind.operands);
  Interpreter &processor = owner ? *stack->items[owner - 1] : eager();
  const Aside above(owner);
  processor.process(bind, results);
}

/// Types of the results by the shape rule.
static void infer(OpCode op, std::span<Value *const> operands, AttrWords attributes, std::span<const TraceRef> regions,
                  Location at, InlineVector<Type, 2> &types) {
  const OpInfo &info = opInfo(op);
  auto &[operandTypes, results, regionTypes, body] = ThreadScratch::ofThread();
  operandTypes.clear();
  results.clear();
  regionTypes.clear();
  for (const Value *value : operands) {
    if (!value)
      throwOpError(info, operands, std::string(info.name) + ": expected an array, got an empty Array", at);
    operandTypes.push_back(typeOf(value));
  }
  for (const TraceRef &region : regions)
    regionTypes.push_back(region->regionType());
  std::string sentence;
  try {
    sentence = inferTypes({info, operandTypes, attributes, regionTypes}, results);
  } catch (const Error &error) { // arithmetic on sizes, which knows no line
    sentence = namedSentence(info.name, error.message());
  }
  if (!sentence.empty())
    throwOpError(info, operands, sentence, at);
  for (const Type &type : results)
    types.push_back(type);
}

std::vector<Array> tenon::bindInferred(OpCode op, std::span<Value *const> operands, AttrWords attributes,
                                       std::span<const TraceRef> regions, Location at, bool interpreted) {
  InlineVector<Type, 2> types;
  infer(op, operands, attributes, regions, at, types);
  std::vector<Array> results(types.size());
  bind({op, operands, attributes, regions, types, at, interpreted}, results);
  return results;
}

Array tenon::bindOne(OpCode op, std::span<Value *const> operands, AttrWords attributes, Location at) {
  InlineVector<Type, 2> types;
  infer(op, operands, attributes, {}, at, types);
  Array result;
  bind({op, operands, attributes, {}, types, at}, std::span(&result, 1));
  return result;
}

Array tenon::bindUpdate(OpCode op, std::span<Value *const> operands, AttrWords attributes, Location at) {
  InlineVector<Type, 2> types;
  infer(op, operands, attributes, {}, at, types);
  Array result;
  Bind update{op, operands, attributes, {}, types, at};
  update.mayUpdate = true;
  tenon::bind(update, std::span(&result, 1)); // std::bind, found by the span, would take `update` as it is
  return result;
}
