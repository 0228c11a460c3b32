// What compute-sanitizer prints, and when a pass without errors counts. The samples follow the
// documented format.
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
=========     at kw_control_memcheck+0x80 in control.cu:7
=========     by thread (0,0,0) in block (0,0,0)
=========     Address 0x7f5e00000400 is out of bounds
=========     and is 1 bytes after the nearest allocation at 0x7f5e00000300 of size 256 bytes
=========
========= ERROR SUMMARY: 1 error
)";
constexpr char kFound[] = R"(========= COMPUTE-SANITIZER
========= Invalid __global__ read of size 4 bytes
=========     at twice(int, const float *, float *)+0x1f0 in /tmp/x/twice.cu:3
=========     by thread (31,0,0) in block (3,0,0)
=========     Address 0x7f5e00000400 is out of bounds
=========     and is 1 bytes after the nearest allocation at 0x7f5e00000000 of size 1,024 bytes
=========
========= Invalid __global__ write of size 4 bytes
=========     at kw_control_memcheck+0x80 in control.cu:7
=========     by thread (0,0,0) in block (0,0,0)
=========
========= ERROR SUMMARY: 2 errors
)";
/// Output of compute-sanitizer 2025.3.1 on an H200, shortened.
constexpr char kSeen[] = R"(========= COMPUTE-SANITIZER
========= Invalid __global__ write of size 4 bytes
=========     at kw_control_memcheck+0x60 in a.cu:4
=========     by thread (0,0,0) in block (0,0,0)
=========     Access to 0x7f8028800100 is out of bounds
=========     and is 1 bytes after the nearest allocation at 0x7f8028800000 of size 256 bytes
=========
========= Program hit cudaErrorLaunchFailure (error 719) due to "unspecified launch failure" on CUDA API call to cudaDeviceSynchronize.
=========
========= ERROR SUMMARY: 2 errors
)";
constexpr char kSeenRace[] = R"(========= COMPUTE-SANITIZER
========= Error: Race reported between Write access at kw_control_racecheck+0xc0 in a.cu:5
=========     and Read access at kw_control_racecheck+0xd0 in a.cu:5 [256 hazards]
=========
========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)
)";
constexpr char kSilent[] = "========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n";
constexpr char kRace[] = R"(========= COMPUTE-SANITIZER
========= Error: Race reported between Write access at reduce(float *)+0x1f0 in r.cu:2 and Read access at reduce(float *)+0x220 in r.cu:3 [1,024 hazards]
=========
========= Error: Race reported between Write access at kw_control_racecheck+0x50 in control.cu:13 and Read access at kw_control_racecheck+0x90 in control.cu:14 [64 hazards]
=========
========= RACECHECK SUMMARY: 2 hazards displayed (2 errors, 0 warnings)
)";

using enum SanitizerTool;

BuildUnit unit_of(const std::string& name, const std::string& text) {
  BuildUnit unit;
  unit.files = {{name, text}};
  return unit;
}

std::vector<Finding> findings_of(SanitizerTool tool, std::string_view text,
                                 const BuildUnit* unit = nullptr) {
  const SanitizerReport report = parse_sanitizer(text);
  return sanitizer_findings(pass_of(tool, "small", report), report, unit);
}

TEST(Sanitizer, TellsErrorsOfTheCandidateFromTheControl) {
  const SanitizerReport found = parse_sanitizer(kFound);
  EXPECT_TRUE(found.is_complete);
  EXPECT_TRUE(found.control_caught);
  EXPECT_EQ(found.errors, 1);
  ASSERT_EQ(found.first.size(), 1u);
  EXPECT_EQ(found.first[0].what, "Invalid __global__ read of size 4 bytes");
  EXPECT_EQ(found.first[0].kernel, "twice(int, const float *, float *)");
  EXPECT_EQ(found.first[0].file, "twice.cu");
  EXPECT_EQ(found.first[0].line, 3);
  EXPECT_THAT(found.first[0].detail, HasSubstr("by thread (31,0,0) in block (3,0,0), Address"));
  const SanitizerReport caught = parse_sanitizer(kCaught);
  EXPECT_TRUE(caught.control_caught);
  EXPECT_EQ(caught.errors, 0);
  const SanitizerReport race = parse_sanitizer(kRace);
  EXPECT_TRUE(race.control_caught);
  EXPECT_EQ(race.errors, 1);
  ASSERT_EQ(race.first.size(), 1u);
  EXPECT_EQ(race.first[0].kernel, "reduce(float *)");
  EXPECT_EQ(race.first[0].line, 2);
}

