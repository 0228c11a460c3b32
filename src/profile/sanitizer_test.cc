// What compute-sanitizer prints, and when its silence counts. Samples after the documented format.
// SPDX-License-Identifier: Apache-2.0
#include "profile/sanitizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profile/embedded.h"

namespace kw::profile {
namespace {

using testing::Contains;
using testing::HasSubstr;

constexpr char kCaught[] = R"(========= COMPUTE-SANITIZER
========= Invalid __global__ write of size 4 bytes
=========     at out_of_bounds(float *, int)+0x80
=========     by thread (0,0,0) in block (0,0,0)
=========     Address 0x7f5e00000400 is out of bounds
=========     and is 1 bytes after the nearest allocation at 0x7f5e00000000 of size 1,024 bytes
=========
========= ERROR SUMMARY: 1 error
)";
constexpr char kClean[] = "========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n";
constexpr char kRace[] = R"(========= COMPUTE-SANITIZER
========= Error: Race reported between Write access at reduce+0x1f0 and Read access at reduce+0x220 [1,024 hazards]
=========
========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)
)";

TEST(Sanitizer, ReadsErrorsAndSummary) {
  const SanitizerReport caught = parse_sanitizer(kCaught);
  EXPECT_TRUE(caught.is_complete);
  EXPECT_EQ(caught.errors, 1);
  ASSERT_EQ(caught.first.size(), 1u);
  EXPECT_EQ(caught.first[0].what, "Invalid __global__ write of size 4 bytes");
  EXPECT_EQ(caught.first[0].kernel, "out_of_bounds(float *, int)+0x80");
  EXPECT_THAT(caught.first[0].detail, HasSubstr("by thread (0,0,0) in block (0,0,0), Address"));
  EXPECT_EQ(parse_sanitizer(kClean).errors, 0);
  EXPECT_EQ(parse_sanitizer(kRace).errors, 1);
  EXPECT_THAT(parse_sanitizer(kRace).first[0].what, HasSubstr("Race reported"));
}

TEST(Sanitizer, TheControlDecidesWhetherSilenceCounts) {
  const SanitizerReport caught = parse_sanitizer(kCaught), clean = parse_sanitizer(kClean);
  using enum SanitizerTool;
  EXPECT_THAT(sanitizer_findings(Memcheck, caught, clean)[0].text, HasSubstr("found nothing"));
  EXPECT_THAT(sanitizer_findings(Memcheck, clean, clean)[0].text, HasSubstr("void"));
  EXPECT_THAT(sanitizer_findings(Memcheck, clean, caught)[0].text, HasSubstr("void"));
  EXPECT_THAT(sanitizer_findings(Memcheck, parse_sanitizer(""), clean)[0].text, HasSubstr("void"));
  EXPECT_THAT(sanitizer_findings(Initcheck, caught, parse_sanitizer(""))[0].text,
              HasSubstr("initcheck ended before its summary"));
  const auto found = sanitizer_findings(Racecheck, caught, parse_sanitizer(kRace));
  EXPECT_EQ(found[0].kind, "diagnostic");
  EXPECT_THAT(found[0].text, HasSubstr("racecheck: Error: Race reported between"));
}

TEST(Sanitizer, GarbageGivesNoHarm) {
  const std::string sample = kCaught;
  for (std::size_t n = 0; n < sample.size(); ++n) {
    EXPECT_LE(parse_sanitizer(sample.substr(0, n)).first.size(), 1u);
    std::string broken = sample;
    broken[n] = static_cast<char>(n);
    EXPECT_LE(parse_sanitizer(broken).first.size(), 1u);
  }
  std::string many;
  for (int i = 0; i < 100; ++i) many += "========= Invalid __global__ read of size 4 bytes\n";
  const SanitizerReport report = parse_sanitizer(many);
  EXPECT_EQ(report.first.size(), 16u);
  EXPECT_EQ(report.errors, 100);
  EXPECT_FALSE(report.is_complete);
}

TEST(Sanitizer, ItsControlIsEmbedded) {
  const BuildUnit unit = sanitizer_control("sm_90a");
  EXPECT_THAT(unit.files.at(0).text, HasSubstr(kControlKernel));
  const auto command = sanitizer_command("/x/compute-sanitizer", SanitizerTool::Racecheck, "/l");
  EXPECT_THAT(command, Contains("racecheck"));
  EXPECT_THAT(command, Contains("/l"));
}

}  // namespace
}  // namespace kw::profile
