// Tests of reading replies: which block is taken, how edits apply, and what the evidence says.
// SPDX-License-Identifier: Apache-2.0
#include "propose/reply.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

#include "base/text.h"
#include "propose/edits.h"
#include "propose/markdown.h"
#include "propose/reply_for_test.h"

namespace kw::propose {
namespace {

using ::testing::AllOf;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const std::string kKernel =
    "#include <cmath>\n\nvoid twice(int n, const float* x, float* y) {\n"
    "  for (int i = 0; i < n; ++i) y[i] = 2 * x[i];\n}\n";
const std::string kParent =
    "#include <cmath>\n"  // 1
    "\n"                  // 2
    "void twice(int n, const float* x, float* y) {\n"
    "  int i = 0;\n"            // 4
    "  for (; i < n; ++i) {\n"  // 5
    "    y[i] = 2 * x[i];\n"    // 6
    "  }\n"                     // 7
    "  // the end\n"            // 8
    "  // the end\n"            // 9
    "}\n";                      // 10

ParsedReply parse(const std::string& text, const std::string& parent = "",
                  bool is_cut_off = false) {
  return parse_reply(text, {"twice", Target::Cpu, parent, is_cut_off});
}

std::string block(const std::string& code) { return "```cpp\n" + code + "```\n"; }

std::string edit(const std::string& search, const std::string& lines) {
  return "<<<<<<< SEARCH\n" + search + "=======\n" + lines + ">>>>>>> REPLACE\n";
}

TEST(Reply, APlanAndOneBlock) {
  const auto reply = parse("Memory limits it.\nSo: stream.\n\n" + block(kKernel) + "Good luck.\n");
  EXPECT_EQ(reply.source, kKernel);
  EXPECT_EQ(reply.plan, "Memory limits it.\nSo: stream.");
  EXPECT_THAT(reply.evidence, IsEmpty());
}

TEST(Reply, TheBlockThatDefinesTheFunctionIsTaken) {
  const std::string longer = "// " + std::string(2000, 'x') + "\n";
  EXPECT_EQ(parse(block(longer) + "then\n" + block(kKernel) + "```\nrun it\n```\n").source,
            kKernel);
  EXPECT_EQ(parse(block("void twice(int);\n") + block(kKernel)).source, kKernel);
  EXPECT_EQ(parse("```text\n" + longer + "```\n" + block("int a;\n") + block("int abc;\n")).source,
            "int abc;\n");
  const std::string better = "// 2\n" + kKernel;
  EXPECT_EQ(parse(block(kKernel) + "no, rather\n" + block(better)).source, better);
  const std::string linkage = "extern \"C\" {\n" + kKernel + "}\n";
  EXPECT_EQ(parse(block(linkage) + block(longer)).source, linkage);
}

TEST(Reply, FencesComeInManyForms) {
  EXPECT_EQ(parse("~~~c++\n" + kKernel + "~~~").source, kKernel);
  EXPECT_EQ(parse("````cpp\n" + kKernel + "````\n").source, kKernel);
  EXPECT_EQ(parse("```C++ title=\"k.cpp\"\n" + kKernel + "```").source, kKernel);
  EXPECT_EQ(parse("1. So:\n   ```cpp\n   void twice() {\n     int a;\n   }\n   ```\n").source,
            "void twice() {\n  int a;\n}\n");
  EXPECT_EQ(parse("```cpp\r\nvoid twice() {}\r\n```\r\n").source, "void twice() {}\n");
  EXPECT_EQ(parse("```text\nsome words\n```cpp\n" + kKernel + "```\n").source, kKernel);
  EXPECT_EQ(parse("<think>```cpp\nvoid twice() { wrong }\n```</think>\n" + block(kKernel)).source,
            kKernel);
  EXPECT_EQ(parse(kKernel).source, kKernel) << "no fence at all";
}

TEST(Reply, AFenceMayOpenAtTheEndOfALineOfWords) {
  for (const std::string mark : {"```cpp", "```", "````c++", "```cuda  "}) {
    const std::string close = mark.starts_with("````") ? "````\n" : "```\n";
    const auto reply = parse("Stream it.\nHere is the kernel: " + mark + "\n" + kKernel + close);
    EXPECT_EQ(reply.source, kKernel) << mark;
    EXPECT_EQ(reply.plan, "Stream it.\nHere is the kernel:") << mark;
  }
  EXPECT_EQ(parse("Here it is:```cpp\n\n" + kKernel + "```\nGood luck.").source, "\n" + kKernel);
  EXPECT_EQ(parse("Here it is: ```cpp\n" + kKernel).source, kKernel) << "a forgotten fence";
  EXPECT_THAT(parse("Here it is: ```cpp\n" + kKernel, "", true),
              IsUnusable(ReplyTrouble::CutOff, "line 5 of the code"));
  EXPECT_EQ(parse("Not this: ```python\nprint()\n```\nbut this: ```cpp\n" + kKernel + "```").source,
            kKernel);
}

TEST(Reply, MarksWithinASentenceOpenNothing) {
  for (const std::string words :
       {"I close it with ```", "as ```twice``` does", "use ```cpp and then", "the end: ```x``` ```",
        "wrapped in ```cpp", "as`twice```"}) {
    const auto reply = parse(words + "\n" + block(kKernel) + "That is all.\n");
    EXPECT_EQ(reply.source, kKernel) << words;
  }
  EXPECT_EQ(parse("It ends in ```\nwords\n```\n" + kKernel + "```\n").source, kKernel)
      << "of three bare fences the first is none";
  EXPECT_THAT(parse("I would write it between ```\nand stop there."),
              IsUnusable(ReplyTrouble::NoCode, ""));
}

TEST(Reply, ACutOffBlockIsEvidenceAndAForgottenFenceIsNot) {
  const std::string open = "Plan.\n```cpp\n" + kKernel;
  EXPECT_EQ(parse(open).source, kKernel);
  const auto cut = parse(open, "", true);
  EXPECT_THAT(cut.source, IsEmpty());
  EXPECT_THAT(cut, IsUnusable(ReplyTrouble::CutOff, "line 5 of the code"));
  EXPECT_EQ(cut.plan, "Plan.");
  EXPECT_EQ(parse(block(kKernel) + "And then I", "", true).source, kKernel);
  EXPECT_THAT(parse("I was going to", "", true),
              IsUnusable(ReplyTrouble::CutOff, "before the code"));
}

TEST(Reply, NothingToJudgeIsSaid) {
  EXPECT_THAT(parse("I think tiling would help."), IsUnusable(ReplyTrouble::NoCode, ""));
  EXPECT_THAT(parse("```json\n{\"a\": 1}\n```"), IsUnusable(ReplyTrouble::ForeignCode, "json"));
  EXPECT_THAT(parse("```cpp\n```"), IsUnusable(ReplyTrouble::ForeignCode, "cpp"));
  EXPECT_THAT(parse(""), IsUnusable(ReplyTrouble::NoCode, ""));
  EXPECT_THAT(parse(block(kParent), kParent), IsUnusable(ReplyTrouble::NoChange, "file"));
}

TEST(Reply, AnotherLanguageIsNotCompiledWhateverItHolds) {
  for (const std::string mark : {"python", "json", "markdown", "bash"}) {
    const auto reply = parse("Plan.\n```" + mark + "\n" + kKernel + "```\n");
    EXPECT_THAT(reply.source, IsEmpty()) << mark;
    EXPECT_THAT(reply, IsUnusable(ReplyTrouble::ForeignCode, mark));
  }
  EXPECT_EQ(parse("```python\n" + kKernel + "```\n" + block(kParent)).source, kParent);
  EXPECT_EQ(parse("```kernel.cpp\n" + kKernel + "```\n").source, kKernel) << "a name of its own";
}

TEST(Reply, AUnifiedDiffIsAppliedToTheParent) {
  const std::string head = "Plan.\n\n```diff\n--- a/kernel.cpp\n+++ b/kernel.cpp\n";
  auto reply = parse(head +
                         "@@ -4,5 +4,4 @@ void twice\n   int i = 0;\n   for (; i < n; ++i) {\n"
                         "-    y[i] = 2 * x[i];\n+    y[i] = x[i] + x[i];\n   }\n"
                         "@@ -9,1 +8,0 @@\n-  // the end\n\n```\n",
                     kParent);
  EXPECT_EQ(reply.source,
            "#include <cmath>\n\nvoid twice(int n, const float* x, float* y) {\n  int i = 0;\n"
            "  for (; i < n; ++i) {\n    y[i] = x[i] + x[i];\n  }\n  // the end\n}\n")
      << reply.evidence;
  EXPECT_EQ(reply.plan, "Plan.");
  reply = parse("```patch\n@@ -1,0 +2,1 @@\n+#include <vector>\n```\n", kParent);
  EXPECT_THAT(reply.source, ::testing::StartsWith("#include <cmath>\n#include <vector>\n\n"));
  reply = parse("```diff\n-    y[i] = 2 * x[i];\n+    y[i] = 0;\n```\n", kParent);
  EXPECT_THAT(reply.source, HasSubstr("{\n    y[i] = 0;\n  }")) << "no header at all";
  EXPECT_EQ(parse(head + "+int a;\n```\n" + block(kKernel), kParent).source, kKernel);
}

TEST(Reply, ADiffThatCannotBeAppliedIsNamed) {
  const std::string plus = "```diff\n@@ -1 +1 @@\n-#include <cmath>\n+#include <cstdio>\n";
  EXPECT_THAT(parse(plus + "```\n"), IsUnusable(ReplyTrouble::NoParent, ""));
  EXPECT_THAT(parse("```diff\n@@ -4 +4 @@\n-  int j = 0;\n+\n```\n", kParent),
              IsUnusable(ReplyTrouble::NotInParent, "'int j = 0;'"));
  EXPECT_THAT(parse("```diff\n@@ -1 +1 @@\n-  // the end\n+\n```\n", kParent),
              AllOf(IsUnusable(ReplyTrouble::Ambiguous, "'// the end'"),
                    Field(&ParsedReply::evidence, HasSubstr("8 and 9"))));
  EXPECT_THAT(parse("```diff\n" + kKernel + "```\n", kParent),
              IsUnusable(ReplyTrouble::NotADiff, "line 2"));
  EXPECT_THAT(parse("```diff\n@@ -1 +1 @@\n #include <cmath>\n```\n", kParent),
              IsUnusable(ReplyTrouble::EmptyHunk, "line 2"));
  EXPECT_THAT(parse("Plan.\n" + plus, kParent, true),
              IsUnusable(ReplyTrouble::CutOff, "diff in line 2"));
}

TEST(Reply, EditsAreAppliedToTheParent) {
  const auto reply =
      parse("Faster.\n\n```cpp\n" + edit("    y[i] = 2 * x[i];\n", "    y[i] = x[i] + x[i];\n") +
                "```\nand\n" + edit("#include <cmath>\n", ""),
            kParent);
  EXPECT_THAT(reply.source, AllOf(HasSubstr("    y[i] = x[i] + x[i];\n"), HasSubstr("void twice"),
                                  ::testing::StartsWith("\nvoid")));
  EXPECT_EQ(reply.plan, "Faster.");
  EXPECT_THAT(reply.evidence, IsEmpty());
}

TEST(Reply, SearchedLinesMayDifferInBlanksOnly) {
  EXPECT_THAT(parse(edit("y[i] = 2 * x[i];   \n", "    y[i] = 0;\n"), kParent).source,
              HasSubstr("  for (; i < n; ++i) {\n    y[i] = 0;\n  }\n"));
}

TEST(Reply, EditsThatDoNotApplyAreEvidenceWithTheNearestLines) {
  EXPECT_THAT(
      parse(edit("    y[i] = 3 * x[i];\n  }\n", ""), kParent),
      AllOf(IsUnusable(ReplyTrouble::NotInParent, "'y[i] = 3 * x[i];'"),
            Field(&ParsedReply::evidence, HasSubstr("    6 |     y[i] = 2 * x[i];\n    7 |   }"))));
  EXPECT_THAT(
      parse(edit("completely other text that is nowhere\n", ""), kParent),
      AllOf(IsUnusable(ReplyTrouble::NotInParent, "'completely other text that is nowhere'"),
            Field(&ParsedReply::evidence, Not(HasSubstr(" | ")))));
  EXPECT_THAT(parse(edit("  // the end\n", ""), kParent),
              AllOf(IsUnusable(ReplyTrouble::Ambiguous, "'// the end'"),
                    Field(&ParsedReply::evidence, HasSubstr("8 and 9"))));
  EXPECT_THAT(parse(edit("\n", "x\n"), kParent), IsUnusable(ReplyTrouble::EmptySearch, "line 1"));
  EXPECT_THAT(parse(edit("  int i = 0;\n", "  int i = 0;\n"), kParent),
              IsUnusable(ReplyTrouble::NoChange, "edits"));
  EXPECT_THAT(parse(edit("  int i = 0;\n  for (; i < n; ++i) {\n", "a\n") +
                        edit("  for (; i < n; ++i) {\n", "b\n"),
                    kParent),
              IsUnusable(ReplyTrouble::Overlap, "line 5"));
  EXPECT_THAT(parse("@@ 1-10\n", kParent), IsUnusable(ReplyTrouble::NothingLeft, ""));
  EXPECT_THAT(parse(edit("a\n", "b\n")), IsUnusable(ReplyTrouble::NoParent, ""));
  EXPECT_THAT(parse("<<<<<<< SEARCH\nint i\n", kParent),
              IsUnusable(ReplyTrouble::UnclosedEdit, "line 1: ======="));
  EXPECT_THAT(parse("text\n<<<<<<< SEARCH\nint i\n=======\nint j\n", kParent, true),
              IsUnusable(ReplyTrouble::CutOff, "line 2: >>>>>>> REPLACE"));
}

TEST(Reply, AWholeFileSavesEditsThatDoNotApply) {
  EXPECT_EQ(parse(edit("nowhere\n", "b\n") + "The file:\n" + block(kKernel), kParent).source,
            kKernel);
}

TEST(Reply, LineEditsGoFromTheBottomUp) {
  const auto reply = parse(
      "```\n@@ 4-5\n  for (int i = 0; i < n; ++i) {\n@@ 8\n@@ 9+\n  // inserted\n"
      "@@ 1+\n#include <omp.h>\n```\n",
      kParent);
  EXPECT_EQ(reply.source,
            "#include <cmath>\n#include <omp.h>\n\nvoid twice(int n, const float* x, float* y) {\n"
            "  for (int i = 0; i < n; ++i) {\n    y[i] = 2 * x[i];\n  }\n  // the end\n"
            "  // inserted\n}\n");
  EXPECT_THAT(parse("@@ 9-14\nx\n", kParent),
              IsUnusable(ReplyTrouble::OutsideParent, "9-14 of 10"));
  EXPECT_THAT(parse("@@ 5-4\nx\n", kParent), IsUnusable(ReplyTrouble::OutsideParent, "5-4 of 10"));
}

TEST(Markdown, FewEmptyLinesOutsideOfCode) {
  EXPECT_EQ(tidied("\n\na\n\n\n\nb\n```\n\n\nc\n```\n\n\n"), "a\n\nb\n```\n\n\nc\n```\n");
}

std::vector<std::string> code_lines() {
  return {"",    "void twice(int n) {", "}", "```", "```cpp", "````", "~~~",
          "  x", "// kw: tune A = 1"};
}

rc::Gen<std::string> text_of(const std::vector<std::string>& lines) {
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(lines)),
                      [](const std::vector<std::string>& some) { return join(some, "\n"); });
}

