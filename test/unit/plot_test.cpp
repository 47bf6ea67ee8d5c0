//===- plot_test.cpp - pictures as SVG ----------------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/plot/Axis.h"
#include "lib/plot/Svg.h"
#include "test/unit/Errors.h"
#include "test/unit/ScratchFile.h"

#include <tenon/learning.h>

#include <gmock/gmock.h>

#include <cmath>

using namespace tenon;
using namespace tenon::test;
using plot::AxisScale;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {
/// How often `part` stands in `text`.
size_t count(const std::string &text, const std::string &part) {
  size_t number = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++number;
  return number;
}
std::vector<std::string> tickTexts(AxisScale axis, std::initializer_list<double> values, int ticks = 5) {
  for (const double value : values)
    axis.include(value);
  axis.addMargin(0);
  std::vector<std::string> texts;
  for (const plot::Tick &tick : axis.ticks(ticks))
    texts.push_back(tick.text);
  return texts;
}
const double notANumber = std::nan(""), infinity = HUGE_VAL;
class Plot : public tenon::testing::ScratchFile {};
} // namespace

TEST_F(Plot, TicksAreRoundNumbers) {
  const AxisScale linear(plot::Scale::linear), log(plot::Scale::log);
  EXPECT_THAT(tickTexts(linear, {0, 10}), ElementsAre("0", "2", "4", "6", "8", "10"));
  EXPECT_THAT(tickTexts(linear, {0.12, 0.38}), ElementsAre("0.15", "0.20", "0.25", "0.30", "0.35"));
  EXPECT_THAT(tickTexts(linear, {-1, 1}), ElementsAre("-1.0", "-0.5", "0", "0.5", "1.0"));
  EXPECT_THAT(tickTexts(linear, {0, 4e7}), ElementsAre("0", "1e7", "2e7", "3e7", "4e7"));
  EXPECT_THAT(tickTexts(linear, {0, 4e-7}), ElementsAre("0", "1e-7", "2e-7", "3e-7", "4e-7"));
  EXPECT_THAT(tickTexts(linear, {1e6 + 0.1, 1e6 + 0.3}),
              ElementsAre("1000000.10", "1000000.15", "1000000.20", "1000000.25", "1000000.30"));
  EXPECT_THAT(tickTexts(linear, {-1.6e308, 1.6e308}, 3), ElementsAre("-1e308", "0", "1e308"));
  EXPECT_THAT(tickTexts(log, {0.01, 100, -1, 0}), ElementsAre("0.01", "0.1", "1", "10", "100"));
  EXPECT_THAT(tickTexts(log, {1e-9, 1e9}), ElementsAre("1e-9", "1e-5", "0.1", "1000", "1e7"));
  EXPECT_THAT(tickTexts(log, {2, 30}), ElementsAre("2", "5", "10", "20"));
  AxisScale epochs = linear;
  epochs.keepWhole();
  EXPECT_THAT(tickTexts(epochs, {1, 3}), ElementsAre("1", "2", "3"));
}

TEST_F(Plot, AxesHoldWhatTheyShow) {
  AxisScale axis(plot::Scale::linear);
  for (const double value : {notANumber, 3.0, infinity, 3.0, -infinity})
    axis.include(value);
  axis.addMargin(0.05);
  EXPECT_DOUBLE_EQ(axis.place(3), 0.5);
  AxisScale empty(plot::Scale::log);
  empty.include(-1);
  EXPECT_TRUE(empty.isEmpty());
  empty.addMargin(0.05);
  EXPECT_GT(empty.place(10), empty.place(1));
  AxisScale bars(plot::Scale::linear);
  bars.pinLow();
  bars.include(0);
  bars.include(2);
  bars.addMargin(0.05);
  EXPECT_EQ(bars.low(), 0);
  EXPECT_GT(bars.high(), 2);
}

TEST_F(Plot, LinesHaveGaps) {
  plot::Figure figure;
  figure.line(std::vector<double>{1, 2, notANumber, 3, infinity, 4, 5});
  // Two lines, a dot between the gaps.
  EXPECT_EQ(count(figure.svg(), "<path"), 2u);
  EXPECT_EQ(count(figure.svg(), "<circle"), 1u);
  plot::Figure log({.y_scale = plot::Scale::log});
  log.line({1.0, 2.0, 0.0, 3.0, 4.0, -1.0, 2.0, 2.0});
  EXPECT_EQ(count(log.svg(), "<path"), 3u);
}

TEST_F(Plot, ManyPointsAreThinnedToWhatIsSeen) {
  plot::Figure figure;
  Array y = zeros({200000});
  y = y.at[{123456}].set(1.0f);
  figure.line(y);
  const std::string svg = figure.svg();
  EXPECT_LT(svg.size(), 100000u);
  plot::Figure few;
  few.line({0.0f, 1.0f});
  // The peak is there: the same highest place as that of a short line.
  const std::string top = "L", high = few.svg();
  const size_t path = high.find("<path d=\"M"), comma = high.find('L', path);
  const std::string place = high.substr(high.find(' ', comma) + 1, 5);
  EXPECT_THAT(svg, HasSubstr(" " + place.substr(0, place.find_first_of("\" ")) + "L"));
}

