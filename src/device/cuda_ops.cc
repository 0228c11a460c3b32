// Launches the kernels of the referee's operations on buffers.
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda_ops.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "device/compare_region.h"
#include "device/fill.h"
#include "device/host_buffer.h"
#include "device/layout.h"

namespace kw::device {
namespace {

constexpr int kBlocksPerMultiprocessor = 16;

bool holds(const Buffer& buffer, const Tensor& tensor, std::size_t element) {
  return buffer.bytes() >= tensor.extent() * static_cast<std::int64_t>(element);
}

}  // namespace

CudaOps::~CudaOps() {
  if (!c_.enter().has_value()) return;
  for (const cuda::Address a : {ziggurat_, scratch_, flush_[0], flush_[1]})
    if (a != 0) c_.api().cuMemFree(a);
  if (module_ != nullptr) c_.api().cuModuleUnload(module_);
}

Result<> CudaOps::equip(std::span<const std::byte> image) {
  KW_TRY(c_.enter());
  if (module_ != nullptr)
    KW_TRY(c_.check(c_.api().cuModuleUnload(std::exchange(module_, nullptr)), "unload kernels"));
  KW_TRY(c_.check(c_.api().cuModuleLoadData(&module_, image.data()),
                  "load the referee's own kernels for buffers"));
  const std::pair<cuda::Function*, const char*> functions[] = {{&k_.fill, "kw_fill"},
                                                               {&k_.poison, "kw_poison"},
                                                               {&k_.widen, "kw_widen"},
                                                               {&k_.narrow, "kw_narrow"},
                                                               {&k_.count, "kw_count_differences"},
                                                               {&k_.arm, "kw_arm_guards"},
                                                               {&k_.check, "kw_check_guards"},
                                                               {&k_.compare, "kw_compare"},
                                                               {&k_.flush_write, "kw_flush_write"},
                                                               {&k_.flush_read, "kw_flush_read"},
                                                               {&k_.tick, "kw_timer_tick"}};
  for (const auto& [function, name] : functions)
    KW_TRY(c_.check(c_.api().cuModuleGetFunction(function, module_, name),
                    std::string("find the referee's own kernel ") + name));
  if (ziggurat_ != 0) return {};
  KW_TRY(c_.check(c_.api().cuMemAlloc(&ziggurat_, sizeof(Ziggurat)),
                  "allocate GPU memory for a table of the random generator"));
  return c_.check(c_.api().cuMemcpyHtoD(ziggurat_, &ziggurat(), sizeof(Ziggurat)),
                  "copy a table of the random generator to the GPU");
}

Result<> CudaOps::begin() {
  if (!is_equipped())
    return fail(
        ErrorCode::WrongState, About{"kernels"},
        "the referee's own kernels, which fill and compare buffers, were not loaded onto this GPU "
        "before its first use",
        c_.facts().model);
  return c_.enter();
}

Result<> CudaOps::launch(cuda::Function function, std::uint64_t items, std::span<void*> arguments,
                         unsigned most_blocks) {
  const std::uint64_t wanted = std::max<std::uint64_t>((items + kOpThreads - 1) / kOpThreads, 1);
  const std::uint64_t most =
      most_blocks > 0 ? most_blocks
                      : static_cast<std::uint64_t>(c_.multiprocessors()) * kBlocksPerMultiprocessor;
  const auto blocks = static_cast<unsigned>(std::min(wanted, most));
  return c_.check(c_.api().cuLaunchKernel(function, blocks, 1, 1, kOpThreads, 1, 1, 0, nullptr,
                                          arguments.data(), nullptr),
                  "launch one of the referee's own kernels");
}

Result<cuda::Address> CudaOps::scratch(std::uint64_t bytes) {
  if (bytes > scratch_bytes_) {
    if (scratch_ != 0)
      KW_TRY(c_.check(c_.api().cuMemFree(std::exchange(scratch_, 0)), "free memory"));
    scratch_bytes_ = 0;
    KW_TRY(c_.check(c_.api().cuMemAlloc(&scratch_, bytes),
                    "allocate GPU memory for an operation on buffers"));
    scratch_bytes_ = bytes;
  }
  return scratch_;
}

Result<> CudaOps::fill(Buffer& to, const Tensor& tensor, std::uint64_t seed) {
  KW_TRY(begin());
  KW_TRY(require_room(holds(to, tensor, size_of(tensor.dtype)), "fill", tensor));
  if (tensor.values.kind == "points") {  // few numbers, which the host draws
    std::vector<std::byte> memory(static_cast<std::size_t>(to.bytes()));
    KW_TRY(fill_values(memory, tensor, seed, parallel_));
    return to.write(0, memory);
  }
  const Rows rows = rows_of(tensor);
  if (rows.count > 1 || tensor.bytes() < to.bytes()) KW_TRY(poison(to, ~seed));
  if (tensor.bytes() == 0) return {};
  DrawSpec spec = KW_TRY(draw_spec(tensor, seed));
  cuda::Address at = as_cuda(to).payload();
  int type = static_cast<int>(element_type(tensor.dtype));
  long long count = rows.count, length = rows.length, pitch = rows.pitch;
  void* arguments[] = {&at, &spec, &ziggurat_, &type, &count, &length, &pitch};
  KW_TRY(launch(k_.fill, static_cast<std::uint64_t>(count * length), arguments));
  return c_.synchronize("fill a buffer");
}

Result<> CudaOps::poison(Buffer& to, std::uint64_t seed) {
  KW_TRY(begin());
  cuda::Address at = as_cuda(to).payload();
  long long bytes = to.bytes();
  Word key = seed;
  void* arguments[] = {&at, &bytes, &key};
  KW_TRY(launch(k_.poison, static_cast<std::uint64_t>(bytes / 16 + 1), arguments));
  return c_.synchronize("poison a buffer");
}

Result<> CudaOps::copy(Buffer& to, const Buffer& from) {
  if (to.bytes() < from.bytes())
    return fail(ErrorCode::OutOfRange, About{"copy"},
                "a copy between GPU buffers has more bytes than its target holds");
  if (const auto* host = dynamic_cast<const HostBuffer*>(&from))
    return to.write(0, host->payload());
  if (auto* host = dynamic_cast<HostBuffer*>(&to))
    return from.read(0, host->payload().first(static_cast<std::size_t>(from.bytes())));
  if (from.bytes() == 0) return {};
  KW_TRY(c_.enter());
  KW_TRY(c_.check(c_.api().cuMemcpyDtoD(as_cuda(to).payload(), as_cuda(from).payload(),
                                        static_cast<std::size_t>(from.bytes())),
                  "copy a buffer"));
  return c_.synchronize("copy a buffer");
}

// Converts between the tensor's type and float64, in the direction of the kernel `function`.
Result<> CudaOps::convert(cuda::Function function, const char* what, Buffer& to, const Buffer& from,
                          const Tensor& tensor) {
  if (!is_real(tensor.dtype))
    return fail(ErrorCode::Unsupported, About{"integers"},
                std::string("the GPU cannot ") + what + " a tensor of integers", tensor.name);
  const Rows rows = rows_of(tensor);
  if (rows.count * rows.length == 0) return {};
  cuda::Address target = as_cuda(to).payload();
  cuda::Address source = as_cuda(from).payload();
  int type = static_cast<int>(element_type(tensor.dtype));
  long long count = rows.count, length = rows.length, pitch = rows.pitch;
  void* arguments[] = {&target, &source, &type, &count, &length, &pitch};
  KW_TRY(launch(function, static_cast<std::uint64_t>(count * length), arguments));
  return c_.synchronize(what);
}

Result<> CudaOps::widen(Buffer& to, const Buffer& from, const Tensor& tensor) {
  KW_TRY(begin());
  KW_TRY(
      require_room(holds(to, tensor, sizeof(double)) && holds(from, tensor, size_of(tensor.dtype)),
                   "widen", tensor));
  return convert(k_.widen, "widen a buffer", to, from, tensor);
}

Result<> CudaOps::narrow(Buffer& to, const Buffer& from, const Tensor& tensor) {
  KW_TRY(begin());
  KW_TRY(
      require_room(holds(from, tensor, sizeof(double)) && holds(to, tensor, size_of(tensor.dtype)),
                   "narrow", tensor));
  return convert(k_.narrow, "narrow a buffer", to, from, tensor);
}

Result<std::int64_t> CudaOps::count_differences(const Buffer& a, const Buffer& b,
                                                const Tensor& tensor, bool padding_only) {
  KW_TRY(begin());
  const std::size_t element = size_of(tensor.dtype);
  KW_TRY(require_room(holds(a, tensor, element) && holds(b, tensor, element), "compare", tensor));
  const ByteRows bytes = compared_bytes(tensor, padding_only);
  if (bytes.rows.count * bytes.rows.length == 0) return 0;
  const cuda::Address found = KW_TRY(scratch(sizeof(Word)));
  Word total = 0;
  KW_TRY(c_.check(c_.api().cuMemcpyHtoD(found, &total, sizeof total), "count differences"));
  cuda::Address left = as_cuda(a).payload() + static_cast<std::uint64_t>(bytes.start);
  cuda::Address right = as_cuda(b).payload() + static_cast<std::uint64_t>(bytes.start);
  long long count = bytes.rows.count, length = bytes.rows.length, pitch = bytes.rows.pitch;
  cuda::Address out = found;
  void* arguments[] = {&left, &right, &count, &length, &pitch, &out};
  KW_TRY(launch(k_.count, static_cast<std::uint64_t>(count * length / 8 + 1), arguments));
  KW_TRY(c_.check(c_.api().cuMemcpyDtoH(&total, found, sizeof total), "count differences"));
  return static_cast<std::int64_t>(total);
}

Result<> CudaOps::arm_guards(CudaBuffer& buffer) {
  KW_TRY(begin());
  cuda::Address front = buffer.front_slack(), back = buffer.back_slack();
  long long front_bytes = static_cast<long long>(buffer.front_bytes());
  long long back_bytes = static_cast<long long>(buffer.back_bytes());
  Word key = buffer.canary_key();
  void* arguments[] = {&front, &front_bytes, &back, &back_bytes, &key};
  KW_TRY(launch(k_.arm, static_cast<std::uint64_t>(front_bytes), arguments));
  return c_.synchronize("write the guard patterns around a GPU buffer");
}

Result<std::string> CudaOps::check_guards(Buffer& buffer) {
  const CudaBuffer& own = as_cuda(buffer);
  if (!own.is_shared()) return std::string();
  KW_TRY(begin());
  Word found[2] = {0, ~Word{0}};
  const cuda::Address at = KW_TRY(scratch(sizeof found));
  KW_TRY(c_.check(c_.api().cuMemcpyHtoD(at, found, sizeof found),
                  "check the guard patterns around a GPU buffer"));
  cuda::Address front = own.front_slack(), back = own.back_slack(), out = at;
  long long front_bytes = static_cast<long long>(own.front_bytes());
  long long back_bytes = static_cast<long long>(own.back_bytes());
  Word key = own.canary_key();
  void* arguments[] = {&front, &front_bytes, &back, &back_bytes, &key, &out};
  KW_TRY(launch(k_.check, static_cast<std::uint64_t>(front_bytes), arguments));
  KW_TRY(c_.check(c_.api().cuMemcpyDtoH(found, at, sizeof found),
                  "check the guard patterns around a GPU buffer"));
  if (found[0] != 0) return broken_before(own.front_bytes() - found[0] + 1);
  if (found[1] != ~Word{0}) return broken_after(found[1] + 1);
  return std::string();
}

Result<> CudaOps::make_flush_buffers() {
  if (flush_bytes_ != 0) return {};
  constexpr std::uint64_t kLeast = std::uint64_t{16} << 20;
  const auto l2 = static_cast<std::uint64_t>(c_.facts().gpu.front().l2_bytes);
  const std::uint64_t bytes = std::max(2 * l2, kLeast);
  for (cuda::Address& a : flush_) {
    if (a == 0)
      KW_TRY(
          c_.check(c_.api().cuMemAlloc(&a, bytes), "allocate GPU memory for flushing the cache"));
  }
  flush_bytes_ = bytes;
  return {};
}

Result<> CudaOps::flush() {
  KW_TRY(begin());
  KW_TRY(make_flush_buffers());
  long long quads = static_cast<long long>(flush_bytes_ / 16);
  // The value differs at every flush, so that no write repeats an earlier one.
  unsigned value = ++flushes_;
  void* write[] = {&flush_[0], &quads, &value};
  KW_TRY(launch(k_.flush_write, static_cast<std::uint64_t>(quads), write));
  cuda::Address sink = KW_TRY(scratch(sizeof(Word)));
  void* read[] = {&flush_[1], &quads, &sink};
  KW_TRY(launch(k_.flush_read, static_cast<std::uint64_t>(quads), read));
  KW_TRY(c_.check(c_.api().cuCtxResetPersistingL2Cache(),
                  "reset the persisting part of the L2 cache"));
  return c_.synchronize("flush the L2 cache");
}

Result<double> CudaOps::measure_timer_tick() {
  KW_TRY(begin());
  constexpr int kReads = 200'000;  // some ms: even coarse timers step at least once a millisecond
  Word seen[3] = {};
  cuda::Address out = KW_TRY(scratch(sizeof seen));
  int reads = kReads;
  void* arguments[] = {&out, &reads};
  KW_TRY(
      c_.check(c_.api().cuLaunchKernel(k_.tick, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr),
               "measure the tick of the GPU's timer"));
  KW_TRY(c_.check(c_.api().cuMemcpyDtoH(seen, out, sizeof seen),
                  "measure the tick of the GPU's timer"));
  if (seen[1] == 0)
    return fail(ErrorCode::DeviceFailed, About{"globaltimer"},
                "the GPU's timer (%globaltimer) does not advance, so nothing can be timed on it",
                c_.facts().model);
  return static_cast<double>(seen[0]);
}

}  // namespace kw::device
