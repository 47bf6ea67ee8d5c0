//===- Graph.cpp - a traced function as TensorFlow's GraphDef ----------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/summary/Events.h"

#include <protozero/pbf_writer.hpp>

#include <cctype>
#include <map>
#include <set>

using namespace tenon;
using protozero::pbf_writer;

namespace {
enum Graph : uint32_t { graph_node = 1, graph_versions = 4 };
enum Node : uint32_t { node_name = 1, node_op = 2, node_input = 3, node_device = 4, node_attr = 5 };
enum Attr : uint32_t { attr_list = 1, attr_string = 2, attr_type = 6, list_shape = 7 };

/// Numbers of types.proto; 0: none.
int32_t typeNumber(Dtype dtype) {
  switch (dtype) {
  case f32:
    return 1;
  case f64:
    return 2;
  case i32:
    return 3;
  case u8:
    return 4;
  case i16:
    return 5;
  case i8:
    return 6;
  case c64:
    return 8;
  case i64:
    return 9;
  case bool_:
    return 10;
  case bf16:
    return 14;
  case u16:
    return 17;
  case c128:
    return 18;
  case f16:
    return 19;
  case u32:
    return 22;
  case u64:
    return 23;
  default:
    return 0;
  }
}

class Writer {
public:
  explicit Writer(std::string &out) : graph_(out) {}

  void add(const TracedFunction &function, const std::string &folder) {
    std::map<size_t, std::string> names; // of values
    for (size_t i = 0; i < function.inputs.size(); ++i) {
      const std::string name = fresh(folder + "input_" + std::to_string(i));
      names[function.inputs[i].id] = name;
      node(name, "Placeholder", {}, {function.inputs[i]}, nullptr);
    }
    for (const TracedOp &op : function.ops) {
      std::string place = folder;
      for (const std::string &scope : op.scopes)
        place += clean(scope) + "/";
      const std::string name = fresh(place + clean(op.name));
      std::vector<std::string> inputs;
      for (const TracedValue &operand : op.operands)
        inputs.push_back(names[operand.id]);
      node(name, op.name, inputs, op.results, &op);
      for (size_t i = 0; i < op.results.size(); ++i)
        names[op.results[i].id] = i ? name + ":" + std::to_string(i) : name;
      for (const TracedFunction &body : op.bodies)
        add(body, name + "/" + clean(body.name.empty() ? "body" : body.name) + "/");
    }
    for (size_t i = 0; i < function.outputs.size(); ++i)
      node(fresh(folder + "output_" + std::to_string(i)), "Identity", {names[function.outputs[i].id]},
           {function.outputs[i]}, nullptr);
  }
  void finish() { pbf_writer(graph_, graph_versions).add_int32(1, 22); }

private:
  /// TensorBoard takes slashes for folders, and a ^ or : for more.
  static std::string clean(std::string_view text) {
    std::string name;
    for (const char c : text)
      name += std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '-' ? c : '_';
    return name.empty() ? "_" : name;
  }
  std::string fresh(const std::string &name) {
    std::string result = name;
    for (int &number = numbers_[name]; !taken_.insert(result).second;)
      result = name + "_" + std::to_string(++number);
    return result;
  }
  template <class Fill>
  static void attribute(pbf_writer &node, const char *name, const Fill &fill) {
    pbf_writer entry(node, node_attr);
    entry.add_string(1, name);
    pbf_writer value(entry, 2);
    fill(value);
  }
  void node(const std::string &name, std::string_view op, const std::vector<std::string> &inputs,
            const std::vector<TracedValue> &results, const TracedOp *of) {
    pbf_writer node(graph_, graph_node);
    node.add_string(node_name, name);
    node.add_string(node_op, op.data(), op.size());
    for (const std::string &input : inputs)
      node.add_string(node_input, input);
    if (!results.empty()) {
      attribute(node, "_output_shapes", [&](pbf_writer &value) {
        pbf_writer list(value, attr_list);
        for (const TracedValue &result : results) {
          pbf_writer shape(list, list_shape);
          for (const Dim &size : result.shape)
            pbf_writer(shape, 2).add_int64(1, size.is_static() ? size.value() : -1);
        }
      });
      if (const int32_t type = typeNumber(results[0].dtype))
        attribute(node, "dtype", [&](pbf_writer &value) { value.add_enum(attr_type, type); });
    }
    if (of && !of->attributes.empty())
      attribute(node, "attributes", [&](pbf_writer &value) { value.add_bytes(attr_string, of->attributes); });
    if (of && !of->location.empty())
      attribute(node, "location", [&](pbf_writer &value) { value.add_bytes(attr_string, of->location); });
  }

  pbf_writer graph_;
  std::set<std::string> taken_;
  std::map<std::string, int> numbers_;
};
} // namespace

std::string summary::graphDef(const TracedFunction &function) {
  std::string out;
  Writer writer(out);
  writer.add(function, "");
  writer.finish();
  return out;
}
