//===- program_fuzz.cpp - random programs, the same bits in every mode --------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// program_fuzz [programs = 1000] [seed = 1] [folder]: makes functions of random ops over
// random arrays and compares their eager results, bit by bit, with those of jit,
// of the interpreter and of a program for symbolic sizes; the same for gradients,
// for vmap, for both nested, and for a program of what a half of it has made. What differs is printed with its seed,
// the shortest of its programs that still differs, as C++ to compile, and the trace of that, then the exit status
// is 1. In the folder each program is left with all values that it makes, for numpy_opinion.py, and all of them as
// programs.cpp, which computes these values again.
//===----------------------------------------------------------------------===//
#include "test/Difference.h"
#include "test/fuzz/Programs.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>

namespace tenon::fuzz {

namespace {

/// One program in all its modes.
class Check {
public:
  Check(const Program &program, uint64_t seed) : program_(program), seed_(seed) {}
  bool run();
  /// Says nothing but which mode was wrong first, and how; empty: none.
  std::string firstFault() {
    isSilent_ = true;
    run();
    return first_;
  }
  void print() const;
  static inline long compared = 0, symbolic = 0, gradients = 0, mapped = 0, nested = 0, donated = 0;

private:
  void fail(const char *mode, const std::string &what);
  void expect(const char *mode, const List &got, const List &expected);
  void values();
  void sized();
  void differentiated();
  void vectorized();
  void continued();

