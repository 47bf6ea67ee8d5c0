//===- tenon_rt_test.cpp - the runtime's C functions, on the runtime alone -----------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/tenon_rt.h"

#include "runtime/program/Blob.h"
#include "test/unit/ScheduleBuilder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>
#include <thread>

using namespace tenon;
using namespace tenon::rt;
using namespace tenon::rt::testing;
using ::testing::HasSubstr;

namespace {

const Extent n = Extent::symbol(0);

/// A schedule of library steps, and of one kernel that fails, as a file holds it.
std::vector<std::byte> blobOf(const BodyBuilder &body, const std::vector<int> &text = {}) {
  Schedule schedule;
  schedule.schedules = {body.body};
  schedule.symbols = {{"n", 0, 0}};
  schedule.locations = {"model.cpp:7:3"};
  BlobWriter writer;
  for (int byte : text)
    writer.text.push_back(static_cast<std::byte>(byte));
  if (!text.empty()) {
    writer.entries = {0};
    writer.names = {"fail"};
    schedule.kernels.emplace_back().name = "fail";
    schedule.kernels[0].canFail = true;
  }
  writer.schedule = serialize(schedule);
  return writer.finish();
}

/// x + y of f32[n, 3] and f32[3]; and x handed on.
BodyBuilder addBody() {
  BodyBuilder b;
  SlotId x = b.input({n, 3}), y = b.input({3}), sum = b.temporary({n, 3});
  Dim dims[] = {b.attribute(n), b.attribute(3)};
  SlotId wide = b.view(OpCode::broadcast_to, y, {n, 3}, BroadcastToAttrs{dims});
  b.library(OpCode::add, {x, wide}, {sum});
  b.body.outputs = {sum, x};
  return b;
}
const std::vector<std::byte> &addBlob() {
  static const std::vector<std::byte> blob = blobOf(addBody());
  return blob;
}

/// Its kernel says that it failed, at model.cpp:7:3; then a step copies the vector.
std::vector<std::byte> failingBlob() {
  BodyBuilder b;
  SlotId in = b.input({n, 3}), other = b.input({3}), out = b.temporary({n, 3}), copy = b.temporary({3});
  b.launch(0, {in}, {out}, {n});
  b.body.steps.back().location = 0;
  b.step(Step::copy, 0, {other}, {copy});
  b.body.outputs = {out, copy};
  return blobOf(b, {0xb8, 3, 0, 0, 0, 0xc3}); // mov $3, %eax; ret
}

struct Fixture : ::testing::Test {
  tenon_rt_error error = {sizeof error, "", ""};
  tenon_rt_program *program = nullptr;
  tenon_rt_plan *plan = nullptr;
  int64_t dims[2] = {2, 3}, length[1] = {3};
  tenon_rt_view views[2] = {{sizeof(tenon_rt_view), TENON_RT_f32, 2, 0, dims, nullptr},
                            {sizeof(tenon_rt_view), TENON_RT_f32, 1, 0, length, nullptr}};
  alignas(64) float x[6] = {1, 2, 3, 4, 5, 6}, y[4] = {10, 20, 30}, sum[16] = {}, handed[16] = {};

