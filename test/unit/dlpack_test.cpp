//===- dlpack_test.cpp - arrays over memory of other libraries, DLPack ---===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SampleArrays.h"
#include "ScratchFile.h"
#include "test/unit/Errors.h"

#include "lib/io/DlpackAbi.h"

#include <tenon/dlpack.h>
#include <tenon/jit.h>
#include <tenon/memory.h>
#include <tenon/transform.h>

#include <atomic>
#include <thread>

using namespace tenon;
using namespace tenon::testing;
using tenon::test::messageOf;
namespace dl = tenon::detail::dlpack;

//===----------------------------------------------------------------------===//
// from_memory
//===----------------------------------------------------------------------===//

namespace {
class Foreign : public ::testing::Test {
protected:
  auto deleter() {
    return [this] { ++deleted; };
  }
  alignas(64) float numbers[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  std::atomic<int> deleted = 0;
};
} // namespace

TEST_F(Foreign, IsNotCopied) {
  {
    Array x = from_memory(numbers, f32, {3, 4}, deleter());
    EXPECT_EQ(x.elements<float>().data(), numbers);
    EXPECT_EQ(sum(x).item<float>(), 66);
    Array row = x[1];
    x = Array();
    EXPECT_EQ(deleted, 0);
    EXPECT_EQ(row.to_vector<float>(), (std::vector<float>{4, 5, 6, 7}));
  }
  EXPECT_EQ(deleted, 1);
}

TEST_F(Foreign, HasAnyStrides) {
  const Array x = from_memory(numbers + 11, f32, {3, 2}, deleter(), {.strides = {{-4, -2}}});
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{11, 9, 7, 5, 3, 1}));
  const Array turned = from_memory(numbers, f32, {4, 3}, deleter(), {.strides = {{1, 4}}});
  EXPECT_EQ((turned + 0.0f).to_vector<float>(), (std::vector<float>{0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11}));
  const Array same = from_memory(numbers + 5, f32, {2, 3}, deleter(), {.strides = {{0, 0}}});
  EXPECT_EQ(sum(same).item<float>(), 30);
  auto doubled = jit([](const Array &x) { return x + x; }, {.compile = Compile::never});
  EXPECT_EQ(doubled(x).to_vector<float>()[0], 22);
}

TEST_F(Foreign, ThatIsNotAlignedIsCopied) {
  std::vector<std::byte> bytes(5 * sizeof(double) + 1);
  const double values[] = {1, 2, 3, 4, 5};
  std::memcpy(bytes.data() + 1, values, sizeof values);
  const Array x = from_memory(bytes.data() + 1, f64, {3}, deleter(), {.strides = {{2}}});
  EXPECT_EQ(deleted, 1);
  EXPECT_EQ(x.to_vector<double>(), (std::vector<double>{1, 3, 5}));
  // An f32's alignment is enough for two of them.
  const Array z = from_memory(numbers + 1, c64, {2}, deleter());
  EXPECT_EQ(z.elements<complex64_t>().data(), static_cast<const void *>(numbers + 1));
}

TEST_F(Foreign, WithoutElementsIsNotKept) {
  const Array x = from_memory(nullptr, f32, {0, 3}, deleter());
  EXPECT_EQ(deleted, 1);
  EXPECT_EQ(x.size(), 0);
  // Nor do strides matter.
  const Array y = from_memory(nullptr, f32, {3, 0}, deleter(), {.strides = {{INT64_MAX, INT64_MIN}}});
  EXPECT_EQ((y + 1.0f).shape(), Shape({3, 0}));
  EXPECT_EQ(deleted, 2);
}

/// Nobody writes into it: not an update of the only handle, not a donated argument.
TEST_F(Foreign, IsOnlyRead) {
  const std::vector<float> before(numbers, numbers + 12);
  Array x = from_memory(numbers, f32, {3, 4}, deleter());
  x = std::move(x).at[{0}].set(7);
  EXPECT_EQ(sum(x).item<float>(), 28 + 60);
  auto step = jit([](Array &x) { x = x + 1; }, {.compile = Compile::never});
  Array y = from_memory(numbers, f32, {12}, deleter());
  step(y);
  EXPECT_EQ(std::vector<float>(numbers, numbers + 12), before);
  EXPECT_EQ(deleted, 2);
}