  const Program &program_;
  uint64_t seed_;
  bool isRight_ = true, isSilent_ = false;
  std::string first_;
};

} // namespace

void Check::print() const {
  std::printf("seed %lu\n%s", static_cast<unsigned long>(seed_), program_.text("program", program_.results()).c_str());
}

void Check::fail(const char *mode, const std::string &what) {
  if (isSilent_) {
    // Of an Error some words, of a difference none: numbers change.
    if (isRight_)
      first_ = mode + (what.starts_with("result") ? "" : ": " + what.substr(0, 40));
    isRight_ = false;
    return;
  }
  if (isRight_)
    print();
  isRight_ = false;
  std::printf("  %s: %s\n", mode, what.c_str());
}

void Check::expect(const char *mode, const List &got, const List &expected) {
  for (size_t i = 0; i < expected.size(); ++i) {
    ++compared;
    if (std::string what = difference(got[i], expected[i]); !what.empty())
      fail(mode, "result " + std::to_string(i) + ", " + what);
  }
}

/// Something to differentiate.
static Array lossOf(const List &results) {
  Array total = 0.0f;
  for (const Array &result : results)
    if (isFloating(result))
      total = total + sum(astype(tenon::tanh(result), f32));
  return total;
}

void Check::values() {
  const List expected = program_.run(program_.inputs);
  auto f = [this](const List &in) { return program_.run(in); };
  expect("jit", jit(f)(program_.inputs), expected);
  expect("interpreted", jit(f, {.compile = Compile::never})(program_.inputs), expected);
}

/// The first size of the first input as a symbol, where the program allows it.
void Check::sized() {
  const Array &first = program_.inputs[0];
  if (first.ndim() == 0 || sizes(first)[0] < 2)
    return;
  Shape shape = first.shape();
  shape.at(0) = Dim("n");
  const List rest(program_.inputs.begin() + 1, program_.inputs.end());
  auto plain = [this](const Array &x, const List &others) {
    List in{x};
    in.insert(in.end(), others.begin(), others.end());
    return program_.run(in);
  };
  auto f = jit(plain, {.specs = {TensorSpec{first.dtype(), shape}, as_called}});
  List got;
  try {
    got = f(first, rest);
  } catch (const Error &) {
    return; // it compares the size with a number
  }
  ++symbolic;
  expect("symbolic", got, program_.run(program_.inputs));
  if (!isFloating(first))
    return;
  auto loss = [&](const Array &x, const List &others) { return lossOf(plain(x, others)); };
  auto symbolicLoss = jit(loss, {.specs = {TensorSpec{first.dtype(), shape}, as_called}});
  expect("grad of symbolic jit", {grad(symbolicLoss)(first, rest)}, {grad(loss)(first, rest)});
}

void Check::differentiated() {
  if (!isFloating(program_.inputs[0]))
    return;
  auto loss = [this](const List &in) { return lossOf(program_.run(in)); };
  const List expected = grad(loss)(program_.inputs);
  expect("jit of grad", jit(grad(loss))(program_.inputs), expected);
  expect("grad of jit", grad(jit(loss))(program_.inputs), expected);
  ++gradients;
}

void Check::vectorized() {
  const Array &first = program_.inputs[0];
  if (first.dtype() == Dtype::bool_ || count(first) > 4000)
    return;
  std::vector<int64_t> shape = sizes(first);
  shape.insert(shape.begin(), 1);
  auto example = [&](const Array &x) { return reshape(x, shapeOf(shape)); };
  const Array batch = concatenate({example(first), example(first + first), example(first * 0)}, 0);
  const List rest(program_.inputs.begin() + 1, program_.inputs.end());
  auto f = [this](const Array &x, const List &others) {
    List in{astype(x, program_.inputs[0].dtype())};
    in.insert(in.end(), others.begin(), others.end());
    return program_.run(in);
  };
  auto all = vmap(f, {.in_axes = {0, none}});
  List expected;
  try {
    expected = all(batch, rest);
  } catch (const Error &error) {
    return fail("vmap", error.what());
  }
  ++mapped;
  expect("jit of vmap", jit(all)(batch, rest), expected);
  expect("vmap of jit", vmap(jit(f), {.in_axes = {0, none}})(batch, rest), expected);
  if (isFloating(first) && count(first) <= 600) {
    auto loss = [&f](const Array &x, const List &others) { return lossOf(f(x, others)); };
    const VmapOptions first0 = {.in_axes = {0, none}};
    const List slopes = {vmap(grad(loss), first0)(batch, rest)};
    expect("jit of vmap of grad", {jit(vmap(grad(loss), first0))(batch, rest)}, slopes);
    expect("vmap of grad of jit", {vmap(grad(jit(loss)), first0)(batch, rest)}, slopes);
    ++nested;
  }
  // A product of matrices takes all examples' rows at once, so may round otherwise.
  if (program_.hasProduct)
    return;
  for (int i = 0; i < 3; ++i) {
    List one;
    for (const Array &result : expected)
      one.push_back(result[i]);
    expect(("example " + std::to_string(i)).c_str(), one, f(batch[i], rest));
  }
}

/// The same elements in a buffer of their own.
static Array copyOf(const Array &x) {
  return withElement(x.dtype(), [&]<class T>(T *) {
    if constexpr (std::is_same_v<T, bool>)
      return astype(copyOf(astype(x, Dtype::u8)), Dtype::bool_);
    else
      return Array(std::span<const T>(x.to_vector<T>()), x.shape());
  });
}

/// The second half of the program as a program of what the first half has made,
/// which are views of all kinds: as they are, dense, and donated.
void Check::continued() {
  List values = program_.start(program_.inputs, program_.steps.size() / 2), dense, copies;
  const List expected = program_.finish(values);
  for (const Array &value : values) {
    dense.push_back(copyOf(value));
    copies.push_back(copyOf(value));
  }
  auto rest = jit([this](const List &in) { return program_.finish(in); });
  expect("second half", rest(values), expected);
  expect("second half, dense", rest(dense), expected);
  expect("second half again", rest(values), expected);

  // A dense view is refused as a donation while what it belongs to lives.
  List views;
  for (const Array &value : dense) {
    std::vector<int64_t> shape = sizes(value);
    shape.insert(shape.begin(), 1);
    views.push_back(reshape(value, shapeOf(shape)));
  }
  auto restOfViews = jit([this](const List &in) {
    List inside;
    for (const Array &x : in)
      inside.push_back(x[0]);
    return program_.finish(inside);
  });
  expect("second half, views donated", restOfViews(std::move(views)), expected);
  expect("what the views belong to", dense, copies);
  expect("second half, donated", rest(std::move(dense)), expected);
  donated += static_cast<long>(copies.size());
}

bool Check::run() {
  for (auto [what, mode] : {std::pair{&Check::values, "values"}, std::pair{&Check::sized, "symbolic"},
                            std::pair{&Check::differentiated, "gradients"}, std::pair{&Check::vectorized, "vmap"},
                            std::pair{&Check::continued, "second half"}})
    try {
      (this->*what)();
    } catch (const Error &error) {
      fail(mode, error.what());
    }
  return isRight_;
}

/// A program that prints what the function gives eagerly and under jit.
static std::string printing(const Program &program) {
  std::string inputs;
  for (const Array &input : program.inputs)
    inputs += "      " + literal(input) + ",\n";
  return Program::prelude + program.text("program", program.results()) + "int main() {\n  const List inputs = {\n" +
         inputs + R"(  };
  const List eager = program(inputs), compiled = jit(program)(inputs);
  for (size_t i = 0; i < eager.size(); ++i)
    std::cout << eager[i] << "\n" << compiled[i] << "\n";
}
)";
}

