//===- Svg.cpp - elements of SVG files --------------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/plot/Svg.h"

#include "lib/io/FileText.h"

#include <cstdio>

using namespace tenon;
using namespace tenon::plot;

std::string plot::escaped(std::string_view text) {
  const bool isUtf8 = tenon::detail::isUtf8(text);
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (c == '\t' || c == '\n' || c == '\r')
      out += ' ';
    else if (byte < 0x20 || (byte >= 0x80 && !isUtf8))
      out += "\xef\xbf\xbd";
    else
      out += c;
  }
  return out;
}

std::string plot::decimal(double value) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.2f", value);
  std::string out = text;
  while (out.ends_with('0'))
    out.pop_back();
  if (out.ends_with('.'))
    out.pop_back();
  return out == "-0" ? "0" : out;
}

std::string plot::base64(std::string_view bytes) {
  constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t word = 0;
    for (size_t k = 0; k < 3; ++k)
      word = word << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (size_t k = 0; k < 4; ++k)
      out += i + k <= bytes.size() ? digits[word >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

double plot::widthOf(std::string_view text, double size) {
  double width = 0;
  for (const char c : text)
    if ((static_cast<unsigned char>(c) & 0xc0) != 0x80) // the first byte of a character
      width += c == 'i' || c == 'l' || c == '.' || c == ',' || c == ' ' ? 0.32
               : c == 'm' || c == 'w' || c == 'M'                       ? 0.85
                                                                        : 0.58;
  return width * size;
}

namespace {
/// ` name="value"`
std::string attribute(const char *name, double value) {
  return std::string(" ") + name + "=\"" + decimal(value) + "\"";
}
std::string attribute(const char *name, std::string_view value) {
  return std::string(" ") + name + "=\"" + escaped(value) + "\"";
}
std::string box(double x, double y, double width, double height) {
  return attribute("x", x) + attribute("y", y) + attribute("width", width) + attribute("height", height);
}
} // namespace

void Svg::line(double x1, double y1, double x2, double y2, const char *color) {
  out_ += "<line" + attribute("x1", x1) + attribute("y1", y1) + attribute("x2", x2) + attribute("y2", y2) +
          attribute("stroke", color) + "/>\n";
}
void Svg::rect(double x, double y, double width, double height, std::string_view fill, std::string_view title) {
  out_ += "<rect" + box(x, y, width, height) + attribute("fill", fill) +
          (title.empty() ? "/>\n" : "><title>" + escaped(title) + "</title></rect>\n");
}
void Svg::frame(double x, double y, double width, double height) {
  out_ += "<rect" + box(x, y, width, height) + " fill=\"none\" stroke=\"#999\"/>\n";
}
void Svg::circle(double x, double y, double radius, std::string_view fill, double opacity) {
  out_ += "<circle" + attribute("cx", x) + attribute("cy", y) + attribute("r", radius) + attribute("fill", fill) +
          (opacity < 1 ? attribute("fill-opacity", opacity) : "") + "/>\n";
}
void Svg::path(const std::string &d, std::string_view color, double width, bool isDashed) {
  out_ += "<path" + attribute("d", d) + " fill=\"none\" stroke-linejoin=\"round\"" + attribute("stroke", color) +
          attribute("stroke-width", width) + (isDashed ? " stroke-dasharray=\"6 4\"" : "") + "/>\n";
}
void Svg::text(double x, double y, std::string_view text, double size, Anchor anchor, std::string_view color,
               double turn, bool isBold) {
  constexpr const char *anchors[] = {"start", "middle", "end"};
  out_ += "<text" + attribute("x", x) + attribute("y", y) + attribute("font-size", size) +
          attribute("text-anchor", anchors[static_cast<int>(anchor)]) + attribute("fill", color) +
          (turn != 0 ? " transform=\"rotate(" + decimal(turn) + " " + decimal(x) + " " + decimal(y) + ")\"" : "") +
          (isBold ? " font-weight=\"600\"" : "") + ">" + escaped(text) + "</text>\n";
}
void Svg::image(double x, double y, double width, double height, std::string_view png) {
  out_ += "<image" + box(x, y, width, height) +
          " preserveAspectRatio=\"none\" style=\"image-rendering:pixelated\" href=\"data:image/png;base64," +
          base64(png) + "\"/>\n";
}
