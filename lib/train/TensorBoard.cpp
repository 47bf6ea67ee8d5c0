//===- TensorBoard.cpp - callbacks that show how training goes ---------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/base/ErrorLocation.h"
#include "lib/summary/Writer.h"
#include "lib/trace/Interpreter.h"
#include "lib/train/Run.h"

#include <iostream>

using namespace tenon;
using namespace tenon::train;

void ProgressBar::on_epoch_begin(int64_t epoch) {
  (options_.out ? *options_.out : std::cout) << "Epoch " << epoch + 1 << "/" << epochs() << "\n";
  line_.emplace(steps(), options_);
}
void ProgressBar::on_batch_end(int64_t, const Logs &logs) { line_->step(logs); }
void ProgressBar::on_epoch_end(int64_t, Logs &logs) { line_->finish(logs); }

TensorBoard::TensorBoard(std::string log_dir, TensorBoardOptions options, Location at)
    : folder_(std::move(log_dir)), options_(options) {
  if (options.histogram_freq < 0 || options.update_freq < 0)
    throw Error(
        "TensorBoard: expected frequencies >= 0, got histogram_freq = " + std::to_string(options.histogram_freq) +
            " and update_freq = " + std::to_string(options.update_freq),
        userLocation(at));
}

/// A writer of a part of the folder, made when there is something to write.
static void open(detail::StateRef<summary::WriterBody> &writer, const std::string &folder) {
  if (!writer.get())
    writer = detail::StateRef<summary::WriterBody>(new summary::WriterBody(folder, {}));
}

void TensorBoard::on_train_begin() { training_ = validation_ = Writer(); }
void TensorBoard::on_batch_end(int64_t, const Logs &logs) {
  if (options_.update_freq == 0)
    return;
  // Goes on in a second call of fit, and after a restart.
  const int64_t step = optimizer().iterations().value().item<int64_t>();
  if (step % options_.update_freq != 0)
    return;
  open(training_, folder_ + "/train");
  const summary::DefaultScope scope(training_);
  for (const std::string &name : logs.names())
    if (!name.starts_with("val_")) // of the epoch before
      summary::scalar("batch_" + name, logs[name], step);
}
void TensorBoard::on_epoch_end(int64_t epoch, Logs &logs) {
  open(training_, folder_ + "/train");
  {
    const summary::DefaultScope scope(training_);
    for (const std::string &name : logs.names())
      if (!name.starts_with("val_") && name != "learning_rate")
        summary::scalar("epoch_" + name, logs[name], epoch);
    summary::scalar("epoch_learning_rate", optimizer().learning_rate(), epoch);
    if (options_.histogram_freq != 0 && (epoch + 1) % options_.histogram_freq == 0) {
      const detail::VariableList &variables = model();
      for (size_t i = 0; i < variables.paths.size(); ++i)
        if (variables.variables[i].has_value())
          summary::histogram(variables.paths[i] + "/histogram", variables.variables[i], epoch);
    }
    training_.get()->flush();
  }
  for (const std::string &name : logs.names())
    if (name.starts_with("val_")) {
      open(validation_, folder_ + "/validation");
      const summary::DefaultScope scope(validation_);
      summary::scalar("epoch_" + name.substr(4), logs[name], epoch);
    }
  if (validation_.get())
    validation_.get()->flush();
}
void TensorBoard::on_train_end(const Logs &) { training_ = validation_ = Writer(); }
