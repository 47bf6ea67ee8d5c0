//===- conformance_test.cpp - every op, transformed in every way, run in every mode -----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// {eager, interpreted, compiled, loaded from a blob by another process} x {f,
// grad, grad.grad, vmap, vmap.grad, jit.grad, grad.jit, jvp, hessian, vmap.vmap,
// checkpoint, tape, tape.jit} x each op, dtype and shape. A cell is a test:
// `Conformance.exp/f32/3x5/compiled/vmap`. The result is compared with NumPy's, and bit by bit with the eager one. The
// columns of checkpoints and tapes are compared bit by bit with f and grad instead of NumPy.
//===----------------------------------------------------------------------===//
#include "test/conformance/BlobRunner.h"
#include "test/conformance/Columns.h"
#include "test/conformance/Reference.h"
#include "test/conformance/Steps.h"
#include "test/conformance/Symbolic.h"

#include <tenon/error.h>
#include <tenon/statistics.h>

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <optional>
#include <unordered_map>

using namespace tenon;
using namespace tenon::conformance;

namespace {

struct Cell {
  const Case *of;
  Column column;
  Mode mode;

  std::string name() const {
    return of->name() + "/" + std::string(modeNames[static_cast<int>(mode)]) + "/" +
           std::string(columnNames[static_cast<int>(column)]);
  }
};

/// The columns whose results, one after the other, this column must repeat bit by bit. Empty for a column that is
/// compared with NumPy itself.
std::vector<Column> columnsLike(Column column) {
  switch (column) {
  case Column::checkpoint:
    return {Column::f, Column::grad};
  case Column::tape:
  case Column::tapeJit:
    return {Column::grad};
  default:
    return {};
  }
}

/// Cases, references and results that the cells of one run share.
struct Matrix {
  std::vector<std::string> missing;
  std::vector<Case> cases = allCases(missing);
  std::vector<Cell> cells;
  struct Excluded {
    std::string name, reason;
  };
  std::vector<Excluded> excluded;
  Reference reference;
  std::map<std::pair<const Case *, Column>, int> questions;
  std::map<std::pair<const Case *, Column>, std::vector<HostData>> eagerResults;
  BlobRunner runner;
  TemporaryFolder folder;
  StepCounts steps;

  Matrix();
  static Matrix &get() {
    static Matrix *matrix = new Matrix;
    return *matrix;
  }
};

Matrix::Matrix() {
  for (const Case &of : cases)
    for (int c = 0; c < (of.allColumns ? columnCount : 1); ++c) {
      Column column = static_cast<Column>(c);
      const bool isMadeOfOthers = of.row && of.row->isMadeOfOthers();
      const bool isLikeOthers = !columnsLike(column).empty();
      if (isMadeOfOthers && column != Column::f && column != Column::grad && column != Column::vmap &&
          column != Column::jvp && !isLikeOthers)
        continue;
      std::string reason = reasonAgainst(of, column);
      for (int m = 0; m < modeCount; ++m) {
        Cell cell{&of, column, static_cast<Mode>(m)};
        // Leaves out modes in which other cells test the same code.
        const bool isTwice = column == Column::hessian || column == Column::vmapVmap;
        if ((isMadeOfOthers || isTwice || column == Column::jvp) &&
            (cell.mode == Mode::blob || cell.mode == Mode::interpreted))
          continue;
        if (isTwice && cell.mode == Mode::compiled && of.dtype != Dtype::f32)
          continue;
        if (isLikeOthers && cell.mode == Mode::blob)
          continue;
        const std::string &why = reason.empty() && cell.mode == Mode::blob ? of.noBlob : reason;
        if (why.empty())
          cells.push_back(cell);
        else
          excluded.push_back({cell.name(), why});
      }
    }
}

/// Collects the cells that will run, and computes their references in one run of Python.
class Environment : public testing::Environment {
public:
  void SetUp() override {
    Matrix &matrix = Matrix::get();
    std::unordered_map<std::string, const Cell *> byName;
    for (const Cell &cell : matrix.cells)
      byName[cell.name()] = &cell;
    const testing::UnitTest &all = *testing::UnitTest::GetInstance();
    for (int s = 0; s < all.total_test_suite_count(); ++s)
      for (int t = 0; t < all.GetTestSuite(s)->total_test_count(); ++t) {
        const testing::TestInfo &info = *all.GetTestSuite(s)->GetTestInfo(t);
        auto found = byName.find(info.name());
        if (!info.should_run() || found == byName.end() || found->second->of->referenceUlp < 0 ||
            !columnsLike(found->second->column).empty())
          continue;
        std::pair question{found->second->of, found->second->column};
        if (!matrix.questions.count(question))
          matrix.questions[question] = matrix.reference.ask(*question.first, question.second);
      }
    if (matrix.reference.size())
      matrix.reference.compute();
  }
};

std::vector<HostData> toHost(const std::vector<Array> &arrays) {
  std::vector<HostData> out;
  for (const Array &array : arrays)
    out.push_back(readArray(array));
  return out;
}

class CellTest : public testing::Test {
public:
  explicit CellTest(const Cell &cell) : cell_(cell) {}

