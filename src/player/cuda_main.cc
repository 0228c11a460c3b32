// kw-player-cuda: maps the referee's buffers on a GPU, loads cubins and runs bound plans when told.
// SPDX-License-Identifier: Apache-2.0
//
// Foreign device code shares this process's context, so the process holds no secret and decides
// nothing. Arguments: the folder of its objects, the GPU's UUID in 32 hexadecimal digits, the
// driver's library (empty: found by its usual names), and `host` where host launchers may be
// loaded, which need the primary context. The context is created before the greeting, since the
// driver cannot initialise after the lockdown in Prepare.

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "player/crash.h"
#include "player/cuda_player_context.h"
#include "player/lockdown.h"
#include "player/protocol.h"
#include "player/transport.h"

namespace kw::player::cuda {
namespace {

constexpr std::size_t kMaxObjects = 256;
constexpr std::size_t kMaxPlans = 4096;
constexpr std::size_t kMaxImage = std::size_t{256} << 20;

struct State {
  PlayerContext context;
  const char* folder = "";
  bool takes_host_code = false;
  bool is_equipped = false;
  bool is_prepared = false;
  std::size_t buffers = 0;
  std::size_t objects = 0;
  std::size_t plans = 0;
  alignas(16) std::byte request[kMaxMessage];
};
State state;

void answer(Answer& a, Kind kind, std::uint64_t sequence) {
  a.header.kind = kind;
  a.header.bytes = sizeof a;
  a.header.sequence = sequence;
  if (send_packet(kChannelFd, std::as_bytes(std::span(&a, 1)), {}, true) != 0) ::_exit(1);
}

void failed(const Failure& failure, std::uint64_t sequence) {
  Answer a;
  a.trouble = failure.trouble;
  a.signal = failure.status;
  a.in_guard = failure.status == kIllegalAddress;
  a.set_words(failure.words);
  answer(a, Kind::Failed, sequence);
}

void refused(const char* words, std::uint64_t sequence) {
  failed({Trouble::BadRequest, 0, words}, sequence);
}

/// Answers with success (`kind`), or with the failure.
void conclude(const Outcome& outcome, Answer& a, Kind kind, std::uint64_t sequence) {
  if (outcome) return failed(*outcome, sequence);
  answer(a, kind, sequence);
}
void conclude(const Outcome& outcome, Kind kind, std::uint64_t sequence) {
  Answer a;
  conclude(outcome, a, kind, sequence);
}

/// Reads a whole descriptor; false where it holds more than `most` bytes.
bool read_all(int descriptor, std::size_t most, std::vector<std::byte>& out) {
  struct stat about{};
  if (::fstat(descriptor, &about) != 0 || about.st_size <= 0 ||
      static_cast<std::uint64_t>(about.st_size) > most)
    return false;
  out.resize(static_cast<std::size_t>(about.st_size));
  for (std::size_t done = 0; done < out.size();) {
    const ssize_t n =
        ::pread(descriptor, out.data() + done, out.size() - done, static_cast<off_t>(done));
    if (n <= 0 && errno != EINTR) return false;
    if (n > 0) done += static_cast<std::size_t>(n);
  }
  return true;
}

using Descriptors = std::span<const int>;

void on_map(std::span<const std::byte> message, Descriptors descriptors, std::uint64_t sequence) {
  const auto map = decode_map(message);
  if (!map || state.is_prepared || map->entries.size() != descriptors.size() ||
      map->entries.size() > kMaxBuffers - state.buffers)
    return refused("map", sequence);
  for (std::size_t i = 0; i < descriptors.size(); ++i) {
    if (const auto f = state.context.map(map->entries[i], descriptors[i]))
      return failed(*f, sequence);
    ++state.buffers;
  }
  conclude({}, Kind::Ready, sequence);
}

void on_equip(std::span<const std::byte> message, Descriptors descriptors, std::uint64_t sequence) {
  std::vector<std::byte> image;
  // The trusted kernels are accepted only before a call has named a buffer of the referee and
  // before foreign code is loaded.
  if (message.size() != sizeof(Header) || state.is_prepared || state.is_equipped ||
      descriptors.size() != 1 || !read_all(descriptors[0], kMaxImage, image))
    return refused("equip", sequence);
  state.is_equipped = true;
  conclude(state.context.equip(image), Kind::Ready, sequence);
}

void on_prepare(std::span<const std::byte> message, std::uint64_t sequence) {
  const auto request = decode_prepare(message);
  if (!request || state.is_prepared || !state.is_equipped) return refused("prepare", sequence);
  if (const auto f = state.context.finish_mapping()) return failed(*f, sequence);
  if (const int error = lock_down(true); error != 0)
    return failed({Trouble::LockdownFailed, error, std::strerror(error)}, sequence);
  state.is_prepared = true;
  conclude({}, Kind::Ready, sequence);
}

void on_load_host(const LoadRequest& request, std::uint64_t sequence) {
  if (!state.takes_host_code || request.file[0] == 0 || state.objects == kMaxObjects)
    return refused("load of host code", sequence);
  char path[PATH_MAX];
  std::snprintf(path, sizeof path, "%s/%s", state.folder, request.file);
  Answer a;
  const auto outcome = state.context.load_host(path, request.entry, a.object);
  if (!outcome) ++state.objects;
  conclude(outcome, a, Kind::Loaded, sequence);
}

void on_load(std::span<const std::byte> message, Descriptors descriptors, std::uint64_t sequence) {
  const auto request = decode_load(message);
  if (request && state.is_prepared && request->format == ObjectFormat::ElfSo)
    return on_load_host(*request, sequence);
  std::vector<std::byte> image;
  if (!request || !state.is_prepared || request->format != ObjectFormat::Cubin ||
      state.objects == kMaxObjects || descriptors.size() != 1 ||
      !read_all(descriptors[0], kMaxImage, image))
    return refused("load", sequence);
  Answer a;
  const auto outcome = state.context.load(std::move(image), a.object);
  if (!outcome) ++state.objects;
  conclude(outcome, a, Kind::Loaded, sequence);
}

void on_bind(std::span<const std::byte> message, Descriptors descriptors, std::uint64_t sequence) {
  const auto request = decode_bind(message);
  std::vector<std::byte> plan;
  if (!request || !state.context.has_object(static_cast<std::size_t>(request->object)) ||
      state.plans == kMaxPlans || descriptors.size() != 1 ||
      !read_all(descriptors[0], kMaxPlanBytes, plan))
    return refused("bind", sequence);
  Answer a;
  const auto outcome =
      state.context.bind(static_cast<std::size_t>(request->object), plan, a.object);
  if (!outcome) {
    ++state.plans;
    a.set_words(state.context.plan(static_cast<std::size_t>(a.object))->why_not_captured);
  }
  conclude(outcome, a, Kind::Loaded, sequence);
}

void on_run(std::span<const std::byte> message, std::uint64_t sequence) {
  const auto request = decode_run(message);
  if (!request || !state.is_prepared) return refused("run", sequence);
  Bound* plan = nullptr;
  if (request->header.kind == Kind::Run) {
    plan = state.context.plan(static_cast<std::size_t>(request->plan));
    if (plan == nullptr) return refused("run of an unknown plan", sequence);
  }
  Answer a;
  a.stamps = 1;
  const auto outcome = state.context.run(plan, *request, a.stamp_ns[0]);
  conclude(outcome, a, Kind::Done, sequence);
}

void on_plan_request(std::span<const std::byte> message, std::uint64_t sequence) {
  const auto request = decode_plan_request(message);
  Bound* plan = request ? state.context.plan(static_cast<std::size_t>(request->plan)) : nullptr;
  if (plan == nullptr || !state.is_prepared) return refused("plan", sequence);
  conclude(request->header.kind == Kind::Forget ? state.context.forget(*plan)
                                                : state.context.keep_only(*plan),
           Kind::Done, sequence);
}

void handle(std::span<const std::byte> message, const Header& header, Descriptors descriptors) {
  switch (header.kind) {
    case Kind::Map:
      return on_map(message, descriptors, header.sequence);
    case Kind::Equip:
      return on_equip(message, descriptors, header.sequence);
    case Kind::Prepare:
      return on_prepare(message, header.sequence);
    case Kind::Load:
      return on_load(message, descriptors, header.sequence);
    case Kind::Bind:
      return on_bind(message, descriptors, header.sequence);
    case Kind::Run:
    case Kind::Empty:
      return on_run(message, header.sequence);
    case Kind::Forget:
    case Kind::KeepOnly:
      return on_plan_request(message, header.sequence);
    default:
      return refused("unknown kind", header.sequence);
  }
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
    handle(message, *header, {descriptors, received.descriptors});
    for (std::size_t i = 0; i < received.descriptors; ++i) ::close(descriptors[i]);
  }
}

/// Reads 32 hexadecimal digits.
bool parse_uuid(const std::string& text, Uuid& out) {
  if (text.size() != 2 * sizeof out.bytes) return false;
  for (std::size_t i = 0; i < sizeof out.bytes; ++i) {
    char* end = nullptr;
    const std::string digits = text.substr(2 * i, 2);
    out.bytes[i] = static_cast<unsigned char>(std::strtoul(digits.c_str(), &end, 16));
    if (end != digits.c_str() + 2) return false;
  }
  return true;
}

}  // namespace
}  // namespace kw::player::cuda

int main(int count, char** arguments) {
  using namespace kw::player;
  cuda::Uuid uuid;
  const bool is_host = count == 5 && std::strcmp(arguments[4], "host") == 0;
  if ((count != 4 && !is_host) || !cuda::parse_uuid(arguments[2], uuid)) return 2;
  cuda::state.folder = arguments[1];
  cuda::state.takes_host_code = is_host;
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  arm_crash_handlers({});
  if (const auto f = cuda::state.context.open(uuid, arguments[3], is_host)) {
    cuda::failed(*f, 0);
    ::_exit(1);
  }
  Answer hello;
  cuda::answer(hello, Kind::Hello, 0);
  cuda::serve();
  ::_exit(0);  // the kernel's driver cleans up what the process held
}