// Generates texts from lines of fences, marks of edits, and code.
rc::Gen<std::string> foreign_text() {
  auto lines = code_lines();
  lines.insert(lines.end(), {"@@ 1-2", "@@ 1+", "@@ 0", "<<<<<<< SEARCH",
                             "=======", ">>>>>>> REPLACE", "words", "</think>"});
  return text_of(lines);
}

RC_GTEST_PROP(ReplyProperty, AnythingIsASourceOrEvidence, ()) {
  const std::string text = *foreign_text();
  const std::string parent = *rc::gen::element(std::string(), kParent);
  const auto reply = parse(text, parent, *rc::gen::arbitrary<bool>());
  RC_ASSERT(reply.source.empty() != reply.evidence.empty());
  RC_ASSERT(reply.plan.size() <= kPlanBytes);
}

RC_GTEST_PROP(ReplyProperty, AFencedSourceComesBack, ()) {
  const std::string source = kKernel + *text_of(code_lines()) + "\n";
  RC_ASSERT(parse("Plan.\n" + fenced(source, "cpp") + "\nDone.\n").source == source);
}

// The source has distinct lines; the edits, in both notations, replace random runs of them.
RC_GTEST_PROP(ReplyProperty, EditsRoundTrip, ()) {
  const int count = *rc::gen::inRange(3, 40);
  std::vector<std::string> before{"void twice(int n) {"};
  for (int i = 1; i < count; ++i) before.push_back("  int v" + std::to_string(i) + ";");
  std::vector<std::string> after;
  std::string searches, ranges;
  int changes = 0;
  for (int i = 0; i < count;) {
    const int length = std::min(*rc::gen::inRange(1, 4), count - i);
    std::string old_lines, new_lines;
    const bool is_changed = *rc::gen::arbitrary<bool>();
    for (int k = i; k < i + length; ++k) old_lines += before[static_cast<std::size_t>(k)] + "\n";
    if (is_changed) {
      for (int k = *rc::gen::inRange(0, 3); k > 0; --k) {
        after.push_back("  new " + std::to_string(++changes) + ";");
        new_lines += after.back() + "\n";
      }
      searches += edit(old_lines, new_lines);
      ranges += "@@ " + std::to_string(i + 1) + "-" + std::to_string(i + length) + "\n" + new_lines;
    } else {
      for (int k = i; k < i + length; ++k) after.push_back(before[static_cast<std::size_t>(k)]);
    }
    i += length;
  }
  const std::string parent = join(before, "\n") + "\n";
  const std::string wanted = after.empty() ? "" : join(after, "\n") + "\n";
  for (const std::string& notation : {searches, ranges}) {
    const auto edits = find_edits(notation, false);
    RC_ASSERT(edits.fault.is_empty());
    const auto result = apply_edits(parent, edits.edits);
    RC_ASSERT(result.has_value());
    RC_ASSERT(*result == wanted);
  }
}

