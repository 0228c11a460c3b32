// Follows the calls of a host function: the CUDA runtime, arithmetic, and functions of the file.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/text.h"
#include "import/host_reader.h"
#include "import/words.h"

namespace kw::import {

namespace {

using Kind = Value::Kind;

constexpr std::size_t kDeepestCalls = 8;
constexpr std::size_t kMostBuffers = 64;

}  // namespace

int HostReader::add_buffer(Buffer buffer) {
  if (out_.buffers.size() >= kMostBuffers) {
    miss(buffer.offset, fmt::format("more than {} buffers", kMostBuffers));
    return static_cast<int>(out_.buffers.size()) - 1;
  }
  out_.buffers.push_back(std::move(buffer));
  return static_cast<int>(out_.buffers.size()) - 1;
}

const Item* HostReader::function_named(const std::string& name, std::size_t arguments) const {
  const std::string last = last_part(name);
  const Item* found = nullptr;
  for (const Item& item : items_) {
    if (!item.is_function() || item.kind == Item::Kind::Kernel || item.name != last ||
        !item.is_defined())
      continue;
    if (item.parameters.size() == arguments) return &item;
    if (found == nullptr && item.parameters.size() > arguments) found = &item;
  }
  return found;
}

Value HostReader::call(const std::string& name, const std::vector<std::string>& templates,
                       std::size_t offset) {
  // The name may be a variable that holds a lambda or a kernel.
  if (const Variable* variable = find(name);
      variable != nullptr && variable->value.is(Kind::Lambda)) {
    const Value body = variable->value;
    return call_lambda(body, arguments(), offset);
  }
  std::vector<Value> values = arguments();
  const std::string last = last_part(name);
  for (const Value& value : values)
    if (value.is(Kind::Lambda) && (name.empty() || last.find("DISPATCH") != std::string::npos)) {
      types_.aliases.try_emplace("scalar_t", types_.real);
      return call_lambda(value, {}, offset);
    }
  if (auto value = call_arithmetic(last, values)) return *value;
  if (name == "dim3" || name == "uint3") {
    Value list;
    list.kind = Kind::List;
    list.parts = std::move(values);
    return cast({"dim3", 0, false, 1}, std::move(list), offset);
  }
  if (bytes_of_type(device_type(name, types_)) > 0 && values.size() == 1)
    return cast({device_type(name, types_), 0, false, 1}, values.front(), offset);
  if (auto value = call_runtime(last, values, offset)) return *value;
  if (auto value = call_torch(name, values, offset)) return *value;
  if (auto value = call_own(name, templates, values, offset)) return *value;
  refuse_call(name, offset);
  // Functions that check for errors return their argument.
  if (values.size() == 1 && templates.empty() && !values[0].is(Kind::Text)) {
    const bool is_check = std::ranges::all_of(
        last, [](char c) { return (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9'); });
    if (is_check) return values[0];
  }
  return unknown(offset, fmt::format("what '{}' returns is not known before the plan runs",
                                     sanitise(name, 60)));
}

/// Follows a lambda with the variables of the function in which it was written.
Value HostReader::call_lambda(const Value& lambda, const std::vector<Value>& values,
                              std::size_t offset) {
  Scopes* around = nullptr;
  if (lambda.tokens != tokens_) {
    for (const auto& [tokens, scopes] : frames_)
      if (tokens == lambda.tokens) around = scopes;
    if (around == nullptr) {
      miss(offset, "the lambda that is called here was written where it cannot be followed");
      return unknown(offset, std::string(kToldElsewhere));
    }
    std::swap(scopes_, *around);
  }
  const Tokens* tokens = std::exchange(tokens_, lambda.tokens);
  const int branches = std::exchange(open_branches_, 0);
  const auto leap = std::exchange(leap_, std::nullopt);
  const auto aliases = types_.aliases;
  const std::size_t at = at_;
  const std::size_t end = end_;
  scopes_.emplace_back();
  for (std::size_t i = 0; i < lambda.parts.size(); ++i) {
    const Value& parameter = lambda.parts[i];
    const TypeAt type{parameter.names.front(), static_cast<int>(parameter.begin), false, 1};
    Value value = i < values.size()
                      ? cast(type, values[i], offset)
                      : unknown(offset, fmt::format("'{}' is not given here", parameter.word));
    scopes_.back()[parameter.word] = {std::move(value), type.type, type.stars};
  }
  result_ = Value();
  block(lambda.begin, lambda.end);
  close_branches(0);
  scopes_.pop_back();
  types_.aliases = aliases;
  leap_ = leap;
  open_branches_ = branches;
  tokens_ = tokens;
  at_ = at;
  end_ = end;
  if (around != nullptr) std::swap(scopes_, *around);
  return std::exchange(result_, Value());
}

void HostReader::refuse_call(const std::string& name, std::size_t offset) {
  const std::string last = last_part(name);
  if (name.starts_with("cub::") || name.starts_with("thrust::") || last.starts_with("cublas") ||
      last.starts_with("cudnn") || last.starts_with("cusparse") || last.starts_with("cufft") ||
      last.starts_with("curand") || name.starts_with("cutlass::"))
    return miss(
        offset,
        fmt::format("'{}' is a function of a library: write what it does as a kernel", name));
  if (last.starts_with("cudaGraph") || last.find("BeginCapture") != std::string::npos)
    return miss(offset,
                "graphs are made of the plan by the referee: launch the kernels themselves");
  if (is_one_of(last, {"cudaMemcpyToSymbol", "cudaMemcpyToSymbolAsync", "cudaMemcpyFromSymbol",
                       "cudaGetSymbolAddress"}))
    return miss(offset,
                "memory that has a name in device code cannot be filled by a plan: pass a "
                "pointer or a value to the kernel");
  if (last.find("Texture") != std::string::npos || last.find("Surface") != std::string::npos ||
      last.starts_with("cudaBindTexture"))
    return miss(offset, "textures and surfaces are not expressible: read the memory itself");
}

std::optional<Value> HostReader::call_arithmetic(const std::string& name,
                                                 const std::vector<Value>& values) {
  const auto is_int = [&](std::size_t i) { return i < values.size() && values[i].is(Kind::Int); };
  const std::size_t offset = place(at_ > 0 ? at_ - 1 : 0);
  if (is_one_of(name, {"min", "max"}) && values.size() == 2) {
    if (is_int(0) && is_int(1)) return integer(Size::call(name, {values[0].size, values[1].size}));
    for (const Value& value : values)
      if (value.is(Kind::Unknown)) return value;
    return real(Size::call(name, {values[0].size, values[1].size}));
  }
  if (is_one_of(name, {"ceil", "ceilf", "floor", "floorf"}) && values.size() == 1) {
    const Value& value = values[0];
    if (value.is(Kind::Int) || value.is(Kind::Unknown)) return value;
    const Size& size = value.size;
    if (value.is(Kind::Real) && size.op() == Size::Op::Binary && size.word() == "//") {
      Value parts[2];
      for (const std::size_t side : {0, 1})
        parts[side] = cast({"int", 0, false, 1}, real(size.parts()[side]), offset);
      // A quotient of two integers can be rounded exactly.
      const bool is_whole =
          std::ranges::all_of(parts, [](const Value& v) { return v.is(Kind::Int); });
      if (is_whole)
        return integer(name.starts_with("ceil")
                           ? Size::call("ceil_div", {parts[0].size, parts[1].size})
                           : Size::binary("/", parts[0].size, parts[1].size));
    }
    return unknown(offset, "what is rounded here is no quotient of integers");
  }
  if (is_one_of(name,
                {"ceil_div", "ceilDiv", "CeilDiv", "cdiv", "CDIV", "CEIL_DIV", "ceildiv", "div_up",
                 "divUp", "DIVUP", "iDivUp", "DIV_UP", "div_ceil", "ATenCeilDiv"}) &&
      is_int(0) && is_int(1) && values.size() == 2 && function_named(name, 2) == nullptr)
    return integer(Size::call("ceil_div", {values[0].size, values[1].size}));
  if (is_one_of(name, {"sqrt", "sqrtf", "exp", "expf", "log", "logf", "abs", "fabsf"}) &&
      values.size() == 1 && (values[0].is(Kind::Real) || is_int(0))) {
    std::string word = name == "fabsf" ? "abs" : name;
    if (word.ends_with('f')) word.pop_back();
    if (word == "abs" && is_int(0)) return integer(Size::call(word, {values[0].size}));
    return real(Size::call(word, {values[0].size}));
  }
  if (is_one_of(name, {"rsqrt", "rsqrtf"}) && values.size() == 1 &&
      (values[0].is(Kind::Real) || is_int(0)))
    return real(Size::binary("//", 1, Size::call("sqrt", {values[0].size})));
  return std::nullopt;
}

std::optional<Value> HostReader::call_runtime(const std::string& name, std::vector<Value>& values,
                                              std::size_t offset) {
  const auto given = [&](std::size_t i) { return i < values.size() ? values[i] : Value(); };
  const auto is_done = [] { return text("cudaSuccess"); };
  if (is_one_of(name, {"cudaMalloc", "cudaMallocAsync", "cudaMallocManaged"})) {
    allocate(given(0), given(1), offset);
    return is_done();
  }
  if (is_one_of(name, {"cudaMemset", "cudaMemsetAsync"})) {
    if (!given(2).is(Kind::Int)) miss(offset, "how many bytes are set here is not known");
    clear(given(0), given(1), given(2), offset);
    return is_done();
  }
  if (is_one_of(name, {"cudaMemcpy", "cudaMemcpyAsync"})) {
    copy(given(0), given(1), given(2), given(3), offset);
    return is_done();
  }
  if (is_one_of(name, {"cudaMallocHost", "cudaHostAlloc"})) {
    if (Variable* variable = given(0).is(Kind::Reference) ? find(values[0].word) : nullptr) {
      variable->value = Value();
      variable->value.kind = Kind::Host;
      variable->value.word = values[0].word;
    }
    return is_done();
  }
  if (is_one_of(name, {"malloc", "calloc", "aligned_alloc"})) {
    Value value;
    value.kind = Kind::Host;
    return value;
  }
  if (name == "swap" && values.size() == 2) {
    // The names of both arguments stand right before the bracket that was just closed.
    const std::size_t close = at_ - 1;
    if (close >= 3 && at(close - 2).is(",")) {
      Variable* a = find(std::string(at(close - 3).text));
      Variable* b = find(std::string(at(close - 1).text));
      if (a != nullptr && b != nullptr) std::swap(a->value, b->value);
    }
    return Value();
  }
  if (is_one_of(name, {"getCurrentCUDAStream", "getStreamFromPool", "getDefaultCUDAStream"})) {
    Value value;
    value.kind = Kind::Stream;
    return value;
  }
  if (name.starts_with("cudaStreamCreate")) {
    if (Variable* variable = given(0).is(Kind::Reference) ? find(values[0].word) : nullptr) {
      variable->value = Value();
      variable->value.kind = Kind::Stream;
      variable->value.word = values[0].word;
    }
    return is_done();
  }
  if (name == "cudaDeviceGetAttribute" && given(0).is(Kind::Reference)) {
    if (Variable* variable = find(values[0].word)) {
      const std::string& what = given(1).word;
      if (what.find("MultiProcessorCount") != std::string::npos)
        variable->value = integer(Size::name("sms"));
      else if (what.find("MaxSharedMemoryPerBlock") != std::string::npos)
        variable->value = integer(Size::name("shared_max"));
      else
        variable->value = unknown(offset, "a plan has no name for this property of the device");
    }
    return is_done();
  }
  if (name.starts_with("cudaOccupancy")) {
    for (const Value& value : values)
      if (value.is(Kind::Reference))
        if (Variable* variable = find(value.word))
          variable->value = unknown(
              offset,
              fmt::format(
                  "{} computes this number when the program runs: write a fixed number instead",
                  name));
    return is_done();
  }
  if (is_one_of(name, {"cudaLaunchKernel", "cudaLaunchCooperativeKernel"}) && values.size() >= 4) {
    Step step;
    step.offset = offset;
    step.kernel = given(0).is(Kind::Kernel) ? kernel_named(values[0].word) : nullptr;
    step.templates = given(0).names;
    step.is_cooperative = name == "cudaLaunchCooperativeKernel";
    if (step.kernel == nullptr) {
      miss(offset, "which kernel is launched here is not known");
      return is_done();
    }
    for (const Value& part : values[3].parts) {
      const Variable* variable = part.is(Kind::Reference) ? find(part.word) : nullptr;
      step.arguments.push_back(variable != nullptr ? variable->value : part);
      step.places.push_back(offset);
    }
    add_launch(std::move(step), values[1], values[2],
               given(4).is(Kind::Int) ? values[4] : integer(0));
    return is_done();
  }
  if (name.starts_with("cuda") && !name.starts_with("cudaGraph") &&
      name.find("Symbol") == std::string::npos && name.find("Texture") == std::string::npos &&
      name.find("Surface") == std::string::npos)
    return is_done();  // events, synchronisation, attributes, error codes
  return std::nullopt;
}

/// Binds the types and numbers of a template: first those given in angle brackets, then types
/// deduced from pointers.
void HostReader::bind_templates(const Item& function, const std::vector<std::string>& templates,
                                const std::vector<Value>& values, Scopes& scopes) {
  for (std::size_t i = 0; i < function.templates.size(); ++i) {
    const TemplateParameter& parameter = function.templates[i];
    std::string given = i < templates.size() ? templates[i] : "";
    if (given.starts_with('"')) given = given.substr(1, given.size() - 2);
    for (std::size_t k = 0;
         given.empty() && k < std::min(values.size(), function.parameters.size()); ++k)
      if (function.parameters[k].type == parameter.name && values[k].is(Kind::Pointer) &&
          values[k].word != "auto")
        given = values[k].word;
    if (given.empty()) continue;
    if (parameter.kind == "typename") {
      types_.aliases[parameter.name] = device_type(given, types_);
    } else {
      Value value;
      std::int64_t number = 0;
      const auto read = std::from_chars(given.data(), given.data() + given.size(), number);
      const bool is_number = read.ec == std::errc() && read.ptr == given.data() + given.size();
      value = is_number ? integer(number) : unknown(0, "a template's argument is not known");
      if (given == "true" || given == "false") value = integer(given == "true");
      scopes[0][parameter.name] = {std::move(value), parameter.kind, 0};
    }
  }
}

std::optional<Value> HostReader::call_own(const std::string& name,
                                          const std::vector<std::string>& templates,
                                          const std::vector<Value>& values, std::size_t offset) {
  const Item* function = function_named(name, values.size());
  if (function == nullptr) return std::nullopt;
  if (callers_.size() >= kDeepestCalls || std::ranges::find(callers_, function) != callers_.end()) {
    miss(offset, fmt::format("'{}' calls itself, or calls nest too deeply to be followed", name));
    return Value();
  }
  const auto [body, is_new] = bodies_.try_emplace(function);
  if (is_new) body->second = expand_macros(source_, function->body_open + 1, function->body_close);
  Scopes inner(1);
  const TypeNames types = types_;
  bind_templates(*function, templates, values, inner);
  for (std::size_t i = 0; i < function->parameters.size(); ++i) {
    const FunctionParameter& parameter = function->parameters[i];
    const TypeAt type{device_type(parameter.type, types_), parameter.stars, parameter.is_const, 1};
    Value value = i < values.size()
                      ? cast(type, values[i], offset)
                      : unknown(offset, fmt::format("'{}' is not given here", parameter.name));
    // Assignments through a pointer to the caller's variable are not followed.
    inner[0][parameter.name] = {std::move(value), type.type, type.stars};
  }
  inner.emplace_back();
  const Tokens* tokens = std::exchange(tokens_, &body->second);
  Scopes outer = std::exchange(scopes_, std::move(inner));
  const int branches = std::exchange(open_branches_, 0);
  const std::size_t at = at_;
  const std::size_t end = end_;
  const auto leap = std::exchange(leap_, std::nullopt);
  callers_.push_back(function);
  frames_.emplace_back(tokens, &outer);
  result_ = Value();
  ++depth_;
  block(0, tokens_->size());
  --depth_;
  close_branches(0);
  frames_.pop_back();
  callers_.pop_back();
  leap_ = leap;
  types_.aliases = types.aliases;
  open_branches_ = branches;
  scopes_ = std::move(outer);
  tokens_ = tokens;
  at_ = at;
  end_ = end;
  return std::exchange(result_, Value());
}

void HostReader::allocate(const Value& target, const Value& bytes, std::size_t offset) {
  Variable* variable = target.is(Kind::Reference) ? find(target.word) : nullptr;
  if (variable == nullptr)
    return miss(offset, "the variable that gets this memory's address is not known");
  Buffer buffer;
  buffer.name = target.word;
  buffer.origin = Buffer::Origin::Allocated;
  buffer.element = variable->type == "void" ? "" : variable->type;
  buffer.has_bytes = bytes.is(Kind::Int);
  buffer.bytes = bytes.size;
  buffer.offset = offset;
  Value value;
  value.kind = Kind::Pointer;
  value.word = variable->type;
  value.buffer = add_buffer(std::move(buffer));
  variable->value = std::move(value);
}

void HostReader::clear(const Value& target, const Value& value, const Value& bytes,
                       std::size_t offset) {
  if (!target.is(Kind::Pointer) && !target.is(Kind::Tensor))
    return miss(offset, target.word.empty() ? "what is cleared here is not known" : target.word);
  const auto byte = value.is(Kind::Int) ? value.size.number() : std::nullopt;
  Buffer& buffer = out_.buffers[static_cast<std::size_t>(target.buffer)];
  if (!byte) return miss(offset, "the value of this memset is not known");
  if (*byte == 0 && buffer.origin == Buffer::Origin::Allocated && !buffer.is_touched &&
      target.size.is(0)) {
    buffer.is_zeroed = true;
    buffer.is_touched = true;
    return;
  }
  if (*byte != 0 && (*byte & 0xff) != 0xff)
    return miss(offset,
                "a plan fills memory with elements, so only the bytes 0 and 255 can be set");
  buffer.is_touched = true;
  Step step;
  step.kind = Step::Kind::Fill;
  step.offset = offset;
  step.target = target;
  step.bytes = bytes.size;
  step.fill = *byte == 0 ? "0" : "bits(-1)";
  out_.steps.push_back(std::move(step));
}

void HostReader::copy(const Value& target, const Value& from, const Value& bytes, const Value& kind,
                      std::size_t offset) {
  const bool has_target = target.is(Kind::Pointer);
  const bool has_source = from.is(Kind::Pointer);
  const auto argument = [&](const Value& value) {
    return value.is(Kind::Pointer) &&
           out_.buffers[static_cast<std::size_t>(value.buffer)].origin == Buffer::Origin::Argument;
  };
  const bool goes_up = kind.word == "cudaMemcpyHostToDevice" || (has_target && !has_source);
  const bool goes_down = kind.word == "cudaMemcpyDeviceToHost" || (has_source && !has_target);
  if (goes_up && has_target) {
    Buffer& buffer = out_.buffers[static_cast<std::size_t>(target.buffer)];
    buffer.is_uploaded = buffer.is_touched = true;
    if (argument(from)) buffer.stands_for = from.buffer;
    buffer.host_name = from.word;
    return;
  }
  if (goes_down && has_source) {
    Buffer& buffer = out_.buffers[static_cast<std::size_t>(from.buffer)];
    buffer.is_downloaded = true;
    if (argument(target) && buffer.stands_for < 0) buffer.stands_for = target.buffer;
    if (buffer.host_name.empty()) buffer.host_name = target.word;
    return;
  }
  if (has_target && has_source && !bytes.is(Kind::Int))
    miss(offset, "how many bytes are copied here is not known");
  if (!has_target || !has_source) {
    if (kind.word == "cudaMemcpyDeviceToDevice")
      miss(offset, "what is copied here, or where, is not known");
    return;
  }
  out_.buffers[static_cast<std::size_t>(target.buffer)].is_touched = true;
  Step step;
  step.kind = Step::Kind::Copy;
  step.offset = offset;
  step.target = target;
  step.source = from;
  step.bytes = bytes.size;
  out_.steps.push_back(std::move(step));
}

}  // namespace kw::import
