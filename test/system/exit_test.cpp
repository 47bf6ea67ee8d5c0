//===- exit_test.cpp - a process that exits while other threads work -----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/system/Child.h"

#include <tenon/tenon.h>

#include <gtest/gtest.h>

#include <thread>
#include <unistd.h>

using namespace tenon::testing_system;
namespace tn = tenon;

/// Runs on three threads without end.
static void work(const std::string &what) {
  for (;;) {
    tn::Array a = tn::ones({500, 500});
    if (what == "matmul")
      a = tn::matmul(a, a);
    else if (what == "sum")
      a = tn::sum(tn::exp(a), 0);
    else
      a = tn::sort(a, 0);
  }
}

TEST(Exit, WhileOtherThreadsWork) {
  for (const char *what : {"matmul", "sum", "sort"})
    for (int round = 0; round < 40; ++round) {
      const Ran ran = run(self().string() + " " + what + " " + std::to_string(500 * round));
      ASSERT_EQ(ran.status, 0) << what << ", round " << round;
    }
}

int main(int count, char **arguments) {
  if (count == 3) {
    for (int i = 0; i < 3; ++i)
      std::thread(work, std::string(arguments[1])).detach();
    usleep(static_cast<useconds_t>(2000 + std::stoi(arguments[2])));
    return 0;
  }
  testing::InitGoogleTest(&count, arguments);
  return RUN_ALL_TESTS();
}
