// The numbers of evidence that no test of the code around them looks at: their order, and whether
// the limit comes last.
// SPDX-License-Identifier: Apache-2.0
#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <csignal>
#include <cstring>
#include <string>
#include <vector>

#include "referee/elf_for_test.h"
#include "referee/fate.h"
#include "referee/gpu_room_for_test.h"
#include "referee/screen.h"
#include "task/header.h"

namespace kw::referee {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::Gt;
using ::testing::Le;
using ::testing::Lt;
using Call = testing::Arguments<float>;

MATCHER_P2(IsSeenWith, kind, numbers,
           "is " + std::string(name_of(kind)) + " with numbers that match") {
  *result_listener << "which is " << name_of(arg.kind) << " with "
                   << ::testing::PrintToString(arg.numbers);
  return arg.kind == kind && ::testing::Value(arg.numbers, numbers);
}

void change_bytes(float* at) {
  for (int i = 0; i < 4; ++i) reinterpret_cast<char*>(at)[i] ^= 1;
}

Evidence seen_at_end(const device::CallResult& call) {
  const auto verdict = verdict_of(call, "large");
  return verdict ? verdict->seen : Evidence();
}

TEST(EvidenceNumbers, OfCallsThatEnd) {
  using device::Fate;
  EXPECT_THAT(seen_at_end({.fate = Fate::Crashed, .signal = SIGSEGV}),
              IsSeenWith(EvidenceKind::CallCrashed, ElementsAre(SIGSEGV)));
  EXPECT_THAT(seen_at_end({.fate = Fate::Crashed, .signal = SIGABRT}),
              IsSeenWith(EvidenceKind::CallCrashed, ElementsAre(SIGABRT, 64)))
      << "the limit of threads";
  EXPECT_THAT(seen_at_end({.fate = Fate::Crashed, .signal = SIGSEGV, .fault_in_guard = true}),
              IsSeenWith(EvidenceKind::CallBeyondTensor, ElementsAre(SIGSEGV)));
  EXPECT_THAT(seen_at_end({.fate = Fate::DeviceFault, .signal = 719}),
              IsSeenWith(EvidenceKind::DeviceFault, ElementsAre(719)));
  EXPECT_THAT(seen_at_end({.fate = Fate::DeviceFault, .signal = 700}),
              IsSeenWith(EvidenceKind::DeviceBadAddress, ElementsAre(700)));
}

TEST(EvidenceNumbers, OfBytesThatMustNotChange) {
  testing::Room room;
  EXPECT_THAT(room.judge([](const Call& a) {
                    testing::twice(a);
                    change_bytes(a.x);
                  })
                  .verdict.seen,
              IsSeenWith(EvidenceKind::InputChanged, ElementsAre(4)));
  EXPECT_THAT(room.judge([](const Call& a) {
                    testing::twice(a);
                    if (a.rows > 1) change_bytes(a.y + testing::kCols);
                  })
                  .verdict.seen,
              IsSeenWith(EvidenceKind::PaddingChanged, ElementsAre(4)));
}

TEST(EvidenceNumbers, OfRunsThatDiffer) {
  testing::Room room;
  room.request.task.restrictions.deterministic = true;
  int calls = 0;
  EXPECT_THAT(room.judge([&calls](const Call& a) {
                    testing::twice(a);
                    if (++calls % 2 == 0) a.y[1] = std::nextafter(a.y[1], 1e9f);
                  })
                  .verdict.seen,
              IsSeenWith(EvidenceKind::RunsDiffer, ElementsAre(AllOf(Gt(0), Lt(1e-5)))));
}

TEST(EvidenceNumbers, OfProcessesThatStay) {
  testing::Room room;
  room.world.objects["candidate"].after = {.late_cpu_ns = 0, .processes_left = 3};
  EXPECT_THAT(room.judge().verdict.seen, IsSeenWith(EvidenceKind::ProcessesLeft, ElementsAre(3)));
}

TEST(EvidenceNumbers, OfWorkspacesThatTheDeviceCannotHold) {
  testing::GpuRoom room;
  constexpr std::int64_t kBytes = std::int64_t{1} << 50;
  room.request.task.restrictions.workspace_bytes = kBytes;
  room.add_plans("candidate", kBytes);
  EXPECT_THAT(room.judge().verdict.seen,
              IsSeenWith(EvidenceKind::WorkspacesBeyondDevice, ElementsAre(std::ldexp(1.0, 50))));
}

TEST(EvidenceNumbers, OfCallsTooShortToTime) {
  testing::GpuRoom gpu;
  EXPECT_THAT(gpu.judge(testing::twice<float>, 9e3).verdict.seen,
              IsSeenWith(EvidenceKind::CallTooShort, ElementsAre(9e3, 10e3)))
      << "the time, then the least";
  testing::Room cpu;
  EXPECT_THAT(cpu.judge(testing::twice<float>, 100).verdict.seen,
              IsSeenWith(EvidenceKind::TooManyCalls,
                         ElementsAre(Lt(1e6 / 64), 1e6, Gt(64), AllOf(Ge(1), Le(64)))))
      << "a call, a sample, the calls that it needs, and the most";
}

TEST(EvidenceNumbers, OfPairsBeforeAnInterrupt) {
  double pairs = 0;
  for (int most = 1; most < 100 && pairs < 2; ++most) {
    int asked = 0;
    testing::Room room({.is_hurried = [&asked, most] { return ++asked > most; }});
    const Evidence seen = room.judge().verdict.seen;
    if (seen.kind != EvidenceKind::InterruptedPairs) continue;
    EXPECT_THAT(seen.numbers, ElementsAre(AllOf(Ge(pairs), Le(pairs + 1)))) << most;
    pairs = seen.numbers.at(0);
  }
  EXPECT_EQ(pairs, 2);
}

TEST(EvidenceNumbers, OfTagsForTheLinker) {
  std::string object = make_elf({{"kw_entry", true}}, {"libm.so.6"});
  Elf64_Ehdr header;
  std::memcpy(&header, object.data(), sizeof header);
  Elf64_Phdr segment{};
  segment.p_type = PT_DYNAMIC;
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    std::memcpy(&section, object.data() + header.e_shoff + i * sizeof section, sizeof section);
    if (section.sh_type != SHT_DYNAMIC) continue;
    segment.p_offset = section.sh_offset;
    segment.p_filesz = section.sh_size;
  }
  const Elf64_Dyn entry{.d_tag = DT_TEXTREL, .d_un = {}};
  std::memcpy(object.data() + segment.p_offset, &entry, sizeof entry);
  header.e_phoff = object.size();
  header.e_phentsize = sizeof segment;
  header.e_phnum = 1;
  std::memcpy(object.data(), &header, sizeof header);
  object.append(reinterpret_cast<const char*>(&segment), sizeof segment);
  const auto screening = screen_object(object, Candidate(), {});
  ASSERT_TRUE(screening.verdict);
  EXPECT_THAT(screening.verdict->seen,
              IsSeenWith(EvidenceKind::LinkerTag, ElementsAre(DT_TEXTREL)));
}

