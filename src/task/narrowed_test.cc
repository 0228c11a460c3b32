// Tests of variants that take fewer arguments than the task they are based on.
// SPDX-License-Identifier: Apache-2.0
#include "task/narrowed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error_for_test.h"
#include "task/load.h"
#include "task/resolve.h"
#include "task/units.h"

namespace kw::task {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kRowTask = R"(name: rows_padded
function: rows
dims: [n, m, pad, copies]
scalars:
  n: { dtype: i32 }
  m: { dtype: i32 }
  pitch: { dtype: i32, value: "m + pad" }
  copies: { dtype: i32 }
  scale: { dtype: f32, value: 2 }
tensors:
  x: { dtype: f32, shape: [n, m], role: in, pitch: "m + pad" }
  y: { dtype: f32, shape: [n, m], role: out, pitch: "m + pad" }
signature: [n, m, pitch, copies, scale, x, y]
gate: { kind: relative, c: 4, scale: 1 }
work:
  floor: { bytes: "8 * n * m", flops: "n" }
  nominal: { read_bytes: "4 * n * m", write_bytes: "4 * n * m", flops: "n", items: "n" }
)";

constexpr const char* kRowShapes = R"(check:
  - { name: odd, n: 3, m: 5, pad: 2, copies: 1 }
  - { name: twice, n: 3, m: 5, pad: 2, copies: 2 }
time:
  - { name: large, n: 64, m: 32, pad: 1, copies: 1 }
  - { name: more, n: 64, m: 32, pad: 1, copies: 2 }
)";

constexpr const char* kRowReference = R"(template <class Real>
void reference(int n, int m, int pitch, int copies, Real scale, const Real* x, Real* y) {}
template <class Real>
void magnitude(int n, int m, int pitch, int copies, Real scale, const Real* x, Real* y) {}
)";

constexpr const char* kWideRows =
    "void rows(int n, int m, int pitch, int copies, float scale, const float* x, float* y) {}\n";

constexpr const char* kNarrowRows = R"(name: rows
like: rows_padded
fixed: { pad: 0 }
only: { copies: 1 }
signature: [n, m, scale, x, y]
)";

Result<Definition> rows_variant(const std::string& yaml, const std::string& rows = kRowTask) {
  TaskFiles files{"tasks/rows", {{"task.yaml", yaml}}, {}};
  const auto beside = [&](std::string_view name) -> Result<TaskFiles> {
    if (name != "rows_padded") return TaskFiles();
    return TaskFiles{
        "tasks/rows_padded",
        {{"task.yaml", rows},
         {"shapes.yaml", kRowShapes},
         {"reference.cpp", kRowReference},
         {"spec.md", "# rows\n\nCopies rows.\n\nThey are `pitch` apart.\n\nAnd *`pads`*.\n"},
         {"baselines/omp.cpp", kWideRows},
         {"baselines/library.cu",
          "// kw: dialect host\n// kw: workspace scratch u8 [8]\n"
          "int rows(int n, int m, int pitch, int copies, float scale, const float* x, "
          "float* y, void* scratch, cudaStream_t stream) { return 0; }\n"}},
        {}};
  };
  KW_TRY(borrow(files, beside));
  return parse_task(files);
}

std::string complaints_of(const std::string& yaml, const std::string& rows = kRowTask) {
  const auto read = rows_variant(yaml, rows);
  return read ? "" : place_and_about(read.error());
}

TEST(NarrowedTask, TakesTheArgumentsThatAreLeft) {
  const auto definition = rows_variant(kNarrowRows);
  ASSERT_TRUE(definition) << describe(definition.error());
  EXPECT_EQ(parameter_list(definition->task),
            "int n, int m, float scale, const float* x, float* y");
  EXPECT_THAT(definition->dims, ElementsAre("n", "m"));
  const auto resolved = resolve(*definition, Target::Cpu, std::int64_t{1} << 30).value();
  ASSERT_EQ(resolved.workloads.size(), 2u) << "two copies are no workload of this variant";
  EXPECT_EQ(resolved.workloads[0].tensors[0].pitch, 5) << "without the other's padding";
  EXPECT_EQ(resolved.workloads[0].scalar("pitch")->integer, 5) << "plans may name it";
}

