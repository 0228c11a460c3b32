// Writes the implementation part of a header for cuda: device code, driver calls, launch plan,
// entry functions.
// SPDX-License-Identifier: Apache-2.0
#include "deliver/plan_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/arch.h"
#include "base/contains.h"
#include "base/text.h"
#include "deliver/parts.h"
#include "deliver/plan_writer.h"
#include "deliver/texts.h"
#include "task/device_names.h"

namespace kw::deliver {
namespace {

/// Bytes as a list of 64-bit numbers, which compilers read faster than a list of bytes.
std::string words_of(const std::string& bytes) {
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, std::min<std::size_t>(8, bytes.size() - at));
    text += fmt::format("{}0x{:x}u,", at % 64 == 0 ? "\n" : "", word);
  }
  return text;
}

/// C++ text with the cubins and the symbols of their kernels, and the entries of the table
/// `kCodes`.
struct CodeText {
  std::string data;
  std::string entries;
};

CodeText code_text(const Delivery& d, const std::vector<std::string>& kernels) {
  std::string text =
      fmt::format("constexpr int kKernels = {};\n", std::max<std::size_t>(kernels.size(), 1));
  std::string codes;
  for (const Built& built : d.built) {
    const std::string id = built.arch;
    text += fmt::format("alignas(64) const unsigned long long k_{}[] = {{{}}};\n", id,
                        words_of(built.cubin));
    std::vector<std::string> symbols;
    for (const std::string& kernel : kernels) {
      const auto found = std::ranges::find(built.kernels, kernel, &KernelFacts::name);
      symbols.push_back(found == built.kernels.end() ? "nullptr" : "\"" + found->symbol + "\"");
    }
    if (symbols.empty()) symbols.emplace_back("nullptr");
    text += fmt::format("const char* const k_{}_symbols[] = {{{}}};\n", id, join(symbols, ", "));
    const ArchName arch = parse_arch(built.arch);
    codes += fmt::format("    {{{}, {}, {}, k_{}, k_{}_symbols}},\n", task::arch_number(built.arch),
                         arch.capability, arch.feature != 0, id, id);
  }
  return {std::move(text), std::move(codes)};
}

}  // namespace

Result<std::string> cuda_implementation(const Delivery& d) {
  if (d.kernel.trust_class == TrustClass::HostLauncher)
    return fail_input(
        ErrorCode::Unsupported, About{"host launcher"},
        "a host launcher cannot be exported, because its source is host code already: use that "
        "source",
        d.kernel.name);
  KW_ASSERT(!d.built.empty());
  for (const Parameter& p : d.task().signature)
    if (p.name == "workspace" || p.name == "workspace_bytes" || p.name == "stream")
      return fail_input(ErrorCode::Unsupported, About{p.name},
                        "an argument of the task is called '" + p.name +
                            "', which is also the name of an argument that a header for cuda adds");
  PlanWriter writer(d);
  const std::string plan = KW_TRY(writer.run());
  for (const std::string& kernel : writer.kernels())
    if (std::ranges::none_of(d.built, [&](const Built& built) {
          return std::ranges::find(built.kernels, kernel, &KernelFacts::name) !=
                 built.kernels.end();
        }))
      return fail_input(
          ErrorCode::NotFound, About{kernel},
          "the plan launches the kernel " + kernel + ", for which no code was compiled",
          d.kernel.name);
  const CodeText code = code_text(d, writer.kernels());
  const std::string_view driver = embedded_text("driver.in");
  // The part of driver.in before this line declares the struct `Code`, which the generated tables
  // need.
  const auto mark = driver.find("/// A context's copy of the code.");
  KW_ASSERT(mark != std::string_view::npos);
  return fmt::format(
      "#include <dlfcn.h>\n\n#include <cmath>\n#include <cstdint>\n#include <cstdio>\n#include "
      "<cstring>\n#include <deque>\n#include <initializer_list>\n#include <limits>\n#include "
      "<mutex>\n#include <set>\n#include <type_traits>\n#include <utility>\n#include <vector>\n\n"
      "#pragma GCC diagnostic push\n#pragma GCC diagnostic ignored \"-Wunused-function\"\n"
      "namespace {name}_impl {{\nnamespace {{\n\n{head}\n{integers}\n{before}const Code kCodes[] = "
      "{{\n{codes}}};\n\n{driver}\n{call}\n"
      "void plan(Call& k, {parameters}) {{\n{plan}}}\n\n}}\n}}\n#pragma GCC diagnostic pop\n\n"
      "extern \"C\" int {name}_workspace({sized}) {{\n"
      "  {name}_impl::Begin kw_begin;\n"
      "  if (kw_begin.loaded == nullptr) return {name}_impl::fault().code;\n"
      "  {name}_impl::Call kw_call(kw_begin.loaded);\n"
      "  {name}_impl::plan(kw_call, {arguments});\n"
      "  *workspace_bytes = kw_call.bytes();\n"
      "  return {name}_impl::fault().code;\n}}\n\n"
      "extern \"C\" int {name}({full}) {{\n"
      "  {name}_impl::Begin kw_begin;\n"
      "  if (kw_begin.loaded == nullptr) return {name}_impl::fault().code;\n"
      "  {name}_impl::Call kw_call(kw_begin.loaded);\n"
      "  // Sizes alone first: what is wrong shows before anything runs.\n"
      "  {name}_impl::plan(kw_call, {arguments});\n"
      "  if (!kw_call.goes(workspace, workspace_bytes, stream)) return {name}_impl::fault().code;\n"
      "  {name}_impl::plan(kw_call, {arguments});\n"
      "  return {name}_impl::fault().code;\n}}\n\n"
      "extern \"C\" const char* {name}_error(int code) {{ return {name}_impl::words_of(code); }}\n",
      fmt::arg("name", d.name), fmt::arg("head", code.data),
      fmt::arg("integers", embedded_text("integers.in")),
      fmt::arg("call", embedded_text("call.in")), fmt::arg("before", driver.substr(0, mark)),
      fmt::arg("codes", code.entries), fmt::arg("driver", driver.substr(mark)),
      fmt::arg("parameters", c_parameters(d.task(), "", "a_")), fmt::arg("plan", plan),
      fmt::arg("sized", c_parameters(d.task(), "size_t* workspace_bytes")),
      fmt::arg("full",
               c_parameters(d.task(), "void* workspace, size_t workspace_bytes, void* stream")),
      fmt::arg("arguments", argument_names(d.task())));
}

}  // namespace kw::deliver