TEST(EvidenceNumbers, OfLinesThatNameKnobs) {
  Task task;
  task.function = "relu";
  task.signature.emplace_back().name = "x";
  const auto seen = [&](const std::string& source) {
    const auto candidate = task::make_candidate("mine", source, Origin::Human, {}, Target::Cpu);
    if (!candidate) return Evidence{.kind = EvidenceKind::NotACandidate};
    const Screening screening = screen_macros(*candidate, "mine.cpp", task);
    return screening.verdict ? screening.verdict->seen : Evidence();
  };
  EXPECT_THAT(seen("\n// kw: tune x = 1, 2\n"),
              IsSeenWith(EvidenceKind::KnobNamesArgument, ElementsAre(2)));
  EXPECT_THAT(seen("\n\n// kw: tune relu = 1, 2\n"),
              IsSeenWith(EvidenceKind::KnobNamesFunction, ElementsAre(3)));
  EXPECT_THAT(seen("// kw: tune size = 1, 2\n"),
              IsSeenWith(EvidenceKind::KnobNamesHeader, ElementsAre(1)));
  EXPECT_THAT(seen("// kw: tune TILE = 1, 2\n\n\n#define TILE 3\n"),
              IsSeenWith(EvidenceKind::KnobRedefined, ElementsAre(4)));
}

}  // namespace
}  // namespace kw::referee
