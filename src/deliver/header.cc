// Writes an export as one header: a declaration for C and C++, and, if a macro is defined, the
// implementation for one C++ source file.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/letter_case.h"
#include "base/text.h"
#include "deliver/isolate.h"
#include "deliver/parts.h"
#include "deliver/plan_code.h"

namespace kw::deliver {
namespace {

std::string declaration(const Delivery& d) {
  const std::string guard = upper_case(d.name);
  std::string text = fmt::format(
      "#ifndef {0}_H\n#define {0}_H\n\n#include <stddef.h>\n#include <stdint.h>\n\n#ifdef "
      "__cplusplus\nextern \"C\" {{\n#endif\n\n",
      guard);
  text +=
      "// Tensors are row-major; the last index counts single elements.\n" + argument_comment(d);
  if (d.launches_by_plan())
    text += fmt::format(
        "// Tensors and workspace lie in memory of the GPU; `workspace` is aligned to 256 "
        "bytes.\n// `stream` is a cudaStream_t or CUstream. Everything is queued on it; nothing "
        "waits. Both\n// return 0, or an error code, which {0}_error() describes: codes above 0 "
        "are the driver's,\n// codes below 0 this header's. Device code is loaded into the "
        "thread's context; without one,\n// into the primary context of device 0. Call "
        "{0}_workspace() before a graph captures the\n// stream, because the first call loads the "
        "code.\nint {0}_workspace({1});\nint {0}({2});\nconst char* {0}_error(int code);\n",
        d.name, c_parameters(d.task(), "size_t* workspace_bytes"),
        c_parameters(d.task(), "void* workspace, size_t workspace_bytes, void* stream"));
  else
    text += fmt::format("void {}({});\n", d.name, c_parameters(d.task()));
  return text + "\n#ifdef __cplusplus\n}\n#endif\n#endif\n";
}

std::string cpu_implementation(const Delivery& d, const Isolated& parts) {
  const Task& task = d.task();
  std::string before, after;
  std::set<std::string> knobs;
  for (const std::string& define : d.header.defines(d.kernel.knobs)) {
    const auto equals = define.find('=');
    const std::string name = define.substr(0, equals);
    before += fmt::format("#pragma push_macro(\"{0}\")\n#undef {0}\n#define {0} {1}\n", name,
                          define.substr(equals + 1));
    after += fmt::format("#pragma pop_macro(\"{}\")\n", name);
    knobs.insert(name);
  }
  const auto hide = [&](const std::set<std::string>& macros, std::string& text) {
    for (const std::string& name : macros) {
      if (knobs.contains(name)) continue;
      text += fmt::format("#pragma push_macro(\"{0}\")\n#undef {0}\n", name);
      after += fmt::format("#pragma pop_macro(\"{}\")\n", name);
    }
  };
  std::string kept;
  hide(parts.macros_before, before);
  hide(parts.macros, kept);
  return fmt::format(
      "{before}{includes}{kept}"
      "#pragma GCC diagnostic push\n#pragma GCC diagnostic ignored \"-Wunused-function\"\n"
      "namespace {name}_impl {{\nnamespace {{\nvoid {function}({parameters});\n{code}\n}}\n}}\n"
      "#pragma GCC diagnostic pop\n\n"
      "extern \"C\" void {name}({parameters}) {{\n  "
      "{name}_impl::{function}({arguments});\n}}\n{after}",
      fmt::arg("before", before), fmt::arg("includes", parts.includes), fmt::arg("kept", kept),
      fmt::arg("name", d.name), fmt::arg("function", task.function),
      fmt::arg("parameters", c_parameters(task)), fmt::arg("code", parts.code),
      fmt::arg("arguments", argument_names(task)), fmt::arg("after", after));
}

std::string usage(const Delivery& d) {
  std::string text = fmt::format(
      "//\n// Include it wherever {0} is called, from C or C++. One C++ unit of the program "
      "also\n// defines, before the include,\n//   #define {1}_IMPLEMENTATION\n",
      d.name, upper_case(d.name));
  if (d.launches_by_plan())
    return text +
           "// and is compiled as C++17 and linked with -ldl -pthread (nothing since glibc "
           "2.34); libcuda.so.1\n// is opened at run time, so that neither CUDA's headers "
           "nor its libraries are needed.\n";
  const auto libraries = link_libraries(d.kernel);
  text += "// and is compiled with these flags, with which the kernel was judged:\n//   g++ " +
          join(cpu_flags(d.kernel), " ") + " -c unit.cpp\n// Link with -fopenmp" +
          (libraries.empty() ? "" : " " + join(libraries, " ")) +
          ". -march=native is the processor of the compiling machine.\n";
  return text;
}

}  // namespace

Result<std::string> header_text(const Delivery& d) {
  const std::string guard = upper_case(d.name);
  std::string implementation;
  if (d.launches_by_plan()) {
    implementation = KW_TRY(cuda_implementation(d));
  } else {
    implementation =
        cpu_implementation(d, KW_TRY(isolate(d.kernel.source, d.header, d.task().function)));
  }
  return head_comment(d, "One header for C and C++.") + usage(d) + declaration(d) +
         fmt::format(
             "\n#if defined({0}_IMPLEMENTATION) && !defined({0}_IMPLEMENTED)\n#define "
             "{0}_IMPLEMENTED\n#ifndef __cplusplus\n#error \"the unit that defines "
             "{0}_IMPLEMENTATION must be C++\"\n#endif\n",
             guard) +
         implementation + "#endif\n";
}

}  // namespace kw::deliver
