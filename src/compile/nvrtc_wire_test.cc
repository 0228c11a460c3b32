// Tests of messages between controller and kw-nvrtc: encoded ones are read, all others refused.
// SPDX-License-Identifier: Apache-2.0
#include "compile/nvrtc_wire.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kw::compile {
namespace {

NvrtcJob some_job() {
  NvrtcJob job;
  job.prefix_bytes = 4;
  job.log_bytes = 100;
  job.object_bytes = 200;
  job.source = "abcd\nrest";
  job.headers = {{"iface.h", ""}, {"candidate.cu", std::string("x\0y", 3)}};
  job.options = {"-arch=sm_90a"};
  job.names = {"gemm<64, 2>", "k"};
  return job;
}

NvrtcAnswer some_answer() {
  NvrtcAnswer answer;
  answer.result_name = "NVRTC_SUCCESS";
  answer.log = "words";
  answer.object =
      "\x7f"
      "ELF";
  answer.symbols = {"_Z4gemm", "k"};
  return answer;
}

TEST(NvrtcWire, JobsAndAnswersComeBackAsTheyWere) {
  const auto job = decode_job(encode(some_job()));
  ASSERT_TRUE(job.has_value());
  EXPECT_EQ(job->headers, some_job().headers);
  EXPECT_EQ(job->names, some_job().names);
  EXPECT_EQ(job->options, some_job().options);
  EXPECT_EQ(job->source, some_job().source);
  EXPECT_EQ(job->prefix_bytes, 4u);
  const auto answer = decode_answer(encode(some_answer()), 2);
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->symbols, some_answer().symbols);
  EXPECT_EQ(answer->object, some_answer().object);
}

TEST(NvrtcWire, WhateverIsCutOrLongerOrOfTheOtherKindIsRefused) {
  const std::string job = encode(some_job()), answer = encode(some_answer());
  for (std::size_t size = 0; size < job.size(); ++size)
    EXPECT_FALSE(decode_job(std::string_view(job).substr(0, size)).has_value()) << size;
  for (std::size_t size = 0; size < answer.size(); ++size)
    EXPECT_FALSE(decode_answer(std::string_view(answer).substr(0, size), 2).has_value()) << size;
  EXPECT_FALSE(decode_job(job + "x").has_value());
  EXPECT_FALSE(decode_answer(answer + "x", 2).has_value());
  EXPECT_FALSE(decode_job(answer).has_value());
  EXPECT_FALSE(decode_answer(job, 2).has_value());
}

TEST(NvrtcWire, LengthsThatLieAreRefused) {
  for (std::string bytes : {encode(some_job()), encode(some_answer())})
    for (std::size_t i = 8; i < bytes.size(); ++i) {
      std::string bad = bytes;
      bad[i] = static_cast<char>(bad[i] ^ 0x80);
      (void)decode_job(bad);
      (void)decode_answer(bad, 2);
    }
  NvrtcJob job = some_job();
  job.prefix_bytes = job.source.size() + 1;
  EXPECT_FALSE(decode_job(encode(job)).has_value());
}

TEST(NvrtcWire, AnAnswerFitsItsJobOrIsRefused) {
  EXPECT_FALSE(decode_answer(encode(some_answer()), 3).has_value());
  NvrtcAnswer failed = some_answer();
  failed.result = 6;
  // An answer that has an object although the build failed is refused.
  EXPECT_FALSE(decode_answer(encode(failed), 2).has_value());
  failed.object.clear();
  EXPECT_TRUE(decode_answer(encode(failed), 2).has_value());
  NvrtcAnswer empty = some_answer();
  empty.object.clear();
  EXPECT_FALSE(decode_answer(encode(empty), 2).has_value());
}

TEST(NvrtcWire, FixedMessagesKnowTheirSizeMagicAndVersion) {
  NvrtcGreeting greeting;
  greeting.major = 13;
  greeting.set_words(std::string(5000, 'x'));
  EXPECT_EQ(greeting.words().size(), kNvrtcTextBytes);
  const auto bytes = [](const auto& message) { return std::as_bytes(std::span(&message, 1)); };
  EXPECT_TRUE(decode_greeting(bytes(greeting)).has_value());
  greeting.text_bytes = kNvrtcTextBytes + 1;
  EXPECT_FALSE(decode_greeting(bytes(greeting)).has_value());
  NvrtcPacket packet;
  EXPECT_TRUE(decode_packet(bytes(packet)).has_value());
  EXPECT_FALSE(decode_packet(bytes(packet).first(20)).has_value());
  packet.version = 9;
  EXPECT_FALSE(decode_packet(bytes(packet)).has_value());
  NvrtcFate fate;
  EXPECT_TRUE(decode_fate(bytes(fate)).has_value());
  fate.magic = 0;
  EXPECT_FALSE(decode_fate(bytes(fate)).has_value());
}

}  // namespace
}  // namespace kw::compile