TEST_F(Foreign, ThatIsGivenUpIsUpdatedInPlace) {
  Array x = from_memory(numbers, f32, {3, 4}, deleter(), {.donated = true});
  x = std::move(x).at[{0}].set(7);
  EXPECT_EQ(x.elements<float>().data(), numbers);
  EXPECT_EQ(numbers[1], 7);
  EXPECT_EQ(deleted, 0);
  x = Array();
  EXPECT_EQ(deleted, 1);
  // Where it is not as a buffer of ours, or strided, it is read only all the same.
  Array shifted = from_memory(numbers + 1, f32, {4}, deleter(), {.donated = true});
  shifted = std::move(shifted).at[{0}].set(-1);
  Array strided = from_memory(numbers, f32, {4}, deleter(), {.strides = {{2}}, .donated = true});
  strided = std::move(strided).at[{0}].set(-1);
  EXPECT_EQ(numbers[1], 7);
  EXPECT_EQ(numbers[0], 7);
}

TEST_F(Foreign, OfAVector) {
  std::vector<double> values = {1, 2, 3, 4};
  const double *data = values.data();
  const Array x = from_memory(std::move(values), {2, 2});
  EXPECT_EQ(x.elements<double>().data(), data);
  EXPECT_EQ(x.to_vector<double>(), (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(messageOf([] { from_memory(std::vector<double>(3), {2, 2}); }),
            "from_memory: expected 4 elements for the shape (2, 2), got 3");
}

TEST_F(Foreign, IsLetGoOnAnyThread) {
  Array x = from_memory(numbers, f32, {12}, deleter());
  std::thread([x = std::move(x)]() mutable { x = Array(); }).join();
  EXPECT_EQ(deleted, 1);
}

TEST_F(Foreign, ThatCannotBeIsAnError) {
  const std::string what = "from_memory: ";
  EXPECT_EQ(messageOf([&] { from_memory(nullptr, f32, {3}, deleter()); }),
            what + "expected the address of f32[3], got null");
  EXPECT_EQ(messageOf([&] { from_memory(numbers, f32, {3}, deleter(), {.strides = {{1, 1}}}); }),
            what + "expected a stride for each of 1 axes, got 2");
  EXPECT_EQ(messageOf([&] { from_memory(numbers, f32, Shape{Dim(-1)}, deleter()); }).substr(0, 45),
            (what + "expected sizes that are integers >= 0, got").substr(0, 45));
  EXPECT_EQ(messageOf([&] { from_memory(numbers, f32, {int64_t(1) << 40, int64_t(1) << 40}, deleter()); }),
            what + "expected fewer than 2^63 bytes, got f32[1099511627776, 1099511627776]");
  EXPECT_EQ(messageOf([&] { from_memory(numbers, f32, {3}, deleter(), {.strides = {{INT64_MIN / 4}}}); }),
            what + "expected strides that reach fewer than 2^63 bytes, got stride -2305843009213693952, got f32[3]");
  EXPECT_EQ(deleted, 5) << "it is taken over in any case";
  struct NotCopied {
    explicit NotCopied(int &calls) : calls(&calls) {}
    NotCopied(const NotCopied &) { throw std::bad_alloc(); }
    void operator()() { ++*calls; }
    int *calls;
  };
  int calls = 0;
  NotCopied once(calls);
  EXPECT_THROW(from_memory(numbers, f32, {3}, once), std::bad_alloc);
  EXPECT_EQ(calls, 1);
}

//===----------------------------------------------------------------------===//
// DLPack
//===----------------------------------------------------------------------===//

namespace {
/// A tensor of another framework's.
struct Producer {
  Producer(const void *data, Dtype dtype, std::vector<int64_t> dims, std::vector<int64_t> steps = {})
      : shape(std::move(dims)), strides(std::move(steps)) {
    const Array like = full({}, 0, dtype);
    DLManagedTensorVersioned *model = to_dlpack(like);
    tensor.version = {1, 1};
    tensor.context = this;
    tensor.deleter = [](DLManagedTensorVersioned *self) { ++static_cast<Producer *>(self->context)->deleted; };
    tensor.tensor = {const_cast<void *>(data),
                     {dl::cpu, 0},
                     static_cast<int32_t>(shape.size()),
                     model->tensor.type,
                     shape.data(),
                     strides.empty() ? nullptr : strides.data(),
                     0};
    model->deleter(model);
  }
  std::vector<int64_t> shape, strides;
  DLManagedTensorVersioned tensor = {};
  std::atomic<int> deleted = 0;
};
} // namespace

TEST(Dlpack, KeepsEveryDtypeShapeAndView) {
  for (const auto &[name, array] : sampleArrays()) {
    SCOPED_TRACE(name);
    DLManagedTensorVersioned *tensor = to_dlpack(array);
    EXPECT_EQ(tensor->version.major, 1u);
    EXPECT_EQ(tensor->flags, dl::readOnly);
    const void *data = tensor->tensor.data;
    const Array back = from_dlpack(tensor);
    EXPECT_EQ(bytesOf(back), bytesOf(array));
    EXPECT_EQ(dimsOf(back), dimsOf(array));
    EXPECT_EQ(back.dtype(), array.dtype());
    if (array.size() > 0) {
      EXPECT_EQ(back.value()->data, data);
      EXPECT_EQ(array.value()->data, data);
    }
    DLManagedTensor *old = to_dlpack_unversioned(array);
    EXPECT_NE(old->tensor.data, array.value()->data) << "a copy, which may be written";
    const Array again = from_dlpack(old);
    EXPECT_EQ(bytesOf(again), bytesOf(array));
  }
}

TEST(Dlpack, TheDeleterIsCalledOnceOnAnyThread) {
  const float numbers[] = {1, 2, 3, 4, 5, 6};
  Producer producer(numbers, f32, {3, 2}, {1, 3});
  Array x = from_dlpack(&producer.tensor);
  EXPECT_EQ(x.value()->data, numbers);
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{1, 4, 2, 5, 3, 6}));
  std::thread([x = std::move(x)]() mutable {
    Array y = transpose(x);
    x = Array();
  }).join();
  EXPECT_EQ(producer.deleted, 1);

  Array kept = full({3}, 5.0f);
  DLManagedTensorVersioned *tensor = to_dlpack(kept);
  kept = Array();
  EXPECT_EQ(static_cast<float *>(tensor->tensor.data)[2], 5);
  std::thread([tensor] { tensor->deleter(tensor); }).join();
}