  void load(const std::vector<std::byte> &blob) {
    ASSERT_EQ(tenon_rt_load(blob.data(), blob.size(), &program, &error), TENON_RT_OK) << error.message;
  }
  int32_t makePlan() {
    tenon_rt_free_plan(std::exchange(plan, nullptr));
    return tenon_rt_make_plan(program, views, 2, &plan, &error);
  }
  int32_t run(const void *x, const void *y, void *sum, void *handed, const uint32_t *cancel = nullptr) {
    const void *inputs[] = {x, y};
    void *outputs[] = {sum, handed};
    return tenon_rt_run(plan, inputs, 2, outputs, 2, cancel, &error);
  }
  /// The status of a refusal, and what it says.
  std::string said(int32_t status) { return std::to_string(status) + " " + error.message; }
  ~Fixture() override {
    tenon_rt_free_plan(plan);
    tenon_rt_unload(program);
  }
};
using RuntimeApi = Fixture;

//===----------------------------------------------------------------------===//
// What is asked of it
//===----------------------------------------------------------------------===//

TEST_F(RuntimeApi, RunsAProgramOnDenseAndStridedInputs) {
  load(addBlob());
  ASSERT_EQ(makePlan(), TENON_RT_OK) << error.message;
  ASSERT_EQ(run(x, y, sum, handed), TENON_RT_OK) << error.message;
  EXPECT_THAT(std::span(sum, 6), ::testing::ElementsAre(11, 22, 33, 14, 25, 36));
  EXPECT_THAT(std::span(handed, 6), ::testing::ElementsAreArray(x));

  const int64_t transposed[] = {1, 2}, backwards[] = {-1};
  views[0].strides = transposed;
  views[1].strides = backwards;
  ASSERT_EQ(makePlan(), TENON_RT_OK) << error.message;
  ASSERT_EQ(run(x, y + 2, sum, handed), TENON_RT_OK) << error.message;
  EXPECT_THAT(std::span(sum, 6), ::testing::ElementsAre(31, 23, 15, 32, 24, 16));
  EXPECT_THAT(std::span(handed, 6), ::testing::ElementsAre(1, 3, 5, 2, 4, 6));

  // The handle of an input may be left out; inputs may alias each other.
  views[0].strides = views[1].strides = nullptr;
  ASSERT_EQ(makePlan(), TENON_RT_OK);
  ASSERT_EQ(run(x, x, sum, nullptr), TENON_RT_OK) << error.message;
  EXPECT_THAT(std::span(sum, 6), ::testing::ElementsAre(2, 4, 6, 5, 7, 9));
}

TEST_F(RuntimeApi, SaysWhatAProgramTakesAndReturns) {
  load(addBlob());
  EXPECT_EQ(tenon_rt_input_count(program), 2u);
  EXPECT_EQ(tenon_rt_output_count(program), 2u);
  tenon_rt_type type = {};
  type.struct_size = sizeof type;
  ASSERT_EQ(tenon_rt_input(program, 0, &type, &error), TENON_RT_OK);
  EXPECT_EQ(type.dtype, TENON_RT_f32);
  EXPECT_EQ(type.rank, 2);
  EXPECT_EQ(type.dims[0], -1);
  EXPECT_EQ(type.dims[1], 3);
  EXPECT_EQ(type.source, -1);
  EXPECT_EQ(type.bytes, 0u);
  ASSERT_EQ(tenon_rt_input(program, 1, &type, &error), TENON_RT_OK);
  EXPECT_EQ(type.bytes, 12u);
  ASSERT_EQ(tenon_rt_output(program, 1, &type, &error), TENON_RT_OK);
  EXPECT_EQ(type.source, 0);
  ASSERT_EQ(makePlan(), TENON_RT_OK);
  ASSERT_EQ(tenon_rt_plan_output(plan, 0, &type, &error), TENON_RT_OK);
  EXPECT_EQ(type.dims[0], 2);
  EXPECT_EQ(type.bytes, 24u);
  EXPECT_EQ(type.source, -1);
  ASSERT_EQ(tenon_rt_plan_output(plan, 1, &type, &error), TENON_RT_OK);
  EXPECT_EQ(type.source, 0);
}

TEST_F(RuntimeApi, APlanOutlivesItsProgram) {
  load(addBlob());
  ASSERT_EQ(makePlan(), TENON_RT_OK);
  tenon_rt_unload(std::exchange(program, nullptr));
  ASSERT_EQ(run(x, y, sum, nullptr), TENON_RT_OK);
  EXPECT_EQ(sum[5], 36);
}

TEST_F(RuntimeApi, ManyThreadsRunOnePlan) {
  load(addBlob());
  ASSERT_EQ(makePlan(), TENON_RT_OK);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        alignas(64) float own[6] = {};
        const void *inputs[] = {x, y};
        void *outputs[] = {own, nullptr};
        EXPECT_EQ(tenon_rt_run(plan, inputs, 2, outputs, 2, nullptr, nullptr), TENON_RT_OK);
        EXPECT_EQ(own[5], 36);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST_F(RuntimeApi, FilesAreReadAsBlobsAre) {
  const std::string path = ::testing::TempDir() + "tenon_rt.blob";
  const auto write = [&](size_t size) {
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char *>(addBlob().data()), std::streamsize(size));
  };
  write(addBlob().size());
  ASSERT_EQ(tenon_rt_load_file(path.c_str(), &program, &error), TENON_RT_OK) << error.message;
  ASSERT_EQ(makePlan(), TENON_RT_OK);
  write(100);
  tenon_rt_program *cut = program;
  EXPECT_EQ(tenon_rt_load_file(path.c_str(), &cut, &error), TENON_RT_NO_FILE);
  EXPECT_EQ(cut, nullptr);
  EXPECT_THAT(error.message, HasSubstr("tenon_rt_load_file: program blob: expected " +
                                       std::to_string(addBlob().size()) + " bytes, got 100\n  file: " + path));
  std::remove(path.c_str());
}

TEST_F(RuntimeApi, FailuresNameTheUsersLine) {
  load(failingBlob());
  ASSERT_EQ(makePlan(), TENON_RT_OK) << error.message;
  EXPECT_EQ(run(x, y, sum, handed), TENON_RT_FAILED);
  EXPECT_STREQ(error.message, "a step of the program failed");
  EXPECT_STREQ(error.location, "model.cpp:7:3");
  const uint32_t cancel = 1;
  EXPECT_EQ(run(x, y, sum, handed, &cancel), TENON_RT_CANCELLED);
  EXPECT_STREQ(error.message, "the run was cancelled");
}

TEST_F(RuntimeApi, SizesThatBreakARequirementNameTheLine) {
  BodyBuilder b = addBody();
  const uint32_t first = b.addSizes({3, n});
  Schedule schedule;
  schedule.schedules = {b.body};
  schedule.symbols = {{"n", 0, 0}};
  schedule.locations = {"model.cpp:7:3"};
  const std::vector<SizeExpr> &sizes = schedule.schedules[0].sizes;
  schedule.requirements = {{sizes[first], sizes[first + 1], "slice: too few", 0}};
  BlobWriter writer;
  writer.schedule = serialize(schedule);
  load(writer.finish());
  EXPECT_EQ(makePlan(), TENON_RT_MISMATCH);
  EXPECT_STREQ(error.message, "slice: too few, where n = 2");
  EXPECT_STREQ(error.location, "model.cpp:7:3");
}

TEST_F(RuntimeApi, MemoryIsCountedAndLimited) {
  tenon_rt_memory before = {}, now = {};
  before.struct_size = now.struct_size = sizeof now;
  ASSERT_EQ(tenon_rt_memory_statistics(&before, &error), TENON_RT_OK);
  void *block;
  ASSERT_EQ(tenon_rt_allocate(0, 1 << 20, &block, &error), TENON_RT_OK);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % 64, 0u);
  std::memset(block, 1, 1 << 20);
  ASSERT_EQ(tenon_rt_memory_statistics(&now, &error), TENON_RT_OK);
  EXPECT_EQ(now.blocks_in_use, before.blocks_in_use + 1);
  EXPECT_GE(now.bytes_in_use, before.bytes_in_use + (1 << 20));
  EXPECT_GE(now.peak_bytes, now.bytes_committed);
  tenon_rt_free(0, block, 1 << 20);

