// Interprets calls of PyTorch's functions, and of methods of its tensors.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <utility>

#include "import/host_reader.h"
#include "import/host_values.h"
#include "import/words.h"

namespace kw::import {

namespace {

using Kind = Value::Kind;

}  // namespace

std::optional<Value> TorchCalls::call_torch(const std::string& name,
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
      buffer.element = all_.record.buffers()[static_cast<std::size_t>(values[0].buffer)].element;
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
    return all_.record.tensor(all_.record.add_buffer(std::move(buffer)));
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

Value TorchCalls::call_method(const Value& object, const std::string& name, std::size_t offset) {
  const std::vector<Value> values = all_.expressions.arguments();
  const Call call{object, name, values, offset};
  if (!object.is(Kind::Tensor)) return method_of_other(call);
  if (const Reader read = reader_of(name))
    if (auto value = (this->*read)(call)) return *value;
  const std::string words = fmt::format(
      "'.{}' is computed by PyTorch, which no plan can do: write a kernel for it", name);
  if (name.ends_with('_')) all_.record.miss(offset, "PyTorch method", words);
  return unknown(offset, words);
}

/// The value of a method of an object that is no tensor.
Value TorchCalls::method_of_other(const Call& call) {
  const Value& object = call.object;
  if (object.is(Kind::Host) || object.is(Kind::Reference)) {
    Value value = object;
    value.kind = Kind::Host;
    if (is_one_of(call.name, {"size", "length"}))
      return unknown(call.offset, fmt::format("the length of '{}' is not known", object.word));
    return value;
  }
  if (object.is(Kind::Stream)) return object;
  // The object is a chain of options, such as
  // TensorOptions().dtype(torch::kFloat32).device(x.device()).
  if (object.is(Kind::Text)) {
    if (call.name == "dtype" && !call.values.empty()) return text(call.values[0].word);
    return object;
  }
  if (object.is(Kind::Pointer) && is_one_of(call.name, {"get", "data"})) return object;
  if (object.is(Kind::Unknown) && !object.word.empty()) return object;
  return unknown(call.offset,
                 fmt::format("what '{}' returns is not known before the plan runs", call.name));
}

TorchCalls::Reader TorchCalls::reader_of(std::string_view name) {
  struct Row {
    std::string_view name;
    Reader read;
  };
  static constexpr Row kRows[] = {
      {"size", &TorchCalls::size},
      {"numel", &TorchCalls::count},
      {"nbytes", &TorchCalls::count},
      {"element_size", &TorchCalls::count},
      {"stride", &TorchCalls::stride},
      {"dim", &TorchCalls::rank},
      {"ndimension", &TorchCalls::rank},
      {"data_ptr", &TorchCalls::pointer},
      {"data", &TorchCalls::pointer},
      {"mutable_data_ptr", &TorchCalls::pointer},
      {"const_data_ptr", &TorchCalls::pointer},
      {"is_cuda", &TorchCalls::yes},
      {"is_contiguous", &TorchCalls::yes},
      {"defined", &TorchCalls::yes},
      {"contiguous", &TorchCalls::same},
      {"to", &TorchCalls::same},
      {"detach", &TorchCalls::same},
      {"cuda", &TorchCalls::same},
      {"requires_grad_", &TorchCalls::same},
      {"const_ref", &TorchCalls::same},
      {"sizes", &TorchCalls::same},
      {"scalar_type", &TorchCalls::word},
      {"dtype", &TorchCalls::word},
      {"type", &TorchCalls::word},
      {"options", &TorchCalls::word},
      {"device", &TorchCalls::word},
      {"get_device", &TorchCalls::word},
      {"layout", &TorchCalls::word},
      {"view", &TorchCalls::view},
      {"reshape", &TorchCalls::view},
      {"flatten", &TorchCalls::view},
      {"zero_", &TorchCalls::fill},
      {"fill_", &TorchCalls::fill},
      {"new_empty", &TorchCalls::fresh},
      {"new_zeros", &TorchCalls::fresh},
  };
  for (const Row& row : kRows)
    if (name == row.name) return row.read;
  return nullptr;
}

std::optional<std::int64_t> TorchCalls::Call::index() const {
  return !values.empty() && values[0].is(Kind::Int) ? values[0].size.number() : std::nullopt;
}

std::optional<Value> TorchCalls::size(const Call& call) {
  const auto index = call.index();
  if (!index) return std::nullopt;
  return all_.record.tensor_size(call.object, *index, all_.text.place(all_.cursor.at));
}

/// The number of elements, of bytes, or of bytes of an element.
std::optional<Value> TorchCalls::count(const Call& call) {
  const std::string& element = all_.record.buffer_of(call.object).element;
  const int bytes = bytes_of_type(element.empty() ? all_.types.real : element);
  if (call.name == "element_size") return integer(bytes);
  const Value numel = all_.record.tensor_numel(call.object);
  return call.name == "numel" || !numel.is(Kind::Int)
             ? numel
             : integer(Size::binary("*", numel.size, bytes));
}

std::optional<Value> TorchCalls::stride(const Call& call) {
  const auto index = call.index();
  if (!index) return std::nullopt;
  if (*index == -1) return integer(1);
  return integer(
      Size::name(fmt::format("{}#s{}", all_.record.buffer_of(call.object).name, *index)));
}

std::optional<Value> TorchCalls::rank(const Call& call) {
  const std::vector<Value>& sizes = call.object.parts;
  return sizes.empty() ? integer(Size::name(all_.record.buffer_of(call.object).name + "#d"))
                       : integer(static_cast<std::int64_t>(sizes.size()));
}

/// The address of the tensor's first element.
std::optional<Value> TorchCalls::pointer(const Call& call) {
  Value pointer;
  pointer.kind = Kind::Pointer;
  pointer.buffer = call.object.buffer;
  // The type is the template argument, in angle brackets before the call's parentheses.
  std::size_t open = all_.cursor.at > 0 ? all_.cursor.at - 1 : 0;
  while (open > 0 && !all_.text.at(open).is("(")) --open;
  std::size_t type = open;
  while (type > 0 && !all_.text.at(type).is("<") && !all_.text.at(type).is(";")) --type;
  if (all_.text.at(open - (open > 0)).is(">")) {
    const TypeAt found = all_.text.type_at(type + 1, open - 1);
    if (found.end != 0) pointer.word = found.type;
  }
  Buffer& own = all_.record.buffer_of(call.object);
  if (pointer.word.empty()) pointer.word = own.element.empty() ? all_.types.real : own.element;
  if (own.element.empty() && pointer.word != "void") own.element = pointer.word;
  return pointer;
}

std::optional<Value> TorchCalls::yes(const Call&) { return integer(1); }

std::optional<Value> TorchCalls::same(const Call& call) { return call.object; }

std::optional<Value> TorchCalls::word(const Call&) { return text(""); }

/// The tensor with other sizes, of which one may be -1 and follows from the others.
std::optional<Value> TorchCalls::view(const Call& call) {
  Value view = call.object;
  std::vector<Value> sizes = call.values;
  if (sizes.size() == 1 && sizes[0].is(Kind::List)) {
    std::vector<Value> listed = sizes[0].parts;
    sizes = std::move(listed);
  }
  if (call.name == "flatten") sizes = {integer(-1)};
  const Value numel = all_.record.tensor_numel(call.object);
  Size rest = numel.size;
  std::size_t open = sizes.size();
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (!sizes[i].is(Kind::Int))
      return unknown(call.offset, "the sizes of this view of a tensor are not known");
    if (sizes[i].size.is(-1)) open = i;
  }
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (i != open && open < sizes.size()) rest = Size::binary("/", rest, sizes[i].size);
  if (open < sizes.size()) sizes[open] = integer(rest);
  view.parts = sizes;
  return view;
}

std::optional<Value> TorchCalls::fill(const Call& call) {
  Value what = integer(0);
  if (call.name != "zero_") what = call.values.empty() ? Value() : call.values[0];
  all_.memory.clear(call.object, what, Value(), call.offset);
  return call.object;
}

/// A new tensor of the same element type.
std::optional<Value> TorchCalls::fresh(const Call& call) {
  Buffer fresh;
  fresh.origin = Buffer::Origin::Allocated;
  fresh.element = all_.record.buffer_of(call.object).element;
  fresh.is_zeroed = fresh.is_touched = call.name == "new_zeros";
  fresh.offset = call.offset;
  if (!call.values.empty() && call.values[0].is(Kind::List)) fresh.sizes = call.values[0].parts;
  return all_.record.tensor(all_.record.add_buffer(std::move(fresh)));
}

}  // namespace kw::import
