// Evaluates the knobs of a candidate: which points are valid, which macros a point defines, and
// sources with fixed knobs.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "base/with_nearest.h"
#include "task/header.h"
#include "task/plan_text.h"

namespace kw::task {
namespace {

/// The values of knobs and derived macros at a point; nothing if a macro cannot be computed.
std::optional<Names> names_at(const CandidateHeader& header, const KnobPoint& point) {
  Names names(point.begin(), point.end());
  for (const auto& macro : header.derived) {
    const auto value = macro.value.evaluate(names);
    if (!value) return std::nullopt;
    names[macro.name] = *value;
  }
  return names;
}

bool has_value(const Knob& knob, std::int64_t value) {
  return std::ranges::find(knob.values, value) != knob.values.end();
}

/// Moves to the next combination of knob values, with the last knob changing fastest; false after
/// the last combination.
bool advance(const std::vector<Knob>& knobs, std::vector<std::size_t>& indices) {
  for (std::size_t i = knobs.size(); i-- > 0;) {
    if (++indices[i] < knobs[i].values.size()) return true;
    indices[i] = 0;
  }
  return false;
}

}  // namespace

bool CandidateHeader::is_valid(const KnobPoint& point) const {
  if (point.size() != knobs.size()) return false;
  for (const Knob& knob : knobs) {
    const auto found = point.find(knob.name);
    if (found == point.end() || !has_value(knob, found->second)) return false;
  }
  auto names = names_at(*this, point);
  if (!names) return false;
  names->insert(limits.begin(), limits.end());
  return std::ranges::all_of(requirements, [&](const Expr& condition) {
    const bool is_known = std::ranges::all_of(
        condition.names(), [&](const std::string& name) { return names->contains(name); });
    if (!is_known) return true;  // a requirement on a device counts once a device is known
    const auto value = condition.evaluate(*names);
    return value && *value != 0;
  });
}

std::vector<KnobPoint> CandidateHeader::points(std::size_t limit) const {
  constexpr std::size_t kMaxCombinations = 1 << 20;  // checking this many takes about a second
  std::vector<KnobPoint> found;
  std::vector<std::size_t> indices(knobs.size(), 0);
  for (std::size_t tried = 0; tried < kMaxCombinations && found.size() < limit; ++tried) {
    KnobPoint point;
    for (std::size_t i = 0; i < knobs.size(); ++i)
      point[knobs[i].name] = knobs[i].values[indices[i]];
    if (is_valid(point)) found.push_back(std::move(point));
    if (!advance(knobs, indices)) break;
  }
  return found;
}

KnobPoint CandidateHeader::default_point() const {
  auto first = points(1);
  return first.empty() ? KnobPoint{} : std::move(first.front());
}

std::vector<std::string> CandidateHeader::defines(const KnobPoint& point) const {
  const auto names = names_at(*this, point);
  KW_ASSERT(names.has_value());
  std::vector<std::string> defines;
  for (const Knob& knob : knobs)
    defines.push_back(fmt::format("{}={}", knob.name, names->at(knob.name)));
  for (const auto& macro : derived)
    defines.push_back(fmt::format("{}={}", macro.name, names->at(macro.name)));
  return defines;
}

Result<KnobPoint> apply_settings(const CandidateHeader& header,
                                 std::span<const std::string> settings) {
  std::vector<std::string> known;
  for (const Knob& knob : header.knobs) known.push_back(knob.name);
  KnobPoint point = header.default_point();
  for (const std::string& setting : settings) {
    const auto equals = setting.find('=');
    if (equals == std::string::npos)
      return fail_input(ErrorCode::BadInput, About{sanitise(setting, 60)},
                        fmt::format("the setting of a knob has the form KNOB=VALUE, not '{}'",
                                    sanitise(setting, 60)));
    const std::string name(trim(std::string_view(setting).substr(0, equals)));
    const auto knob = std::ranges::find(header.knobs, name, &Knob::name);
    if (knob == header.knobs.end())
      return fail_input(ErrorCode::NotFound, About{with_nearest(sanitise(name, 40), known)},
                        fmt::format("the candidate has no knob '{}'{}", sanitise(name, 40),
                                    known.empty() ? "; the candidate declares no knob"
                                                  : suggestion(name, known)));
    const auto value = evaluate_text(std::string_view(setting).substr(equals + 1), {});
    if (!value || !has_value(*knob, *value))
      return fail_input(
          ErrorCode::OutOfRange, About{name + "=" + sanitise(setting.substr(equals + 1), 40)},
          fmt::format("the knob {} must be one of {}, not '{}'", name,
                      fmt::join(knob->values, ", "), sanitise(setting.substr(equals + 1), 40)));
    point[name] = *value;
  }
  if (!header.is_valid(point))
    return fail_input(ErrorCode::Contradiction, About{"require"},
                      "the kernel's `// kw: require` lines exclude this setting of its knobs");
  return point;
}

std::string pin_knobs(std::string_view source, const CandidateHeader& header,
                      const KnobPoint& point) {
  KW_ASSERT(header.is_valid(point));
  if (header.knobs.empty() && header.derived.empty()) return std::string(source);
  const std::string_view comment = row_of(header.target).comment;
  std::string pinned;
  for (const auto& define : header.defines(point)) {
    const auto equals = define.find('=');
    // The definition has the same text as the compiler's -D option, so that both together are no
    // conflicting redefinition.
    pinned += fmt::format("#define {} {}\n", define.substr(0, equals), define.substr(equals + 1));
  }
  for (const auto line : split_lines(source)) {
    std::string_view kept = line;
    std::string replacement;
    for (const Knob& knob : header.knobs) {
      const auto directive = directive_of(line, comment);
      if (!directive || !directive->starts_with("tune")) break;
      const auto assignment = directive->substr(4);
      if (trim(assignment.substr(0, assignment.find('='))) != knob.name) continue;
      replacement = fmt::format("{} kw: tune {} = {}", comment, knob.name, point.at(knob.name));
      kept = replacement;
      break;
    }
    pinned += kept;
    pinned += '\n';
  }
  return pinned;
}

}  // namespace kw::task