  tenon_rt_set_memory_limit(now.bytes_committed);
  EXPECT_EQ(tenon_rt_allocate(0, 1 << 24, &block, &error), TENON_RT_OUT_OF_MEMORY);
  EXPECT_EQ(block, nullptr);
  EXPECT_THAT(error.message, HasSubstr("expected at most"));
  tenon_rt_set_memory_limit(0);
  EXPECT_EQ(tenon_rt_allocate(0, SIZE_MAX, &block, &error), TENON_RT_OUT_OF_MEMORY);
  tenon_rt_free(0, nullptr, 8);
  tenon_rt_free(77, &block, 8);
}

TEST_F(RuntimeApi, CopiesBetweenDevices) {
  ASSERT_EQ(tenon_rt_device_count(), 2u);
  EXPECT_STREQ(tenon_rt_device_name(0), "cpu:0");
  EXPECT_STREQ(tenon_rt_device_kind(0), "cpu");
  EXPECT_STREQ(tenon_rt_device_name(1), "null:0");
  EXPECT_STREQ(tenon_rt_device_kind(1), "null");
  EXPECT_EQ(tenon_rt_device_name(2), nullptr);
  EXPECT_EQ(tenon_rt_device_kind(2), nullptr);
  void *one, *other;
  ASSERT_EQ(tenon_rt_allocate(1, sizeof x, &one, &error), TENON_RT_OK);
  ASSERT_EQ(tenon_rt_allocate(1, sizeof x, &other, &error), TENON_RT_OK);
  EXPECT_EQ(tenon_rt_copy(1, one, 0, x, sizeof x, &error), TENON_RT_OK);
  EXPECT_EQ(tenon_rt_copy(1, other, 1, one, sizeof x, &error), TENON_RT_OK);
  EXPECT_EQ(tenon_rt_copy(0, sum, 1, other, sizeof x, &error), TENON_RT_OK);
  EXPECT_EQ(tenon_rt_copy(0, handed, 0, sum, sizeof x, &error), TENON_RT_OK);
  EXPECT_EQ(std::memcmp(handed, x, sizeof x), 0);
  EXPECT_DEATH(*static_cast<volatile float *>(one), "") << "the host reads what is not the host's";
  tenon_rt_free(1, one, sizeof x);
  tenon_rt_free(1, other, sizeof x);
}

