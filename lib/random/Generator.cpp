//===- Generator.cpp - random numbers without keys -----------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/base/Lasting.h"
#include "lib/base/PerThread.h"
#include "lib/random/DefaultDraws.h"
#include "lib/random/Draw.h"
#include "lib/trace/Record.h"
#include "lib/trace/State.h"
#include "runtime/math/Threefry.h"

#include "lib/random/InitialKeys.h"

#include <tenon/generator.h>

#include <atomic>
#include <mutex>
#include <optional>

using namespace tenon;
using namespace tenon::detail;

/// A stream as four words: those of the seed and of how many keys it has given, the high one first.
static Array wordsOf(uint64_t seed, uint64_t drawn) {
  const uint32_t words[] = {static_cast<uint32_t>(seed >> 32), static_cast<uint32_t>(seed),
                            static_cast<uint32_t>(drawn >> 32), static_cast<uint32_t>(drawn)};
  return Array(std::span<const uint32_t>(words), Shape{4});
}

namespace tenon::random {

/// Of a generator, which may be gone before what has been traced with it.
class GeneratorCell final : public Cell {
public:
  explicit GeneratorCell(Generator &generator)
      : Cell({Dtype::u32, Device(), Shape{4}}, wordsOf(0, 0), "random::Generator", false), generator_(&generator) {}

  Array get() const override {
    std::lock_guard lock(lock_);
    const uint64_t seed = generator_ ? generator_->seed() : 0,
                   drawn = generator_ ? std::atomic_ref(generator_->drawn_).load() : 0;
    if (!words_.has_value() || seed != seed_ || drawn != drawn_)
      words_ = wordsOf(seed_ = seed, drawn_ = drawn);
    return words_;
  }
  void set(Array value) override {
    const std::vector<uint32_t> words = value.to_vector<uint32_t>();
    std::lock_guard lock(lock_);
    if (generator_)
      std::atomic_ref(generator_->drawn_).store(uint64_t(words[2]) << 32 | words[3]);
  }
  bool take(Array &value) override {
    value = get();
    return false;
  }
  static const CellHandle &of(Generator &generator) { return generator.cell(); }
  void end() {
    std::lock_guard lock(lock_);
    generator_ = nullptr;
  }

private:
  mutable std::mutex lock_;
  Generator *generator_;
  /// What it has given last, and of which numbers: an array until the next draw, by which a call sees whether there has
  /// been one.
  mutable Array words_;
  mutable uint64_t seed_ = 0, drawn_ = 0;
};

} // namespace tenon::random

random::Generator::~Generator() {
  if (cell_)
    static_cast<GeneratorCell &>(*refOf(cell_)).end();
}

void random::Generator::seed(uint64_t seed) {
  std::atomic_ref(seed_).store(seed);
  std::atomic_ref(drawn_).store(0);
}
uint64_t random::Generator::seed() const { return std::atomic_ref(seed_).load(); }

const CellHandle &random::Generator::cell() {
  static std::mutex making;
  std::lock_guard lock(making);
  if (!cell_)
    cell_ = handleOf(std::make_shared<GeneratorCell>(*this));
  std::atomic_ref(hasCell_).store(true, std::memory_order_release);
  return cell_;
}

[[noreturn]] static void refuse(const Interpreter &inside, const char *what, Location at) {
  throw Error("random::Generator: cannot draw inside " + inside.name() +
                  ", where the numbers would be the same for each " + what +
                  "; pass a key as an argument instead (random::split makes keys)",
              userLocation(at));
}

Key random::nextKey(Array &words, Location at) {
  const LocationScope frame("random::Generator", at);
  auto word = [&](int i) { return words[i]; };
  const Array high = word(2), low = word(3), next = low + 1u;
  const Key key{threefry(words[slice(0, 2)], high, low)};
  words = stack({word(0), word(1), where(next == 0u, high + 1u, high), next});
  return key;
}
/// The next key of a stream that is a state here.
static Key keyOfState(const StatePlace &here, const CellRef &cell, Location at) {
  if (here.entry) {
    Array words = here.overlay->read(*here.entry);
    const Key key = random::nextKey(words, at);
    StateOverlay::set(*here.entry, words);
    here.entry->isAssigned = true;
    return key;
  }
  StateScope::Use &use = here.scope->use(cell);
  const Key key = random::nextKey(use.current, at);
  use.isAssigned = true;
  use.assignedAt = userLocation(at);
  return key;
}

