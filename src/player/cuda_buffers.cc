// Maps buffers between guards, and the clock page into memory that both sides share.
// SPDX-License-Identifier: Apache-2.0
#include "player/cuda_buffers.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace kw::player::cuda {
namespace {

constexpr unsigned kTouchThreads = 256;

/// A range of memory for kw_touch, in the layout that src/device/cuda/player.cu reads.
struct Stretch {
  Address at;
  std::uint64_t bytes;
};

}  // namespace

Outcome BufferMap::map_clock(const MapEntry& entry, int descriptor) {
  if (held_.clock != nullptr || entry.mapped_bytes != kClockPageBytes)
    return fail(Trouble::BadRequest, "clock page");
  void* page = ::mmap(nullptr, kClockPageBytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (page == MAP_FAILED) return fail(Trouble::MapFailed, std::strerror(errno));
  if (auto f = held_.gpu.check(held_.gpu.api().cuMemHostRegister(
                                   page, kClockPageBytes, kRegisterPortable | kRegisterDeviceMap),
                               "pin the page of memory that carries the referee's clock",
                               Trouble::MapFailed))
    return f;
  held_.clock = static_cast<ClockPage*>(page);
  return held_.gpu.check(held_.gpu.api().cuMemHostGetDevicePointer(&held_.clock_address, page, 0),
                         "find the device address of the page that carries the referee's clock",
                         Trouble::MapFailed);
}

Outcome BufferMap::map(const MapEntry& entry, int descriptor) {
  if (entry.kind == BufferKind::Clock) return map_clock(entry, descriptor);
  if (entry.kind != BufferKind::DeviceAllocation)
    return fail(Trouble::BadRequest,
                "a request to map a buffer that does not lie in the GPU's memory");
  const auto attempt = [this](Status status, const char* what) {
    return held_.gpu.check(status, what, Trouble::MapFailed);
  };
  Allocation allocation = 0;
  auto* handle = reinterpret_cast<void*>(static_cast<std::uintptr_t>(descriptor));
  if (auto f = attempt(held_.gpu.api().cuMemImportFromShareableHandle(&allocation, handle,
                                                                      kHandlePosixDescriptor),
                       "import a buffer"))
    return f;
  Address base = 0;
  const std::size_t total = entry.mapped_bytes + 2 * entry.guard_bytes;
  Outcome f =
      attempt(held_.gpu.api().cuMemAddressReserve(&base, total, 0, 0, 0), "reserve addresses");
  const Address at = base + entry.guard_bytes;
  if (!f)
    f = attempt(held_.gpu.api().cuMemMap(at, entry.mapped_bytes, 0, allocation, 0), "map a buffer");
  if (!f) {
    AccessDescription access;
    access.location.id = held_.gpu.device();
    access.flags = entry.access == Access::ReadWrite ? kProtectReadWrite : kProtectRead;
    f = attempt(held_.gpu.api().cuMemSetAccess(at, entry.mapped_bytes, &access, 1),
                "open a buffer");
  }
  held_.gpu.api().cuMemRelease(allocation);  // the mapping keeps the memory alive
  if (!f)
    held_.buffers.push_back(
        {at + entry.payload_offset, entry.payload_bytes, at, entry.mapped_bytes});
  return f;
}

Outcome BufferMap::finish() {
  if (held_.buffers.empty()) return std::nullopt;
  if (auto f = held_.gpu.check(
          held_.gpu.api().cuMemAlloc(&touch_list_, held_.buffers.size() * sizeof(Stretch)),
          "allocate", Trouble::MapFailed))
    return f;
  return send_touch_list();
}

Outcome BufferMap::send_touch_list() {
  std::vector<Stretch> list;
  for (const Mapped& b : held_.buffers) list.push_back({b.payload, b.bytes});
  return held_.gpu.send(touch_list_, list.data(), list.size() * sizeof(Stretch),
                        "copy the list of buffers to the GPU");
}

Outcome BufferMap::keep_only(const std::vector<bool>& is_kept) {
  for (std::size_t i = 0; i < held_.buffers.size(); ++i) {
    Mapped& buffer = held_.buffers[i];
    if (is_kept[i] || buffer.mapping == 0) continue;
    if (auto f = held_.gpu.check(held_.gpu.api().cuMemUnmap(buffer.mapping, buffer.mapped_bytes),
                                 "unmap a buffer", Trouble::LaunchFailed))
      return f;
    buffer = {};
  }
  return send_touch_list();
}

Status BufferMap::launch_touch() const {
  int count = touch_list_ != 0 ? static_cast<int>(held_.buffers.size()) : 0;
  Address sink = held_.clock_address;
  Address list = touch_list_;
  void* arguments[] = {&list, &count, &sink};
  return held_.gpu.launch(held_.trusted.touch, static_cast<unsigned>(held_.gpu.multiprocessors()),
                          kTouchThreads, 0, held_.gpu.stream(), arguments);
}

}  // namespace kw::player::cuda
