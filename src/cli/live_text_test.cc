// Tests of every line that a run prints, at 80 and at 40 columns, with and without colour.
// SPDX-License-Identifier: Apache-2.0
#include "cli/live_text.h"

#include <gmock/gmock.h>

#include "base/terminal_text.h"

namespace kw::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// Formatting for terminals of 80 and 40 columns, whose last column stays free.
constexpr Look kWide{79};
constexpr Look kNarrow{39};

std::vector<std::string> lines_of(const Lines& lines) {
  std::vector<std::string> all;
  for (const OwnLine& line : lines) all.push_back(line.bytes);
  return all;
}

Attempt winner() {
  Attempt a;
  a.number = 12;
  a.at_ns = 41'300'000'000;
  a.candidate.name = "30_skewed";
  a.candidate.knobs = {{"AHEAD", 2}, {"BY", 64}, {"LANES", 16}, {"STEPS", 10}};
  a.evaluation.verdict = {Stage::Measure, Outcome::Correct, ""};
  a.outcome_class = OutcomeClass::NewBest;
  a.against_baseline.value = 2.6163;
  a.words = "new best: 2.616x the best baseline, 1.264x the previous best";
  return a;
}

Attempt failure() {
  Attempt a = winner();
  a.outcome_class = OutcomeClass::Failed;
  a.evaluation.verdict = {Stage::Compile, Outcome::CompileFailed, "candidate.cpp:3:5: what"};
  a.words =
      "failed at compile: compile_failed (candidate.cpp:3:5: error: 'foo' was not declared in this "
      "scope; did you mean 'for'?)";
  return a;
}

TEST(LiveText, AnAttemptIsOneLineOf80Columns) {
  const LiveText text(kWide);
  EXPECT_THAT(
      lines_of(text.attempt(winner(), 2.6163)),
      ElementsAre("  12    41 s  new best   2.616x  30_skewed AHEAD=2 BY=64 LANES=16 STEPS=10"));
  EXPECT_THAT(lines_of(text.attempt(failure(), 1)),
              ElementsAre("  12    41 s  failed             30_skewed compile: compile_failed "
                          "(candidate.…"));
}

TEST(LiveText, InANarrowPaneItIsFolded) {
  const LiveText text(kNarrow);
  EXPECT_THAT(lines_of(text.attempt(winner(), 2.6163)),
              ElementsAre("  12    41 s  new best   2.616x",
                          "     30_skewed AHEAD=2 BY=64 LANES=16", "     STEPS=10"));
  const auto failed = lines_of(text.attempt(failure(), 1));
  ASSERT_EQ(failed.size(), 4u) << "three lines of why; kw explain shows all of it";
  EXPECT_EQ(failed[0], "  12    41 s  failed");
  EXPECT_EQ(failed[1], "     30_skewed compile: compile_failed");
}

TEST(LiveText, AFileGetsAllThereIs) {
  EXPECT_THAT(lines_of(LiveText({}).attempt(winner(), 2.6163)),
              ElementsAre("  12   41.3 s  best  2.616x  30_skewed AHEAD=2 BY=64 LANES=16 STEPS=10  "
                          "new best: 2.616x the best baseline, 1.264x the previous best"));
}

TEST(LiveText, ColoursSayNoMoreThanWordsAndTakeNoRoom) {
  Look look = kWide;
  look.has_colour = true;
  const Lines plain = LiveText(kWide).attempt(winner(), 2.6163);
  const Lines coloured = LiveText(look).attempt(winner(), 2.6163);
  ASSERT_EQ(plain.size(), coloured.size());
  EXPECT_EQ(plain[0].columns, coloured[0].columns);
  EXPECT_THAT(coloured[0].bytes, HasSubstr("\033[32mnew best "));
  EXPECT_THAT(plain[0].bytes, Not(HasSubstr("\033")));
}

TEST(LiveText, ARecalledVerdictNamesTheAttemptThatHasIt) {
  Attempt a = winner();
  a.recalled = 3;
  a.outcome_class = OutcomeClass::NoGain;
  EXPECT_THAT(LiveText(kWide).attempt(a, 3)[0].bytes, HasSubstr("as 3 "));
}

LiveState measuring() {
  LiveState state;
  state.attempt = 13;
  state.what = "measuring 30_skewed BY=32 LANES=16";
  state.what_s = 3;
  state.elapsed_s = 44;
  state.budget_s = 90;
  state.best = 2.6163;
  return state;
}

TEST(LiveText, TheLineAtTheBottomSaysWhatIsDoneHowLongAndWhatIsLeft) {
  EXPECT_EQ(LiveText(kWide).status(measuring()).bytes,
            "  13 measuring 30_skewed BY=32 LANES=16, 3 s · 44 s, 46 s left · best 2.616x");
  EXPECT_EQ(LiveText(kNarrow).status(measuring()).bytes, "  13 measuring 30_ske…, 3 s · 46 s left");
  EXPECT_EQ(LiveText({14}).status(measuring()).bytes, "  13 mea…, 3 s");
  LiveState first;
  first.what = "measuring reference";
  EXPECT_EQ(LiveText(kWide).status(first).bytes, "measuring reference") << "before the run began";
}

TEST(LiveText, WhoeverHasTheDeviceIsNamed) {
  LiveState state = measuring();
  state.is_waiting = true;
  state.what = "waiting: device cpu is in use by kw judge mine.cpp, measuring mine";
  state.what_s = 12;
  EXPECT_EQ(LiveText(kWide).status(state).bytes,
            "  13 waiting: device cpu is in use by kw judge mine.cpp, measuring mine, 12 s");
}

TEST(LiveText, TheLineAtTheBottomAlwaysFits) {
  for (std::size_t columns = 8; columns < 120; ++columns)
    for (const bool is_ascii : {false, true})
      for (const char* what : {"", "x", "a rather long line about what is being done at present",
                               "核核核核核核核核核核核核核核核核核核核核核核核核核核核核核核"}) {
        LiveState state = measuring();
        state.what = what;
        const OwnLine line = LiveText({columns, false, is_ascii}).status(state);
        EXPECT_LE(line.columns, columns);
        EXPECT_EQ(line.columns, columns_of(line.bytes)) << line.bytes;
      }
}

TEST(LiveText, NothingIsWiderThanThePane) {
  RunSummary run;
  run.name = "a_task_with_a_long_name-12";
  session::BaselineStanding broken;
  broken.candidate.name = "omp";
  broken.evaluation.verdict = failure().evaluation.verdict;
  for (const Look look : {kWide, kNarrow, Look{12}}) {
    const LiveText text(look);
    for (const Lines& lines :
         {text.timing({"reference", "omp", "blas"}), text.baseline(broken), text.start(run, "omp"),
          text.attempt(winner(), 2), text.attempt(failure(), 2), text.confirm(winner()),
          text.notice("the machine is not quiet: others use 1.3 of its 2 processors"),
          text.interrupted("interrupted: finishing attempt 12")})
      for (const OwnLine& line : lines) EXPECT_LE(columns_of(line.bytes), look.columns);
  }
}

TEST(LiveText, AnInterruptionIsAnsweredInWords) {
  EXPECT_THAT(lines_of(LiveText(kWide).interrupted("interrupted: finishing attempt 12")),
              ElementsAre("interrupted: finishing attempt 12; Ctrl-C again to stop now"));
}

}  // namespace
}  // namespace kw::cli
