// Interprets calls of the CUDA runtime, and the checks around them.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <utility>

#include "import/host_reader.h"
#include "import/host_values.h"
#include "import/words.h"

namespace kw::import {

namespace {

using Kind = Value::Kind;

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

}  // namespace

RuntimeCalls::Reader RuntimeCalls::reader_of(std::string_view name) {
  struct Row {
    std::string_view name;
    Reader read;
  };
  static constexpr Row kNames[] = {
      {"cudaMalloc", &RuntimeCalls::allocate},
      {"cudaMallocAsync", &RuntimeCalls::allocate},
      {"cudaMallocManaged", &RuntimeCalls::allocate},
      {"cudaMemset", &RuntimeCalls::set_memory},
      {"cudaMemsetAsync", &RuntimeCalls::set_memory},
      {"cudaMemcpy", &RuntimeCalls::copy_memory},
      {"cudaMemcpyAsync", &RuntimeCalls::copy_memory},
      {"cudaMallocHost", &RuntimeCalls::allocate_on_host},
      {"cudaHostAlloc", &RuntimeCalls::allocate_on_host},
      {"malloc", &RuntimeCalls::host_memory},
      {"calloc", &RuntimeCalls::host_memory},
      {"aligned_alloc", &RuntimeCalls::host_memory},
      {"require", &RuntimeCalls::demand},
      {"assert", &RuntimeCalls::demand},
      {"TORCH_INTERNAL_ASSERT", &RuntimeCalls::demand},
      {"AT_ASSERT", &RuntimeCalls::demand},
      {"AT_ASSERTM", &RuntimeCalls::demand},
      {"swap", &RuntimeCalls::swap},
      {"getCurrentCUDAStream", &RuntimeCalls::stream},
      {"getStreamFromPool", &RuntimeCalls::stream},
      {"getDefaultCUDAStream", &RuntimeCalls::stream},
      {"cudaDeviceGetAttribute", &RuntimeCalls::ask_device},
      {"cudaLaunchKernel", &RuntimeCalls::launch},
      {"cudaLaunchCooperativeKernel", &RuntimeCalls::launch},
  };
  static constexpr Row kBeginnings[] = {
      {"TORCH_CHECK", &RuntimeCalls::demand},
      {"cudaStreamCreate", &RuntimeCalls::make_stream},
      {"cudaOccupancy", &RuntimeCalls::ask_occupancy},
  };
  for (const Row& row : kNames)
    if (name == row.name) return row.read;
  for (const Row& row : kBeginnings)
    if (name.starts_with(row.name)) return row.read;
  return nullptr;
}

std::optional<Value> RuntimeCalls::call(const std::string& name, const std::vector<Value>& values,
                                        std::size_t offset) {
  const Call call{name, values, offset};
  if (const Reader read = reader_of(name))
    if (auto value = (this->*read)(call)) return value;
  return name.starts_with("cuda") ? std::optional(other(call)) : std::nullopt;
}

Value RuntimeCalls::Call::given(std::size_t i) const {
  return i < values.size() ? values[i] : Value();
}

std::optional<Value> RuntimeCalls::allocate(const Call& call) {
  all_.memory.allocate(call.given(0), call.given(1), call.offset);
  return success();
}

std::optional<Value> RuntimeCalls::set_memory(const Call& call) {
  if (!call.given(2).is(Kind::Int))
    all_.record.miss(call.offset, "memset bytes",
                     "the number of bytes that this memset sets is not known");
  all_.record.use_stream(call.given(3), call.offset);
  all_.memory.clear(call.given(0), call.given(1), call.given(2), call.offset);
  return success();
}

std::optional<Value> RuntimeCalls::copy_memory(const Call& call) {
  all_.record.use_stream(call.given(4), call.offset);
  all_.memory.copy(call.given(0), call.given(1), call.given(2), call.given(3), call.offset);
  return success();
}

std::optional<Value> RuntimeCalls::allocate_on_host(const Call& call) {
  if (Value* value = all_.variables.referred(call.given(0))) {
    *value = Value();
    value->kind = Kind::Host;
    value->word = call.values[0].word;
  }
  return success();
}

std::optional<Value> RuntimeCalls::host_memory(const Call&) {
  Value value;
  value.kind = Kind::Host;
  return value;
}

/// Interprets an assertion, or a check of PyTorch.
std::optional<Value> RuntimeCalls::demand(const Call& call) {
  // PyTorch's TORCH_CHECK_EQ and its kin compare their arguments; TORCH_CHECK takes the condition
  // as its first argument.
  const bool compares = call.name.starts_with("TORCH_CHECK_");
  if (!compares && !call.values.empty()) all_.paths.require(truth(call.values[0]), call.offset);
  if (compares)
    all_.record.note(call.offset,
                     "what is demanded here is no condition of a plan, and is left out");
  return Value();
}

std::optional<Value> RuntimeCalls::swap(const Call& call) {
  if (call.values.size() != 2) return std::nullopt;
  return all_.calls.swap();
}

std::optional<Value> RuntimeCalls::stream(const Call&) {
  Value value;
  value.kind = Kind::Stream;
  return value;
}

std::optional<Value> RuntimeCalls::make_stream(const Call& call) {
  if (Value* value = all_.variables.referred(call.given(0))) {
    *value = Value();
    value->kind = Kind::Stream;
    value->word = fmt::format("{}@{}", call.values[0].word, call.values[0].begin);
  } else {
    all_.record.miss(call.offset, "stream variable",
                     "the variable that gets this stream is not known");
  }
  return success();
}

std::optional<Value> RuntimeCalls::ask_device(const Call& call) {
  if (!call.given(0).is(Kind::Reference)) return std::nullopt;
  if (Value* value = all_.variables.referred(call.values[0])) {
    const std::string what = call.given(1).word;
    if (what.find("MultiProcessorCount") != std::string::npos)
      *value = integer(Size::name("sms"));
    else if (what.find("MaxSharedMemoryPerBlock") != std::string::npos)
      *value = integer(Size::name("shared_max"));
    else
      *value = unknown(call.offset, "a plan has no name for this property of the device");
  }
  return success();
}

std::optional<Value> RuntimeCalls::ask_occupancy(const Call& call) {
  forget_answers(call, fmt::format("{} computes this number when the program runs, which a launch "
                                   "plan cannot do: write a fixed number instead",
                                   call.name));
  return success();
}

/// Interprets a launch by cudaLaunchKernel().
std::optional<Value> RuntimeCalls::launch(const Call& call) {
  if (call.values.size() < 4) return std::nullopt;
  Step step;
  step.offset = call.offset;
  step.kernel =
      call.given(0).is(Kind::Kernel) ? all_.file.kernel_named(call.values[0].word) : nullptr;
  step.templates = call.given(0).names;
  step.is_cooperative = call.name == "cudaLaunchCooperativeKernel";
  if (step.kernel == nullptr) {
    all_.record.miss(call.offset, "unknown kernel",
                     "the kernel that is launched here is not known");
    return success();
  }
  for (const Value& part : call.values[3].parts) {
    const Value* variable = all_.variables.referred(part);
    step.arguments.push_back(variable != nullptr ? *variable : part);
    step.places.push_back(call.offset);
  }
  if (!call.values[3].is(Kind::List))
    all_.record.miss(call.offset, "launch arguments",
                     "the arguments that are passed to this kernel are not known");
  all_.record.use_stream(call.given(5), call.offset);
  all_.launches.add_launch(std::move(step), call.values[1], call.values[2],
                           call.given(4).is(Kind::Int) ? call.values[4] : integer(0));
  return success();
}

/// Interprets a call that begins with `cuda` and has no reader of its own.
Value RuntimeCalls::other(const Call& call) {
  // A name such as cudaCheck is a macro of another file that checks for an error and returns its
  // argument.
  const bool is_check = call.name.find("Check") != std::string::npos ||
                        call.name.find("Assert") != std::string::npos ||
                        call.name.find("Safe") != std::string::npos;
  if (is_check) return call.given(0);
  forget_answers(call, fmt::format("what {} answers is not known before the plan runs", call.name));
  if (is_plain_runtime(call.name)) return success();
  const std::size_t told = all_.record.program().missing.size();
  all_.calls.refuse_call(call.name, call.offset);
  if (all_.record.program().missing.size() == told)
    all_.record.miss(call.offset, "runtime call",
                     fmt::format("a launch plan cannot express what '{}' does", call.name));
  return success();
}

/// Makes unknown the variables whose addresses are passed.
void RuntimeCalls::forget_answers(const Call& call, const std::string& why) {
  for (const Value& value : call.values)
    if (Value* variable = all_.variables.referred(value)) *variable = unknown(call.offset, why);
}

Value RuntimeCalls::success() { return text("cudaSuccess"); }

}  // namespace kw::import