TEST_F(RuntimeApi, RunsWhereItsInputsAre) {
  load(addBlob());
  views[0].device = views[1].device = 1;
  ASSERT_EQ(makePlan(), TENON_RT_OK) << error.message;
  void *places[4];
  const size_t bytes[] = {sizeof x, sizeof y, sizeof x, sizeof x};
  for (int i = 0; i < 4; ++i)
    ASSERT_EQ(tenon_rt_allocate(1, bytes[i], &places[i], &error), TENON_RT_OK);
  ASSERT_EQ(tenon_rt_copy(1, places[0], 0, x, sizeof x, &error), TENON_RT_OK);
  ASSERT_EQ(tenon_rt_copy(1, places[1], 0, y, sizeof y, &error), TENON_RT_OK);
  ASSERT_EQ(run(places[0], places[1], places[2], places[3]), TENON_RT_OK) << error.message;
  ASSERT_EQ(tenon_rt_copy(0, sum, 1, places[2], sizeof x, &error), TENON_RT_OK);
  ASSERT_EQ(tenon_rt_copy(0, handed, 1, places[3], sizeof x, &error), TENON_RT_OK);
  EXPECT_THAT(std::span(sum, 6), ::testing::ElementsAre(11, 22, 33, 14, 25, 36));
  EXPECT_THAT(std::span(handed, 6), ::testing::ElementsAreArray(x));
  for (int i = 0; i < 4; ++i)
    tenon_rt_free(1, places[i], bytes[i]);
  views[0].device = 0;
  EXPECT_EQ(said(makePlan()), "7 input 1: expected one on cpu:0 as input 0, got one on null:0");
}

/// Elsewhere a run is done when it is waited for, and says then what has failed.
TEST_F(RuntimeApi, WorkOfADeviceIsWaitedFor) {
  load(failingBlob());
  views[0].device = views[1].device = 1;
  ASSERT_EQ(makePlan(), TENON_RT_OK) << error.message;
  void *places[3];
  for (void *&place : places)
    ASSERT_EQ(tenon_rt_allocate(1, sizeof x, &place, &error), TENON_RT_OK);
  for (bool isCopied : {false, true}) {
    ASSERT_EQ(tenon_rt_copy(1, places[0], 0, x, sizeof x, &error), TENON_RT_OK);
    EXPECT_EQ(run(places[0], places[0], places[1], places[2]), TENON_RT_OK) << error.message;
    EXPECT_EQ(isCopied ? tenon_rt_copy(0, sum, 1, places[0], sizeof x, &error) : tenon_rt_synchronize(1, &error),
              TENON_RT_FAILED);
    EXPECT_STREQ(error.message, "a step of the program failed");
    EXPECT_STREQ(error.location, "model.cpp:7:3");
    EXPECT_EQ(sum[0], 0) << "what was asked for meanwhile is not done";
    EXPECT_EQ(tenon_rt_synchronize(1, &error), TENON_RT_OK) << "it is said once";
  }
  EXPECT_EQ(run(places[0], places[0], places[1], places[2]), TENON_RT_OK);
  EXPECT_EQ(tenon_rt_copy(0, sum, 1, places[0], 0, &error), TENON_RT_FAILED) << "a copy of nothing waits too";
  // A thread that ends takes what it was not told with it: the next one may get its stream.
  std::thread([&] { EXPECT_EQ(run(places[0], places[0], places[1], places[2]), TENON_RT_OK); }).join();
  std::thread([&] {
    EXPECT_EQ(tenon_rt_copy(1, places[0], 0, x, sizeof x, &error), TENON_RT_OK);
    EXPECT_EQ(tenon_rt_synchronize(1, &error), TENON_RT_OK) << error.message;
  }).join();
  for (void *place : places)
    tenon_rt_free(1, place, sizeof x);
  EXPECT_EQ(tenon_rt_synchronize(0, &error), TENON_RT_OK);
  EXPECT_EQ(said(tenon_rt_synchronize(2, &error)), "5 expected a device below 2 (cpu:0 or null:0), got 2");
}

