// Tests of `// kw:` lines, knobs, settings and pinned sources.
// SPDX-License-Identifier: Apache-2.0
#include "task/header.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "base/byte_order_mark.h"
#include "base/text.h"

namespace kw::task {
namespace {

const char* const kSource = R"(// kw: tune BLOCK = 64, 128, 256
// kw: tune UNROLL = 1, 2
//kw:let TILE = BLOCK * 4, HALF = TILE / 2
  // kw: require TILE * UNROLL <= 1024
// kw: require BLOCK > 64 || UNROLL == 2
// kw: option fast_math, O2
// kw: technique tiling, vectorization
// kwargs are no directive
void saxpy(int n, float a, const float* x, float* y) {}
)";

/// A line "PLACE ABOUT" for each complaint about the source.
std::string errors_of(std::string_view source) {
  const auto header = parse_header(source, "a.cpp");
  if (header) return "fine";
  std::string text;
  for (const auto& finding : header.error()) text += finding.place + " " + finding.about + "\n";
  return text;
}

TEST(Header, ReadsEveryDirective) {
  const auto header = parse_header(kSource, "a.cpp").value();
  ASSERT_EQ(header.knobs.size(), 2u);
  EXPECT_EQ(header.knobs[0].name, "BLOCK");
  EXPECT_EQ(header.knobs[0].values, (std::vector<std::int64_t>{64, 128, 256}));
  EXPECT_EQ(header.derived[1].name, "HALF");
  EXPECT_EQ(header.options, (std::vector<std::string>{"fast_math", "O2"}));
  EXPECT_EQ(header.techniques, (std::vector<std::string>{"tiling", "vectorization"}));
  EXPECT_TRUE(parse_header("void f() {}", "a.cpp").value().knobs.empty());
}

TEST(Header, EnumeratesWhatExists) {
  const auto header = parse_header(kSource, "a.cpp").value();
  const std::vector<KnobPoint> expected = {{{"BLOCK", 64}, {"UNROLL", 2}},
                                           {{"BLOCK", 128}, {"UNROLL", 1}},
                                           {{"BLOCK", 128}, {"UNROLL", 2}},
                                           {{"BLOCK", 256}, {"UNROLL", 1}}};
  EXPECT_EQ(header.points(100), expected);
  EXPECT_EQ(header.points(2).size(), 2u);
  EXPECT_EQ(header.default_point(), expected[0]) << "the first values are excluded";
  EXPECT_FALSE(header.is_valid({{"BLOCK", 96}, {"UNROLL", 1}}));
  EXPECT_FALSE(header.is_valid({{"BLOCK", 128}}));
  EXPECT_FALSE(header.is_valid({{"BLOCK", 128}, {"OTHER", 1}}));
  EXPECT_EQ(header.defines(expected[1]),
            (std::vector<std::string>{"BLOCK=128", "UNROLL=1", "TILE=512", "HALF=256"}));
  EXPECT_EQ(parse_header("int x;", "a.cpp").value().points(9), (std::vector<KnobPoint>{{}}));
}

TEST(Header, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(errors_of("int x;\n  // kw: tunee A = 1\n"), "a.cpp:2:10 directive tunee -> tune\n");
  EXPECT_EQ(errors_of("// kw:\n"), "a.cpp:1:7 directive \n");
  EXPECT_EQ(errors_of("// kw: tune A\n"), "a.cpp:1:13 NAME = value\n");
  EXPECT_EQ(errors_of("// kw: tune\n"), "a.cpp:1:12 NAME = value\n");
  EXPECT_EQ(errors_of("// kw: tune int = 1\n"), "a.cpp:1:13 name int\n");
  EXPECT_EQ(errors_of("// kw: tune A = 1, x\n"), "a.cpp:1:20 knob value: x\n");
  EXPECT_EQ(errors_of("// kw: tune A = 1, 2, 1\n"), "a.cpp:1:23 twice 1\n");
  EXPECT_EQ(errors_of("// kw: tune A = 1\n// kw: let A = 2\n"), "a.cpp:2:12 twice A\n");
  EXPECT_EQ(errors_of("// kw: tune SIZE = 1\n// kw: let B = min(SIZ, 3), C = B +\n"),
            "a.cpp:2:20 SIZ -> SIZE\n");
  EXPECT_EQ(errors_of("// kw: require A > 0\n"), "a.cpp:1:16 A\n");
  EXPECT_EQ(errors_of("// kw: option fastmath\n"), "a.cpp:1:15 option fastmath -> fast_math\n");
  EXPECT_EQ(errors_of("// kw: library mkl\n"), "a.cpp:1:16 library mkl\n");
  EXPECT_EQ(errors_of("// kw: tune A = 1, 2\n// kw: require A > 2\n"), "a.cpp:2:16 knobs\n");
  EXPECT_EQ(errors_of("// kw: tune A = 0\n// kw: let B = 4 / A\n"), "a.cpp:1:1 knobs\n");
}

TEST(Header, AByteOrderMarkIsNoPartOfTheSource) {
  const std::string source = "// kw: tune A = 3, 4\nint f();\n";
  const auto candidate =
      make_candidate("mine", std::string(kByteOrderMark) + source, Origin::Human, {});
  ASSERT_TRUE(candidate.has_value());
  EXPECT_EQ(candidate->source, source);
  EXPECT_EQ(candidate->sha256, make_candidate("mine", source, Origin::Human, {})->sha256);
  EXPECT_EQ(candidate->knobs, (KnobPoint{{"A", 3}}));
  const auto wrong = parse_header(std::string(kByteOrderMark) + "// kw: tun A = 3\n", "mine.cpp");
  ASSERT_FALSE(wrong.has_value());
  EXPECT_EQ(wrong.error().front().place, "mine.cpp:1:8");
}

TEST(Header, RefusesWhatIsNoSource) {
  EXPECT_EQ(errors_of(" \n\t"), "a.cpp:1:1 empty\n");
  EXPECT_EQ(errors_of(std::string("int x;\n\0\1", 9)), "a.cpp:2:1 text file\n");
  EXPECT_EQ(errors_of(std::string(3 << 20, 'x')), "a.cpp:1:1 1 MiB\n");
  std::string many;
  for (int i = 0; i < 300; ++i) many += "// kw: technique x\n";
  EXPECT_EQ(errors_of(many), "a.cpp:201:8 at most 200 lines\n");
}

TEST(Header, DrawsTheLine) {
  const auto header = parse_header("int x;\n// kw: tunee A = 1\n", "a.cpp");
  EXPECT_EQ(to_text(header.error()),
            "a.cpp:2:8: unknown directive 'tunee' (did you mean 'tune'?)\n"
            "2 | // kw: tunee A = 1\n"
            "  |        ^ unknown directive 'tunee' (did you mean 'tune'?)\n");
}

TEST(Header, KeepsToTheRestrictions) {
  const auto header =
      parse_header("// kw: option fast_math, O2\n// kw: library openblas\n", "a").value();
  Restrictions none;
  EXPECT_EQ(check_restrictions(header, none, Origin::Human).size(), 2u);
  EXPECT_EQ(check_restrictions(header, none, Origin::Baseline).size(), 1u);
  Restrictions all;
  all.options = {"fast_math"};
  all.libraries = {"openblas"};
  EXPECT_TRUE(check_restrictions(header, all, Origin::Human).empty());
}

TEST(Knobs, TakesSettings) {
  const auto header = parse_header(kSource, "a.cpp").value();
  const auto set = [&](std::vector<std::string> settings) {
    const auto point = apply_settings(header, settings);
    return point ? "BLOCK=" + std::to_string(point->at("BLOCK"))
                 : fmt::format("{} {}", name_of(point.error().code), point.error().about);
  };
  EXPECT_EQ(set({}), "BLOCK=64");
  EXPECT_EQ(set({"BLOCK=256", "UNROLL=1"}), "BLOCK=256");
  EXPECT_EQ(set({"BLOCK=256"}), "contradiction require");
  EXPECT_EQ(set({"BLOK=256"}), "not_found BLOK -> BLOCK");
  EXPECT_EQ(set({"BLOCK=100"}), "out_of_range BLOCK=100");
  EXPECT_EQ(set({"BLOCK=x"}), "out_of_range BLOCK=x");
  EXPECT_EQ(set({"BLOCK"}), "bad_input BLOCK");
}

TEST(Knobs, PinsASource) {
  const auto header = parse_header(kSource, "a.cpp").value();
  const KnobPoint point = {{"BLOCK", 128}, {"UNROLL", 2}};
  const auto pinned = pin_knobs(kSource, header, point);
  EXPECT_TRUE(
      pinned.starts_with("#define BLOCK 128\n#define UNROLL 2\n#define TILE 512\n#define HALF 256\n"
                         "// kw: tune BLOCK = 128\n// kw: tune UNROLL = 2\n//kw:let TILE"))
      << pinned;
  const auto again = parse_header(pinned, "a.cpp").value();
  EXPECT_EQ(again.points(10), (std::vector<KnobPoint>{point}));
  EXPECT_EQ(again.defines(point), header.defines(point));
  EXPECT_EQ(again.options, header.options);
}

TEST(Candidate, CarriesWhatItsHeaderSays) {
  Restrictions restrictions;
  restrictions.options = {"fast_math"};
  const auto candidate = make_candidate("mine", kSource, Origin::Human, restrictions).value();
  EXPECT_EQ(candidate.knobs.at("UNROLL"), 2);
  EXPECT_EQ(candidate.options.size(), 2u);
  EXPECT_EQ(candidate.sha256.size(), 64u);
  EXPECT_FALSE(make_candidate("mine", kSource, Origin::Human, {}).has_value());
}

TEST(Header, HostLaunchersHaveLibrariesAndWorkspacesAlone) {
  const auto parse = [](const char* source) { return parse_header(source, "a.cu", Target::Cuda); };
  const auto complaint = [&](const char* source) {
    const auto header = parse(source);
    return header ? std::string("accepted") : header.error().front().about;
  };
  const auto header = parse(
      "// kw: dialect host\n// kw: library cublas, cub\n// kw: workspace w u8 [64]\nint f();\n");
  ASSERT_TRUE(header.has_value()) << to_text(header.error());
  EXPECT_EQ(header->dialect, "host");
  EXPECT_EQ(header->libraries, (std::vector<std::string>{"cublas", "cub"}));
  const std::string launch = "// kw: launch k grid(1) block(1) args()\n";
  EXPECT_EQ(complaint(("// kw: dialect host\n" + launch).c_str()), "host plan");
  EXPECT_EQ(complaint(("// kw: library cublas\n" + launch).c_str()), "library");
  EXPECT_THAT(complaint("// kw: dialect host\n// kw: library openblas\n"),
              testing::StartsWith("library openblas"));
  const auto candidate =
      make_candidate("a", "// kw: dialect host\n", Origin::Baseline, {}, Target::Cuda);
  EXPECT_EQ(candidate.value().trust_class, TrustClass::HostLauncher);
}

RC_GTEST_PROP(HeaderProperty, SurvivesAnyText, ()) {
  const auto words = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
      "// kw: ", "tune ", "let ", "require ", "A", "B", " = ", "1", ", ", "(", ")", "\n", " * ",
      "/", "option ", "O2", "\t", "int x;"));
  std::string source = "//\n";
  for (const auto& word : words) source += word;
  const auto header = parse_header(source, "a.cpp");
  if (!header) {
    RC_ASSERT(!header.error().empty());
    return;
  }
  const auto point = header->default_point();
  RC_ASSERT(header->is_valid(point));
  RC_ASSERT(parse_header(pin_knobs(source, *header, point), "a.cpp").value().points(2).size() ==
            1u);
}

}  // namespace
}  // namespace kw::task
