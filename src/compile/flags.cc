// The compiler flags, each with its reason.
// SPDX-License-Identifier: Apache-2.0
#include "compile/flags.h"

#include <cctype>
#include <charconv>

#include "base/defence.h"
#include "base/text.h"
#include "record/candidate.h"

namespace kw::compile {

Dialect dialect_from(std::string_view version_line) {
  Dialect dialect;
  dialect.is_gcc = version_line.find("clang") == std::string_view::npos;
  dialect.major = 0;
  // In the version line the version is the first word that starts with a digit, after the
  // parenthesis that names the distribution.
  const std::size_t close = version_line.find(')');
  const std::string_view rest =
      dialect.is_gcc && close != std::string_view::npos ? version_line.substr(close) : version_line;
  for (const std::string_view word : split(rest, ' ')) {
    if (word.empty() || std::isdigit(static_cast<unsigned char>(word.front())) == 0) continue;
    std::from_chars(word.data(), word.data() + word.size(), dialect.major);
    break;
  }
  return dialect;
}

std::vector<std::string> compile_flags(const Dialect& dialect) {
  std::vector<std::string> flags(kCodeFlags.begin(), kCodeFlags.end());
  flags.insert(flags.end(), {
                                "-fPIC",
                                "-fvisibility=hidden",   // only the trampoline's entry is exported
                                "-fno-stack-protector",  // distributions' defaults differ
                                "-fcf-protection=none",  // distributions' defaults differ
                                "-U_FORTIFY_SOURCE",     // distributions' defaults differ
                                "-pipe",
                                "-Wall",
                                "-Wno-unused",
                                "-Wno-unknown-pragmas",
                                "-fno-diagnostics-show-caret",
                                "-ftemplate-backtrace-limit=6",
                            });
  if (dialect.is_gcc) {
    // GCC's gimple dump holds the options of each function, which arithmetic_marks() reads.
    flags.emplace_back("-fdump-tree-gimple");
    flags.push_back("-fopt-info-vec-optimized-missed=remarks.txt");
    // With JSON, GCC 12 must not get -fmax-errors, which would make it drop the JSON; our reader
    // limits the number of errors instead.
    flags.push_back(dialect.has_json() ? "-fdiagnostics-format=json" : "-fmax-errors=20");
  } else {
    flags.insert(flags.end(), {"-ferror-limit=20", "-fno-color-diagnostics"});
  }
  return flags;
}

std::vector<std::string> link_flags(const Dialect& dialect) {
  std::vector<std::string> flags{"-shared",
                                 "-fopenmp",
                                 "-Wl,-Bsymbolic",
                                 "-Wl,-z,now",
                                 "-Wl,-z,noexecstack",
                                 "-Wl,-z,separate-code",
                                 "-Wl,--no-undefined",
                                 "-Wl,--as-needed"};
  if (!is_on(Defence::LinkedAsCompiled)) return flags;
  flags.emplace_back("-fno-lto");
  if (dialect.is_gcc) flags.emplace_back("-fno-use-linker-plugin");
  return flags;
}

std::vector<std::string> option_flags(std::string_view option) {
  if (option == "fast_math") return {"-ffast-math"};
  if (option == "unroll_loops") return {"-funroll-loops"};
  if (option == "O2") return {"-O2"};
  return {};
}

std::span<const std::string> option_names() {
  static const std::vector<std::string> names{"fast_math", "unroll_loops", "O2"};
  return names;
}

std::string library_flag(std::string_view library) {
  return library == "openblas" ? "-lopenblas" : std::string();
}

}  // namespace kw::compile
