// Tests of kw in a container with Docker's defaults, where namespaces are forbidden, and in one
// where Landlock is forbidden too.
// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include "kw.h"

namespace kw::program {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Container : public testing::Test {
 protected:
  void SetUp() override {
    write_good_task(w_, "twice");
    w_.write("right.cpp", kFasterKernel);
  }
  /// Runs kw with these arguments in a container whose kernel permits or forbids Landlock.
  Ran kw(const std::string& words, const std::string& how = "") const {
    return w_.shell(std::string(KW_BINARY_DIR "/bin/as_container ") + how + " \"$KW\" " + words);
  }
  Workspace w_;
};

constexpr const char* kJudge = "judge right.cpp --task twice --until check";

TEST_F(Container, IsHeldByLandlockAndSaysWhatThatLacks) {
  const Ran ran = kw(kJudge);
  if (lacks_jail(ran)) GTEST_SKIP() << ran.err;
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.err,
              AllOf(HasSubstr("kw: weaker jail: Landlock"), HasSubstr("--jail namespace")));
  EXPECT_THAT(ran.out, AllOf(HasSubstr("the candidate ran in jail landlock as uid"),
                             HasSubstr("weaker jail (landlock): ")));
  const auto json = kw(std::string(kJudge) + " --json").json();
  EXPECT_EQ(json["jail"], "landlock");
  EXPECT_THAT(json["jail_lacks"].get<std::string>(), HasSubstr("network"));
}

TEST_F(Container, IsRefusedWhereTheFullJailIsDemanded) {
  for (const std::string demand : {"--jail namespace ", "KW_JAIL"}) {
    const Ran ran = demand == "KW_JAIL" ? w_.shell(std::string("KW_JAIL=namespace " KW_BINARY_DIR
                                                               "/bin/as_container \"$KW\" ") +
                                                   kJudge)
                                        : kw(demand + kJudge);
    EXPECT_EQ(ran.code, 3) << demand;
    EXPECT_THAT(ran.err, AllOf(HasSubstr("jail level namespace does not work here"),
                               HasSubstr("--security-opt"), Not(HasSubstr("weaker jail:"))));
  }
}

TEST_F(Container, WithoutLandlockIsRefusedUnlessTheUserSaysSo) {
  const Ran refused = kw(kJudge, "--no-landlock");
  EXPECT_EQ(refused.code, 3);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("no jail works here"), HasSubstr("namespace: "),
                                 HasSubstr("landlock: "), HasSubstr("--jail none")));
  const Ran demanded = kw(std::string("--jail none ") + kJudge, "--no-landlock");
  EXPECT_EQ(demanded.code, 0) << demanded.err;
  EXPECT_THAT(demanded.out, HasSubstr("weaker jail (none): "));
}

TEST_F(Container, OfARootWhoseHomeIsClosedCompilesElsewhere) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root's compilers run as another user";
  const Ran ran =
      w_.shell("mkdir -m 700 closed; unset XDG_CACHE_HOME; HOME=$PWD/closed " KW_BINARY_DIR
               "/bin/as_container \"$KW\" --json doctor");
  const auto checks = ran.json()["checks"];
  for (const auto& check : checks)
    if (check["what"] == "cache") {
      EXPECT_THAT(check["found"].get<std::string>(), HasSubstr("/var/cache/kernelwright"));
    }
}

TEST_F(Container, IsToldByDoctorWhatItLacksAndTheFlagsThatMendIt) {
  const Ran ran = kw("doctor");
  EXPECT_THAT(ran.out, AllOf(HasSubstr("poor    jail namespace"), HasSubstr("--security-opt")));
}

}  // namespace
}  // namespace kw::program