TEST(Dlpack, WhatIsCopiedForUsMayBeWritten) {
  alignas(64) float numbers[] = {1, 2, 3};
  for (uint64_t flags : {uint64_t(0), dl::readOnly, dl::isCopied, dl::isCopied | dl::readOnly}) {
    Producer producer(numbers, f32, {3});
    producer.tensor.flags = flags;
    Array x = from_dlpack(&producer.tensor);
    x = std::move(x).at[{0}].set(7);
    EXPECT_EQ(numbers[0], flags == dl::isCopied ? 7 : 1);
    numbers[0] = 1;
    x = Array();
    EXPECT_EQ(producer.deleted, 1);
  }
  const Array x = {1.0f, 2.0f};
  DLManagedTensorVersioned *copy = to_dlpack(transpose(x), {.copy = true});
  EXPECT_EQ(copy->flags, dl::isCopied);
  EXPECT_NE(copy->tensor.data, x.value()->data);
  Array mine = from_dlpack(copy);
  mine = std::move(mine).at[{0}].set(9);
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{1, 2}));
}

TEST(Dlpack, StartsAtAnOffset) {
  const float numbers[] = {1, 2, 3};
  Producer producer(numbers, f32, {2});
  producer.tensor.tensor.byteOffset = 4;
  EXPECT_EQ(from_dlpack(&producer.tensor).to_vector<float>(), (std::vector<float>{2, 3}));
  EXPECT_EQ(producer.deleted, 1);
}