  void TestBody() override {
    const Case &of = *cell_.of;
    std::vector<HostData> hostInputs = makeInputs(of, cell_.column);
    std::vector<Array> inputs;
    std::vector<bool> mapped = mappedInputs(of, cell_.column);
    for (size_t i = 0; i < hostInputs.size(); ++i)
      inputs.push_back(makeArray(hostInputs[i], mapped[i] ? Layout::dense : of.inputs[i].layout));

    std::vector<HostData> results;
    switch (cell_.mode) {
    case Mode::eager:
      results = eagerResult(cell_.column, inputs);
      break;
    case Mode::interpreted:
    case Mode::compiled:
      results = jitted(inputs);
      break;
    case Mode::blob:
      results = loaded(inputs, hostInputs);
      break;
    }
    if (std::vector<Column> like = columnsLike(cell_.column); !like.empty()) {
      std::vector<HostData> expected;
      for (Column column : like)
        for (const HostData &result : eagerResult(column, inputs))
          expected.push_back(result);
      EXPECT_EQ(compareBits(results, expected), "");
      return;
    }
    Matrix &matrix = Matrix::get();
    if (of.referenceUlp >= 0) {
      EXPECT_EQ(compareToReference(results, matrix.reference.answer(matrix.questions.at({&of, cell_.column}))), "");
    }
    if (cell_.mode != Mode::eager) {
      EXPECT_EQ(compareBits(results, eagerResult(cell_.column, inputs)), "");
    }
  }

private:
  Function function(Column column, Compile compile) const {
    return columnFunction(cell_.of->function, column, mappedInputs(*cell_.of, column), {.compile = compile});
  }

  const std::vector<HostData> &eagerResult(Column column, const std::vector<Array> &inputs) {
    auto [place, isNew] = Matrix::get().eagerResults.try_emplace({cell_.of, column});
    if (isNew) {
      try {
        // Runs op by op, except for a jitted function, and for derivatives of loops, whose terms plain C++ would add in
        // another order.
        std::optional<EagerScope> plain;
        bool isRegion = cell_.of->row && cell_.of->row->lowering == "region";
        bool isDerivative = column != Column::f && column != Column::vmap && column != Column::vmapVmap;
        if (cell_.of->op != "call" && !(isRegion && isDerivative))
          plain.emplace();
        place->second = toHost(function(column, Compile::never)(inputs));
      } catch (...) {
        Matrix::get().eagerResults.erase(place);
        throw;
      }
    }
    return place->second;
  }

  /// Jits the whole function, unless the column itself has a jit.
  std::vector<HostData> jitted(const std::vector<Array> &inputs) {
    Compile compile = cell_.mode == Mode::compiled ? Compile::now : Compile::never;
    Function inner = function(cell_.column, compile);
    // A gradient of a jitted function is compiled; inside the interpreter it is not.
    bool isOfJitted = cell_.column == Column::gradJit || cell_.column == Column::tapeJit;
    bool hasOwnJit = cell_.column == Column::jitGrad || (isOfJitted && cell_.mode == Mode::compiled);
    auto whole = jit([&](const std::vector<Array> &x) { return inner(x); }, {.compile = compile});
    auto call = [&] { return hasOwnJit ? inner(inputs) : whole(inputs); };
    if (cell_.of->op == "host_call" && !hasOwnJit) // the first call traces, and calls the host meanwhile
      call();
    Statistics before = statistics();
    std::vector<HostData> results = toHost(call());
    Statistics after = statistics();
    Launches launches{after.generated_kernels - before.generated_kernels, after.library_steps - before.library_steps,
                      after.eager_kernels - before.eager_kernels,
                      after.interpreted_programs - before.interpreted_programs};
    if (cell_.mode == Mode::compiled) {
      record(launches);
      RecordProperty("compilations", static_cast<int>(after.compilations - before.compilations));
      RecordProperty("program_hits", static_cast<int>(after.program_hits - before.program_hits));
      // A function that returns its arguments runs no program.
      if (compareBits(results, toHost(inputs)) != "") {
        EXPECT_GE(after.programs - before.programs, 1u);
      }
      EXPECT_EQ(launches.interpretedPrograms, 0u) << "fell back to the interpreter";
      if (!hasOwnJit) {
        EXPECT_EQ(launches.eagerKernels, 0u);
      }
    } else {
      EXPECT_EQ(launches.generatedKernels, 0u);
    }
    return results;
  }