const std::vector<std::string> kFiles = {"task.yaml", "reference.cpp"};

std::string files_trouble(const std::string& text, bool is_cut_off = false) {
  const auto parsed = parse_files(text, kFiles, is_cut_off);
  EXPECT_EQ(parsed.files.empty(), !parsed.evidence.empty());
  return fmt::format("{} {}", name_of(parsed.trouble), parsed.about);
}

TEST(Files, AreNamedByTheirFenceOrTheLineBefore) {
  const auto parsed = parse_files(
      "I decided this.\n```yaml task.yaml\nname: a\n```\n### `reference.cpp`:\n\n```cpp\nint "
      "a;\n```\nAn example in passing:\n```cpp\nint b;\n```\n",
      kFiles, false);
  EXPECT_THAT(parsed.evidence, IsEmpty());
  EXPECT_THAT(parsed.files, testing::ElementsAre(testing::Pair("reference.cpp", "int a;\n"),
                                                 testing::Pair("task.yaml", "name: a\n")));
  for (const char* fence : {"```yaml title=\"task.yaml\"", "```task.yaml", "~~~ yaml task.yaml"})
    EXPECT_EQ(parse_files(std::string(fence) + "\nx\n", kFiles, false).files.count("task.yaml"), 1u)
        << fence;
  const auto twice =
      parse_files("```yaml task.yaml\n1\n```\nBetter:\n```yaml task.yaml\n2\n```\n", kFiles, false);
  EXPECT_EQ(twice.files.at("task.yaml"), "2\n");
}

