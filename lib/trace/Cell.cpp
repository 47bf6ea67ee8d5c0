//===- Cell.cpp - what a Variable holds -----------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/base/Fork.h"
#include "lib/base/Lasting.h"
#include "lib/trace/RegionOp.h"
#include "lib/trace/State.h"
#include "lib/trace/Tapes.h"

#include <atomic>
#include <unordered_set>

using namespace tenon;
using namespace tenon::detail;

static uint64_t nextCell() {
  static std::atomic<uint64_t> next{1};
  return next++;
}

/// The same text for ever: names are few, and are read without a lock.
static const std::string *lasting(std::string_view name) {
  static constinit rt::ForkLock lock(rt::LockOrder::variableNames);
  static constinit rt::Lasting<std::unordered_set<std::string>> names;
  std::unordered_set<std::string> &all = names.get();
  std::lock_guard guard(lock);
  return &*all.emplace(name).first;
}

Cell::Cell(const Type &type, Array value, std::string name, bool trainable)
    : id(nextCell()), value_(std::move(value)), name_(lasting(name)), type_(type), isBuilt_(true),
      isTrainable_(trainable) {}
Cell::Cell(std::string name, bool trainable)
    : id(nextCell()), name_(lasting(name)), isBuilt_(false), isTrainable_(trainable) {}

void Cell::setName(std::string_view name) {
  if (name != this->name())
    name_.store(lasting(name), std::memory_order_release);
}

bool Cell::build(const Type &type, Array value) {
  std::lock_guard lock(lock_);
  if (isBuilt())
    return false;
  type_ = type;
  value_ = std::move(value);
  isBuilt_.store(true, std::memory_order_release);
  return true;
}
void Cell::refuseUnbuilt() const {
  throw Error("Variable: expected '" + name() +
              "' to have a value, got one whose layer is not built: call the model, or say nn::build(model, shape)");
}

void Cell::await(std::unique_lock<std::mutex> &lock) const {
  if (!isBuilt())
    refuseUnbuilt();
  if (!value_.has_value() && !holder_)
    throw Error("Variable: expected '" + name() +
                "' to hold an array, got none: the jitted call that created it failed");
  if (!value_.has_value() && holder_ == thisThread())
    throw Error("Variable: cannot read '" + name() + "' while this thread updates it");
  changed_.wait(lock, [&] { return value_.has_value(); });
}

Array Cell::get() const {
  std::unique_lock lock(lock_);
  await(lock);
  return value_;
}

Array Cell::getOwn(uint64_t tape) {
  std::unique_lock lock(lock_);
  await(lock);
  if (std::exchange(ownOf_, tape) != tape)
    value_ = anotherOf(value_.value());
  return value_;
}

void Cell::set(Array value) {
  {
    std::lock_guard lock(lock_);
    ownOf_ = 0;
    std::swap(value_, value); // the old one goes when the lock is given back
  }
  changed_.notify_all();
}

bool Cell::take(Array &value) {
  std::lock_guard lock(lock_);
  value = std::exchange(value_, Array());
  return true;
}

void Cell::refuseNested(Location at) const {
  throw Error(
      "Variable: cannot assign '" + name() +
          "' in a host_call of a program that has assigned it: return the new value from the host function instead",
      userLocation(at));
}

bool Cell::hold(Location at, bool mayNest) {
  std::unique_lock lock(lock_);
  if (holder_ == thisThread() && !mayNest_)
    refuseNested(at);
  if (holder_ == thisThread()) {
    ++nested_;
    return std::exchange(mayNest_, mayNest);
  }
  changed_.wait(lock, [&] { return !holder_; });
  holder_ = thisThread();
  mayNest_ = mayNest;
  return mayNest;
}
void Cell::letGo(bool mayNest) {
  {
    std::lock_guard lock(lock_);
    if (nested_) {
      --nested_;
      mayNest_ = mayNest;
      return;
    }
    holder_ = nullptr;
  }
  changed_.notify_all();
}

// Zero bytes are an empty std::shared_ptr.
CellHandle::CellHandle(const CellHandle &other) noexcept { as<CellRef>() = other.as<CellRef>(); }
CellHandle::CellHandle(CellHandle &&other) noexcept { as<CellRef>() = std::move(other.as<CellRef>()); }
CellHandle &CellHandle::operator=(CellHandle other) noexcept {
  as<CellRef>().swap(other.as<CellRef>());
  return *this;
}
CellHandle::~CellHandle() { as<CellRef>().~CellRef(); }
bool CellHandle::operator==(const CellHandle &other) const { return as<CellRef>() == other.as<CellRef>(); }
CellHandle::operator bool() const { return as<CellRef>() != nullptr; }

CellRef Cell::gradient(Location at) {
  if (!isWatched() || !type().shape.is_static())
    throw Error("grad: expected a trainable Variable with floating (or complex) elements" +
                    std::string(isWatched() ? " and known sizes, got " : ", got ") +
                    (isTrainable() ? type().str() : "a Variable that is not trainable") + "\n  variable: '" + name() +
                    "'",
                userLocation(at));
  std::lock_guard lock(lock_);
  if (!gradient_) {
    const Array zero(Scalar(0), type().dtype);
    const auto rank = static_cast<size_t>(type().shape.rank());
    const std::vector<int64_t> strides(rank);
    const Array zeros = Array::adopt(makeView(zero.value(), {type().shape.begin(), rank}, strides, zero.value()->data));
    gradient_ = std::make_shared<Cell>(type(), Array::adopt(onDevice(zeros.value(), type().device, at)),
                                       name() + ".grad", false);
  }
  return gradient_;
}