TEST(Sanitizer, TheControlDecidesWhetherSilenceCounts) {
  EXPECT_THAT(findings_of(Memcheck, kCaught), testing::IsEmpty());
  EXPECT_EQ(findings_of(Memcheck, kSilent)[0].about, "memcheck does not work");
  EXPECT_EQ(findings_of(Memcheck, "")[0].about, "memcheck does not work");
  EXPECT_THAT(parse_sanitizer("========= COMPUTE-SANITIZER\n========= Error: Device not "
                              "supported. Please refer to the documentation\n")
                  .complaint.text,
              HasSubstr("Device not supported"));
  EXPECT_TRUE(pass_of(Memcheck, "w", parse_sanitizer(kSilent)).is_void);
  EXPECT_FALSE(pass_of(Memcheck, "w", parse_sanitizer(kCaught)).is_void);
  // Errors of the candidate count even if the tool did not reach the control.
  const std::string cut = std::string(kFound).substr(0, std::string(kFound).find("kw_control"));
  EXPECT_FALSE(pass_of(Memcheck, "w", parse_sanitizer(cut)).is_void);
  EXPECT_EQ(pass_of(Memcheck, "w", parse_sanitizer(cut)).errors, 2);
}

TEST(Sanitizer, WhatItPrintedOnAnH200) {
  for (const char* text : {kSeen, kSeenRace}) {
    const SanitizerReport report = parse_sanitizer(text);
    EXPECT_TRUE(report.is_complete && report.control_caught) << text;
    EXPECT_EQ(report.errors, 0) << text;
  }
}

TEST(Sanitizer, FindingsShowTheLineOfTheSource) {
  const BuildUnit unit = unit_of("twice.cu", "one\ntwo\nthree = x[n];\n");
  const auto found = findings_of(Memcheck, kFound, &unit);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, FindingKind::Diagnostic);
  EXPECT_EQ(found[0].place, "twice.cu:3");
  EXPECT_THAT(found[0].frame, HasSubstr("three = x[n];"));
  EXPECT_EQ(found[0].about, "memcheck: Invalid __global__ read of size 4 bytes");
  EXPECT_EQ(findings_of(Memcheck, kFound)[0].frame, "");
}

TEST(Sanitizer, GarbageGivesNoHarm) {
  const std::string sample = kFound;
  for (std::size_t n = 0; n < sample.size(); ++n) {
    EXPECT_LE(parse_sanitizer(sample.substr(0, n)).first.size(), 2u);
    std::string broken = sample;
    broken[n] = static_cast<char>(n);
    EXPECT_LE(parse_sanitizer(broken).first.size(), 2u);
  }
  std::string many;
  for (int i = 0; i < 100; ++i) many += "========= Invalid __global__ read of size 4 bytes\n";
  const SanitizerReport report = parse_sanitizer(many);
  EXPECT_EQ(report.first.size(), 16u);
  EXPECT_EQ(report.errors, 100);
  EXPECT_FALSE(report.is_complete);
}

TEST(Sanitizer, EveryToolHasAControl) {
  const BuildUnit unit = sanitizer_control("sm_90a");
  for (const SanitizerTool tool : {Memcheck, Racecheck, Initcheck, Synccheck})
    EXPECT_THAT(unit.files.at(0).text, HasSubstr(control_kernel(tool) + "("));
  const auto command = sanitizer_command("/x/compute-sanitizer", Racecheck);
  EXPECT_EQ(command[0], "/x/compute-sanitizer");
  EXPECT_THAT(command, Contains("racecheck"));
  EXPECT_THAT(command, Contains("--destroy-on-device-error"));
}

}  // namespace
}  // namespace kw::profile