TEST_F(RuntimeApi, ThreadsAreSet) {
  const int32_t before = tenon_rt_thread_count();
  EXPECT_EQ(tenon_rt_set_thread_count(3, &error), TENON_RT_OK);
  EXPECT_EQ(tenon_rt_thread_count(), 3);
  EXPECT_EQ(tenon_rt_set_thread_count(-1, &error), TENON_RT_INVALID);
  EXPECT_STREQ(error.message, "expected a number of threads from 1 to 1024, or 0 for the default, got -1");
  EXPECT_EQ(tenon_rt_set_thread_count(1025, nullptr), TENON_RT_INVALID);
  EXPECT_EQ(tenon_rt_thread_count(), 3);
  EXPECT_EQ(tenon_rt_set_thread_count(0, &error), TENON_RT_OK);
  EXPECT_EQ(tenon_rt_thread_count(), before);
}

//===----------------------------------------------------------------------===//
// What is wrong with arguments
//===----------------------------------------------------------------------===//

TEST_F(RuntimeApi, NullIsASentence) {
  tenon_rt_type type = {};
  type.struct_size = sizeof type;
  EXPECT_EQ(said(tenon_rt_load(addBlob().data(), 8, nullptr, &error)),
            "5 expected where to put the program, got a null pointer");
  EXPECT_EQ(said(tenon_rt_load(nullptr, 8, &program, &error)), "5 expected a blob, got a null pointer");
  EXPECT_EQ(said(tenon_rt_load(nullptr, 0, &program, &error)), "6 program blob: expected at least 64 bytes, got 0");
  EXPECT_EQ(said(tenon_rt_load_file(nullptr, &program, &error)), "5 expected a path, got a null pointer");
  EXPECT_EQ(said(tenon_rt_input(nullptr, 0, &type, &error)), "5 expected a program, got a null pointer");
  EXPECT_EQ(said(tenon_rt_output(nullptr, 0, &type, &error)), "5 expected a program, got a null pointer");
  EXPECT_EQ(said(tenon_rt_make_plan(nullptr, views, 2, &plan, &error)), "5 expected a program, got a null pointer");
  EXPECT_EQ(said(tenon_rt_plan_output(nullptr, 0, &type, &error)), "5 expected a plan, got a null pointer");
  EXPECT_EQ(said(run(x, y, sum, handed)), "5 expected a plan, got a null pointer");
  EXPECT_EQ(said(tenon_rt_allocate(0, 8, nullptr, &error)), "5 expected where to put the memory, got a null pointer");
  EXPECT_EQ(said(tenon_rt_copy(0, nullptr, 0, x, 4, &error)), "5 expected where to copy to, got a null pointer");
  EXPECT_EQ(said(tenon_rt_copy(0, x, 0, nullptr, 4, &error)), "5 expected what to copy, got a null pointer");
  EXPECT_EQ(said(tenon_rt_copy(0, x + 1, 0, x, 8, &error)),
            "5 expected a copy between places that lie apart, got two that overlap");
  EXPECT_EQ(tenon_rt_copy(0, nullptr, 0, nullptr, 0, &error), TENON_RT_OK);
  EXPECT_EQ(said(tenon_rt_memory_statistics(nullptr, &error)), "5 expected a tenon_rt_memory, got a null pointer");
  EXPECT_EQ(tenon_rt_input_count(nullptr) + tenon_rt_output_count(nullptr), 0u);
  tenon_rt_unload(nullptr);
  tenon_rt_free_plan(nullptr);
  load(addBlob());
  EXPECT_EQ(said(tenon_rt_input(program, 0, nullptr, &error)), "5 expected a tenon_rt_type, got a null pointer");
  EXPECT_EQ(said(tenon_rt_make_plan(program, nullptr, 2, &plan, &error)), "5 expected the inputs, got a null pointer");
  EXPECT_EQ(said(tenon_rt_make_plan(program, views, 2, nullptr, &error)),
            "5 expected where to put the plan, got a null pointer");
  ASSERT_EQ(makePlan(), TENON_RT_OK);
  EXPECT_EQ(said(run(nullptr, y, sum, handed)), "5 expected the elements of input 0, got a null pointer");
  EXPECT_EQ(said(run(x, y, nullptr, handed)), "5 expected the elements of output 0, got a null pointer");
  void *outputs[] = {sum, handed};
  EXPECT_EQ(said(tenon_rt_run(plan, nullptr, 2, outputs, 2, nullptr, &error)),
            "5 expected the inputs, got a null pointer");
  const void *inputs[] = {x, y};
  EXPECT_EQ(said(tenon_rt_run(plan, inputs, 2, nullptr, 2, nullptr, &error)),
            "5 expected the outputs, got a null pointer");
}

