// Help, version and that every subcommand has both, and what is missing on the machine; wrong words
// and values are in tests/cases.
// SPDX-License-Identifier: Apache-2.0
#include "kw.h"

namespace kw::program {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

TEST(Usage, HelpAndVersion) {
  const Workspace w;
  const Ran version = w.kw({"--version"});
  EXPECT_EQ(version.code, 0);
  EXPECT_THAT(version.out, StartsWith("kernelwright "));
  const Ran help = w.kw({"--help"});
  EXPECT_EQ(help.code, 0);
  for (const char* name : {"optimize", "judge", "resume", "replay", "runs", "show", "compare",
                           "export", "sweep", "soak", "task", "device", "doctor"}) {
    EXPECT_THAT(help.out, HasSubstr(name));
    const Ran one = w.kw({name, "--help"});
    EXPECT_EQ(one.code, 0) << name;
    EXPECT_THAT(one.out, HasSubstr("Usage:")) << name;
  }
}

// What stands in for the two may lie anywhere, so both are taken away from a program of one's own.
TEST(Usage, AMissingCompilerOrWorkerIsTheEnvironments) {
  const Workspace w;
  write_good_task(w, "twice");
  w.write("right.cpp", kFasterKernel);
  const auto lacking = [&](const std::string& script) {
    const Ran ran = w.shell(script);
    EXPECT_EQ(ran.code, 3) << script << ran.err;
    return ran.first_error();
  };
  const std::string bare = "PATH=/nonexistent \"$KW\" ";
  for (const char* words : {"judge right.cpp --task twice", "optimize twice", "task check twice"})
    EXPECT_THAT(lacking(bare + words),
                StartsWith("kw: g++: no such program on PATH; apt install g++, or set KW_CXX"))
        << words;
  EXPECT_THAT(lacking("mkdir alone && { ln \"$KW\" alone/kw 2>/dev/null || cp \"$KW\" alone/kw; } "
                      "&& exec alone/kw judge right.cpp --task twice"),
              AllOf(HasSubstr("kw-worker"), HasSubstr("; build again")));
}

TEST(Usage, WhatTheMachineLacksIsNamedWithAWayOut) {
  const Workspace w;
  write_good_task(w, "twice");
  w.write("right.cpp", kFasterKernel);
  w.write("file", "");
  const auto lacking = [&](const std::string& setting) {
    const Ran ran = w.shell(setting + " \"$KW\" judge right.cpp --task twice --until check");
    EXPECT_EQ(ran.code, 3) << ran.err;
    return ran.first_error();
  };
  EXPECT_THAT(lacking("XDG_CACHE_HOME=$PWD/file"),
              AllOf(HasSubstr("/file/kernelwright"), HasSubstr("; set XDG_CACHE_HOME")));
  // A PATH without bubblewrap: the compiler alone.
  EXPECT_THAT(lacking("mkdir few && ln -s \"$(command -v g++)\" few/g++; XDG_CACHE_HOME=$PWD/cache "
                      "PATH=$PWD/few"),
              AllOf(HasSubstr("kw: jail level namespace does not work here: bubblewrap is missing"),
                    HasSubstr("; apt install bubblewrap")));
}

}  // namespace
}  // namespace kw::program