TEST(Dlpack, WhatIsNotAlignedIsCopied) {
  const float numbers[] = {1, 2, 3};
  alignas(8) std::byte bytes[sizeof numbers + 1];
  std::memcpy(bytes + 1, numbers, sizeof numbers);
  Producer producer(bytes + 1, f32, {3});
  const Array x = from_dlpack(&producer.tensor);
  EXPECT_EQ(producer.deleted, 1);
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{1, 2, 3}));
}

TEST(Dlpack, WhatIsNotUnderstoodIsAnError) {
  const float numbers[] = {1, 2, 3};
  auto errorOf = [&](auto change) {
    Producer producer(numbers, f32, {3});
    change(producer.tensor);
    std::string message = messageOf([&] { from_dlpack(&producer.tensor); });
    EXPECT_EQ(producer.deleted, 1);
    return message;
  };
  const std::string what = "from_dlpack: expected ";
  int64_t negative[] = {-3}, huge[] = {int64_t(1) << 62}, far[] = {INT64_MAX};
  EXPECT_EQ(errorOf([](auto &t) { t.version = {2, 3}; }), what + "version 1 of DLPack, got 2.3");
  EXPECT_EQ(errorOf([](auto &t) { t.tensor.device = {2, 0}; }),
            what + "elements on the CPU (device type 1), got device type 2");
  EXPECT_EQ(errorOf([](auto &t) { t.tensor.type = {2, 32, 4}; }),
            what + "elements of a dtype of Tenon, got type code 2 of 32 bits in 4 lanes");
  EXPECT_EQ(errorOf([](auto &t) { t.tensor.type = {17, 4, 1}; }),
            what + "elements of a dtype of Tenon, got type code 17 of 4 bits");
  EXPECT_EQ(errorOf([](auto &t) { t.tensor.rank = 17; }), what + "at most 16 axes, got 17");
  EXPECT_EQ(errorOf([](auto &t) { t.tensor.rank = -1; }), what + "at most 16 axes, got -1");
  EXPECT_EQ(errorOf([](auto &t) { t.tensor.shape = nullptr; }), what + "a shape of 1 axes, got null");
  EXPECT_EQ(errorOf([&](auto &t) { t.tensor.shape = negative; }), what + "sizes of at least 0, got -3");
  EXPECT_EQ(errorOf([&](auto &t) { t.tensor.shape = huge; }),
            what + "fewer than 2^63 bytes, got f32[4611686018427387904]");
  EXPECT_NE(errorOf([&](auto &t) { t.tensor.strides = far; }).find("strides that reach fewer than 2^63 bytes"),
            std::string::npos);
  EXPECT_EQ(errorOf([](auto &t) { t.tensor.data = nullptr; }), what + "the address of f32[3], got null");
  EXPECT_EQ(messageOf([] { from_dlpack(static_cast<DLManagedTensor *>(nullptr)); }), what + "a tensor, got null");
  Producer careless(numbers, f32, {3});
  careless.tensor.deleter = nullptr;
  EXPECT_EQ(from_dlpack(&careless.tensor).to_vector<float>()[0], 1);
}

TEST(Dlpack, WhatCannotBeHandedOutIsAnError) {
  const Array away = to_device(full({2}, 3.0f), Device::null);
  EXPECT_EQ(messageOf([&] { to_dlpack(away); }),
            "to_dlpack: expected an array on cpu:0, got one on null:0; to_device, or a copy, brings it there");
  DLManagedTensorVersioned *copy = to_dlpack(away, {.copy = true});
  EXPECT_EQ(static_cast<float *>(copy->tensor.data)[1], 3);
  copy->deleter(copy);
  EXPECT_EQ(messageOf([] { to_dlpack(Array()); }), "to_dlpack: expected an array, got an empty Array");
  EXPECT_NE(messageOf([] {
              vmap([](const Array &x) {
                to_dlpack(x);
                return x;
              })(full({2}, 1.0f));
            }).find("expected an array whose elements are known"),
            std::string::npos);
}
