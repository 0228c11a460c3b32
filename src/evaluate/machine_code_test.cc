// Tests of inserting findings about machine code, and of whose code is read.
// SPDX-License-Identifier: Apache-2.0
#include "evaluate/machine_code.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kw::evaluate {
namespace {

using testing::ElementsAre;

std::vector<FindingKind> kinds_of(const Evaluation& e) {
  std::vector<FindingKind> kinds;
  int rank = 0;
  for (const Finding& f : e.findings) {
    EXPECT_EQ(f.rank, ++rank);
    kinds.push_back(f.kind);
  }
  return kinds;
}

Evaluation evaluation() {
  Evaluation e;
  for (const FindingKind kind :
       {FindingKind::History, FindingKind::Roofline, FindingKind::Resource, FindingKind::Note})
    e.findings.push_back({kind, 9, std::string(name_of(kind)), "", ""});
  return e;
}

EvaluationRequest request() {
  EvaluationRequest r;
  r.candidate.target = Target::Cuda;
  r.candidate.origin = Origin::Human;
  r.candidate.trust_class = TrustClass::DeviceCode;
  BuildUnit& unit = r.units.emplace_back();
  unit.role = "candidate";
  unit.object.emplace_back().format = "cubin";
  unit.object.front().path = "/nowhere/unit.cubin";
  return r;
}

TEST(MachineCode, StandsBehindWhatIsKnownOfResources) {
  Evaluation e = evaluation();
  add_code_findings({{FindingKind::MachineCode, 1, "spills", "", ""},
                     {FindingKind::MachineCode, 2, "widths", "", ""}},
                    e);
  EXPECT_THAT(kinds_of(e),
              ElementsAre(FindingKind::History, FindingKind::Roofline, FindingKind::Resource,
                          FindingKind::MachineCode, FindingKind::MachineCode, FindingKind::Note));
  Evaluation empty;
  add_code_findings({{FindingKind::MachineCode, 1, "spills", "", ""}}, empty);
  EXPECT_THAT(kinds_of(empty), ElementsAre(FindingKind::MachineCode));
}

TEST(MachineCode, AMissingDisassemblerIsANoteAtTheEnd) {
  auto reading = start_reading_code({}, request());
  ASSERT_TRUE(reading.valid());
  Evaluation e = evaluation();
  add_code_findings(reading.get(), e);
  EXPECT_THAT(kinds_of(e),
              ElementsAre(FindingKind::History, FindingKind::Roofline, FindingKind::Resource,
                          FindingKind::Note, FindingKind::Note));
  EXPECT_EQ(e.findings.back().about, "not read: missing_program");
}

TEST(MachineCode, OnlyDeviceCodeOfProposersIsRead) {
  auto r = request();
  r.candidate.target = Target::Cpu;
  EXPECT_FALSE(start_reading_code({}, r).valid());
  r = request();
  r.candidate.origin = Origin::Baseline;
  EXPECT_FALSE(start_reading_code({}, r).valid());
  r = request();
  r.candidate.trust_class = TrustClass::HostLauncher;
  EXPECT_FALSE(start_reading_code({}, r).valid());
  r = request();
  r.units.front().object.clear();
  EXPECT_FALSE(start_reading_code({}, r).valid());
}

}  // namespace
}  // namespace kw::evaluate
