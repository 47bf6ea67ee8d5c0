//===- keys_test.cpp - arrays of random keys -----------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Errors.h"

#include <tenon/tenon.h>

#include <gtest/gtest.h>

#include <sstream>

using namespace tenon;
using tenon::test::errorOf;
using tenon::test::messageOf;

static bool areEqual(const Key &a, const Key &b) { return array_equal(a.data, b.data).item<bool>(); }

TEST(Keys, AreThoseOfSplit) {
  const Key key = random::key(42);
  const Key keys = random::keys(key, 3);
  const std::vector<Key> split = random::split(key, 3);
  EXPECT_EQ(keys.shape().str(), "(3,)");
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(areEqual(keys[i], split[static_cast<size_t>(i)])) << i;
  EXPECT_TRUE(areEqual(keys[-1], split[2]));
  EXPECT_EQ(keys[slice(1, 3)].shape().str(), "(2,)");
  EXPECT_EQ((random::keys(key, {2, 3})[{1, 0}].shape().str()), "()");
  EXPECT_EQ(key.shape().str(), "()");
}

TEST(Keys, IndexTheAxesOfKeysAlone) {
  const Key keys = random::keys(random::key(7), {2, 3});
  EXPECT_TRUE(areEqual(keys[{ellipsis, 0}], keys[{_, 0}]));
  EXPECT_EQ((keys[{ellipsis, 0}].shape().str()), "(2,)");
  EXPECT_TRUE(areEqual(keys[{ellipsis, 0}][1], keys[{1, 0}]));
  EXPECT_EQ((keys[{newaxis, 1}].shape().str()), "(1, 3)");
  EXPECT_TRUE(areEqual(keys[Array{1, 0}][0], keys[1]));
  EXPECT_TRUE(areEqual(keys[Array{false, true}][0], keys[1]));
  EXPECT_NE(errorOf([&] { (void)keys[0][{_, 0}]; }), "no error");
  EXPECT_NE(errorOf([&] { (void)keys[{0, 0, 0}]; }), "no error");
}

TEST(Keys, AreIteratedAndTied) {
  const Key keys = random::keys(random::key(7), 3);
  EXPECT_EQ(keys.size().value(), 3);
  int64_t i = 0;
  for (const Key &key : keys)
    EXPECT_TRUE(areEqual(key, keys[i++]));
  EXPECT_EQ(i, 3);
  EXPECT_NE(errorOf([] { (void)random::key(7).end(); }), "no error");
  Key key = random::key(7), first;
  const Key before = key;
  std::tie(key, first) = random::split(key);
  EXPECT_TRUE(areEqual(key, random::split(before)[0]));
  EXPECT_TRUE(areEqual(first, random::split(before)[1]));
}

TEST(Keys, AreMappedAndTraced) {
  const Key keys = random::keys(random::key(1), 4);
  auto draw = [](const Key &key) { return random::normal(key, {2}); };
  const Array drawn = vmap(draw)(keys);
  EXPECT_EQ(drawn.shape().str(), "(4, 2)");
  EXPECT_TRUE(array_equal(drawn[3], draw(keys[3])).item<bool>());
  auto f = jit([&](const Key &all, const Array &i) { return draw(all[i]); });
  EXPECT_TRUE(array_equal(f(keys, Array(2)), drawn[2]).item<bool>());
}

TEST(Keys, Print) {
  std::ostringstream out;
  out << random::key(42);
  EXPECT_EQ(out.str(), "Key([ 0 42])");
  EXPECT_EQ(format("{}", random::key(7)), "Key([0 7])");
}

TEST(Keys, ErrorsSayWhatIsExpected) {
  const Key key = random::key(1);
  EXPECT_EQ(messageOf([&] { (void)key[0]; }),
            "keys[...]: expected an array of keys, got one key; random::keys(key, n) makes n of them");
  EXPECT_EQ(messageOf([] { (void)Key{Array{1.0f, 2.0f}}.shape(); }),
            "Key.shape: expected a key, u32[..., 2], got f32[2]");
  EXPECT_NE(errorOf([&] { (void)key[0]; }).find("keys_test.cpp"), std::string::npos);
  EXPECT_NE(errorOf([] { (void)Key()[0]; }), "no error");
  EXPECT_NE(messageOf([&] { (void)random::keys(key, 2)[2]; }).find("out of range"), std::string::npos)
      << messageOf([&] { (void)random::keys(key, 2)[2]; });
}
