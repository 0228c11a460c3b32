// Reads the certificates that a run or `kw specialise` writes.
// SPDX-License-Identifier: Apache-2.0
#include "report/certificate.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"
#include "record/bounds.h"
#include "record/codec.h"

namespace kw::report {
namespace {

constexpr std::size_t kLongestName = 100;
constexpr std::size_t kHexDigits = 64;

/// Reads one certificate; every error names the origin of its text.
class Reader {
 public:
  Reader(const Json& json, const std::string& origin) : json_(json), origin_(origin) {}

  Result<Certificate> read() const {
    if (!json_.is_object())
      return no(ErrorCode::Malformed, "object", "the file is not a JSON object");
    Certificate c;
    // The certificate of a run describes the task by an object, whereas that of a specialised
    // kernel only names the task.
    const bool is_of_run = !json_.contains("over_baseline");
    KW_TRY(is_of_run ? read_run(c) : read_specialised(c));
    c.source_sha256 = KW_TRY(hash_at("/candidate/source_sha256"));
    c.kernel = KW_TRY(text_at("/candidate/name"));
    c.baseline = c.claim.baseline;
    KW_TRY(check_name(c.task, "/task"));
    if (c.baseline.empty() || c.baseline.size() > kLongestName)
      return no(ErrorCode::Missing, "baseline", "the certificate's speedup names no baseline");
    if (!c.claim.is_faster || !(c.claim.value > 0))
      return no(ErrorCode::OutOfRange, "claim", "the certificate's claim is not a speedup above 1");
    return c;
  }

 private:
  std::unexpected<Error> no(ErrorCode code, std::string about, const std::string& why) const {
    return fail_input(code, About{std::move(about)}, "this certificate cannot be verified: " + why,
                      origin_);
  }
  /// The same for a record at `pointer` that cannot be read, with the reader's error.
  std::unexpected<Error> no(const std::string& pointer, const Error& e) const {
    return no(e.code, pointer + e.where, pointer + describe(e));
  }

  Result<> read_run(Certificate& c) const {
    c.task = KW_TRY(text_at("/task/name"));
    c.task_sha256 = KW_TRY(hash_at("/task/sha256"));
    const auto facts = decode_json<DeviceFacts>(KW_TRY(part_at("/device")));
    if (!facts) return no("/device", facts.error());
    c.target = facts->target;
    c.machine = facts->model;
    const auto evaluation = decode_json<Evaluation>(KW_TRY(part_at("/evaluation")));
    if (!evaluation) return no("/evaluation", evaluation.error());
    if (const auto checked = check_evaluation(*evaluation); !checked)
      return no(checked.error().code, checked.error().about, checked.error().what);
    if (!evaluation->verdict.is_correct())
      return no(ErrorCode::Contradiction, "verdict", "the certificate's kernel was not correct");
    c.claim = evaluation->speedup;
    return {};
  }

  Result<> read_specialised(Certificate& c) const {
    c.task = KW_TRY(text_at("/task"));
    const auto target = enum_from<Target>(KW_TRY(text_at("/target")));
    if (!target) return no(ErrorCode::BadInput, "/target", "/target is neither cpu nor cuda");
    c.target = *target;
    const auto claim = decode_json<Speedup>(KW_TRY(part_at("/over_baseline/speedup")));
    if (!claim) return no("/over_baseline/speedup", claim.error());
    Evaluation alone;
    alone.speedup = *claim;
    if (const auto checked = check_evaluation(alone); !checked)
      return no(checked.error().code, checked.error().about, checked.error().what);
    c.claim = *claim;
    return {};
  }

  Result<Json> part_at(const char* pointer) const {
    const Json::json_pointer at(pointer);
    if (!json_.contains(at))
      return no(ErrorCode::Missing, pointer, std::string(pointer) + " is missing");
    return json_[at];
  }

  Result<std::string> text_at(const char* pointer) const {
    const Json part = KW_TRY(part_at(pointer));
    if (!part.is_string())
      return no(ErrorCode::Malformed, pointer, std::string(pointer) + " is not a text");
    return part.get<std::string>();
  }

  Result<std::string> hash_at(const char* pointer) const {
    const std::string hash = KW_TRY(text_at(pointer));
    const bool is_hex = hash.find_first_not_of("0123456789abcdef") == std::string::npos;
    if (hash.size() != kHexDigits || !is_hex)
      return no(ErrorCode::Malformed, pointer, std::string(pointer) + " is not a SHA-256 hash");
    return hash;
  }

  /// Refuses a name with characters other than those of plain file names, because the name becomes
  /// part of a path.
  Result<> check_name(const std::string& name, const char* pointer) const {
    const bool is_plain = std::ranges::all_of(name, [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             c == '_' || c == '-';
    });
    if (name.empty() || name.size() > kLongestName || !is_plain)
      return no(ErrorCode::BadInput, pointer,
                fmt::format("{}: '{}' names no task", pointer, sanitise(name, 60)));
    return {};
  }

  const Json& json_;
  const std::string& origin_;
};

}  // namespace

Result<Certificate> read_certificate(std::string_view text, const std::string& origin) {
  const JsonLimits limits{.bytes = kMostCertificateBytes, .depth = 64};
  auto json = parse_json(text, origin, limits);
  if (!json)
    return fail_input(json.error().code, About{json.error().about},
                      "this file is not a certificate of kw: " + json.error().what,
                      json.error().where);
  return Reader(*json, origin).read();
}

}  // namespace kw::report
