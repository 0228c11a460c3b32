// Tests of running a disassembler in its jail. Scripts play the disassembler; the tests check what
// is stored, and why there may be no code.
// SPDX-License-Identifier: Apache-2.0
#include "compile/disassembler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error_for_test.h"
#include "platform/clock.h"

namespace kw::compile {
namespace {

class Disassembling : public testing::Test {
 protected:
  Disassembling() {
    object_.format = "cubin";
    object_.sha256 = std::string(64, 'a');
    object_.path = (folder_.path() / "objects" / "unit.cubin").string();
    EXPECT_TRUE(platform::make_dirs(folder_.path() / "objects"));
    EXPECT_TRUE(platform::write_file_atomic(object_.path, "bytes", false));
    open(folder_.path(), 0755);
  }

  /// Writes an executable shell script with this name, to be run in place of the real program.
  platform::Path tool(const std::string& name, const std::string& script) {
    const platform::Path bin = folder_.path() / "bin";
    EXPECT_TRUE(platform::make_dirs(bin));
    EXPECT_TRUE(platform::write_file_atomic(bin / name, "#!/bin/sh\n" + script, false));
    open(bin / name, 0755);
    open(bin, 0755);
    return bin / name;
  }

  static void open(const platform::Path& path, unsigned mode) {
    std::filesystem::permissions(path, std::filesystem::perms(mode));
  }

  Result<std::vector<KernelCode>> read(const platform::Path& program) {
    return read_machine_code({program, JailLevel::None}, object_);
  }

  platform::TempDir folder_ = std::move(*platform::TempDir::create("kw-test"));
  BuiltObject object_;
};

constexpr const char* kPrints =
    "test \"$1\" = -c && test \"$(cat \"$2\")\" = bytes || exit 3\n"
    "echo '.text.k:'\necho '        /*0000*/   FFMA R0, R1, R2, R3 ;'\n";

TEST_F(Disassembling, IsReadOnceAndKeptBesideTheObject) {
  const auto first = read(tool("nvdisasm", kPrints));
  ASSERT_TRUE(first.has_value()) << describe(first.error());
  ASSERT_EQ(first->size(), 1u);
  EXPECT_EQ(first->front().symbol, "k");
  EXPECT_EQ(first->front().all.of("FFMA"), 1);
  // The second call reads the stored result: it runs no program, and `exit 1` would fail.
  const auto again = read(tool("nvdisasm", "exit 1\n"));
  ASSERT_TRUE(again.has_value()) << describe(again.error());
  EXPECT_EQ(again->front().all.of("FFMA"), 1);
  EXPECT_TRUE(read({}).has_value()) << "what is kept needs no program";
  // An object with other content at that path, or a damaged file, is disassembled anew.
  object_.sha256 = std::string(64, 'b');
  EXPECT_FALSE(read({}).has_value());
  EXPECT_TRUE(read(tool("nvdisasm", kPrints)).has_value());
  EXPECT_TRUE(platform::write_file_atomic(object_.path + ".code.json", "{", false));
  EXPECT_FALSE(read({}).has_value());
}

TEST_F(Disassembling, CuobjdumpIsAskedInItsOwnWords) {
  const auto code = read(tool("cuobjdump",
                              "test \"$1\" = -sass || exit 3\necho '  Function : k'\n"
                              "echo '        /*0000*/   EXIT ;'\n"));
  ASSERT_TRUE(code.has_value()) << describe(code.error());
  EXPECT_EQ(code->front().symbol, "k");
}

TEST_F(Disassembling, OneThatPrintsWithoutEndIsCutOffAtASize) {
  const std::int64_t began = platform::real_clock().now_ns();
  EXPECT_THAT(read(tool("nvdisasm", "exec yes '        /*0000*/   FFMA R0, R1, R2, R3 ;'\n")),
              IsErrorAbout(ErrorCode::TooLarge, "nvdisasm"));
  EXPECT_LT(platform::real_clock().now_ns() - began, 15'000'000'000) << "its time limit is 20 s";
}

TEST_F(Disassembling, WhyThereIsNothingIsSaid) {
  EXPECT_THAT(read({}), IsErrorAbout(ErrorCode::MissingProgram, "nvdisasm"));
  EXPECT_THAT(read(tool("nvdisasm", "echo 'fatal: no ELF' >&2\nexit 1\n")),
              IsErrorAbout(ErrorCode::Failed, "exit code 1: fatal: no ELF"));
  EXPECT_THAT(read(tool("nvdisasm", "echo nonsense\n")),
              IsErrorAbout(ErrorCode::Malformed, "nvdisasm"));
  object_.format = "elf-so";
  EXPECT_THAT(read(tool("nvdisasm", kPrints)), IsErrorAbout(ErrorCode::Missing, "cubin"));
}

}  // namespace
}  // namespace kw::compile
