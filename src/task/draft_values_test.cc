// Tests of the values that drafts choose by how the code uses its inputs.
// SPDX-License-Identifier: Apache-2.0
#include "task/draft_values.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "task/draft_name.h"
#include "task/resolve.h"
#include "task/test_draft.h"

namespace kw::task {
namespace {

/// The lines of task.yaml that give the tensor its values: "COMMENT | VALUES".
std::string values_of(const Draft& draft, const std::string& tensor) {
  const std::string& yaml = draft.files.at("task.yaml");
  const auto begin = yaml.find("\n  " + tensor + ":\n");
  if (begin == std::string::npos) return "no tensor";
  const auto values = yaml.find("    values: ", begin);
  if (values == std::string::npos) return "no values";
  const auto line = yaml.rfind('\n', values - 2) + 1;
  const std::string before = yaml.substr(line, values - 1 - line);
  const std::string comment = before.starts_with("    # ") ? before.substr(6) + " | " : "";
  const auto first = values + 12;
  return comment + yaml.substr(first, yaml.find('\n', first) - first);
}

std::string all_dims(const Draft& draft) {
  const auto definition = parse_task({"draft", draft.files});
  if (!definition) return place_and_about(definition.error());
  std::string text;
  for (const std::string& dim : definition->dims) text += dim + " ";
  return text;
}

TEST(DraftedValues, IndicesReachAllOfWhatTheyIndex) {
  const auto drafted = draft(
      "void pick(const float* words, const int* which, float* out, int known, int n, int d) {\n"
      "  for (int i = 0; i < n; ++i)\n"
      "    for (int j = 0; j < d; ++j) out[i * d + j] = words[which[i] * d + j];\n}\n");
  EXPECT_EQ(tensors_of(drafted), "words in [known, d]; which in [n]; out out [n, d]");
  EXPECT_EQ(values_of(drafted, "which"),
            "Indices of words (line 3). | { kind: integers, lo: 0, hi: \"known - 1\" }");
  EXPECT_EQ(all_dims(drafted), "known n d ");
}

TEST(DraftedValues, IndicesMayComeByALocal) {
  const auto drafted = draft(
      "void pick(int n, int known, const float* words, const int* which, float* out) {\n"
      "  for (int i = 0; i < n; ++i) {\n    const int w = which[i];\n    out[i] = words[w];\n"
      "  }\n}\n");
  EXPECT_EQ(tensors_of(drafted), "words in [known]; which in [n]; out out [n]");
  EXPECT_EQ(values_of(drafted, "which"),
            "Indices of words (line 4). | { kind: integers, lo: 0, hi: \"known - 1\" }");
}

TEST(DraftedValues, BoundsOfRowsAreOffsets) {
  const auto drafted = draft(
      "void rows(int n, int width, int nonzeros, const int* begin, const int* at,\n"
      "          const double* a, const double* x, double* y) {\n"
      "  for (int i = 0; i < n; ++i) {\n"
      "    double sum = 0;\n"
      "    for (int k = begin[i]; k < begin[i + 1]; ++k) sum += a[k] * x[at[k]];\n"
      "    y[i] = sum;\n  }\n}\n");
  EXPECT_EQ(tensors_of(drafted),
            "begin in [n + 1]; at in [nonzeros]; a in [nonzeros]; x in [width]; y out [n]");
  EXPECT_EQ(values_of(drafted, "begin"),
            "Row i lies from element i to below element i + 1 (line 5). | "
            "{ kind: offsets, count: \"nonzeros\" }");
  EXPECT_EQ(values_of(drafted, "at"),
            "Indices of x (line 5). | { kind: integers, lo: 0, hi: \"width - 1\" }");
  const auto definition = parse_task({"draft", drafted.files});
  ASSERT_TRUE(definition.has_value());
  for (const WorkloadSpec& spec : definition->workloads)
    EXPECT_GT(spec.dims.at("nonzeros"), 4 * spec.dims.at("n")) << "rows have several entries";
}

TEST(DraftedValues, BinsAreReachedByAllThatCountsInThem) {
  const auto drafted = draft(
      "void count(int n, int bins, const int* x, int* sums) {\n"
      "  for (int b = 0; b < bins; ++b) sums[b] = 0;\n"
      "  for (int i = 0; i < n; ++i) sums[x[i]]++;\n}\n");
  EXPECT_EQ(values_of(drafted, "x"),
            "Indices of sums (line 3). | { kind: integers, lo: 0, hi: \"bins - 1\" }");
}

TEST(DraftedValues, AreSmallWhereAProductThatRunsUpDivides) {
  const auto values_with = [](const std::string& loop) {
    return values_of(draft("void recurrence(int n, const double* r, double* y) {\n"
                           "  double a = -r[0], beta = 1;\n  y[0] = a;\n" +
                           loop + "}\n"),
                     "r");
  };
  EXPECT_EQ(values_with("  for (int k = 1; k < n; ++k) {\n    beta = (1 - a * a) * beta;\n"
                        "    a = -r[k] / beta;\n    y[k] = a;\n  }\n"),
            "The code divides by a product that it runs up, which stays near 1 for small numbers "
            "(line 6). | { kind: normal, mean: 0, std: 0.001953125 }");
  EXPECT_EQ(values_with("  for (int k = 1; k < n; ++k) beta = beta * 2 + r[k];\n"
                        "  for (int k = 1; k < n; ++k) y[k] = r[k] / beta;\n"),
            "{ kind: normal, mean: 0, std: 1 }")
      << "a sum by which another loop divides is none";
}

TEST(DraftedValues, AreOneHotRowsWhereTheNameSaysSo) {
  const auto drafted = draft(
      "void loss(int n, int m, const float p[n][m], const float oneHot[n][m], float* y) {\n"
      "  for (int i = 0; i < n; ++i) {\n    float sum = 0;\n"
      "    for (int j = 0; j < m; ++j) sum += p[i][j] * oneHot[i][j];\n    y[i] = sum;\n  }\n}\n");
  EXPECT_EQ(values_of(drafted, "oneHot"),
            "CHECK: the name says that each row has a single 1. | { kind: one_hot }");
}

TEST(DraftedValues, PlacesToWriteToAreEachWrittenOnce) {
  const auto drafted = draft(
      "void spread(int n, const int* to, const float* x, float* y) {\n"
      "  for (int i = 0; i < n; ++i) y[to[i]] = x[i];\n}\n");
  EXPECT_EQ(tensors_of(drafted), "to in [n]; x in [n]; y inout [n]");
  EXPECT_NE(values_of(drafted, "to").find("{ kind: permutation }"), std::string::npos)
      << values_of(drafted, "to");
}

TEST(DraftedValues, PlacesOfRowsAreEachWrittenOnceToo) {
  const auto drafted = draft(
      "void rows(int n, int m, const int* to, const float x[n][m], float y[n][m]) {\n"
      "  for (int i = 0; i < n; ++i)\n    for (int j = 0; j < m; ++j) y[to[i]][j] = x[i][j];\n}\n");
  EXPECT_NE(values_of(drafted, "to").find("{ kind: permutation }"), std::string::npos)
      << values_of(drafted, "to");
}

TEST(DraftedValues, SizesThatNothingNamesAreGuessedAlike) {
  const auto drafted = draft(
      "void rows(int n, const int* begin, const int* at, const double* a, const double* x,\n"
      "          double* y) {\n"
      "  for (int i = 0; i < n; ++i) {\n    const int first = begin[i], last = begin[i + 1];\n"
      "    double sum = 0;\n"
      "    for (int k = first; k < last; ++k) sum += a[k] * x[at[k]];\n    y[i] = sum;\n  }\n}\n");
  EXPECT_EQ(tensors_of(drafted),
            "begin in [n + 1]; at in [8 * n]; a in [8 * n]; x in [n]; y out [n]");
  EXPECT_EQ(values_of(drafted, "at"),
            "CHECK, the size is a guess: Indices of x (line 6). | "
            "{ kind: integers, lo: 0, hi: \"n - 1\" }");
  const auto edges = draft(
      "void push(int nodes, int edges, const int* from, const int* to, const float* x, float* y) "
      "{\n"
      "  for (int e = 0; e < edges; ++e) y[to[e]] += x[from[e]];\n}\n");
  EXPECT_EQ(tensors_of(edges), "from in [edges]; to in [edges]; x in [nodes]; y inout [nodes]");
}

TEST(DraftedValues, IndicesLieBelowWhatTheCodeComparesThemWith) {
  const auto drafted = draft(
      "void pick(int n, int spare, int known, const float* words, const int* which, float* y) {\n"
      "  for (int i = 0; i < n; ++i) if (which[i] < known) y[i] = words[which[i]] * spare;\n}\n");
  EXPECT_EQ(tensors_of(drafted), "words in [known]; which in [n]; y inout [n]");
  EXPECT_EQ(all_dims(drafted), "n known ");
}

TEST(DraftedValues, WhatIsSearchedIsSorted) {
  const auto searching = [](const std::string& type, const std::string& middle) {
    return draft("void places(int n, int m, const " + type + "* known, const " + type +
                 "* wanted, int* at) {\n  for (int i = 0; i < m; ++i) {\n"
                 "    int low = 0, high = n - 1;\n    while (low < high) {\n"
                 "      const int middle = " +
                 middle +
                 ";\n"
                 "      if (known[middle] < wanted[i]) low = middle + 1;\n"
                 "      else high = middle;\n    }\n    at[i] = low;\n  }\n}\n");
  };
  const auto real = searching("float", "low + (high - low) / 2");
  EXPECT_EQ(tensors_of(real), "known in [n]; wanted in [m]; at out [m]")
      << "no turn of the search writes to it";
  EXPECT_EQ(values_of(real, "known"),
            "A binary search needs sorted numbers (line 6). | { kind: sorted, lo: -3, hi: 3 }");
  EXPECT_EQ(values_of(real, "wanted"), "{ kind: normal, mean: 0, std: 1 }");
  const auto integer = searching("int", "(low + high) >> 1");
  EXPECT_NE(values_of(integer, "known").find("sorted, lo: -100, hi: 100"), std::string::npos);
  EXPECT_NE(values_of(integer, "wanted").find("integers, lo: -100, hi: 100"), std::string::npos);
}

TEST(DraftedValues, NumbersOfTurnsStayInTheirRow) {
  const auto drafted = draft(
      "void sums(int n, int width, const int* used, const float* x, float* y) {\n"
      "  for (int i = 0; i < n; ++i) {\n    float sum = 0;\n"
      "    for (int j = 0; j < used[i]; ++j) sum += x[i * width + j];\n    y[i] = sum;\n  }\n}\n");
  EXPECT_EQ(tensors_of(drafted), "used in [n]; x in [n, width]; y out [n]");
  EXPECT_EQ(values_of(drafted, "used"),
            "Numbers of turns of a loop (line 4). | { kind: integers, lo: 0, hi: \"width\" }");
}

TEST(DraftedValues, IntegersSpanWhatTheCodeCanTake) {
  const auto of = [](const std::string& type, const std::string& statement) {
    return values_of(draft("void f(int n, const " + type + "* x, long long* y) {\n" +
                           "  for (int i = 0; i < n; ++i) " + statement + "\n}\n"),
                     "x");
  };
  EXPECT_NE(of("unsigned", "y[i] = x[i] > x[0] ? x[i] : 0;").find("hi: 4294967295"),
            std::string::npos);
  EXPECT_NE(of("unsigned char", "y[i] = x[i] * 2;").find("lo: 0, hi: 255"), std::string::npos);
  EXPECT_NE(of("signed char", "y[i] = x[i] + 2;").find("lo: -128, hi: 127"), std::string::npos);
  EXPECT_NE(of("int", "y[i] = x[i] + 2;").find("lo: -1000, hi: 1000"), std::string::npos);
  EXPECT_NE(of("int", "y[i] += x[i] * x[i];").find("lo: -100, hi: 100"), std::string::npos);
  EXPECT_NE(of("int", "y[i] = x[i];").find("lo: -2147483648, hi: 2147483647"), std::string::npos);
  EXPECT_NE(of("int", "y[i] = 100 / x[i];").find("lo: 1, hi: 100"), std::string::npos);
  EXPECT_NE(of("int", "y[i] = 100 % x[i];").find("lo: 1, hi: 100"), std::string::npos);
  EXPECT_NE(of("int", "y[i] = x[i] > 50 ? 1 : 0;").find("lo: -30, hi: 80"), std::string::npos);
  EXPECT_NE(of("int", "y[i] = x[i] > x[0] ? 1 : 0;").find("hi: 2147483647"), std::string::npos);
  EXPECT_NE(of("int", "y[x[i] % n] = 1;").find("CHECK"), std::string::npos);
  EXPECT_NE(of("int", "y[i] = 1 << x[i];").find("lo: 0, hi: 7"), std::string::npos);
  EXPECT_NE(of("char", "y[i] = x[i] == 3 ? 1 : 0;").find("lo: 0, hi: 5"), std::string::npos);
  EXPECT_NE(of("char", "y[i] = x[i] == 'a';").find("lo: 95, hi: 99"), std::string::npos);
}

TEST(DraftedValues, BytesNeverPassTheirType) {
  const auto drafted = draft(
      "void count(int n, const unsigned char* x, int* sums) {\n"
      "  for (int b = 0; b < 256; ++b) sums[b] = 0;\n"
      "  for (int i = 0; i < n; ++i) sums[x[i]] += 1;\n}\n");
  EXPECT_EQ(values_of(drafted, "x"),
            "Indices of sums (line 3). | { kind: integers, lo: 0, hi: \"255\" }");
  const auto many = draft(
      "void count(int n, int bins, const unsigned char* x, int* sums) {\n"
      "  for (int b = 0; b < bins; ++b) sums[b] = 0;\n"
      "  for (int i = 0; i < n; ++i) sums[x[i]] += 1;\n}\n");
  EXPECT_NE(values_of(many, "x").find("hi: \"min(bins - 1, 255)\""), std::string::npos);
}

TEST(DraftedValues, NumbersInMacrosCount) {
  const auto drafted = draft(
      "#define BOTH(a, b) ((a) + (b) == 4)\n"
      "void f(int n, const char* x, int* y) {\n"
      "  for (int i = 0; i < n; ++i) y[i] = BOTH(x[i], x[0]);\n}\n");
  EXPECT_EQ(values_of(drafted, "x"),
            "Around the numbers with which the code compares these (line 3). | "
            "{ kind: integers, lo: 0, hi: 6 }");
}

TEST(DraftedValues, MatricesCanBeFactorised) {
  const auto root = draft(
      "#include <math.h>\n"
      "void factor(int n, double a[n][n]) {\n"
      "  for (int j = 0; j < n; ++j) {\n"
      "    for (int k = 0; k < j; ++k) a[j][j] -= a[j][k] * a[j][k];\n"
      "    a[j][j] = sqrt(a[j][j]);\n"
      "    for (int i = j + 1; i < n; ++i) a[i][j] /= a[j][j];\n  }\n}\n");
  EXPECT_NE(values_of(root, "a").find("(line 5). | { kind: spd }"), std::string::npos)
      << values_of(root, "a");
  const auto solved = draft(
      "void solve(int n, const double* l, double* x) {\n"
      "  for (int i = 0; i < n; ++i) {\n"
      "    for (int j = 0; j < i; ++j) x[i] -= l[i * n + j] * x[j];\n"
      "    x[i] = x[i] / l[i * n + i];\n  }\n}\n");
  EXPECT_NE(values_of(solved, "l").find("(line 4). | { kind: dominant }"), std::string::npos)
      << values_of(solved, "l");
}

TEST(DraftedValues, DivisorsAndArgumentsOfRootsArePositive) {
  const auto drafted = draft(
      "#include <math.h>\n"
      "void f(int n, const float* x, const float* y, const float* u, float* z) {\n"
      "  for (int i = 0; i < n; ++i) z[i] = u[i] / x[i] + sqrtf(y[i]);\n}\n");
  EXPECT_NE(values_of(drafted, "x").find("uniform, lo: 0.5, hi: 2"), std::string::npos);
  EXPECT_NE(values_of(drafted, "y").find("uniform, lo: 0.5, hi: 2"), std::string::npos);
  EXPECT_EQ(values_of(drafted, "u"), "{ kind: normal, mean: 0, std: 1 }");
}

TEST(DraftedValues, IntegersThatAreNoSizesAreScalars) {
  const auto drafted = draft(
      "void f(int n, int more, int times, const int* x, int* y) {\n"
      "  for (int i = 0; i < n; ++i) y[i] = x[i] * times + more;\n}\n");
  EXPECT_EQ(all_dims(drafted), "n ");
  const auto definition = parse_task({"draft", drafted.files});
  ASSERT_TRUE(definition.has_value());
  const auto workload = resolve(*definition, definition->workloads.front()).value();
  const std::int64_t more = workload.scalar("more")->integer;
  const std::int64_t times = workload.scalar("times")->integer;
  EXPECT_NE(more, times);
  EXPECT_GT(std::min(more, times), 1);
  EXPECT_EQ(all_dims(draft("void f(int k, int* y) {\n  y[0] = k;\n}\n")), "k ")
      << "a task has a dim";
}

TEST(DraftedValues, LimitsOfLoopsAreCountsOfSomeTurns) {
  const auto drafted = draft(
      "void f(int w, int h, double left, double right, double low, double high, int most,\n"
      "       unsigned char* out) {\n"
      "  for (int j = 0; j < h; ++j)\n    for (int i = 0; i < w; ++i) {\n"
      "      double x = left + (right - left) * i / w, y = low + (high - low) * j / h;\n"
      "      int k = 0;\n"
      "      while (x * x + y * y < 9 && k < most) {\n        x = x * x - y;\n        ++k;\n"
      "      }\n      out[j * w + i] = k;\n    }\n}\n");
  const auto definition = parse_task({"draft", drafted.files});
  ASSERT_TRUE(definition.has_value());
  for (const WorkloadSpec& spec : definition->workloads) {
    EXPECT_GE(spec.dims.at("most"), 20);
    EXPECT_LE(spec.dims.at("most"), 50);
  }
  const auto workload = resolve(*definition, definition->workloads.front()).value();
  const auto real = [&](const char* name) { return workload.scalar(name)->real; };
  EXPECT_LT(real("left"), real("right"));
  EXPECT_LT(real("low"), real("high"));
  std::vector<double> all = {real("left"), real("right"), real("low"), real("high"), 0, 1};
  std::ranges::sort(all);
  EXPECT_EQ(std::ranges::adjacent_find(all), all.end());
}

TEST(DraftedValues, WhatIsOnlyToldFromZeroIsOftenZero) {
  const auto of = [](const std::string& type, const std::string& statement) {
    return values_of(draft("void f(int n, const " + type + "* x, const float* u, float* y) {\n" +
                           "  for (int i = 0; i < n; ++i) { y[i] = 0; " + statement + " }\n}\n"),
                     "x");
  };
  const char* const flags =
      "The code tells these apart from 0, and nothing else (line 2). | "
      "{ kind: integers, lo: 0, hi: 2 }";
  for (const char* const statement :
       {"if (x[i]) y[i] = u[i];", "if (!x[i]) y[i] = u[i];", "y[i] = x[i] ? u[i] : 0;",
        "if (x[i] != 0) y[i] = u[i];", "if (0 == x[i]) y[i] = u[i];",
        "if (x[i] && u[i] > 0) y[i] = u[i];", "if (u[i] > 0 || x[i]) y[i] = u[i];",
        "const int is_kept = x[i]; if (is_kept) y[i] = u[i];"})
    for (const char* const type : {"unsigned char", "int", "float"})
      EXPECT_EQ(of(type, statement), flags) << type << ": " << statement;
  EXPECT_EQ(of("bool", "if (x[i]) y[i] = u[i];"),
            "The code tells these apart from 0, and nothing else (line 2). | "
            "{ kind: integers, lo: 0, hi: 1 }");
  for (const char* const statement :
       {"if (x[i]) y[i] = x[i] * u[i];", "if (x[i] == 2) y[i] = u[i];", "y[i] = x[i];",
        "if (x[i]) y[i] = helper(x);", "const int k = x[i]; if (k) y[i] = k;"})
    EXPECT_NE(of("int", statement), flags) << statement;
}

TEST(DraftedValues, BytesOfImagesAreAllValues) {
  const auto drafted = draft(
      "void grey(int h, int w, const unsigned char* image, unsigned char* out) {\n"
      "  for (int i = 0; i < h * w; ++i)\n"
      "    out[i] = (image[3 * i] + image[3 * i + 1] + image[3 * i + 2]) / 3;\n}\n");
  EXPECT_EQ(values_of(drafted, "image"),
            "All values of the type. | { kind: integers, lo: 0, hi: 255 }");
}

RC_GTEST_PROP(DraftedValuesProperty, AnyUseOfAnArrayGivesATaskThatLoads, ()) {
  const auto words = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
      "x", "at", "y", "[", "]", "[i]", "[at[i]]", "i", "k", "m", "a", "b", "(", ")", "=", "<",
      ">=", "==", "+", "-", "*", "/", "%", "2", "1", ";", "for (", "while (", "if (", "sqrtf(", ",",
      "{", "}", "int", "else", ">>", "++"));
  std::string source =
      "void f(int n, int m, float a, float b, const int* at, float* x, int* y) {\n"
      "  for (int i = 0; i < n; ++i) { ";
  for (const auto& word : words) source += word + " ";
  source += "}}";
  const auto drafted = draft_from_source(source, "f.c", "f", "");
  if (drafted) RC_ASSERT(parse_task({"draft", drafted->files}).has_value());
}

