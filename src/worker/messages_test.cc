// Tests of messages between controller and worker, and of a worker that has no device.
// SPDX-License-Identifier: Apache-2.0
#include "worker/messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include "base/error_for_test.h"
#include "platform/files.h"
#include "record/codec.h"
#include "worker/frame.h"
#include "worker/worker.h"

namespace kw::worker {
namespace {

TEST(Messages, EquipCarriesUnitsWithTheirObjects) {
  Message message;
  message.verb = Verb::Equip;
  BuildUnit& unit = message.units.emplace_back();
  unit.role = "ops";
  unit.target = Target::Cuda;
  unit.arch = "sm_90a";
  unit.object.emplace_back().path = "/tmp/ab.cubin";
  const auto back = decode<Message>(encode(message));
  ASSERT_TRUE(back) << back.error().what;
  EXPECT_EQ(back->verb, Verb::Equip);
  ASSERT_EQ(back->units.size(), 1u);
  EXPECT_EQ(back->units[0].arch, "sm_90a");
  EXPECT_EQ(back->units[0].object.at(0).path, "/tmp/ab.cubin");
}

TEST(Messages, AWorkerWithoutADeviceSaysWhyToTheFirstQuestion) {
  int pair[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
  const platform::Fd ours(pair[0]), theirs(pair[1]);
  ASSERT_TRUE(write_frame(ours.get(), encode(Message())));
  EXPECT_EQ(
      refuse(fail(ErrorCode::NoDevice, About{"driver"}, "no driver", "libcuda.so.1", Advice::Stop)
                 .error(),
             theirs.get()),
      3);
  const auto text = read_frame(ours.get(), 1'000'000'000);
  ASSERT_TRUE(text) << text.error().what;
  const auto reply = decode<Reply>(*text);
  ASSERT_TRUE(reply);
  EXPECT_FALSE(reply->is_ok);
  const Error error = error_of(*reply);
  EXPECT_THAT(error, IsErrorAbout(ErrorCode::NoDevice, "driver"));
  EXPECT_THAT(error, IsErrorAt("libcuda.so.1"));
  EXPECT_EQ(error.advice, Advice::Stop);
}

}  // namespace
}  // namespace kw::worker
