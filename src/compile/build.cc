// Checks and messages shared by the compilers.
// SPDX-License-Identifier: Apache-2.0
#include "compile/build.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/hash.h"
#include "base/text.h"
#include "base/with_nearest.h"
#include "compile/diagnostics.h"
#include "record/target.h"

namespace kw::compile {
namespace {

bool is_plain_name(std::string_view name) {
  return !name.empty() && name.size() <= 64 && name.front() != '.' && name.front() != '-' &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' ||
                  c == '-';
         });
}

bool is_define(std::string_view define) {
  return is_usable_identifier(define.substr(0, define.find('='))) &&
         define.find('\n') == std::string_view::npos;
}

constexpr std::size_t kEvidenceBytes = 300;

const Finding& first_of_errors(const std::vector<Finding>& findings) {
  const auto is_error = [](const Finding& f) { return f.kind == FindingKind::Diagnostic; };
  const auto error = std::ranges::find_if(findings, is_error);
  return error == findings.end() ? findings.front() : *error;
}

Evidence evidence_of_first(const std::vector<Finding>& findings) {
  const Finding& f = first_of_errors(findings);
  const std::string place = one_line(f.place, kEvidenceBytes / 2);
  return {.kind = EvidenceKind::NotCompiled,
          .place = place,
          .detail = one_line(f.text, kEvidenceBytes - place.size())};
}

}  // namespace

CompileResult refused(Outcome outcome, BuildTrouble trouble, std::string about,
                      std::string evidence) {
  CompileResult result;
  result.outcome = outcome;
  result.evidence = std::move(evidence);
  result.trouble = trouble;
  result.about = std::move(about);
  return result;
}

std::string one_line(std::string_view text, std::size_t limit) {
  std::string out = sanitise(trim(text), limit);
  std::replace(out.begin(), out.end(), '\n', ' ');
  return out;
}

std::string first_error(const std::vector<Finding>& findings) {
  if (findings.empty()) return {};
  const Finding& f = first_of_errors(findings);
  return f.place.empty() ? f.text : f.place + ": " + f.text;
}

void tell_first_error(CompileResult& result) {
  if (!result.findings.empty()) result.evidence = words_of(evidence_of_first(result.findings));
}

Evidence CompileResult::seen() const {
  const bool is_told = trouble == BuildTrouble::Diagnosed || trouble == BuildTrouble::UnknownKernel;
  if (is_told && !findings.empty()) return evidence_of_first(findings);
  return {.kind = EvidenceKind::NotCompiled, .detail = evidence};
}

Verdict CompileResult::verdict() const { return make_verdict(Stage::Compile, outcome, seen()); }

Result<std::optional<CompileResult>> check_unit(const BuildUnit& unit, const Limits& limits) {
  std::uint64_t bytes = 0;
  for (const SourceFile& file : unit.files) bytes += file.text.size();
  if (bytes > limits.source_bytes)
    return refused(Outcome::OutOfResources, BuildTrouble::SourceTooLarge,
                   format_bytes(limits.source_bytes),
                   fmt::format("the source has {}; at most {} are compiled", format_bytes(bytes),
                               format_bytes(limits.source_bytes)));
  for (const std::string& define : unit.defines)
    if (!is_define(define))
      return fail(
          ErrorCode::BadInput, About{one_line(define, 80)},
          "the build unit names something that is no macro definition: " + one_line(define, 80));
  for (const SourceFile& file : unit.files)
    if (!is_plain_name(file.name))
      return fail(ErrorCode::BadInput, About{one_line(file.name, 80)},
                  "the build unit names a file by something other than a plain file name: " +
                      one_line(file.name, 80));
  return std::nullopt;
}

CompileResult unknown_option(std::string_view option, std::span<const std::string> known) {
  return refused(Outcome::CompileFailed, BuildTrouble::UnknownOption,
                 with_nearest(one_line(option, 80), known),
                 "unknown compiler option '" + one_line(option, 80) + "'" +
                     suggestion(option, known) + "; known are: " + join(known, ", "));
}

platform::Path object_path(const platform::Path& folder, const BuiltObject& object) {
  return folder / (object.sha256 + std::string(object_suffix(object.format)));
}

Result<CompileResult> keep_object(const platform::Path& folder, std::string_view bytes,
                                  std::string format) {
  CompileResult result;
  result.outcome = Outcome::Correct;
  BuiltObject& object = result.object.emplace_back();
  object.format = std::move(format);
  object.sha256 = sha256(bytes).hex();
  object.bytes = static_cast<std::int64_t>(bytes.size());
  const platform::Path kept = object_path(folder, object);
  KW_TRY(platform::write_file_atomic(kept, bytes, /*durable=*/false));
  object.path = kept.string();
  return result;
}

}  // namespace kw::compile