TEST(DraftedNames, BecomeThoseOfTasks) {
  EXPECT_EQ(task_name("2mm"), "k_2mm");
  EXPECT_EQ(task_name("fdtd-2d"), "fdtd_2d");
  EXPECT_EQ(task_name("Int"), "k_int");
  EXPECT_EQ(task_name("plain"), "plain");
  EXPECT_FALSE(can_name_task(task_name("../x")));
  EXPECT_FALSE(can_name_task(task_name("")));
  const auto drafted = draft_from_source(
      "void f(int n, const float* x, float* y) {\n  for (int i = 0; i < n; ++i) y[i] = x[i];\n}\n",
      "2mm.c", "", "2mm");
  ASSERT_TRUE(drafted.has_value()) << describe(drafted.error());
  EXPECT_EQ(drafted->name, "k_2mm");
  EXPECT_TRUE(std::ranges::any_of(
      drafted->notes, [](const std::string& note) { return note.starts_with("the name: "); }));
}

TEST(DraftedValues, ElementsAreSometimesEqualToAnIntegerOfTheCaller) {
  const std::string yaml =
      draft(
          "void f(int n, const int* keys, int k, const float* x, float* y) {\n"
          "  for (int i = 0; i < n; ++i) y[i] = keys[i] == k ? 3 * x[i] : 2 * x[i];\n}\n")
          .files.at("task.yaml");
  EXPECT_TRUE(yaml.contains("values: { kind: integers, lo: -30, hi: 30 }")) << yaml;
  EXPECT_TRUE(yaml.contains("k: { dtype: i32, value: \"7\" }")) << yaml;
}

TEST(DraftedValues, ElementsAreComparedWithNamesOfNumbers) {
  const std::string yaml =
      draft(
          "#define EMPTY 3\nenum { RED, BLUE = 5 };\n"
          "void f(int n, const int* c, const int* d, float* y) {\n"
          "  for (int i = 0; i < n; ++i) y[i] = c[i] == BLUE ? 1 : d[i] != EMPTY ? 2 : 3;\n}\n")
          .files.at("task.yaml");
  EXPECT_TRUE(yaml.contains("values: { kind: integers, lo: 0, hi: 7 }")) << yaml;
  EXPECT_TRUE(yaml.contains("values: { kind: integers, lo: 0, hi: 5 }")) << yaml;
}

}  // namespace
}  // namespace kw::task
