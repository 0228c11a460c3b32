// Tests of what the protocol accepts and refuses, and of how packets and descriptors travel.
// SPDX-License-Identifier: Apache-2.0
#include "player/protocol.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include "player/transport.h"

namespace kw::player {
namespace {

Answer make_answer(Kind kind) {
  Answer a;
  a.header.kind = kind;
  a.header.bytes = sizeof a;
  a.header.sequence = 7;
  a.object = 0;
  return a;
}

std::optional<Answer> decoded(const Answer& a) {
  return decode_answer(std::as_bytes(std::span(&a, 1)));
}

TEST(Answers, KeepTheirWords) {
  Answer a = make_answer(Kind::Failed);
  a.trouble = Trouble::LoadRefused;
  a.set_words("no such symbol");
  const auto back = decoded(a);
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(back->words(), "no such symbol");
  EXPECT_EQ(back->header.sequence, 7u);
}

TEST(Answers, AreRefusedWhenAnyFieldIsOutOfBounds) {
  ASSERT_TRUE(decoded(make_answer(Kind::Done)).has_value());
  const auto refused = [](auto change) {
    Answer a = make_answer(Kind::Done);
    change(a);
    return !decoded(a).has_value();
  };
  EXPECT_TRUE(refused([](Answer& a) { a.header.magic ^= 1; }));
  EXPECT_TRUE(refused([](Answer& a) { a.header.version = kVersion + 1; }));
  EXPECT_TRUE(refused([](Answer& a) { a.header.bytes -= 1; }));
  EXPECT_TRUE(refused([](Answer& a) { a.header.kind = static_cast<Kind>(999); }));
  EXPECT_TRUE(refused([](Answer& a) { a.header.kind = Kind::Call; }));
  EXPECT_TRUE(refused([](Answer& a) { a.stamps = kMaxStamps + 1; }));
  EXPECT_TRUE(refused([](Answer& a) { a.text_bytes = kTextBytes + 1; }));
  EXPECT_TRUE(refused([](Answer& a) { a.trouble = static_cast<Trouble>(99); }));
  // An answer of kind Done must carry no trouble.
  EXPECT_TRUE(refused([](Answer& a) { a.trouble = Trouble::Signal; }));
  EXPECT_TRUE(refused([](Answer& a) { a.header.kind = Kind::Failed; }));  // Failed must have one
  EXPECT_TRUE(refused([](Answer& a) { a.header.kind = Kind::Loaded, a.object = -1; }));
}

TEST(Requests, CallsKeepLaunchesAndArguments) {
  Launch first, second;
  first.arguments = 2;
  first.grid[1] = 5;
  std::strcpy(first.kernel, "gemm_main");
  second.arguments = 1;
  const Launch launches[] = {first, second};
  std::vector<WireArgument> arguments(3);
  for (std::size_t i = 0; i < arguments.size(); ++i) arguments[i].value = i;
  auto bytes = encode_call(9, 3, launches, arguments);
  const auto view = decode_call(bytes);
  ASSERT_TRUE(view.has_value());
  EXPECT_EQ(view->head->object, 3);
  EXPECT_EQ(view->head->arguments, 3u);
  EXPECT_STREQ(view->launches[0].kernel, "gemm_main");
  EXPECT_EQ(view->launches[0].grid[1], 5u);
  EXPECT_EQ(view->arguments[2].value, 2u);
}

TEST(Requests, CallsWithCountsThatDoNotFitAreRefused) {
  Launch launch;
  launch.arguments = 1;
  const std::vector<WireArgument> arguments(1);
  const auto refused = [&](auto change) {
    auto bytes = encode_call(9, 0, std::span(&launch, 1), arguments);
    CallHead head;
    std::memcpy(&head, bytes.data(), sizeof head);
    change(head);
    std::memcpy(bytes.data(), &head, sizeof head);
    return !decode_call(bytes).has_value();
  };
  EXPECT_FALSE(refused([](CallHead&) {}));
  EXPECT_TRUE(refused([](CallHead& h) { h.arguments = std::uint64_t{1} << 63; }));
  // The head gives a number of arguments that is not the launch's.
  EXPECT_TRUE(refused([](CallHead& h) { h.arguments = 2; }));
  EXPECT_TRUE(refused([](CallHead& h) { h.launches = 0; }));
  EXPECT_TRUE(refused([](CallHead& h) { h.launches = 1u << 31; }));
}

TEST(Requests, LoadsNameNoFolders) {
  LoadRequest request;
  request.header.kind = Kind::Load;
  request.header.bytes = sizeof request;
  const auto accepted = [&](const char* file) {
    std::memset(request.file, 0, sizeof request.file);
    std::strncpy(request.file, file, sizeof request.file);
    return decode_load(std::as_bytes(std::span(&request, 1))).has_value();
  };
  EXPECT_TRUE(accepted("1.so"));
  EXPECT_FALSE(accepted("../1.so"));
  EXPECT_FALSE(accepted(std::string(kNameBytes, 'x').c_str()));  // not terminated
}

TEST(Requests, BindsAndRunsNameWhatWasLoaded) {
  BindRequest bind;
  bind.header.kind = Kind::Bind;
  bind.header.bytes = sizeof bind;
  const auto bound = [&] { return decode_bind(std::as_bytes(std::span(&bind, 1))).has_value(); };
  EXPECT_TRUE(bound());
  bind.object = -1;
  EXPECT_FALSE(bound());
  PlanRequest named;
  named.header.bytes = sizeof named;
  const auto is_named = [&](Kind kind, int plan) {
    named.header.kind = kind;
    named.plan = plan;
    return decode_plan_request(std::as_bytes(std::span(&named, 1))).has_value();
  };
  EXPECT_TRUE(is_named(Kind::Forget, 0));
  EXPECT_TRUE(is_named(Kind::KeepOnly, 3));
  EXPECT_FALSE(is_named(Kind::Forget, -1));
  EXPECT_FALSE(is_named(Kind::Bind, 0));
  RunRequest run;
  run.header.kind = Kind::Run;
  run.header.bytes = sizeof run;
  run.nonce = 5;
  const auto decoded_run = [&] { return decode_run(std::as_bytes(std::span(&run, 1))); };
  ASSERT_TRUE(decoded_run().has_value());
  EXPECT_EQ(decoded_run()->nonce, 5u);
  run.header.kind = Kind::Empty;
  EXPECT_TRUE(decoded_run().has_value());
  run.header.kind = Kind::Bind;
  EXPECT_FALSE(decoded_run().has_value());
  run.header.kind = Kind::Run;
  run.lead_ns = kMaxLeadNs + 1;
  EXPECT_FALSE(decoded_run().has_value());
  run.lead_ns = kMaxLeadNs;
  EXPECT_TRUE(decoded_run().has_value());
  run.plan = -1;
  EXPECT_FALSE(decoded_run().has_value());
}

TEST(Requests, MapsWithImpossibleBuffersAreRefused) {
  MapEntry entry;
  entry.mapped_bytes = 4096;
  entry.payload_offset = 96;
  entry.payload_bytes = 4000;
  EXPECT_TRUE(decode_map(encode_map(1, std::span(&entry, 1))).has_value());
  entry.payload_bytes = 4001;
  EXPECT_FALSE(decode_map(encode_map(1, std::span(&entry, 1))).has_value());
  entry.payload_bytes = 0;
  entry.kind = static_cast<BufferKind>(7);
  EXPECT_FALSE(decode_map(encode_map(1, std::span(&entry, 1))).has_value());
}

class Transport : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends_), 0); }
  void TearDown() override {
    for (const int end : ends_) ::close(end);
  }
  int ends_[2] = {-1, -1};
};