TEST_F(RuntimeApi, StructsOfAnotherVersionAreRefused) {
  load(addBlob());
  tenon_rt_type type = {};
  type.struct_size = 8;
  EXPECT_EQ(said(tenon_rt_input(program, 0, &type, &error)),
            "5 expected a tenon_rt_type with a struct_size of " + std::to_string(sizeof type) + ", got 8");
  EXPECT_EQ(type.dtype, 0);
  views[1].struct_size = 0;
  EXPECT_EQ(said(makePlan()),
            "5 expected input 1 with a struct_size of " + std::to_string(sizeof(tenon_rt_view)) + ", got 0");
  tenon_rt_memory memory = {};
  EXPECT_EQ(tenon_rt_memory_statistics(&memory, &error), TENON_RT_INVALID);
  // Nothing is written into an error that is not one; what would have been done is not.
  tenon_rt_error other = {};
  EXPECT_EQ(tenon_rt_load(addBlob().data(), addBlob().size(), &program, &other), TENON_RT_INVALID);
  EXPECT_STREQ(other.message, "");
}

TEST_F(RuntimeApi, InputsThatDoNotFitAreRefused) {
  load(addBlob());
  auto with = [&](auto change) {
    tenon_rt_view before[] = {views[0], views[1]};
    change();
    std::string text = said(makePlan());
    EXPECT_EQ(plan, nullptr);
    views[0] = before[0];
    views[1] = before[1];
    return text;
  };
  EXPECT_EQ(with([&] { views[0].dtype = 99; }),
            "5 input 0: expected a dtype below " + std::to_string(dtype_count) + ", got 99");
  EXPECT_EQ(with([&] { views[0].dtype = -1; }),
            "5 input 0: expected a dtype below " + std::to_string(dtype_count) + ", got -1");
  EXPECT_EQ(with([&] { views[0].rank = 17; }), "5 input 0: expected a rank of at most 16, got 17");
  EXPECT_EQ(with([&] { views[0].rank = -1; }), "5 input 0: expected a rank of at most 16, got -1");
  EXPECT_EQ(with([&] { views[0].dims = nullptr; }), "5 expected the sizes of input 0, got a null pointer");
  EXPECT_EQ(with([&] { views[0].dtype = TENON_RT_i32; }), "7 input 0: expected f32 of rank 2, got i32 of rank 2");
  EXPECT_EQ(with([&] { views[1] = views[0]; }), "7 input 1: expected f32 of rank 1, got f32 of rank 2");
  EXPECT_EQ(with([&] { views[1].device = 2; }), "5 expected a device below 2 (cpu:0 or null:0), got 2");
  EXPECT_EQ(said(tenon_rt_make_plan(program, views, 1, &plan, &error)), "7 expected 2 inputs, got 1");
  const int64_t wrong[] = {2, 4}, negative[] = {-2, 3}, huge[] = {INT64_MAX, 3}, many[] = {int64_t(1) << 59, 3};
  EXPECT_EQ(with([&] { views[0].dims = wrong; }), "7 input 0: expected size 3 of axis 1, got 4");
  EXPECT_EQ(with([&] { views[0].dims = negative; }), "5 input 0: expected sizes >= 0, got -2");
  const std::string beyond = "5 input 0: its sizes or strides reach beyond the address space";
  EXPECT_EQ(with([&] { views[0].dims = huge; }), beyond);
  EXPECT_EQ(with([&] { views[0].dims = many; }), beyond);
  for (int64_t stride : {INT64_MAX, INT64_MIN, int64_t(1) << 61, -(int64_t(1) << 59)}) {
    const int64_t strides[] = {stride, 1};
    EXPECT_EQ(with([&] { views[0].strides = strides; }), beyond) << stride;
  }
  // Each axis for itself stays within.
  for (int64_t sign : {1, -1}) {
    const int64_t strides[] = {sign * (int64_t(3) << 56), sign * (int64_t(3) << 55)};
    EXPECT_EQ(with([&] { views[0].strides = strides; }), beyond) << sign;
  }
}