TEST(Files, NoNameOfAReplyBecomesAPath) {
  for (const char* name :
       {"../task.yaml", "/etc/passwd", "tasks/a/task.yaml", "./task.yaml", "..\\task.yaml",
        "baselines/evil.cpp", "task.yaml/../x.yaml", "DRAFT.md", "kernelwright.toml"})
    EXPECT_THAT(files_trouble(std::string("```yaml ") + name + "\nx\n```\n"),
                testing::StartsWith("unknown_file "))
        << name;
}

TEST(Files, WhatCannotBeUsedSaysWhy) {
  EXPECT_EQ(files_trouble("I would rather not."), "no_file ");
  EXPECT_EQ(files_trouble("```cpp\nint a;\n```\n"), "no_file ");
  EXPECT_EQ(files_trouble("```yaml task.yaml\nname:", true), "cut_off task.yaml");
  EXPECT_EQ(files_trouble("```yaml task.yaml\n" + std::string(kFileBytes, 'x') + "\n```\n"),
            "long_file task.yaml");
}

RC_GTEST_PROP(Files, AreTheKnownOnesWhateverComes, (const std::string& text, bool is_cut_off)) {
  for (const auto& [name, content] :
       parse_files("```" + text + "\n```\n" + text, kFiles, is_cut_off).files)
    RC_ASSERT(name == kFiles[0] || name == kFiles[1]);
}

}  // namespace
}  // namespace kw::propose
