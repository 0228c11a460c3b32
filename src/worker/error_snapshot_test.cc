// The words of errors of files and messages that travel to a worker: see
// src/base/error_snapshot_test.cc.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "base/error_for_test.h"
#include "platform/files.h"
#include "worker/bundle.h"
#include "worker/frame.h"

namespace kw::worker {
namespace {

TEST(ErrorSnapshot, Worker) {
  const auto folder = platform::TempDir::create("kw-snapshot");
  ASSERT_TRUE(folder);
  const platform::Path file = folder->path() / "results";
  ASSERT_TRUE(platform::write_file_atomic(file, "kernelwright-results 9999 00 2\n{}", false));
  EXPECT_THAT(
      read_results(file),
      IsErrorShownAs(ErrorCode::OtherBuild, file.string() +
                                                ": the file is of version 9999, this program reads "
                                                "version " +
                                                std::to_string(kBundleVersion)));
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const platform::Fd reading(ends[0]);
  ::close(ends[1]);
  EXPECT_THAT(read_frame(reading.get()),
              IsErrorShownAs(ErrorCode::Ended, "worker pipe: the other process ended"));
}

}  // namespace
}  // namespace kw::worker