TEST_F(Plot, TextIsEscaped) {
  plot::Figure figure({.title = "a < b & \"c\"", .x_label = "\x01\xff"});
  figure.line({1, 2}, {.label = "</svg>"});
  const std::string svg = figure.svg();
  EXPECT_THAT(svg, HasSubstr("a &lt; b &amp; &quot;c&quot;"));
  EXPECT_THAT(svg, HasSubstr("&lt;/svg&gt;"));
  EXPECT_EQ(count(svg, "</svg>"), 1u);
  EXPECT_EQ(plot::escaped("\x01\xff"), "\xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(plot::escaped("\xc3\xa9"), "\xc3\xa9");
  EXPECT_EQ(plot::base64("Ma"), "TWE=");
  EXPECT_EQ(plot::base64("M"), "TQ==");
  EXPECT_EQ(plot::base64("Man"), "TWFu");
}

TEST_F(Plot, BarsAndHistogramsStandOnZero) {
  plot::Figure bars;
  bars.bar({"a", "b"}, {2, -1}, {.label = "x"}).bar({"a", "b"}, {1, float(notANumber)}, {.label = "y"});
  EXPECT_EQ(count(bars.svg(), "<title>"), 3u);
  EXPECT_THAT(bars.svg(), HasSubstr("b: -1"));
  plot::Figure histogram;
  histogram.histogram(Array{0.0f, 1.0f, 1.0f, float(notANumber), 2.0f}, {.bins = 2, .color = "#123456"});
  EXPECT_EQ(count(histogram.svg(), "#123456"), 2u);
}

TEST_F(Plot, EmptyFiguresSaySo) {
  for (const bool hasPoints : {false, true}) {
    plot::Figure figure;
    if (hasPoints)
      figure.scatter({float(notANumber)}, {1.0f}).histogram(zeros({0})).line(std::vector<double>());
    EXPECT_THAT(figure.svg(), HasSubstr(">no data<"));
  }
}

TEST_F(Plot, ImagesArePngAndMatricesAreCells) {
  plot::Figure image;
  image.image(Array{{1.0f, 2.0f}, {3.0f, float(notANumber)}});
  EXPECT_EQ(count(image.svg(), "data:image/png;base64,iVBORw0KGgo"), 2u); // and its scale
  plot::Figure color;
  color.image(zeros({2, 2, 3}));
  EXPECT_EQ(count(color.svg(), "data:image/png"), 1u);
  plot::Figure matrix;
  matrix.confusion_matrix({{8, 2}, {0, 5}}, {.classes = {"cat", "dog"}});
  EXPECT_THAT(matrix.svg(), HasSubstr("<title>cat, predicted as dog: 2</title>"));
  EXPECT_EQ(count(matrix.svg(), "<title>"), 4u);
}

TEST_F(Plot, FilesAreReplacedAtOnce) {
  plot::Figure figure;
  figure.line({1, 2});
  figure.save(path_);
  EXPECT_EQ(get(), figure.svg());
  plot::save(path_, {figure, figure, figure}, 2);
  EXPECT_THAT(get(), HasSubstr("width=\"1280\" height=\"800\""));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
  EXPECT_THAT(messageOf([&] { figure.save("/nowhere/x.svg"); }), HasSubstr("plot::save: cannot create a file"));
}

TEST_F(Plot, BadArgumentsAreErrors) {
  plot::Figure figure;
  EXPECT_THAT(messageOf([&] { figure.line(zeros({2, 2})); }),
              HasSubstr("plot::line: expected numbers along one axis, got shape (2, 2)"));
  EXPECT_THAT(messageOf([&] { figure.scatter({1, 2}, {1}); }), HasSubstr("expected as many x as y, got 2 and 1"));
  EXPECT_THAT(messageOf([&] { figure.line(zeros({2}, c64)); }), HasSubstr("expected real numbers, got complex64"));
  EXPECT_THAT(messageOf([&] { figure.bar({"a"}, {1, 2}); }), HasSubstr("expected as many categories as heights"));
  EXPECT_THAT(messageOf([&] { figure.confusion_matrix(zeros({2, 3})); }), HasSubstr("expected a square matrix"));
  EXPECT_THAT(messageOf([&] { figure.image(zeros({2, 2, 2})); }), HasSubstr("got shape (2, 2, 2)"));
  EXPECT_THAT(messageOf([&] { plot::Figure({.width = 10}); }), HasSubstr("got 10 and 400"));
  EXPECT_THAT(messageOf([&] {
                jit([&](const Array &x) {
                  figure.line(x);
                  return x;
                })(Array{1.0f});
              }),
              HasSubstr("expected an array with values, got a traced one"));
  figure.line({1, 2});
  EXPECT_THAT(messageOf([&] { figure.image(zeros({2, 2})); }), HasSubstr("expected an empty figure"));
}

TEST_F(Plot, AHistoryHasAPictureOfEachNumber) {
  train::Logs logs;
  for (const char *name : {"loss", "accuracy", "val_loss"})
    logs.set(name, 0.5);
  train::History history;
  history.append(logs);
  history.append(logs);
  history.save_svg(path_);
  EXPECT_EQ(count(get(), "<g "), 2u);
  EXPECT_EQ(count(get(), ">validation<"), 1u);
  EXPECT_THAT(get(), Not(HasSubstr(">val_loss<")));
  train::History().save_svg(path_);
  EXPECT_THAT(get(), HasSubstr(">no data<"));
}
