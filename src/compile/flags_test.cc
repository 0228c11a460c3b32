// Tests: the version line decides the dialect, and options outside the whitelist are refused.
// SPDX-License-Identifier: Apache-2.0
#include "compile/flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kw::compile {
namespace {

using testing::Contains;
using testing::IsEmpty;
using testing::Not;

TEST(Flags, DialectComesFromTheVersionLine) {
  const Dialect debian = dialect_from("g++ (Debian 12.2.0-14+deb12u1) 12.2.0");
  EXPECT_TRUE(debian.is_gcc);
  EXPECT_EQ(debian.major, 12);
  EXPECT_EQ(dialect_from("g++-13 (Ubuntu 13.3.0-6ubuntu2~24.04) 13.3.0").major, 13);
  EXPECT_FALSE(dialect_from("g++ (GCC) 15.1.0").has_json());
  const Dialect clang = dialect_from("Debian clang version 19.1.7 (3~deb12u1)");
  EXPECT_FALSE(clang.is_gcc);
  EXPECT_EQ(clang.major, 19);
}

TEST(Flags, FastMathIsAnOptionAndNothingElse) {
  for (const bool gcc : {true, false}) {
    EXPECT_THAT(compile_flags({gcc, 12}), Not(Contains("-ffast-math")));
    EXPECT_THAT(link_flags({gcc, 12}), Not(Contains("-ffast-math")));
  }
  EXPECT_THAT(option_flags("fast_math"), Contains("-ffast-math"));
}

TEST(Flags, TheWhitelistIsClosed) {
  for (const std::string& name : option_names()) EXPECT_THAT(option_flags(name), Not(IsEmpty()));
  EXPECT_THAT(option_flags("-fplugin=x.so"), IsEmpty());
  EXPECT_EQ(library_flag("openblas"), "-lopenblas");
  EXPECT_EQ(library_flag("/tmp/x.so"), "");
}

}  // namespace
}  // namespace kw::compile
