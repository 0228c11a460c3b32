// Interprets the calls of a host function: the CUDA runtime, arithmetic, and functions of the file.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "base/text.h"
#include "import/host_reader.h"
#include "import/words.h"

namespace kw::import {

namespace {

using Kind = Value::Kind;

constexpr std::size_t kMostBuffers = 64;

/// Whether a call of the CUDA runtime changes neither memory nor the order of the work.
bool is_plain_runtime(const std::string& name) {
  for (const std::string_view prefix : {"cudaEvent",
                                        "cudaGet",
                                        "cudaPeek",
                                        "cudaFree",
                                        "cudaProfiler",
                                        "cudaFunc",
                                        "cudaSetDevice",
                                        "cudaStreamSynchronize",
                                        "cudaStreamDestroy",
                                        "cudaStreamWaitEvent",
                                        "cudaStreamQuery",
                                        "cudaStreamGet",
                                        "cudaStreamAttach",
                                        "cudaThread",
                                        "cudaHostUnregister",
                                        "cudaHostRegister",
                                        "cudaRuntimeGetVersion",
                                        "cudaDriverGetVersion",
                                        "cudaMemGetInfo",
                                        "cudaMemAdvise",
                                        "cudaMemPrefetch",
                                        "cudaChooseDevice"})
    if (name.starts_with(prefix)) return name != "cudaGetSymbolAddress";
  return name.starts_with("cudaDevice") && !name.starts_with("cudaDeviceGraph");
}

/// Whether an expression of type real has an integer value: it is an expression of integers, or a
/// number without a fraction.
bool is_whole_number(const Size& size) {
  if (size.op() == Size::Op::Named) return is_whole_number(size.parts()[0]);
  if (size.op() == Size::Op::Text) {
    const double number = std::strtod(size.word().c_str(), nullptr);
    return number >= 0 && number < 9e15 && number == std::floor(number);
  }
  return true;
}

}  // namespace

int HostReader::add_buffer(Buffer buffer) {
  if (out_.buffers.size() >= kMostBuffers) {
    miss(buffer.offset,
         fmt::format("the host code uses more than {} buffers, the most that a plan is drafted for",
                     kMostBuffers));
    return static_cast<int>(out_.buffers.size()) - 1;
  }
  out_.buffers.push_back(std::move(buffer));
  return static_cast<int>(out_.buffers.size()) - 1;
}

Value HostReader::call(const std::string& name, const std::vector<std::string>& templates,
                       std::size_t offset) {
  const std::size_t open = at_;
  // The called name may be a variable that holds a lambda or a kernel.
  if (const Variable* variable = find(name);
      variable != nullptr && variable->value.is(Kind::Lambda)) {
    const Value body = variable->value;
    return call_lambda(body, arguments(), open, offset);
  }
  std::vector<Value> values = arguments();
  const std::string last = last_part(name);
  for (const Value& value : values)
    if (value.is(Kind::Lambda) && (name.empty() || last.find("DISPATCH") != std::string::npos)) {
      types_.aliases.try_emplace("scalar_t", types_.real);
      return call_lambda(value, {}, open, offset);
    }
  const bool is_own = !name.starts_with("std::") && !name.starts_with("at::") &&
                      !name.starts_with("cuda") && function_named(last, values.size()) != nullptr;
  if (!is_own) {
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
  }
  if (auto value = call_own(name, templates, values, open, offset)) return *value;
  const std::size_t told = out_.missing.size();
  refuse_call(name, offset);
  if (out_.missing.size() == told && !is_harmless(last)) {
    const std::size_t after = at_;
    forget_arguments(open + 1, std::min(closing(open), end_), values, name);
    at_ = after;
  }
  // A macro in capitals with one argument is taken for an error check, which returns its argument.
  if (values.size() == 1 && templates.empty() && !values[0].is(Kind::Text)) {
    const bool is_check = std::ranges::all_of(
        last, [](char c) { return (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9'); });
    if (is_check) return values[0];
  }
  return unknown(offset, fmt::format("what '{}' returns is not known before the plan runs",
                                     sanitise(name, 60)));
}

/// Whether a library function only reads its arguments, and no memory of the device.
bool HostReader::is_harmless(const std::string& name) const {
  return is_one_of(name,
                   {"printf",       "fprintf",   "puts",       "fflush", "atoi",          "atof",
                    "stoi",         "stof",      "strtol",     "strcmp", "strlen",        "rand",
                    "srand",        "time",      "clock",      "exit",   "abort",         "free",
                    "pow",          "powf",      "log2",       "log2f",  "round",         "roundf",
                    "lround",       "fmin",      "fmax",       "fminf",  "fmaxf",         "clamp",
                    "tanh",         "tanhf",     "string",     "getenv", "fopen",         "fclose",
                    "move",         "forward",   "to_string",  "size",   "now",           "setw",
                    "setprecision", "make_pair", "make_tuple", "print",  "duration_cast", "perror",
                    "device_of",    "sleep",     "usleep",     "isnan",  "isinf"});
}

void HostReader::refuse_call(const std::string& name, std::size_t offset) {
  const std::string last = last_part(name);
  if (name.starts_with("cub::") || name.starts_with("thrust::") || last.starts_with("cublas") ||
      last.starts_with("cudnn") || last.starts_with("cusparse") || last.starts_with("cufft") ||
      last.starts_with("curand") || name.starts_with("cutlass::"))
    return miss(offset, fmt::format("a launch plan cannot call '{}', which is a function of a "
                                    "library: write what it does as a kernel",
                                    name));
  if (last.starts_with("cudaGraph") || last.find("BeginCapture") != std::string::npos)
    return miss(offset,
                "a launch plan has no calls of CUDA graphs, because each plan is run as a graph: "
                "launch the kernels directly");
  if (is_one_of(last, {"cudaMemcpyToSymbol", "cudaMemcpyToSymbolAsync", "cudaMemcpyFromSymbol",
                       "cudaGetSymbolAddress"}))
    return miss(offset,
                "a launch plan cannot fill a __device__ or __constant__ variable: pass a pointer "
                "or a value to the kernel");
  if (last.find("Texture") != std::string::npos || last.find("Surface") != std::string::npos ||
      last.starts_with("cudaBindTexture"))
    return miss(
        offset,
        "a launch plan cannot pass textures and surfaces: let the kernel read the memory itself");
}

std::optional<Value> HostReader::call_arithmetic(const std::string& name,
                                                 const std::vector<Value>& values) {
  const auto is_int = [&](std::size_t i) { return i < values.size() && values[i].is(Kind::Int); };
  const std::size_t offset = place(at_ > 0 ? at_ - 1 : 0);
  if (is_one_of(name, {"min", "max"}) && values.size() == 2) {
    if (is_int(0) && is_int(1)) return integer(Size::call(name, {values[0].size, values[1].size}));
    for (const Value& value : values)
      if (!value.is(Kind::Int) && !value.is(Kind::Real))
        return value.is(Kind::Unknown)
                   ? value
                   : unknown(offset,
                             fmt::format("what '{}' chooses among here are not all numbers", name));
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
          std::ranges::all_of(parts, [](const Value& v) { return v.is(Kind::Int); }) &&
          is_whole_number(size.parts()[0]) && is_whole_number(size.parts()[1]) &&
          least(parts[1].size).value_or(0) >= 1;
      if (is_whole)
        return integer(name.starts_with("ceil")
                           ? Size::call("ceil_div", {parts[0].size, parts[1].size})
                           : Size::binary("/", parts[0].size, parts[1].size));
    }
    return unknown(offset,
                   "a launch plan can round only a quotient of integers, and this value is none");
  }
  if (is_one_of(name,
                {"ceil_div", "ceilDiv", "CeilDiv", "cdiv", "CDIV", "CEIL_DIV", "ceildiv", "div_up",
                 "divUp", "DIVUP", "iDivUp", "DIV_UP", "div_ceil", "ATenCeilDiv"}) &&
      is_int(0) && is_int(1) && values.size() == 2 && function_named(name, 2) == nullptr)
    return integer(Size::call("ceil_div", {values[0].size, values[1].size}));
  if (is_one_of(name, {"sqrt", "sqrtf", "exp", "expf", "log", "logf", "abs", "fabsf"}) &&
      values.size() == 1 && (values[0].is(Kind::Real) || is_int(0))) {
    std::string word = name.starts_with("fabs") ? "abs" : name;
    if (word.ends_with('f')) word.pop_back();
    if (word == "abs" && is_int(0)) return integer(Size::call(word, {values[0].size}));
    return real(Size::call(word, {values[0].size}));
  }
  if (is_one_of(name, {"rsqrt", "rsqrtf"}) && values.size() == 1 &&
      (values[0].is(Kind::Real) || is_int(0)))
    return real(Size::binary("//", 1, Size::call("sqrt", {values[0].size})));
  return std::nullopt;
}

/// Interprets std::swap(): exchanges the values of two names, or of two elements of arrays.
Value HostReader::swap() {
  // Both arguments are in the parentheses that were just closed.
  const std::size_t close = at_ - 1;
  std::size_t open = close;
  int depth = 0;
  while (open > 0) {
    if (at(open).is(")")) ++depth;
    if (at(open).is("(") && --depth == 0) break;
    --open;
  }
  const std::size_t after = at_;
  const auto parts = parts_between(open + 1, close, ",");
  Value values[2];
  bool is_known = parts.size() == 2;
  for (std::size_t k = 0; is_known && k < 2; ++k) {
    const auto [from, to] = parts[k];
    const auto found = locate(std::string(at(from).text));
    if (!found) {
      is_known = false;
      break;
    }
    Value copy = scopes_[found->first][found->second].value;
    std::size_t i = from + 1;
    const Value* part = part_of(copy, i, to);
    is_known = part != nullptr;
    if (is_known) values[k] = *part;
  }
  for (std::size_t k = 0; is_known && k < 2; ++k) {
    const auto found = locate(std::string(at(parts[k].first).text));
    std::size_t i = parts[k].first + 1;
    *part_of(scopes_[found->first][found->second].value, i, parts[k].second) = values[1 - k];
  }
  if (!is_known) forget_arguments(open + 1, close, {}, "swap");
  at_ = after;
  return Value();
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
    if (!given(2).is(Kind::Int))
      miss(offset, "the number of bytes that this memset sets is not known");
    use_stream(given(3), offset);
    clear(given(0), given(1), given(2), offset);
    return is_done();
  }
  if (is_one_of(name, {"cudaMemcpy", "cudaMemcpyAsync"})) {
    use_stream(given(4), offset);
    copy(given(0), given(1), given(2), given(3), offset);
    return is_done();
  }
  if (is_one_of(name, {"cudaMallocHost", "cudaHostAlloc"})) {
    if (Value* value = referred(given(0))) {
      *value = Value();
      value->kind = Kind::Host;
      value->word = values[0].word;
    }
    return is_done();
  }
  if (is_one_of(name, {"malloc", "calloc", "aligned_alloc"})) {
    Value value;
    value.kind = Kind::Host;
    return value;
  }
  if (name == "require" || name == "assert" || name.starts_with("TORCH_CHECK") ||
      name == "TORCH_INTERNAL_ASSERT" || name == "AT_ASSERT" || name == "AT_ASSERTM") {
    // PyTorch's TORCH_CHECK_EQ and its kin compare their arguments; TORCH_CHECK takes the condition
    // as its first argument.
    const bool compares = name.starts_with("TORCH_CHECK_");
    if (!compares && !values.empty()) require(truth(values[0]), offset);
    if (compares) note(offset, "what is demanded here is no condition of a plan, and is left out");
    return Value();
  }
  if (name == "swap" && values.size() == 2) return swap();
  if (is_one_of(name, {"getCurrentCUDAStream", "getStreamFromPool", "getDefaultCUDAStream"})) {
    Value value;
    value.kind = Kind::Stream;
    return value;
  }
  if (name.starts_with("cudaStreamCreate")) {
    if (Value* value = referred(given(0))) {
      *value = Value();
      value->kind = Kind::Stream;
      value->word = fmt::format("{}@{}", values[0].word, values[0].begin);
    } else {
      miss(offset, "the variable that gets this stream is not known");
    }
    return is_done();
  }
  if (name == "cudaDeviceGetAttribute" && given(0).is(Kind::Reference)) {
    if (Value* value = referred(values[0])) {
      const std::string& what = given(1).word;
      if (what.find("MultiProcessorCount") != std::string::npos)
        *value = integer(Size::name("sms"));
      else if (what.find("MaxSharedMemoryPerBlock") != std::string::npos)
        *value = integer(Size::name("shared_max"));
      else
        *value = unknown(offset, "a plan has no name for this property of the device");
    }
    return is_done();
  }
  if (name.starts_with("cudaOccupancy")) {
    for (const Value& value : values)
      if (Value* variable = referred(value))
        *variable =
            unknown(offset, fmt::format("{} computes this number when the program runs, which a "
                                        "launch plan cannot do: write a fixed number instead",
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
      miss(offset, "the kernel that is launched here is not known");
      return is_done();
    }
    for (const Value& part : values[3].parts) {
      const Value* variable = referred(part);
      step.arguments.push_back(variable != nullptr ? *variable : part);
      step.places.push_back(offset);
    }
    if (!values[3].is(Kind::List))
      miss(offset, "the arguments that are passed to this kernel are not known");
    use_stream(given(5), offset);
    add_launch(std::move(step), values[1], values[2],
               given(4).is(Kind::Int) ? values[4] : integer(0));
    return is_done();
  }
  // A name such as cudaCheck is a macro of another file that checks for an error and returns its
  // argument.
  const bool is_check = name.find("Check") != std::string::npos ||
                        name.find("Assert") != std::string::npos ||
                        name.find("Safe") != std::string::npos;
  if (!name.starts_with("cuda")) return std::nullopt;
  if (is_check) return given(0);
  for (const Value& value : values)
    if (Value* variable = referred(value))
      *variable =
          unknown(offset, fmt::format("what {} answers is not known before the plan runs", name));
  if (is_plain_runtime(name)) return is_done();
  const std::size_t told = out_.missing.size();
  refuse_call(name, offset);
  if (out_.missing.size() == told)
    miss(offset, fmt::format("a launch plan cannot express what '{}' does", name));
  return is_done();
}

}  // namespace kw::import
