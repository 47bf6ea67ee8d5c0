//===- Running.h - the layer that a thread is in -------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/nn/layer.h>

#include <vector>

namespace tenon::detail {

/// The class without namespaces: "Dense".
std::string className(const nn::Layer &layer);

/// Builds and calls a layer whose policy casts.
Array callWithPolicy(const nn::Layer &layer, Array input);

/// While it lives, it is told of the layers that this thread calls, but for layers within layers.
class LayerObserver {
public:
  /// `root`: a layer that is told of only if none within it was, as those say more; or null.
  explicit LayerObserver(const nn::Layer *root);
  virtual ~LayerObserver();
  LayerObserver(const LayerObserver &) = delete;
  virtual void called(const nn::Layer &layer, const Shape &result) = 0;
  virtual bool wasTold() const = 0;
  /// Whether it stands for what it holds.
  bool isContainer(const nn::Layer &layer) const {
    return isRoot(layer) || dynamic_cast<const nn::AnyLayer *>(&layer) != nullptr;
  }
  bool isRoot(const nn::Layer &layer) const { return &layer == root_; }

private:
  const nn::Layer *root_;
  LayerObserver *outer_;
};

/// On the stack while a Layer is called: which Weights are built meanwhile.
class RunningLayer {
public:
  RunningLayer(const nn::Layer &layer, Location at);
  ~RunningLayer();
  RunningLayer(const RunningLayer &) = delete;
  /// An Error if the layer's fields do not name a Weight that was built in it.
  void expectReachable();
  /// A Weight was built on this thread.
  static void noteBuilt(uint64_t identity, const std::string &name);
  /// Its result is known.
  void noteResult(const Shape &shape) const;
  /// The dtype of weights that the innermost layer builds unless it says otherwise.
  static Dtype weightDtype();
  /// The user's line that called the innermost layer; none outside of layers.
  static Location line();

private:
  const nn::Layer &layer_;
  Location at_;
  RunningLayer *outer_;
  std::vector<std::pair<uint64_t, std::string>> built_;
};

} // namespace tenon::detail