TEST(NarrowedTask, SourcesOfTheOtherGetAnOverload) {
  const auto definition = rows_variant(kNarrowRows).value();
  constexpr const char* kOverload =
      "\n// The same for rows.\n"
      "void rows(int n, int m, float scale, const float* x, float* y) {\n"
      "  [[maybe_unused]] const long long copies = 1;\n"
      "  [[maybe_unused]] const long long pad = 0;\n"
      "  rows(n, m, static_cast<int>(m + pad), static_cast<int>(copies), scale, x, y);\n}\n";
  ASSERT_EQ(definition.baselines.size(), 2u);
  EXPECT_THAT(definition.baselines[0].source,
              HasSubstr("int rows(int n, int m, float scale, const float* x, float* y, void* "
                        "scratch, cudaStream_t stream) {\n"));
  EXPECT_THAT(definition.baselines[0].source,
              HasSubstr("return rows(n, m, static_cast<int>(m + pad), static_cast<int>(copies), "
                        "scale, x, y, scratch, stream);"));
  EXPECT_EQ(definition.baselines[1].source, kWideRows + std::string(kOverload));
  EXPECT_THAT(definition.reference, HasSubstr("void reference(int n, int m, Real scale, const "
                                              "Real* x, Real* y) {\n"));
  EXPECT_THAT(definition.reference, HasSubstr("  magnitude(n, m, static_cast<int>(m + pad)"));
  const std::string own = "void rows(int n, int m, float scale, const float* x, float* y) {}\n";
  EXPECT_EQ(with_overload(definition, own, Target::Cpu), own);
  EXPECT_EQ(with_overload(definition, own + kWideRows, Target::Cpu), own + kWideRows + kOverload);
  // Two overloads cannot both have C linkage, so the function loses it; other functions keep C
  // linkage.
  const std::string other = "extern \"C\" void blas(int n);\n";
  EXPECT_EQ(with_overload(definition, other + "extern \"C\" " + kWideRows, Target::Cpu),
            other + "extern \"C++\" " + kWideRows + kOverload);
  EXPECT_EQ(with_overload(definition, other + "extern \"C\" {\n" + kWideRows + "}\n", Target::Cpu),
            other + "extern \"C++\" {\n" + kWideRows + "}\n" + kOverload);
  const std::string device = "// kw: launch k grid(1) block(1) args(pitch)\n";
  EXPECT_EQ(with_overload(definition, device, Target::Cuda), device);
}

TEST(NarrowedTask, ReadersAreNotToldOfWhatIsGone) {
  EXPECT_EQ(rows_variant(kNarrowRows)->task.spec, "# rows\n\nCopies rows.\n\nAnd *`pads`*.\n");
}

TEST(NarrowedTask, WhatCannotBeNarrowedIsRefused) {
  const std::string narrow = kNarrowRows;
  const auto with = [&](const std::string& what, const std::string& by) {
    std::string text = narrow;
    return text.replace(text.find(what), what.size(), by);
  };
  EXPECT_THAT(complaints_of(with("pad: 0", "pads: 0")),
              testing::StartsWith("tasks/rows/task.yaml:3:10 fixed: pads -> pad"));
  EXPECT_EQ(complaints_of(with("n, m, scale", "n, m")),
            "tasks/rows/task.yaml:5:12 signature: lacks scale");
  EXPECT_EQ(complaints_of(with("n, m, scale", "n, scale")),
            "tasks/rows/task.yaml:5:12 m = m\n"
            "tasks/rows/task.yaml:5:12 pitch = m + pad");
  EXPECT_EQ(complaints_of(with("copies: 1", "copies: 7")),
            "tasks/rows_padded/shapes.yaml:2:3 check: none left\n"
            "tasks/rows_padded/shapes.yaml:5:3 time: none left");
  EXPECT_THAT(complaints_of("name: rows\nlike: rows_padded\nsignature: [n, m, scale, x, y]\n"),
              testing::StartsWith("tasks/rows/task.yaml:3:12 signature: fixed"));
  std::string rows = kRowTask;
  rows.replace(rows.find("\"m + pad\""), 9, "\"max(m, pad)\"");
  EXPECT_THAT(complaints_of(narrow, rows), HasSubstr(" pitch = max(m, pad)"));
}

TEST(NarrowedTask, VariantsOfVariantsEndSomewhere) {
  TaskFiles files{"tasks/a", {{"task.yaml", "name: a\nlike: a\n"}}, {}};
  const auto endless = borrow(files, [&](std::string_view) -> Result<TaskFiles> {
    return TaskFiles{"tasks/a", {{"task.yaml", "name: a\nlike: a\n"}}, {}};
  });
  EXPECT_THAT(endless, IsErrorAbout(ErrorCode::BadInput, "like: at most 3"));
  EXPECT_THAT(endless, IsErrorAt("tasks/a/task.yaml:2:7"));
}

}  // namespace
}  // namespace kw::task
