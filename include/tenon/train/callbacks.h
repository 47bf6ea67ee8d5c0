//===- callbacks.h - what fit calls between its steps ----------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/nn/model.h>
#include <tenon/optim.h>
#include <tenon/train/progress.h>

#include <map>

namespace tenon::summary {
class WriterBody;
void retain(WriterBody *body);
void release(WriterBody *body);
} // namespace tenon::summary

namespace tenon::train {

class Run;

/// Derive and override. The functions run on the thread that called fit, outside of programs.
class Callback {
public:
  virtual ~Callback() = default;
  virtual void on_train_begin() {}
  virtual void on_train_end(const Logs &) {}
  virtual void on_epoch_begin(int64_t /*epoch*/) {}
  /// `logs`: loss and metrics of the epoch, and of the validation data as `val_loss` and so on. What is set here is
  /// seen by the callbacks behind, and by the History.
  virtual void on_epoch_end(int64_t /*epoch*/, Logs & /*logs*/) {}
  virtual void on_batch_end(int64_t /*batch*/, const Logs &) {}

protected:
  Callback() = default;
  Callback(const Callback &) = default;
  Callback &operator=(const Callback &) = default;

  /// Ends training after this epoch's callbacks.
  void stop_training() const;
  const optim::Optimizer &optimizer() const;
  /// The model's Variables and their paths.
  const tenon::detail::VariableList &model() const;
  /// Number of epochs that fit was asked for.
  int64_t epochs() const;
  /// Number of batches of an epoch, if it is known.
  std::optional<int64_t> steps() const;
  /// The line that called fit, for errors.
  Location line() const;

private:
  friend class Run;
  Run *run_ = nullptr;
};

/// A callback of a call of fit: an object that stays where it is, or a temporary, which is kept.
class CallbackRef {
public:
  template <class C>
    requires std::is_base_of_v<Callback, std::remove_cvref_t<C>>
  CallbackRef(C &&callback) {
    using Kind = std::remove_cvref_t<C>;
    if constexpr (std::is_lvalue_reference_v<C>)
      callback_ = &callback;
    else
      keep(new Holder<Kind>(std::move(callback)));
  }
  Callback &operator*() const { return *callback_; }

private:
  struct Kept : tenon::detail::FunctionBody {
    virtual Callback *get() = 0;
  };
  template <class C>
  struct Holder final : Kept {
    explicit Holder(C given) : callback(std::move(given)) {}
    Callback *get() override { return &callback; }
    C callback;
  };
  void keep(Kept *kept) {
    kept_ = tenon::detail::StateRef<tenon::detail::FunctionBody>(kept);
    callback_ = kept->get();
  }
  tenon::detail::StateRef<tenon::detail::FunctionBody> kept_;
  Callback *callback_ = nullptr;
};

struct EarlyStoppingOptions {
  std::string monitor = "val_loss";
  /// The least change that counts as an improvement.
  double min_delta = 0;
  /// How many epochs without an improvement are allowed.
  int64_t patience = 0;
  /// Whether the model gets the weights of its best epoch in the end.
  bool restore_best_weights = true;
};
/// Ends training when a number has stopped to improve. Numbers whose names end with "accuracy", "auc" or the like
/// improve upwards, others downwards.
class EarlyStopping : public Callback {
public:
  explicit EarlyStopping(EarlyStoppingOptions options = {}) : options_(std::move(options)) {}
  /// The best epoch, from 0; the epoch that ended training, if it did.
  int64_t best_epoch() const { return bestEpoch_; }
  std::optional<int64_t> stopped_epoch() const { return stoppedEpoch_; }
  void on_train_begin() override;
  void on_epoch_end(int64_t epoch, Logs &logs) override;
  void on_train_end(const Logs &logs) override;

private:
  EarlyStoppingOptions options_;
  std::optional<double> best_;
  int64_t bestEpoch_ = 0, wait_ = 0;
  std::optional<int64_t> stoppedEpoch_;
  std::vector<Array> bestWeights_;
};

struct ReduceLROnPlateauOptions {
  std::string monitor = "val_loss";
  double factor = 0.1;
  int64_t patience = 10;
  double min_delta = 1e-4;
  int64_t cooldown = 0;
  double min_lr = 0;
};
/// Multiplies the learning rate by `factor` when a number has stopped to improve. Nothing is traced again.
class ReduceLROnPlateau : public Callback {
public:
  explicit ReduceLROnPlateau(ReduceLROnPlateauOptions options = {}, Location at = Location::current());
  void on_train_begin() override;
  void on_epoch_end(int64_t epoch, Logs &logs) override;

private:
  ReduceLROnPlateauOptions options_;
  std::optional<double> best_;
  int64_t wait_ = 0, cooldown_ = 0;
};

/// Sets the learning rate of each epoch: `rate(epoch, rate before)`.
class LearningRateScheduler : public Callback {
public:
  explicit LearningRateScheduler(tenon::detail::Function<double(int64_t, double)> rate) : rate_(std::move(rate)) {}
  void on_epoch_begin(int64_t epoch) override;

private:
  tenon::detail::Function<double(int64_t, double)> rate_;
};

/// Ends training when the loss is NaN or infinite.
class TerminateOnNaN : public Callback {
public:
  void on_batch_end(int64_t batch, const Logs &logs) override;
};

/// Writes a line of comma-separated numbers for each epoch, and the names before the first. The file is replaced when
/// training begins.
class CSVLogger : public Callback {
public:
  explicit CSVLogger(std::string path) : path_(std::move(path)) {}
  void on_train_begin() override;
  void on_epoch_end(int64_t epoch, Logs &logs) override;

private:
  std::string path_, text_;
};

/// The progress line, as fit shows it with `verbose = 1`: for another stream, or between other callbacks. Give fit
/// `verbose = 0`.
class ProgressBar : public Callback {
public:
  explicit ProgressBar(ProgressOptions options = {}) : options_(options) {}
  void on_epoch_begin(int64_t epoch) override;
  void on_batch_end(int64_t batch, const Logs &logs) override;
  void on_epoch_end(int64_t epoch, Logs &logs) override;

private:
  ProgressOptions options_;
  std::optional<Progress> line_;
};

struct TensorBoardOptions {
  /// Writes histograms of the model's Variables after every so many epochs; 0: none.
  int64_t histogram_freq = 0;
  /// Writes loss and metrics after every so many steps of the optimizer too, as `batch_loss` and so on; 0: after epochs
  /// alone.
  int64_t update_freq = 0;
};
/// Writes losses and metrics for TensorBoard, as Keras: `epoch_loss` and so on to the folder `train`, those of
/// validation data by the same names to `validation`, and `epoch_learning_rate`. `tensorboard --logdir LOG_DIR` shows
/// them.
class TensorBoard : public Callback {
public:
  explicit TensorBoard(std::string log_dir, TensorBoardOptions options = {}, Location at = Location::current());
  void on_train_begin() override;
  void on_batch_end(int64_t batch, const Logs &logs) override;
  void on_epoch_end(int64_t epoch, Logs &logs) override;
  void on_train_end(const Logs &logs) override;

private:
  using Writer = tenon::detail::StateRef<summary::WriterBody>;
  std::string folder_;
  TensorBoardOptions options_;
  Writer training_, validation_;
};

struct ModelCheckpointOptions {
  std::string monitor = "val_loss";
  /// Saves epochs that improve on all before alone.
  bool save_best_only = false;
  /// Leaves out the optimizer, and the default generator.
  bool save_weights_only = false;
  /// How many files stay; none: all.
  std::optional<size_t> keep = {};
};
/// Saves a Checkpoint after each epoch: "model", "optimizer" and the default generator, as `path` followed by
/// `-1.safetensors` and so on. Another process goes on from there with the same bits:
///
///   Checkpoint{{"model", net}, {"optimizer", adam}, {"generator", random::default_generator()}}
///       .restore(*latest_checkpoint("runs/a")).assert_consumed();
///   train::fit(net, x, y, {..., .epochs = 10, .initial_epoch = 3});
class ModelCheckpoint : public Callback {
public:
  explicit ModelCheckpoint(std::string path, ModelCheckpointOptions options = {})
      : path_(std::move(path)), options_(std::move(options)) {}
  void on_train_begin() override { best_.reset(); }
  void on_epoch_end(int64_t epoch, Logs &logs) override;

private:
  std::string path_;
  ModelCheckpointOptions options_;
  std::optional<double> best_;
};

struct LambdaCallbackOptions {
  tenon::detail::Function<void()> on_train_begin = {};
  tenon::detail::Function<void(int64_t)> on_epoch_begin = {};
  tenon::detail::Function<void(int64_t, const Logs &)> on_batch_end = {};
  tenon::detail::Function<void(int64_t, Logs &)> on_epoch_end = {};
};
/// Functions instead of a class: `train::LambdaCallback{{.on_epoch_end = [](int64_t epoch, train::Logs &logs) {...}}}`.
class LambdaCallback : public Callback {
public:
  explicit LambdaCallback(LambdaCallbackOptions options) : options_(std::move(options)) {}
  void on_train_begin() override;
  void on_epoch_begin(int64_t epoch) override;
  void on_batch_end(int64_t batch, const Logs &logs) override;
  void on_epoch_end(int64_t epoch, Logs &logs) override;

private:
  LambdaCallbackOptions options_;
};

} // namespace tenon::train