TEST_F(RuntimeApi, MemoryThatCannotBeMeantIsRefused) {
  load(addBlob());
  ASSERT_EQ(makePlan(), TENON_RT_OK);
  auto *shifted = reinterpret_cast<char *>(x) + 2;
  EXPECT_EQ(said(run(shifted, y, sum, handed)),
            "5 input 0: expected an address that is a multiple of 4, got one 2 past it");
  EXPECT_EQ(said(run(x, y, sum + 1, handed)),
            "5 output 0: expected an address that is a multiple of 64, got one 4 past it");
  const std::string apart = "5 expected outputs that lie apart from all inputs and outputs, got ";
  EXPECT_EQ(said(run(x, y, x, handed)), apart + "input 0 and output 0 in one place");
  EXPECT_EQ(said(run(sum + 1, y, sum, handed)), apart + "output 0 and input 0 in one place");
  EXPECT_EQ(said(run(sum + 5, y, sum, nullptr)), apart + "output 0 and input 0 in one place");
  EXPECT_EQ(run(sum + 6, y, sum, nullptr), TENON_RT_OK);
  EXPECT_THAT(said(run(x, y, sum, sum)), HasSubstr("and output"));
  // An input that lies inside of another does not hide what follows it.
  alignas(64) float wide[64] = {};
  dims[0] = 6;
  ASSERT_EQ(makePlan(), TENON_RT_OK);
  EXPECT_EQ(said(run(wide, wide + 1, wide + 16, nullptr)), apart + "input 0 and output 0 in one place");
  EXPECT_EQ(run(wide, wide + 1, wide + 32, nullptr), TENON_RT_OK);
  dims[0] = 2;
  ASSERT_EQ(makePlan(), TENON_RT_OK);
  const void *inputs[] = {x, y};
  void *outputs[] = {sum, handed};
  EXPECT_EQ(said(tenon_rt_run(plan, inputs, 1, outputs, 2, nullptr, &error)),
            "5 expected 2 inputs and 2 outputs, got 1 and 2");
  EXPECT_EQ(tenon_rt_run(plan, inputs, 2, outputs, 3, nullptr, &error), TENON_RT_INVALID);
}

