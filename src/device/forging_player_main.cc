// A player for tests that answers the first request as its arguments say, whatever the request was;
// none of its answers may be believed.
// SPDX-License-Identifier: Apache-2.0
//
// Arguments are executed in their order: `await` a request; `send HEX`, a packet; `answer HEX`, a
// packet with the number of the request; `pass HEX`, an answer with a descriptor; `flood HEX`,
// answers for as long as somebody takes them; `empty`, a packet without bytes; `close` the channel;
// `exit N`; `raise N`; `sleep` until somebody ends the process.

#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "player/protocol.h"
#include "player/transport.h"

namespace {

using kw::player::kChannelFd;

std::uint64_t sequence = 0;

std::vector<std::byte> bytes_of(const std::string& hex) {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes.push_back(static_cast<std::byte>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  return bytes;
}

void await_request() {
  static std::byte request[kw::player::kMaxMessage];
  int descriptors[8];
  const auto received = kw::player::receive_packet(kChannelFd, request, descriptors, true);
  if (received.error != 0 || received.bytes < sizeof(kw::player::Header)) ::_exit(1);
  kw::player::Header header;
  std::memcpy(&header, request, sizeof header);
  sequence = header.sequence;
}

void send(std::vector<std::byte> packet, bool is_numbered, std::vector<int> descriptors,
          bool waits = true) {
  constexpr std::size_t kAt = offsetof(kw::player::Header, sequence);
  if (is_numbered && packet.size() >= kAt + sizeof sequence)
    std::memcpy(packet.data() + kAt, &sequence, sizeof sequence);
  (void)kw::player::send_packet(kChannelFd, packet, descriptors, waits);
}

}  // namespace

int main(int count, char** arguments) {
  for (int i = 1; i < count; ++i) {
    const std::string verb = arguments[i];
    const auto next = [&] { return ++i < count ? std::string(arguments[i]) : std::string(); };
    if (verb == "await") await_request();
    if (verb == "send") send(bytes_of(next()), false, {});
    if (verb == "answer") send(bytes_of(next()), true, {});
    if (verb == "pass") send(bytes_of(next()), true, {0, 1, 2});
    if (verb == "flood") {
      const auto packet = bytes_of(next());
      for (;;) send(packet, true, {});
    }
    if (verb == "empty") (void)::send(kChannelFd, "", 0, MSG_NOSIGNAL);
    if (verb == "close") ::close(kChannelFd);
    if (verb == "exit") return std::atoi(next().c_str());
    if (verb == "raise") ::raise(std::atoi(next().c_str()));
    if (verb == "sleep") ::pause();
  }
  return 0;
}