  std::vector<HostData> loaded(const std::vector<Array> &inputs, const std::vector<HostData> &hostInputs) {
    Matrix &matrix = Matrix::get();
    Function inner = function(cell_.column, Compile::now);
    auto whole = jit([&](const std::vector<Array> &x) { return inner(x); });
    std::string path = matrix.folder / "program.blob";
    whole.lower(inputs).save_blob(path);
    EXPECT_EQ(matrix.steps.check(path, *cell_.of, cell_.column), "");
    Launches launches;
    std::vector<HostData> results = matrix.runner.run(path, hostInputs, launches);
    record(launches);
    EXPECT_EQ(launches.interpretedPrograms, 0u);
    EXPECT_EQ(launches.eagerKernels, 0u);
    return results;
  }

  static void record(const Launches &launches) {
    RecordProperty("generated_kernels", static_cast<int>(launches.generatedKernels));
    RecordProperty("library_steps", static_cast<int>(launches.librarySteps));
  }

  Cell cell_;
};

/// Writes hashes of the eager results, whose bits all modes have, to the file TENON_BITS_TO, or compares them with the
/// file TENON_BITS_FROM of a run with another instruction set. Returns false if they differ.
bool compareRuns() {
  std::map<std::string, uint64_t> bits;
  for (const auto &[cell, results] : Matrix::get().eagerResults)
    bits[cell.first->name() + "/" + std::string(columnNames[static_cast<int>(cell.second)])] = hashBits(results);
  if (const char *path = std::getenv("TENON_BITS_TO")) {
    std::ofstream file(path);
    for (const auto &[name, hash] : bits)
      file << hash << " " << name << "\n";
  }
  const char *path = std::getenv("TENON_BITS_FROM");
  if (!path)
    return true;
  std::ifstream file(path);
  std::string name;
  uint64_t hash;
  size_t compared = 0, different = 0;
  while (file >> hash && file.get() == ' ' && std::getline(file, name))
    if (auto found = bits.find(name); found != bits.end()) {
      ++compared;
      if (found->second != hash && ++different <= 20)
        std::cout << name << ": the bits differ from those in " << path << "\n";
    }
  std::cout << format("Conformance: {} results compared with {}, {} differ\n", compared, path, different);
  return compared == bits.size() && compared > 0 && different == 0;
}

/// Prints, after all cells, how many there were and why others were left out.
void report() {
  Matrix &matrix = Matrix::get();
  const char *build = std::getenv("TENON_BUILD_DIR");
  std::string path = std::string(build ? build : ".") + "/conformance-excluded.txt";
  std::cout << format("Conformance: {} cells make sense, {} do not: {}\n", matrix.cells.size(), matrix.excluded.size(),
                      path);
  std::map<std::string, size_t> reasons;
  std::ofstream file(path);
  for (const Matrix::Excluded &cell : matrix.excluded) {
    ++reasons[cell.reason];
    file << cell.name << ": " << cell.reason << "\n";
  }
  for (const auto &[reason, count] : reasons)
    std::cout << format("  {} cells: {}\n", count, reason);
  std::cout << matrix.steps.text();
}

} // namespace

TEST(ConformanceTable, KnowsEveryRow) {
  EXPECT_EQ(Matrix::get().missing, std::vector<std::string>()) << "rows that no test calls";
}

TEST(ConformanceTable, NamesAreUnique) {
  std::map<std::string, int> names;
  for (const Case &of : Matrix::get().cases)
    EXPECT_EQ(names[of.name()]++, 0) << of.name();
}

int main(int count, char **arguments) {
  // A failed compilation fails the test, unless the environment sets TENON_STRICT=0 for a build without the compiler.
  setenv("TENON_STRICT", "1", 0);
  GTEST_FLAG_SET(brief, true);
  testing::InitGoogleTest(&count, arguments);
  for (const Cell &cell : Matrix::get().cells)
    if (isInSample(cell.of->name()))
      testing::RegisterTest("Conformance", cell.name().c_str(), nullptr, nullptr, __FILE__, __LINE__,
                            [&cell]() -> testing::Test * { return new CellTest(cell); });
  registerSymbolic();
  testing::AddGlobalTestEnvironment(new Environment);
  int status = RUN_ALL_TESTS();
  report();
  return compareRuns() ? status : 1;
}
