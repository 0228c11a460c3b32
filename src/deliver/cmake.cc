// Writes an export as a folder for CMake: library, test, example, package.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/foreign_text.h"
#include "base/letter_case.h"
#include "base/text.h"
#include "deliver/check_program.h"
#include "deliver/parts.h"
#include "deliver/texts.h"

namespace kw::deliver {
namespace {

std::string flag_lines(const Delivery& d) {
  if (d.launches_by_plan())
    return fmt::format(
        "# The driver's library is opened at run time: no CUDA toolkit is needed.\n"
        "find_package(Threads REQUIRED)\ntarget_compile_features({0} PRIVATE cxx_std_17)\n"
        "target_link_libraries({0} PRIVATE Threads::Threads ${{CMAKE_DL_LIBS}})\n",
        d.name);
  std::vector<std::string> flags;
  for (const std::string& flag : cpu_flags(d.kernel)) {
    if (flag == "-fopenmp") continue;  // the CMake file finds OpenMP with find_package
    flags.push_back(
        flag == "-march=native" ? fmt::format("-march=${{{}_MARCH}}", upper_case(d.name)) : flag);
  }
  std::vector<std::string> libraries;
  for (const std::string& flag : link_libraries(d.kernel)) libraries.push_back(flag.substr(2));
  return fmt::format(
      "# As the kernel was judged; -march=native is the processor of the compiling "
      "machine.\nset({1}_MARCH native CACHE STRING \"What the kernel is compiled "
      "for\")\nfind_package(OpenMP REQUIRED COMPONENTS CXX)\ntarget_compile_options({0} PRIVATE "
      "{2})\ntarget_link_libraries({0} PRIVATE OpenMP::OpenMP_CXX{3})\n",
      d.name, upper_case(d.name), join(flags, " "),
      libraries.empty() ? "" : " " + join(libraries, " "));
}

std::string readme(const Delivery& d) {
  return fmt::format(
      "# {0}\n\n{1}.\n\n{2}\n```\ncmake -S . -B build && cmake --build build && ctest --test-dir "
      "build\ncmake --install build --prefix PREFIX\n```\n\nIn a program of yours:\n\n"
      "```cmake\nfind_package({0} REQUIRED)        # or add_subdirectory of this folder\n"
      "target_link_libraries(mine PRIVATE {0}::{0})\n```\n\n`include/{0}.h` says what the "
      "arguments "
      "are. `test/` compares with the reference of the task, in float64,\nwithin the task's gate, "
      "on "
      "random values; `example/` calls the kernel once.{3}\n",
      d.name, sanitise_line(d.task().summary, 300), story_text(d),
      d.launches_by_plan()
          ? " Without a GPU the test is skipped."
          : " `-D" + upper_case(d.name) + "_MARCH=x86-64-v3` builds for other processors.");
}

}  // namespace

Result<Files> cmake_files(const Delivery& d) {
  Files files;
  files["include/" + d.name + ".h"] = KW_TRY(header_text(d));
  files["src/" + d.name + ".cpp"] = fmt::format(
      "// The one unit with the implementation of {0}.\n#define {1}_IMPLEMENTATION\n"
      "#include \"{0}.h\"\n",
      d.name, upper_case(d.name));
  files["CMakeLists.txt"] =
      filled(embedded_text("CMakeLists.in"), {{"NAME", d.name}, {"FLAGS", flag_lines(d)}});
  files["cmake/" + d.name + "Config.cmake"] = fmt::format(
      "include(CMakeFindDependencyMacro)\nfind_dependency({})\n"
      "include(\"${{CMAKE_CURRENT_LIST_DIR}}/{}Targets.cmake\")\n",
      d.launches_by_plan() ? "Threads" : "OpenMP COMPONENTS CXX", d.name);
  files["test/test.cpp"] = KW_TRY(check_program(d));
  files["example/example.cpp"] = KW_TRY(example_program(d));
  files["README.md"] = readme(d);
  add_papers(d, files);
  return files;
}

}  // namespace kw::deliver
