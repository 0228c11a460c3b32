// Tests of the forms of replies: each is understood, or named where it cannot be used.
// SPDX-License-Identifier: Apache-2.0
#include "propose/reply_forms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "propose/reply.h"
#include "propose/reply_for_test.h"

namespace kw::propose {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class ReplyForms : public testing::Test {
 protected:
  const std::string code_ =
      "#include <cmath>\nvoid relu(int n, const float* x, float* y) {\n"
      "  for (int i = 0; i < n; ++i) y[i] = x[i] > 0.0f ? x[i] : 0.0f;\n}\n";
  const std::string old_line_ = "  for (int i = 0; i < n; ++i) y[i] = x[i] > 0.0f ? x[i] : 0.0f;\n";
  const std::string new_line_ = "  for (int i = 0; i < n; ++i) y[i] = fmaxf(x[i], 0.0f);\n";
  const std::string edited_ =
      "#include <cmath>\nvoid relu(int n, const float* x, float* y) {\n" + new_line_ + "}\n";

  static ParsedReply read(const std::string& text, const std::string& parent = "",
                          bool is_cut_off = false) {
    return parse_reply(text, {"relu", Target::Cpu, parent, is_cut_off});
  }
  /// The text with newlines, and the same text with carriage returns and newlines.
  static std::vector<std::string> with_other_lines(const std::string& text) {
    std::string crlf;
    for (const char c : text) crlf += c == '\n' ? std::string("\r\n") : std::string(1, c);
    return {text, crlf};
  }
  std::string glued() const { return code_.substr(0, code_.size() - 1); }
};

TEST_F(ReplyForms, AClosingFenceMayBeGluedToTheLastLineOfCode) {
  for (const auto& [open, close] : std::vector<std::pair<std::string, std::string>>{
           {"```cpp", "```"}, {"~~~cpp", "~~~"}, {"````", "````"}, {"  ```cpp", "```"}})
    for (const std::string rest : {"", "\n", "\nThat is all.\n", "\nRun:\n```\nmake\n```\n"})
      for (const std::string& text :
           with_other_lines("The kernel.\n\n" + open + "\n" + glued() + close + rest)) {
        const auto reply = read(text);
        EXPECT_THAT(reply.source, testing::EndsWith(": 0.0f;\n}\n")) << text << reply.evidence;
        EXPECT_THAT(reply.source, HasSubstr("void relu")) << text;
      }
  EXPECT_EQ(read("```cpp\n" + glued() + "``` and no more words\nBye.\n").source, code_);
}

TEST_F(ReplyForms, MarksInACommentCloseNothing) {
  const std::string remark = code_ + "// It was wrapped in ```\nint more;\n";
  EXPECT_EQ(read("```cpp\n" + remark + "```\nDone.\n").source, remark);
  const std::string both = code_ + "// as ```x``` is\nint more;\n";
  EXPECT_EQ(read("```cpp\n" + both + "```\n").source, both);
  const std::string tildes = code_ + "int z = ~~~1;\n";
  EXPECT_EQ(read("~~~cpp\n" + tildes + "~~~\n").source, tildes);
}

TEST_F(ReplyForms, WordsMayFollowTheClosingFence) {
  for (const std::string words : {"``` That is the kernel.", "``` It should be fast, I think",
                                  "```</answer>", "```.", "``` (done)"})
    EXPECT_EQ(read("```cpp\n" + code_ + words + "\nMore words; see above.\n").source, code_)
        << words;
  EXPECT_EQ(read("~~~cpp\n" + code_ + "~~~ That is it.\nBye.\n").source, code_);
  EXPECT_EQ(read("<answer>```cpp\n" + code_ + "```</answer>").source, code_);
}

TEST_F(ReplyForms, ThinkingThatIsNeverClosedIsNoAnswer) {
  for (const std::string open :
       {"<think>", "<THINK>", "<thinking>", " <think> ", "<reasoning>", "[THINK]"})
    for (const std::string& text :
         with_other_lines(open + "\nFirst try:\n```cpp\n" + code_ + "```\nNo, so\n"))
      for (const bool is_cut_off : {false, true}) {
        const auto reply = read(text, "", is_cut_off);
        EXPECT_THAT(reply.source, IsEmpty()) << text;
        EXPECT_THAT(reply, IsUnusable(ReplyTrouble::CutOff, "thinking")) << text;
      }
  EXPECT_EQ(read("```cpp\n" + code_ + "```\n<think>\nWas that right?").source, code_)
      << "the answer stood before";
  EXPECT_THAT(read("Well.\n<think>\n```cpp\n" + code_ + "```\n"),
              IsUnusable(ReplyTrouble::CutOff, "thinking"));
}

TEST_F(ReplyForms, ThinkingMayBeClosedBehindTheCode) {
  for (const std::string close : {"</think>", "</THINK>", "</thinking>"})
    for (const std::string rest : {"", "\n", "\nThat is the kernel."})
      for (const std::string& text : with_other_lines("```cpp\n" + code_ + "```\n" + close + rest))
        EXPECT_EQ(read(text).source, code_) << text;
  EXPECT_EQ(read("```cpp\n" + code_ + "```</think>\n").source, code_);
  EXPECT_EQ(read("```cpp\nvoid relu() {}\n```\n</think>\n```cpp\n" + code_ + "```").source, code_);
  EXPECT_EQ(read("<think>\nhm\n</think>\n```cpp\n" + code_ + "```\n<think>yes</think>\n").source,
            code_);
  EXPECT_THAT(read("```cpp\n" + code_ + "```\n</think>\nSo the", "", true).source, IsEmpty())
      << "the answer was still to come";
  EXPECT_THAT(read("<think>\n```cpp\n" + code_ + "```\n</think>\n"),
              IsUnusable(ReplyTrouble::OnlyThinking, ""));
}

TEST_F(ReplyForms, AFenceMayStandAroundTheFencedCode) {
  const std::string inner = "```cpp\n" + code_ + "```\n";
  for (const auto& [open, close] :
       std::vector<std::pair<std::string, std::string>>{{"````markdown", "````"},
                                                        {"````", "````"},
                                                        {"~~~~md", "~~~~"},
                                                        {"`````text", "`````"},
                                                        {"````cpp", "````"}})
    for (const std::string& text :
         with_other_lines(open + "\nHere:\n" + inner + "Good luck.\n" + close + "\n"))
      EXPECT_EQ(read(text).source, code_) << text;
  EXPECT_EQ(read("`````\n````md\n" + inner + "````\n`````\n").source, code_);
  EXPECT_EQ(read("````markdown\nHere:\n" + inner).source, code_) << "never closed";
  EXPECT_THAT(read("````markdown\n```cpp\n" + glued(), "", true),
              IsUnusable(ReplyTrouble::CutOff, "line 4 of the code"));
  EXPECT_EQ(read("````\n<<<<<<< SEARCH\n" + old_line_ + "=======\n" + new_line_ +
                     ">>>>>>> REPLACE\n````\n",
                 code_)
                .source,
            edited_);
  const std::string quoting = code_ + "/*\n```\nrelu\n```\n*/\n";
  EXPECT_EQ(read("````cpp\n" + quoting + "````\n").source, quoting) << "a part of the code";
}

TEST_F(ReplyForms, EditsComeInManyNotations) {
  struct Notation {
    std::string open, divide, close;
  };
  for (const Notation& n :
       std::vector<Notation>{{"<<<<<<< SEARCH relu.cpp", "=======", ">>>>>>> REPLACE"},
                             {"<<<<<<< SEARCH: relu.cpp", "=======", ">>>>>>> REPLACE relu.cpp"},
                             {"<<<<<<< search", "=======", ">>>>>>> replace"},
                             {"------- SEARCH", "=======", "+++++++ REPLACE"},
                             {"<<<<<<< ORIGINAL", "=======", ">>>>>>> UPDATED"},
                             {"<<<<<<< HEAD", "=======", ">>>>>>> faster"},
                             {"<<<<<<< SEARCH", "=======", ">>>>>>>"}}) {
    const std::string bare =
        n.open + "\n" + old_line_ + n.divide + "\n" + new_line_ + n.close + "\n";
    for (const std::string& form : {bare, "relu.cpp\n```cpp\n" + bare + "```\n"})
      for (const std::string& text : with_other_lines("Branchless.\n\n" + form)) {
        const auto reply = read(text, code_);
        EXPECT_EQ(reply.source, edited_) << text << reply.evidence;
      }
    EXPECT_THAT(read(n.open + "\n" + old_line_ + n.divide + "\n" + new_line_, code_, true),
                IsUnusable(ReplyTrouble::CutOff, testing::_))
        << n.open;
  }
  EXPECT_THAT(read("<<<<<<< EXCHANGE\na\n=======\nb\n>>>>>>> END\n", code_),
              IsUnusable(ReplyTrouble::UnknownNotation, "line 1: <<<<<<< EXCHANGE"));
}

TEST_F(ReplyForms, ADiffIsKnownByItsLines) {
  const std::string hunk = "-" + old_line_ + "+" + new_line_;
  for (const std::string& diff :
       {"@@ -3,1 +3,1 @@\n" + hunk, "--- a/relu.cpp\n+++ b/relu.cpp\n@@ -3 +3 @@\n" + hunk,
        "--- relu.cpp\n+++ relu.cpp\n" + hunk,
        " void relu(int n, const float* x, float* y) {\n" + hunk + " }\n"})
    for (const std::string fence : {"```cpp\n", "```\n", "~~~c++\n", "```diff\n", "```cuda\n"})
      for (const std::string& text :
           with_other_lines("So.\n" + fence + diff + fence.substr(0, 3) + "\n")) {
        const auto reply = read(text, code_);
        EXPECT_EQ(reply.source, edited_) << text << reply.evidence;
      }
  for (const std::string& text : with_other_lines("So:\n\n--- a/relu.cpp\n+++ b/relu.cpp\n@@ -3 "
                                                  "+3 @@\n" +
                                                  hunk + "\nThat is all.\n"))
    EXPECT_EQ(read(text, code_).source, edited_) << "no fence at all\n" << text;
  EXPECT_THAT(read("```cpp\n@@ -3 +3 @@\n-nowhere\n+b\n```\n", code_),
              IsUnusable(ReplyTrouble::NotInParent, "'nowhere'"));
  EXPECT_THAT(read("```cpp\n@@ -3 +3 @@\n" + hunk, code_, true),
              IsUnusable(ReplyTrouble::CutOff, "diff in line 1"));
}

TEST_F(ReplyForms, APatchEnvelopeIsEdits) {
  const std::string hunk = "-" + old_line_ + "+" + new_line_;
  const std::string patch =
      "*** Begin Patch\n*** Update File: relu.cpp\n@@\n" + hunk + "*** End Patch\n";
  for (const std::string& form :
       {patch, "Branchless.\n\n" + patch + "\nThat is all.\n",
        "```\n" + patch + "```\nDone: fast.\n", "~~~text\n" + patch + "~~~\n",
        "````markdown\n" + patch + "````\n",
        "*** Begin Patch\n*** Update File: relu.cpp\n@@ void relu\n" + hunk +
            "*** End of File\n*** End Patch\n",
        "*** Begin Patch\n*** Update File: relu.cpp\nvoid relu(int n, const float* x, float* y) "
        "{\n" +
            hunk + "}\n*** End Patch\n",
        dump_json(Json{{"command", {"apply_patch", patch}}}),
        "*** Begin Patch\n*** Update File: relu.cpp\n" + hunk})
    for (const std::string& text : with_other_lines(form)) {
      const auto reply = read(text, code_);
      EXPECT_EQ(reply.source, edited_) << text << reply.evidence;
    }
  std::string added;
  for (const char c : "\n" + code_) added += c == '\n' ? "\n+" : std::string(1, c);
  added = added.substr(1, added.size() - 2);
  EXPECT_EQ(read("*** Begin Patch\n*** Add File: relu.cpp\n" + added + "*** End Patch\n").source,
            code_);
  EXPECT_THAT(read(patch), IsUnusable(ReplyTrouble::NoParent, ""));
  EXPECT_THAT(read("*** Begin Patch\n*** Update File: relu.cpp\n@@\n" + hunk, code_, true),
              IsUnusable(ReplyTrouble::CutOff, testing::StartsWith("diff in line")));
}

TEST_F(ReplyForms, CodeMayStandInJson) {
  const std::string plain = dump_json(Json{{"plan", "Branchless."}, {"code", code_}});
  const std::string call = dump_json(
      Json{{"name", "write_file"}, {"arguments", {{"path", "relu.cpp"}, {"content", code_}}}});
  const std::string in_string = dump_json(Json{
      {"tool_calls",
       {{{"function", {{"name", "submit"}, {"arguments", dump_json(Json{{"source", code_}})}}}}}}});
  const std::string fenced_code = dump_json(Json{{"answer", "```cpp\n" + code_ + "```"}});
  Json lines = {{"kernel", Json::array()}};
  for (const char* line : {"#include <cmath>", "void relu(int n, const float* x, float* y) {"})
    lines["kernel"].push_back(line);
  lines["kernel"].push_back(old_line_.substr(0, old_line_.size() - 1));
  lines["kernel"].push_back("}");
  for (const std::string& json : {plain, call, in_string, fenced_code, dump_json(lines),
                                  dump_json_pretty(Json{{"code", code_}})})
    for (const std::string& text :
         {json, "Here it is.\n\n```json\n" + json + "\n```\n", "```\n" + json + "\n```\n",
          "<tool_call>\n" + json + "\n</tool_call>", "[" + json + "]",
          "<TOOL_CALL>" + json + "</TOOL_CALL>"}) {
      const auto reply = read(text);
      EXPECT_EQ(reply.source, code_) << text << reply.evidence;
      EXPECT_EQ(reply.note, "The code was taken out of JSON.");
    }
  EXPECT_EQ(read("Here it is.\n\n```json\n" + plain + "\n```\n").plan, "Here it is.");
  for (const auto& [old_name, new_name] : std::vector<std::pair<std::string, std::string>>{
           {"old_str", "new_str"}, {"search", "replace"}, {"old_string", "new_string"}}) {
    const std::string edit = dump_json(
        Json{{"edits", {{{old_name, old_line_}, {new_name, new_line_}, {"path", "relu.cpp"}}}}});
    EXPECT_EQ(read(edit, code_).source, edited_) << edit;
  }
}

TEST_F(ReplyForms, JsonThatCannotBeReadIsNamed) {
  const std::string json = dump_json(Json{{"code", code_}});
  const std::string half = json.substr(0, json.size() - 9);
  for (const std::string& text : {half, "```json\n" + half, "```json\n" + half + "\n```\n"}) {
    EXPECT_THAT(read(text), IsUnusable(ReplyTrouble::BrokenJson, "")) << text;
    EXPECT_THAT(read(text, "", true), IsUnusable(ReplyTrouble::CutOff, "JSON")) << text;
  }
  EXPECT_THAT(read("{\"code\": \"" + code_ + "\"}"), IsUnusable(ReplyTrouble::BrokenJson, ""))
      << "newlines that are not escaped";
}

TEST_F(ReplyForms, CodeMayStandBetweenTags) {
  for (const auto& [open, close] : std::vector<std::pair<std::string, std::string>>{
           {"<code>", "</code>"},
           {"<CODE>", "</CODE>"},
           {"<kernel>", "</kernel>"},
           {"<file path=\"relu.cpp\">", "</file>"},
           {"<pre><code class=\"language-cpp\">", "</code></pre>"},
           {"<answer><![CDATA[", "]]></answer>"},
           {"<invoke name=\"write\"><parameter name=\"content\">", "</parameter></invoke>"},
           {"<function=write>\n<parameter=content>", "</parameter>\n</function>"}})
    for (const std::string& form :
         {open + "\n" + code_ + close, "Plan.\n" + open + code_ + close + "\nDone.",
          "```xml\n" + open + "\n" + code_ + close + "\n```\n"})
      for (const std::string& text : with_other_lines(form)) {
        const auto reply = read(text);
        EXPECT_EQ(reply.source, code_) << text << reply.evidence;
        EXPECT_THAT(reply.note, StartsWith("The code was taken out of the tag <"));
      }
  EXPECT_EQ(read("Plan.\n<code>\n" + code_).source, code_) << "never closed";
  EXPECT_THAT(read("Plan.\n<code>\n" + code_, "", true),
              IsUnusable(ReplyTrouble::CutOff, "the tag <code>"));
  EXPECT_EQ(read("<edit><old_str>\n" + old_line_ + "</old_str>\n<new_str>\n" + new_line_ +
                     "</new_str></edit>",
                 code_)
                .source,
            edited_);
  EXPECT_EQ(
      read("<search>\n" + old_line_ + "</search><replace>\n" + new_line_ + "</replace>", code_)
          .source,
      edited_);
}

TEST_F(ReplyForms, CharactersThatNobodySeesAreNone) {
  const std::string block = "```cpp\n" + code_ + "```\n";
  EXPECT_EQ(read("\xEF\xBB\xBF" + block).source, code_);
  EXPECT_EQ(read("```cpp\n\xEF\xBB\xBF" + code_ + "```\n").source, code_);
  EXPECT_EQ(read("\xEF\xBB\xBF" + code_).source, code_) << "no fence at all";
  std::string blanks;
  for (std::size_t i = 0; i < code_.size(); ++i)
    blanks += code_[i] == ' ' ? std::string("\xC2\xA0") : std::string(1, code_[i]);
  EXPECT_EQ(read("```cpp\n" + blanks + "```\n").source, code_);
  EXPECT_EQ(read("\xE2\x80\x8B```cpp\n" + code_ + "```\n").source, code_);
  EXPECT_EQ(read("<<<<<<<\xC2\xA0SEARCH\n" + old_line_ + "=======\n" + new_line_ +
                     ">>>>>>>\xC2\xA0REPLACE\n",
                 code_)
                .source,
            edited_);
}

TEST_F(ReplyForms, EntitiesOfHtmlAreCharacters) {
  std::string escaped;
  for (const char c : code_) escaped += c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
  EXPECT_EQ(read("```cpp\n" + escaped + "```\n").source, code_);
  EXPECT_EQ(read("<pre><code>" + escaped + "</code></pre>").source, code_);
  EXPECT_EQ(read("&lt;&lt;&lt;&lt;&lt;&lt;&lt; SEARCH\n" + old_line_ + "=======\n" + new_line_ +
                     "&gt;&gt;&gt;&gt;&gt;&gt;&gt; REPLACE\n",
                 code_)
                .source,
            edited_);
  const std::string address = code_ + "int lt;\nint* p = &lt;\nint* q = p &amp;&amp; p ? p : 0;\n";
  EXPECT_THAT(read("```cpp\n" + address + "```\n").source,
              testing::AllOf(HasSubstr("p = &lt;\n"), HasSubstr("p && p")));
}

TEST_F(ReplyForms, OfSeveralBlocksTheOneThatIsTakenIsNamed) {
  const std::string block = "```cpp\n" + code_ + "```\n";
  EXPECT_THAT(read(block).note, IsEmpty());
  EXPECT_EQ(read("One:\n" + block + "Better:\n" + block).note,
            "Of 2 fenced blocks of the reply that define relu, the last, in line 9, was taken.");
  EXPECT_EQ(read("```\nint a;\n```\n```\nint ab;\n```\n").note,
            "Of 2 fenced blocks of the reply, none of which seems to define relu, the longest, in "
            "line 4, was taken.");
  EXPECT_THAT(read("```bash\nmake\n```\n" + block).note, IsEmpty()) << "the other is no code";
  EXPECT_THAT(read("<<<<<<< SEARCH\nnowhere\n=======\nb\n>>>>>>> REPLACE\n" + block, edited_).note,
              HasSubstr("the whole file in its line 6 was taken"));
}

TEST_F(ReplyForms, FilesAreReadThroughTheSameForms) {
  const std::vector<std::string> names = {"task.yaml", "reference.cpp"};
  const auto files = [&](const std::string& text) { return parse_files(text, names, false).files; };
  EXPECT_EQ(files("\xEF\xBB\xBF```yaml task.yaml\nname: a\n```\n").count("task.yaml"), 1u);
  EXPECT_EQ(files("```yaml task.yaml\nname: a```\n").at("task.yaml"), "name: a\n");
  EXPECT_EQ(files("```yaml task.yaml\nname: a\n```\n</think>").count("task.yaml"), 1u);
  EXPECT_EQ(files("*** Begin Patch\n*** Add File: task.yaml\n+name: a\n*** Add File: "
                  "reference.cpp\n+int a;\n*** End Patch\n"),
            (std::map<std::string, std::string>{{"reference.cpp", "int a;\n"},
                                                {"task.yaml", "name: a\n"}}));
}

}  // namespace
}  // namespace kw::propose