/// A folder of programs and all values that they make.
class Folder {
public:
  explicit Folder(std::string path) : path_(std::move(path)) {}

  /// For numpy_opinion.py a line for each value, its dtype and the Python that makes it, and the values.
  void leave(const Program &program, const std::string &seed) {
    NamedArrays arrays;
    std::ofstream lines(path_ + "/" + seed + ".txt");
    const List values = program.start(program.inputs, program.steps.size());
    std::string dtypes;
    for (size_t i = 0; i < values.size(); ++i) {
      const Dtype dtype = values[i].dtype();
      const bool isInput = i < program.inputs.size();
      // NumPy has no dtype for some.
      arrays["v" + std::to_string(i)] = dtype == Dtype::bf16 || is_storage(dtype) ? astype(values[i], f32) : values[i];
      lines << short_name(dtype) << '\t' << (isInput ? "" : program.steps[i - program.inputs.size()].python) << '\n';
      dtypes += (i == 0 ? "" : ", ") + literal(dtype);
    }
    save_npz(path_ + "/" + seed + ".npz", arrays);
    functions_ += program.text("program" + seed, "v");
    table_ += "    {\"" + seed + "\", program" + seed + ", " + std::to_string(program.inputs.size()) + ", {" + dtypes +
              "}},\n";
  }

  /// Writes programs.cpp, which takes the folder's path and says which values it has others for.
  void finish() const {
    std::ofstream(path_ + "/programs.cpp") << Program::prelude << functions_ << R"(static const struct {
  const char *seed;
  List (*run)(const List &);
  size_t inputs;
  std::vector<Dtype> dtypes;
} programs[] = {
)" << table_ << R"(};

int main(int, char **arguments) {
  size_t compared = 0, wrong = 0;
  for (const auto &[seed, run, count, dtypes] : programs) {
    const NamedArrays arrays = load_npz(std::string(arguments[1]) + "/" + seed + ".npz");
    List left, inputs;
    for (size_t i = 0; i < dtypes.size(); ++i)
      left.push_back(astype(arrays.at("v" + std::to_string(i)), dtypes[i]));
    inputs.assign(left.begin(), left.begin() + static_cast<long>(count));
    const List values = run(inputs);
    for (size_t i = 0; i < left.size(); ++i, ++compared)
      if (values[i].dtype() != dtypes[i] || !array_equal(values[i], left[i], true).item<bool>()) {
        std::cout << "seed " << seed << ": v[" << i << "] is " << values[i] << " for " << left[i] << "\n";
        ++wrong;
      }
  }
  std::cout << std::size(programs) << " programs, " << compared << " values compared, " << wrong << " wrong\n";
  return wrong != 0;
}
)";
  }

private:
  std::string path_, functions_, table_;
};

} // namespace tenon::fuzz

int main(int argc, char **argv) {
  using namespace tenon::fuzz;
  const unsigned long programs = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1000;
  const unsigned long seed = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 1;
  std::optional<Folder> folder;
  if (argc > 3)
    folder.emplace(argv[3]);
  unsigned long wrong = 0;
  for (unsigned long i = 0; i < programs; ++i) {
    const Program program = Generator(seed + i).make();
    if (folder)
      folder->leave(program, std::to_string(seed + i));
    if (Check(program, seed + i).run())
      continue;
    ++wrong;
    const Program shorter =
        shortened(program, [&](const Program &candidate) { return Check(candidate, seed + i).firstFault(); });
    std::printf("shortened:\n%s", printing(shorter).c_str());
    auto function = [&](const List &in) { return shorter.run(in); };
    std::printf("%s\n", tenon::jit(function).lower(shorter.inputs).trace().c_str());
  }
  if (folder)
    folder->finish();
  std::printf("%lu programs from seed %lu, %lu wrong; %ld arrays compared; %ld with a symbolic size, %ld gradients, "
              "%ld mapped, "
              "%ld nested, %ld arrays donated\n",
              programs, seed, wrong, Check::compared, Check::symbolic, Check::gradients, Check::mapped, Check::nested,
              Check::donated);
  return wrong != 0;
}
