// Tests of what each form of an export contains and which kernels it refuses, on shipped tasks.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "base/error_for_test.h"
#include "deliver/delivery.h"
#include "deliver/parts.h"
#include "deliver/torch_signature.h"
#include "task/load.h"
#include "task/plan_resolve.h"
#include "task/resolve.h"
#include "task/specialise.h"

namespace kw::deliver {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Delivery delivery(const std::string& task, std::string_view source, Target target = Target::Cpu) {
  Delivery d;
  d.definition = task::load_task(std::string(KW_SOURCE_DIR) + "/tasks/" + task).value();
  auto kernel =
      task::make_candidate("mine", source, Origin::Human, d.definition.task.restrictions, target);
  EXPECT_TRUE(kernel.has_value()) << task::to_text(kernel.error());
  d.kernel = *kernel;
  d.header = *task::parse_header(d.kernel);
  d.name = "kw_" + task;
  d.story = {"mine.cpp", "2.0x reference", "a processor", "2026-01-01", licence_of(source), ""};
  d.workloads = task::resolve(d.definition, target, 1 << 20).value().workloads;
  if (target == Target::Cuda) {
    Built built{"sm_90a",
                "\x7f"
                "ELF-like",
                {}};
    const auto kernels =
        task::kernel_names(d.header, source, "mine.cu", d.kernel.knobs, "sm_90a").value();
    for (const std::string& name : kernels) {
      KernelFacts facts;
      facts.name = name;
      facts.symbol = "_symbol_of_" + std::to_string(built.kernels.size());
      built.kernels.push_back(facts);
    }
    d.built.push_back(std::move(built));
  }
  return d;
}

constexpr const char* kSaxpy = "void saxpy(int n, float a, const float* x, float* y) {}\n";

TEST(Deliver, OptionsOfAKernelBecomeFlagsOfEveryForm) {
  const Delivery d =
      delivery("saxpy", std::string("// kw: option fast_math, unroll_loops\n") + kSaxpy);
  EXPECT_THAT(deliver(Form::Header, d).value().at("kw_saxpy.h"),
              HasSubstr("-ffast-math -funroll-loops"));
  EXPECT_THAT(deliver(Form::Source, d).value().at("kw_saxpy.cpp"),
              HasSubstr("-ffast-math -funroll-loops"));
  EXPECT_THAT(deliver(Form::CMake, d).value().at("CMakeLists.txt"),
              HasSubstr("-ffast-math -funroll-loops"));
  EXPECT_THAT(deliver(Form::Torch, d).value().at("setup.py"),
              HasSubstr("\"-ffast-math\", \"-funroll-loops\""));
}

TEST(Deliver, EveryFormHasItsPapers) {
  Delivery d =
      delivery("saxpy", "// SPDX-License-Identifier: BSD-3-Clause\n" + std::string(kSaxpy));
  d.story.certificate = "{}";
  for (const Form form : {Form::Header, Form::CMake, Form::Torch, Form::Source}) {
    const auto files = deliver(form, d).value();
    EXPECT_THAT(files.at("LICENSE"), HasSubstr("Apache License"));
    EXPECT_EQ(files.at("certificate.json"), "{}");
  }
  EXPECT_THAT(deliver(Form::Header, d).value().at("kw_saxpy.h"),
              HasSubstr("// SPDX-License-Identifier: BSD-3-Clause\n"));
}

TEST(Deliver, SizesOfAnOperatorComeFromTensors) {
  const auto schema = [](const char* task, const char* source) {
    return TorchSignature::of(delivery(task, source)).value().schema();
  };
  EXPECT_EQ(schema("saxpy", kSaxpy), "(float a, Tensor x, Tensor(a!) y) -> ()");
  const auto matmul =
      TorchSignature::of(delivery("matmul_padded", "void matmul_padded() {}")).value();
  EXPECT_EQ(matmul.schema(), "(Tensor a, Tensor b) -> Tensor");
  EXPECT_EQ(matmul.shape_of("c"), "(batch, m, n)");
  EXPECT_THAT(matmul.derive_text(),
              AllOf(HasSubstr("    pad_a = (k) - (k + 0)\n"), HasSubstr("    lda = k + pad_a\n"),
                    HasSubstr("_check(b.shape[1] == k, \"size 1 of b is k\")")));
  EXPECT_EQ(schema("fctd3d", "void fctd3d() {}"),
            "(Tensor(a!) u, Tensor m, Tensor src, Tensor src_coords, float dt, float hx, float hy, "
            "float hz, float ox, float oy, float oz) -> ()");
}

TEST(Deliver, TheReadmeOfAnOperatorSaysWhatItsTensorsAre) {
  const std::string text = deliver(Form::Torch, delivery("saxpy", kSaxpy)).value().at("README.md");
  EXPECT_THAT(text, HasSubstr("#   f32 x[n]: read, aligned to 64 bytes\n"
                              "#   f32 y[n]: read and written, aligned to 64 bytes\n"
                              "_ = kw_saxpy.saxpy(a, x, y)"));
}

TEST(Deliver, APlanBecomesStatements) {
  const Delivery d =
      delivery("softmax_padded",
               "// kw: tune B = 128, 256\n"
               "// kw: let V = B * 4\n"
               "// kw: let W = ceil_div(cols, V)\n"
               "// kw: workspace part f32 [rows, W] zeroed\n"
               "// kw: when pad == 0 && cols % 4 == 0\n"
               "// kw:   launch fast<B> grid(rows) block(B) shared(V * 4) args(x, y, part[0, 1], "
               "i64(pitch))\n"
               "// kw: else\n"
               "// kw:   for t = 0 .. W step 2\n"
               "// kw:     launch slow grid(min(rows, sms)) block(B) args(x, y, t, f32(1 / cols))\n"
               "// kw:   end\n"
               "// kw: end\n",
               Target::Cuda);
  const std::string text = deliver(Form::Header, d).value().at("kw_softmax_padded.h");
  EXPECT_THAT(text,
              AllOf(HasSubstr("const Int v_pad = Int(a_pitch) - (v_cols + Int(0));"),
                    HasSubstr("const Int v_W = kw_ceil_div(v_cols, Int(512ll));"),
                    HasSubstr("k.workspace(\"part\", 4, {v_rows, v_W}, true)"),
                    HasSubstr("if (k.truth(v_pad == Int(0ll) && v_cols % Int(4ll) == Int(0ll)))"),
                    HasSubstr("k.slice(s_part, {Int(0ll), Int(1ll)}).at()"),
                    HasSubstr("static_cast<float>(double(1) / real(v_cols))")));
  EXPECT_THAT(text, HasSubstr("\"_symbol_of_0\", \"_symbol_of_1\""));
  EXPECT_THAT(
      text, AllOf(HasSubstr("int kw_softmax_padded_workspace(int rows, int cols, int pitch, const "
                            "float* x, float* y, size_t* workspace_bytes);"),
                  Not(HasSubstr("#include <cuda"))));
}

// Device code for a task with padding also serves the contiguous variant of the task, because
// launch plans pass arguments by name.
TEST(Deliver, APlanMayPassArgumentsThatAVariantLeavesOut) {
  const Delivery d = delivery(
      "softmax",
      "// kw: launch rows_kernel grid(rows) block(128) args(rows, cols, pitch, x, y, x_pitch)\n",
      Target::Cuda);
  const std::string text = deliver(Form::Header, d).value().at("kw_softmax.h");
  EXPECT_THAT(text,
              AllOf(HasSubstr("int kw_softmax(int rows, int cols, const float* x, float* y, "),
                    HasSubstr("const Int v_pitch = v_cols + v_pad;"),
                    HasSubstr("a.put(0, k.fit<std::int32_t>(v_pitch));")));
}

// The code by which `kw specialise` selects a build on a GPU is part of the launch plan, so it is
// exported with the plan.
TEST(Deliver, ADispatchOfAPlanGoesAlong) {
  const Delivery plain = delivery(
      "saxpy",
      "// kw: tune B = 128, 256\n"
      "// kw: launch saxpy_kernel grid(ceil_div(n, B)) block(B) args(n, a, x, y)\n"
      "extern \"C\" __global__ void saxpy_kernel(int n, float a, const float* x, float* y) {}\n",
      Target::Cuda);
  const auto text = task::specialise(plain.task(), plain.kernel,
                                     std::vector<task::Arm>{{"big", {{"n", 4096}}, {{"B", 256}}}});
  ASSERT_TRUE(text.has_value());
  const std::string header =
      deliver(Form::Header, delivery("saxpy", *text, Target::Cuda)).value().at("kw_saxpy.h");
  EXPECT_THAT(header, AllOf(HasSubstr("if (k.truth(v_n == Int(4096ll))) {"),
                            HasSubstr("kw_arm_1::saxpy_kernel"), HasSubstr("kw_rest::saxpy_kernel"),
                            HasSubstr("} else {")));
}

TEST(Deliver, WhatCannotBeSaidIsRefusedByName) {
  Delivery d = delivery("saxpy", kSaxpy);
  d.definition.task.signature.back().dtype = Dtype::BF16;
  EXPECT_THAT(deliver(Form::Header, d), IsErrorAbout(ErrorCode::Unsupported, "y"));
  d = delivery("saxpy", "// kw: launch k grid(n) block(32) args(x, y, nothing)\n", Target::Cuda);
  EXPECT_THAT(deliver(Form::Header, d), IsErrorAbout(ErrorCode::NotFound, "nothing"));
  d = delivery("saxpy", "// kw: launch k grid(n) block(32) args(x, y)\n", Target::Cuda);
  d.definition.task.signature.erase(d.definition.task.signature.begin());
  EXPECT_THAT(deliver(Form::Header, d), IsErrorAbout(ErrorCode::Missing, "n"));
  d = delivery("saxpy", kSaxpy);
  d.definition.dims.push_back("lambda");
  EXPECT_THAT(deliver(Form::Torch, d), IsErrorAbout(ErrorCode::Unsupported, "lambda"));
  d = delivery("saxpy", kSaxpy);
  d.definition.lets.push_back({});
  d.definition.lets.back().name = "in";
  EXPECT_THAT(deliver(Form::Torch, d), IsErrorAbout(ErrorCode::Unsupported, "in"));
}

// The summary comes from a task folder and may contain any characters; in the exported files it
// must stay inside comments and string literals.
TEST(Deliver, AForeignSummaryStaysText) {
  Delivery d = delivery("saxpy", kSaxpy);
  d.definition.task.summary = "ends\nint x; \"\"\" \\";
  d.story.kernel = "a\nint y;.cpp";
  const std::string header = deliver(Form::Header, d).value().at("kw_saxpy.h");
  EXPECT_THAT(header, AllOf(HasSubstr("// kw_saxpy: ends\\nint x; "), Not(HasSubstr("\nint x;")),
                            HasSubstr("kernel:  a\\nint y;.cpp"), Not(HasSubstr("\nint y;"))));
  const auto files = deliver(Form::Torch, d).value();
  const std::string literal = R"("ends\\nint x; \"\"\" \\")";
  EXPECT_THAT(files.at("kw_saxpy/__init__.py"), HasSubstr("    " + literal + "\n    return"));
  EXPECT_THAT(files.at("setup.py"), HasSubstr("description=" + literal + ","));
}

TEST(Deliver, ALicenceIsWhatTheSourceSays) {
  EXPECT_EQ(licence_of("// SPDX-License-Identifier: MIT\nint x;"), "MIT");
  EXPECT_EQ(licence_of("/* SPDX-License-Identifier: MIT OR Apache-2.0 */"), "MIT OR Apache-2.0");
  EXPECT_EQ(licence_of("int x;"), "");
}

}  // namespace
}  // namespace kw::deliver