struct random::Generator::Hold {
  Hold(const Generator &generator, Location at) {
    if (!std::atomic_ref(generator.hasCell_).load(std::memory_order_acquire))
      return;
    held.emplace(std::vector{refOf(generator.cell_)}, at);
    expectNotPending(refOf(generator.cell_), at);
  }
  std::optional<HeldCells> held;
};

/// Where the default generator must not draw; null: it may.
TENON_PER_THREAD rt::PerThread<const char *> noDrawsIn;

detail::NoDefaultDraws::NoDefaultDraws(const char *where) : outer_(*noDrawsIn) { *noDrawsIn = where; }
detail::NoDefaultDraws::~NoDefaultDraws() { *noDrawsIn = outer_; }

Key random::Generator::key(Location at) {
  StateOverlay *const overlay =
      std::atomic_ref(hasCell_).load(std::memory_order_acquire) ? StateOverlay::of(refOf(cell_)) : nullptr;
  if (*noDrawsIn && !overlay && this == &default_generator()) [[unlikely]]
    throw Error(std::string("random::Generator: cannot draw from the default generator in a thread of ") + *noDrawsIn +
                    ", where the numbers would depend on the other threads; data::random_map passes a key for each "
                    "element",
                userLocation(at));
  if (const Interpreter *inside = innermost(InterpreterKind::batch); inside && !(overlay && overlay->mayHold(*inside)))
    refuse(*inside, "example", at);
  if (const Interpreter *inside = recordThatRepeats(overlay ? refOf(cell_).get() : nullptr))
    refuse(*inside, "round", at);
  if (overlay && !hasState(refOf(cell_)))
    throw Error("random::Generator: expected nn::Params with the key 'default', from which the model draws",
                userLocation(at));
  if (overlay || StateScope::innermost())
    return keyOfState(StatePlace::of(refOf(cell())), refOf(cell()), at);
  const Hold hold(*this, at);
  const uint64_t seed = this->seed(), number = std::atomic_ref(drawn_).fetch_add(1, std::memory_order_relaxed);
  const auto [high, low] =
      math::randomWords<uint32_t>(static_cast<uint32_t>(seed >> 32), static_cast<uint32_t>(seed), number);
  const uint32_t words[] = {high, low};
  return {Array(std::span<const uint32_t>(words), Shape{2}, at)};
}

static void expectNoTrace(const char *what, Location at) {
  if (StateScope::innermost())
    throw Error(std::string("random::Generator.") + what +
                    ": expected a call outside of traced functions, in which a draw has no number yet",
                userLocation(at));
}

uint64_t random::Generator::position(Location at) const {
  expectNoTrace("position", at);
  const Hold hold(*this, at);
  return std::atomic_ref(drawn_).load();
}

void random::Generator::seek(uint64_t position, Location at) {
  expectNoTrace("seek", at);
  const Hold hold(*this, at);
  std::atomic_ref(drawn_).store(position);
}

const CellHandle &random::defaultGeneratorCell() { return GeneratorCell::of(default_generator()); }

random::Generator &random::default_generator() {
  static constinit rt::Lasting<Generator> generator;
  return generator.get();
}

static std::atomic<uint32_t> initialKeys = 0;

Key random::nextInitialKey() {
  // Not among the keys that the default generator splits off its own.
  const Key stream = fold_in(key(default_generator().seed()), 0x77656967);
  return fold_in(stream, Array(initialKeys++));
}

void tenon::set_seed(uint64_t seed) {
  initialKeys = 0;
  random::default_generator().seed(seed);
}
