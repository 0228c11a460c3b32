// Interprets the launches of a host function, and calls of methods of PyTorch's tensors.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "import/host_reader.h"
#include "import/words.h"

namespace kw::import {

namespace {

using Kind = Value::Kind;

constexpr std::size_t kMostSteps = 256;

}  // namespace

const Item* HostReader::kernel_named(const std::string& name) const {
  const std::string last = last_part(name);
  const Item* declared = nullptr;
  for (const Item& item : items_) {
    if (item.kind != Item::Kind::Kernel || item.name != last) continue;
    if (item.is_defined()) return &item;
    declared = &item;
  }
  return declared;
}

Value HostReader::launch(const std::string& name, const std::vector<std::string>& templates,
                         std::size_t offset) {
  const std::size_t open = after_launch_open(*tokens_, at_);
  std::size_t close = open;
  while (close < end_ && !(at(close).is(">>") && at(close + 1).is(">"))) {
    if (at(close).is("(") || at(close).is("{") || at(close).is("[")) close = closing(close);
    ++close;
  }
  Step step;
  step.offset = offset;
  step.templates = templates;
  // A local variable hides a kernel of the same name.
  if (const Variable* variable = find(name)) {
    if (variable->value.is(Kind::Kernel)) {
      step.kernel = kernel_named(variable->value.word);
      step.templates = variable->value.names;
    }
  } else {
    step.kernel = kernel_named(name);
  }
  if (close >= end_ || !at(close + 2).is("(")) {
    at_ = end_;
    miss(offset,
         "this launch is incomplete; a launch has the form kernel<<<grid, block>>>(arguments)");
    return Value();
  }
  std::vector<Value> shape;
  std::vector<std::size_t> places;
  for (const auto& [from, to] : parts_between(open, close, ",")) {
    places.push_back(place(from));
    shape.push_back(evaluate(from, to));
  }
  at_ = close + 2;
  step.arguments = arguments(&step.places);
  if (step.kernel == nullptr || !step.kernel->is_defined()) {
    miss(offset,
         fmt::format("'{}' is launched here, but this file does not define a kernel of that name",
                     sanitise(name, 60)));
    return Value();
  }
  if (shape.size() < 2) {
    miss(offset, "this launch gives no grid and no block");
    return Value();
  }
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (shape[i].is(Kind::Unknown)) shape[i].offset = places[i];
  if (shape.size() > 3) use_stream(shape[3], offset);
  add_launch(std::move(step), shape[0], shape[1], shape.size() > 2 ? shape[2] : integer(0));
  return Value();
}

void HostReader::add_launch(Step step, const Value& grid, const Value& block, const Value& shared) {
  if (out_.steps.size() >= kMostSteps)
    return miss(
        step.offset,
        fmt::format(
            "the host code makes more than {} launches, the most that a plan is drafted for",
            kMostSteps));
  step.grid = shape(grid, "the grid", step.offset);
  step.block = shape(block, "the block", step.offset);
  if (shared.is(Kind::Int))
    step.shared = shared.size;
  else if (shared.is(Kind::Unknown) && shared.word != kToldElsewhere)
    miss(shared.offset != 0 ? shared.offset : step.offset,
         "the bytes of shared memory of this launch are not known: " + shared.word);
  else if (!shared.is(Kind::Unknown) && !shared.is(Kind::Null))
    miss(step.offset,
         "the bytes of shared memory of this launch are given by something that is no integer");
  const auto& parameters = step.kernel->parameters;
  for (std::size_t i = step.arguments.size(); i < parameters.size(); ++i) {
    step.arguments.push_back(default_of(parameters[i]));
    step.places.push_back(step.offset);
    if (step.arguments.back().is(Kind::Unknown)) step.arguments.back().offset = step.offset;
  }
  for (std::size_t i = 0; i < std::min(step.arguments.size(), parameters.size()); ++i) {
    Value& value = step.arguments[i];
    if (parameters[i].stars > 0 || !(value.is(Kind::Int) || value.is(Kind::Real))) continue;
    value = cast({device_type(parameters[i].type, types_), 0, false, 1}, std::move(value),
                 step.places[i]);
  }
  push(std::move(step));
}

std::vector<Size> HostReader::shape(const Value& value, std::string_view what, std::size_t offset) {
  std::vector<Size> sizes;
  if (value.is(Kind::Int)) return {value.size};
  for (const Value& part : value.parts) {
    if (!part.is(Kind::Int)) {
      if (part.word != kToldElsewhere)
        miss(part.offset != 0 ? part.offset : offset,
             fmt::format("{} is not known{}", what, part.word.empty() ? "" : ": " + part.word));
      return {1};
    }
    sizes.push_back(part.size);
  }
  if ((!value.is(Kind::Dim3) && !value.is(Kind::List)) || sizes.empty() || sizes.size() > 3) {
    if (value.word != kToldElsewhere)
      miss(value.offset != 0 ? value.offset : offset,
           fmt::format("{} is not known{}", what, value.word.empty() ? "" : ": " + value.word));
    return {1};
  }
  while (sizes.size() > 1 && sizes.back().op() == Size::Op::Number && sizes.back().is(1))
    sizes.pop_back();
  return sizes;
}

Value HostReader::tensor(int buffer) const {
  Value value;
  value.kind = Kind::Tensor;
  value.buffer = buffer;
  if (buffer >= 0) value.parts = out_.buffers[static_cast<std::size_t>(buffer)].sizes;
  return value;
}

Value HostReader::tensor_size(const Value& object, std::int64_t index) const {
  const auto rank = static_cast<std::int64_t>(object.parts.size());
  if (rank > 0) {
    const std::int64_t i = index < 0 ? index + rank : index;
    if (i >= 0 && i < rank) return object.parts[static_cast<std::size_t>(i)];
    return unknown(place(at_), "the tensor has no dimension of this number");
  }
  const Buffer& buffer = out_.buffers[static_cast<std::size_t>(object.buffer)];
  if (buffer.like >= 0) return tensor_size(tensor(buffer.like), index);
  return integer(Size::name(fmt::format("{}#{}", buffer.name, index)));
}

Value HostReader::tensor_numel(const Value& object) const {
  if (!object.parts.empty()) {
    Size product(1);
    for (const Value& part : object.parts) {
      if (!part.is(Kind::Int)) return part;
      product = Size::binary("*", product, part.size);
    }
    return integer(product);
  }
  const Buffer& buffer = out_.buffers[static_cast<std::size_t>(object.buffer)];
  if (buffer.like >= 0) return tensor_numel(tensor(buffer.like));
  return integer(Size::name(buffer.name + "#n"));
}

std::optional<Value> HostReader::call_torch(const std::string& name,
                                            const std::vector<Value>& values, std::size_t offset) {
  const bool is_torch = name.starts_with("torch::") || name.starts_with("at::");
  const std::string last = last_part(name);
  if (!is_torch) {
    if (last != "make_tuple" && last != "tie") return std::nullopt;
    Value list;
    list.kind = Kind::List;
    list.parts = values;
    return list;
  }
  const bool is_like = last.ends_with("_like");
  if (is_one_of(last, {"empty", "zeros", "empty_like", "zeros_like"}) && !values.empty()) {
    Buffer buffer;
    buffer.origin = Buffer::Origin::Allocated;
    buffer.is_zeroed = buffer.is_touched = last.starts_with("zeros");
    buffer.offset = offset;
    if (is_like && values[0].is(Kind::Tensor)) {
      buffer.like = values[0].buffer;
      buffer.sizes = values[0].parts;
      buffer.element = out_.buffers[static_cast<std::size_t>(values[0].buffer)].element;
    } else if (values[0].is(Kind::List)) {
      buffer.sizes = values[0].parts;
    } else if (values[0].is(Kind::Int)) {
      buffer.sizes = {values[0]};
    } else if (values[0].is(Kind::Tensor)) {  // as in torch::empty(x.sizes(), …)
      buffer.like = values[0].buffer;
      buffer.sizes = values[0].parts;
    }
    for (std::size_t i = 1; i < values.size(); ++i) {
      const std::string type = last_part(values[i].word);
      if (is_one_of(type, {"kFloat", "kFloat32"})) buffer.element = "float";
      if (is_one_of(type, {"kInt", "kInt32"})) buffer.element = "int";
      if (is_one_of(type, {"kLong", "kInt64"})) buffer.element = "long long";
      if (is_one_of(type, {"kHalf", "kFloat16"})) buffer.element = "__half";
      if (is_one_of(type, {"kDouble", "kFloat64"})) buffer.element = "double";
      if (is_one_of(type, {"kByte", "kUInt8"})) buffer.element = "unsigned char";
    }
    return tensor(add_buffer(std::move(buffer)));
  }
  if (is_one_of(last, {"TensorOptions", "dtype", "device"}))
    return values.empty() ? text("") : text(values[0].word);
  if (last.starts_with("getCurrent") || last.find("check") != std::string::npos ||
      last == "CUDAGuard" || last == "OptionalCUDAGuard" || last == "device_of")
    return text("");
  if (last == "ceil_div" && values.size() == 2 && values[0].is(Kind::Int) &&
      values[1].is(Kind::Int))
    return integer(Size::call("ceil_div", {values[0].size, values[1].size}));
  return unknown(offset, fmt::format("'{}' is computed by PyTorch, which no plan can do: write a "
                                     "kernel for it",
                                     name));
}

Value HostReader::call_method(const Value& object, const std::string& name, std::size_t offset) {
  const std::vector<Value> values = arguments();
  if (object.is(Kind::Host) || object.is(Kind::Reference)) {
    Value value = object;
    value.kind = Kind::Host;
    if (is_one_of(name, {"size", "length"}))
      return unknown(offset, fmt::format("the length of '{}' is not known", object.word));
    return value;
  }
  if (object.is(Kind::Stream)) return object;
  // The object is a chain of options, such as
  // TensorOptions().dtype(torch::kFloat32).device(x.device()).
  if (object.is(Kind::Text)) {
    if (name == "dtype" && !values.empty()) return text(values[0].word);
    return object;
  }
  if (object.is(Kind::Pointer) && is_one_of(name, {"get", "data"})) return object;
  if (!object.is(Kind::Tensor)) {
    if (object.is(Kind::Unknown) && !object.word.empty()) return object;
    return unknown(offset,
                   fmt::format("what '{}' returns is not known before the plan runs", name));
  }
  const Buffer& buffer = out_.buffers[static_cast<std::size_t>(object.buffer)];
  const auto index =
      !values.empty() && values[0].is(Kind::Int) ? values[0].size.number() : std::nullopt;
  if (name == "size" && index) return tensor_size(object, *index);
  if (name == "numel" || name == "nbytes" || name == "element_size") {
    const int bytes = bytes_of_type(buffer.element.empty() ? types_.real : buffer.element);
    if (name == "element_size") return integer(bytes);
    const Value numel = tensor_numel(object);
    return name == "numel" || !numel.is(Kind::Int) ? numel
                                                   : integer(Size::binary("*", numel.size, bytes));
  }
  if (name == "stride" && index) {
    if (*index == -1) return integer(1);
    return integer(Size::name(fmt::format("{}#s{}", buffer.name, *index)));
  }
  if (is_one_of(name, {"dim", "ndimension"}))
    return object.parts.empty() ? integer(Size::name(buffer.name + "#d"))
                                : integer(static_cast<std::int64_t>(object.parts.size()));
  if (is_one_of(name, {"data_ptr", "data", "mutable_data_ptr", "const_data_ptr"})) {
    Value pointer;
    pointer.kind = Kind::Pointer;
    pointer.buffer = object.buffer;
    // The type is the template argument, in angle brackets before the call's parentheses.
    std::size_t open = at_ > 0 ? at_ - 1 : 0;
    while (open > 0 && !at(open).is("(")) --open;
    std::size_t type = open;
    while (type > 0 && !at(type).is("<") && !at(type).is(";")) --type;
    if (at(open - (open > 0)).is(">")) {
      const TypeAt found = type_at(type + 1, open - 1);
      if (found.end != 0) pointer.word = found.type;
    }
    Buffer& own = out_.buffers[static_cast<std::size_t>(object.buffer)];
    if (pointer.word.empty()) pointer.word = own.element.empty() ? types_.real : own.element;
    if (own.element.empty() && pointer.word != "void") own.element = pointer.word;
    return pointer;
  }
  if (is_one_of(name, {"is_cuda", "is_contiguous", "defined"})) return integer(1);
  if (is_one_of(name, {"contiguous", "to", "detach", "cuda", "requires_grad_", "const_ref"}))
    return object;
  if (name == "sizes") return object;
  if (is_one_of(name,
                {"scalar_type", "dtype", "type", "options", "device", "get_device", "layout"}))
    return text("");
  if (is_one_of(name, {"view", "reshape", "flatten"})) {
    Value view = object;
    std::vector<Value> sizes = values;
    if (sizes.size() == 1 && sizes[0].is(Kind::List)) sizes = sizes[0].parts;
    if (name == "flatten") sizes = {integer(-1)};
    const Value numel = tensor_numel(object);
    Size rest = numel.size;
    std::size_t open = sizes.size();
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      if (!sizes[i].is(Kind::Int))
        return unknown(offset, "the sizes of this view of a tensor are not known");
      if (sizes[i].size.is(-1)) open = i;
    }
    for (std::size_t i = 0; i < sizes.size(); ++i)
      if (i != open && open < sizes.size()) rest = Size::binary("/", rest, sizes[i].size);
    if (open < sizes.size()) sizes[open] = integer(rest);
    view.parts = sizes;
    return view;
  }
  if (name == "zero_" || name == "fill_") {
    clear(object, name == "zero_" ? integer(0) : (values.empty() ? Value() : values[0]), Value(),
          offset);
    return object;
  }
  if (is_one_of(name, {"new_empty", "new_zeros"})) {
    Buffer fresh;
    fresh.origin = Buffer::Origin::Allocated;
    fresh.element = buffer.element;
    fresh.is_zeroed = fresh.is_touched = name == "new_zeros";
    fresh.offset = offset;
    if (!values.empty() && values[0].is(Kind::List)) fresh.sizes = values[0].parts;
    return tensor(add_buffer(std::move(fresh)));
  }
  const std::string words = fmt::format(
      "'.{}' is computed by PyTorch, which no plan can do: write a kernel for it", name);
  if (name.ends_with('_')) miss(offset, words);
  return unknown(offset, words);
}

}  // namespace kw::import
