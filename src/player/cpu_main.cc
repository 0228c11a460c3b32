// kw-player-cpu: maps the referee's buffers, loads a shared object and calls it when told.
// SPDX-License-Identifier: Apache-2.0
//
// Foreign code shares this process, so it holds no secret and decides nothing. Its only argument is
// the folder of the object that it may be told to load.

#include <elf.h>
#include <malloc.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cfenv>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/defence.h"
#include "player/cpu_load.h"
#include "player/crash.h"
#include "player/mapping.h"
#include "player/protocol.h"
#include "player/transport.h"

namespace kw::player {
namespace {

constexpr std::size_t kMaxObjects = 1;

struct State {
  const char* folder = "";
  bool is_prepared = false;
  std::size_t buffer_count = 0;
  std::size_t object_count = 0;
  std::size_t reserved_bytes = 0;
  GuardedMapping mappings[kMaxBuffers];
  std::byte* payloads[kMaxBuffers];
  std::uint64_t payload_bytes[kMaxBuffers];
  Entry entries[kMaxObjects];
  void* arguments[kMaxMessage / sizeof(WireArgument)];
  alignas(16) std::byte request[kMaxMessage];
};
State state;  // static: large, and out of reach of a stack overflow

std::span<const GuardedMapping> mappings() { return {state.mappings, state.buffer_count}; }

void answer(Answer& a, Kind kind, std::uint64_t sequence) {
  a.header.kind = kind;
  a.header.bytes = sizeof a;
  a.header.sequence = sequence;
  if (send_packet(kChannelFd, std::as_bytes(std::span(&a, 1)), {}, true) != 0) ::_exit(1);
}

void done(Kind kind, std::uint64_t sequence) {
  Answer a;
  answer(a, kind, sequence);
}

void failed(Trouble trouble, std::string_view words, std::uint64_t sequence) {
  Answer a;
  a.trouble = trouble;
  a.set_words(words);
  answer(a, Kind::Failed, sequence);
}

void on_map(std::span<const std::byte> message, std::span<const int> descriptors,
            std::uint64_t sequence) {
  const auto map = decode_map(message);
  if (!map || state.is_prepared || map->entries.size() != descriptors.size() ||
      map->entries.size() > kMaxBuffers - state.buffer_count)
    return failed(Trouble::BadRequest, "map", sequence);
  for (std::size_t i = 0; i < descriptors.size(); ++i) {
    const MapEntry& entry = map->entries[i];
    const std::size_t index = state.buffer_count;
    const bool writable = entry.access == Access::ReadWrite;
    GuardedMapping& mapping = state.mappings[index];
    int error = entry.kind == BufferKind::Memfd ? map_guarded(descriptors[i], entry.mapped_bytes,
                                                              entry.guard_bytes, writable, mapping)
                                                : ENODEV;
    if (error == 0) error = enter(mapping, writable);
    ::close(descriptors[i]);
    if (error != 0) return failed(Trouble::MapFailed, ::strerror(error), sequence);
    state.payloads[index] = mapping.mapped + entry.payload_offset;
    state.payload_bytes[index] = entry.payload_bytes;
    state.reserved_bytes += mapping.reserved_bytes;
    ++state.buffer_count;
  }
  done(Kind::Ready, sequence);
}

/// Sets the same surroundings for every candidate: threads, allocator, memory limit.
void set_surroundings(const PrepareRequest& request) {
  char threads[16];
  std::snprintf(threads, sizeof threads, "%u", request.threads);
  ::setenv("OMP_NUM_THREADS", threads, 1);
  // Workspaces come from a heap that is never given back: otherwise every call would pay for page
  // faults on them again, 0.1 to 0.5 ms per MiB.
  ::mallopt(M_MMAP_MAX, 0);
  ::mallopt(M_TRIM_THRESHOLD, INT_MAX);
  ::mallopt(M_ARENA_MAX, 1);
  if (request.memory_bytes == 0 || !is_on(Defence::ResourceLimits)) return;
  constexpr std::uint64_t own = std::uint64_t{64} << 20;     // this program and its libraries
  constexpr std::uint64_t thread = std::uint64_t{16} << 20;  // stack and thread-local storage
  const rlim_t bytes =
      state.reserved_bytes + request.memory_bytes + own + thread * (request.threads + 1);
  const rlimit limit{bytes, bytes};
  ::setrlimit(RLIMIT_AS, &limit);
}

/// Binds each OpenMP thread to a processor. Unbound threads are often woken on one processor
/// together and stay there for milliseconds: half of the calls then take twice their time. Only
/// objects that use OpenMP are affected; threads of other kinds stay unbound. Where the jail
/// forbids binding by thread number, nothing is set, since libgomp would end the process.
void bind_threads(std::uint32_t threads) {
  cpu_set_t all;
  if (::sched_getaffinity(0, sizeof all, &all) != 0 ||
      ::sched_setaffinity(::gettid(), sizeof all, &all) != 0)
    return;
  std::string places;
  std::uint32_t bound = 0;
  for (std::size_t cpu = 0; cpu < CPU_SETSIZE && bound < threads; ++cpu) {
    if (!CPU_ISSET(cpu, &all)) continue;
    places += (bound++ == 0 ? "{" : ",{") + std::to_string(cpu) + "}";
  }
  ::setenv("OMP_PLACES", places.c_str(), 1);
  ::setenv("OMP_PROC_BIND", "close", 1);
}

void on_prepare(std::span<const std::byte> message, std::uint64_t sequence) {
  const auto request = decode_prepare(message);
  if (!request || state.is_prepared) return failed(Trouble::BadRequest, "prepare", sequence);
  set_surroundings(*request);
  bind_threads(request->threads);
  state.is_prepared = true;
  done(Kind::Ready, sequence);
}

void on_load(std::span<const std::byte> message, std::uint64_t sequence) {
  const auto request = decode_load(message);
  if (!request || !state.is_prepared || request->format != ObjectFormat::ElfSo ||
      state.object_count == kMaxObjects)
    return failed(Trouble::BadRequest, "load", sequence);
  arm_crash_handlers(mappings());
  char path[PATH_MAX];
  std::snprintf(path, sizeof path, "%s/%s", state.folder, request->file);
  const LoadedEntry loaded = load_object(path, request->entry);
  if (loaded.entry == nullptr) return failed(Trouble::LoadRefused, loaded.why, sequence);
  state.entries[state.object_count] = loaded.entry;
  Answer a;
  a.object = static_cast<std::int32_t>(state.object_count++);
  answer(a, Kind::Loaded, sequence);
}

/// Turns wire arguments into the array that entries take; false if an argument points nowhere.
bool resolve(std::span<WireArgument> arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    WireArgument& a = arguments[i];
    if (a.buffer >= 0) {
      const auto index = static_cast<std::size_t>(a.buffer);
      if (index >= state.buffer_count || a.value > state.payload_bytes[index]) return false;
      a.value = reinterpret_cast<std::uint64_t>(state.payloads[index] + a.value);
    }
    state.arguments[i] = &a.value;
  }
  return true;
}

/// Undoes changes that an earlier call made to rounding and denormals.
void set_arithmetic() {
  if (is_on(Defence::ArithmeticReset)) std::fesetenv(FE_DFL_ENV);
}

void on_call(std::span<std::byte> message, std::uint64_t sequence) {
  const auto call = decode_call(message);
  if (!call || call->launches.size() != 1 || call->head->object < 0 ||
      static_cast<std::size_t>(call->head->object) >= state.object_count ||
      !resolve(call->arguments))
    return failed(Trouble::BadRequest, "call", sequence);
  const Entry entry = state.entries[call->head->object];
  arm_crash_handlers(mappings());
  set_arithmetic();
  entry(state.arguments);
  set_arithmetic();
  done(Kind::Done, sequence);
}

void on_empty(std::uint64_t sequence) {
  if (const int error = limit_calls_without_object(); error != 0)
    return failed(Trouble::LockdownFailed, ::strerror(error), sequence);
  arm_crash_handlers(mappings());
  set_arithmetic();
  set_arithmetic();
  done(Kind::Done, sequence);
}

void serve() {
  int descriptors[kMaxBuffersPerMap];
  for (;;) {
    const Received received = receive_packet(kChannelFd, state.request, descriptors, true);
    if (received.error != 0 || received.bytes == 0) return;
    const std::span message(state.request, received.bytes);
    const auto header = decode_header(message);
    if (!header || received.is_truncated) return;
    set_current_request(header->sequence);
    if (header->kind == Kind::Map) {
      on_map(message, {descriptors, received.descriptors}, header->sequence);
      continue;
    }
    for (std::size_t i = 0; i < received.descriptors; ++i) ::close(descriptors[i]);
    switch (header->kind) {
      case Kind::Prepare:
        on_prepare(message, header->sequence);
        break;
      case Kind::Load:
        on_load(message, header->sequence);
        break;
      case Kind::Call:
        on_call(message, header->sequence);
        break;
      case Kind::Empty:
        on_empty(header->sequence);
        break;
      default:
        failed(Trouble::BadRequest, "unknown kind", header->sequence);
    }
  }
}

/// Overwrites the uid that the kernel told the program and that the loader keeps. A jail's uid says
/// how many jails were started before, so foreign code must find one number in all players.
void forget_identity() {
  constexpr std::uint64_t kNobody = 65534;
  char** end = environ;
  while (*end != nullptr) ++end;
  for (auto* a = reinterpret_cast<Elf64_auxv_t*>(end + 1); a->a_type != AT_NULL; ++a)
    if (a->a_type == AT_UID || a->a_type == AT_EUID || a->a_type == AT_GID || a->a_type == AT_EGID)
      a->a_un.a_val = kNobody;
}

}  // namespace
}  // namespace kw::player

int main(int count, char** arguments) {
  using namespace kw::player;
  if (count != 2) return 2;
  state.folder = arguments[1];
  forget_identity();
  load_unwinder();
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  done(Kind::Hello, 0);
  serve();
  ::_exit(0);  // so that destructors of foreign objects do not run
}