TEST_F(RuntimeApi, ABlobCutShortAnywhereIsRefused) {
  for (size_t size = 0; size < addBlob().size(); ++size) {
    // An exact copy, so that a sanitizer sees a read past its end.
    std::vector<std::byte> cut(addBlob().begin(), addBlob().begin() + static_cast<ptrdiff_t>(size));
    EXPECT_EQ(tenon_rt_load(cut.data(), cut.size(), &program, &error), TENON_RT_REFUSED);
    EXPECT_EQ(program, nullptr);
    EXPECT_THAT(error.message, HasSubstr("expected")) << size;
  }
  std::vector<std::byte> other = addBlob();
  other[offsetof(BlobHeader, buildId)] ^= std::byte(1);
  EXPECT_EQ(tenon_rt_load(other.data(), other.size(), &program, &error), TENON_RT_REFUSED);
  EXPECT_THAT(error.message, HasSubstr("expected the build " + buildText(buildId())));
}

TEST_F(RuntimeApi, LongTextsAreCut) {
  const std::string path(5000, 'x');
  EXPECT_EQ(tenon_rt_load_file(path.c_str(), &program, &error), TENON_RT_NO_FILE);
  EXPECT_EQ(std::strlen(error.message), sizeof error.message - 1);
}

/// Whatever it is given, a status comes back, and a run writes its outputs alone.
TEST_F(RuntimeApi, RandomArgumentsGiveAStatus) {
  load(addBlob());
  std::mt19937_64 random(1);
  auto below = [&](uint64_t bound) { return random() % bound; };
  static constexpr int64_t likely[] = {0, 1, 2, 3, -1, -3, 4, 16, 17, 1 << 20, INT32_MAX, INT64_MAX, INT64_MIN};
  auto number = [&] { return below(3) ? int64_t(below(5)) - 1 : likely[below(std::size(likely))]; };
  int ran = 0, refused = 0;
  for (int round = 0; round < 20000; ++round) {
    int64_t sizes[16], strides[16];
    for (int i = 0; i < 16; ++i)
      sizes[i] = i == 0 ? int64_t(below(4)) : 3, strides[i] = i == 0 ? 3 : 1;
    tenon_rt_view given[] = {{sizeof(tenon_rt_view), TENON_RT_f32, 2, 0, sizes, strides},
                             {sizeof(tenon_rt_view), TENON_RT_f32, 1, 0, length, nullptr}};
    for (uint64_t changes = below(4); changes > 0; --changes) {
      tenon_rt_view &view = given[below(2)];
      switch (below(7)) {
      case 0:
        view.dtype = int32_t(number());
        break;
      case 1:
        view.rank = int32_t(number());
        break;
      case 2:
        view.device = uint32_t(number());
        break;
      case 3:
        view.struct_size = uint32_t(number());
        break;
      case 4:
        sizes[below(3)] = number();
        break;
      case 5:
        strides[below(3)] = number();
        break;
      case 6:
        view.strides = below(2) ? nullptr : strides;
        break;
      }
    }
    tenon_rt_free_plan(std::exchange(plan, nullptr));
    if (tenon_rt_make_plan(program, given, below(20) ? 2 : below(4), &plan, &error) != TENON_RT_OK) {
      EXPECT_NE(error.message[0], '\0');
      ++refused;
      continue;
    }
    tenon_rt_type type = {};
    type.struct_size = sizeof type;
    ASSERT_EQ(tenon_rt_plan_output(plan, 0, &type, &error), TENON_RT_OK);
    if (type.bytes > 1000 || given[0].device != 0) // the caller's x would not be there
      continue;
    std::vector<float> from(4096, 1);
    alignas(64) float to[256], copied[256];
    void *places[] = {to, copied, nullptr, from.data() + 2048, reinterpret_cast<char *>(to) + 1};
    auto place = [&](uint64_t first) { return below(8) ? places[first] : places[below(5)]; };
    const void *inputs[] = {below(8) ? from.data() + 2048 : place(0), below(8) ? y : place(2)};
    void *outputs[] = {place(0), place(1)};
    const uint32_t cancel = below(10) == 0;
    bool isNear = true; // strides within what `from` holds
    for (int64_t stride : {strides[0], strides[1]})
      isNear &= stride >= -256 && stride <= 256;
    if (!isNear)
      continue;
    if (tenon_rt_run(plan, inputs, 2, outputs, 2, &cancel, &error) == TENON_RT_OK)
      ++ran;
    else
      EXPECT_NE(error.message[0], '\0');
  }
  EXPECT_GT(ran, 2000);
  EXPECT_GT(refused, 2000);
}

} // namespace