TEST_F(Transport, CarriesDescriptors) {
  const int null = ::open("/dev/null", O_RDONLY);
  const std::byte message[3] = {};
  const int sent[] = {null, null};
  ASSERT_EQ(send_packet(ends_[0], message, sent, true), 0);
  std::byte buffer[8];
  int descriptors[4];
  const Received received = receive_packet(ends_[1], buffer, descriptors, true);
  EXPECT_EQ(received.bytes, 3u);
  EXPECT_EQ(received.descriptors, 2u);
  EXPECT_FALSE(received.is_truncated);
  for (std::size_t i = 0; i < received.descriptors; ++i) EXPECT_EQ(::close(descriptors[i]), 0);
  ::close(null);
}

TEST_F(Transport, NoticesWhatDoesNotFit) {
  const std::byte message[16] = {};
  const int standard[] = {0, 1};
  std::byte buffer[8];
  ASSERT_EQ(send_packet(ends_[0], message, {}, true), 0);
  EXPECT_TRUE(receive_packet(ends_[1], buffer, {}, true).is_truncated);
  ASSERT_EQ(send_packet(ends_[0], std::span(message).first(4), standard, true), 0);
  const Received uninvited = receive_packet(ends_[1], buffer, {}, true);
  EXPECT_TRUE(uninvited.is_truncated);
  EXPECT_EQ(uninvited.descriptors, 0u);
  ASSERT_EQ(send_packet(ends_[0], std::span(message).first(4), standard, true), 0);
  int one[1];
  const Received fewer = receive_packet(ends_[1], buffer, one, true);
  EXPECT_TRUE(fewer.is_truncated);
  EXPECT_EQ(fewer.descriptors, 1u);
  ::close(one[0]);
}

TEST_F(Transport, TellsEmptyFromGone) {
  std::byte buffer[8];
  EXPECT_EQ(receive_packet(ends_[0], buffer, {}, false).error, EAGAIN);
  ::close(std::exchange(ends_[1], -1));
  const Received received = receive_packet(ends_[0], buffer, {}, false);
  EXPECT_EQ(received.error, 0);
  EXPECT_EQ(received.bytes, 0u);
  EXPECT_EQ(send_packet(ends_[0], buffer, {}, false), EPIPE);
}

// Attacks must forge messages of the current version: another would be refused for the version
// alone and prove nothing.
TEST(Protocol, AttacksForgeMessagesOfThisVersion) {
  std::size_t found = 0;
  for (const auto& file :
       std::filesystem::recursive_directory_iterator(KW_SOURCE_DIR "/tests/exploits")) {
    if (!file.is_regular_file()) continue;
    std::ifstream stream(file.path());
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    std::ostringstream magic;
    magic << "0x" << std::hex << kMagic;
    if (text.find("= " + magic.str() + ";") == std::string::npos) continue;
    ++found;
    EXPECT_NE(text.find("version = " + std::to_string(kVersion) + ","), std::string::npos)
        << file.path() << " forges another version of the protocol";
  }
  EXPECT_GE(found, 5u);
}

}  // namespace
}  // namespace kw::player
