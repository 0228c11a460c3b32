// Implements readers that turn YAML nodes into values.
// SPDX-License-Identifier: Apache-2.0
#include "task/fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/foreign_text.h"
#include "base/with_nearest.h"

namespace kw::task {
namespace {

constexpr std::size_t kShown = 20;  // complaints that are printed; more would help nobody

/// Complains and returns false if the node is not a scalar.
bool is_scalar(FileReport& report, const Yaml& node, std::string_view what,
               std::string_view wanted) {
  if (node.kind == Yaml::Kind::Scalar) return true;
  report.add(node.place, About{fmt::format("{}: {}", what, name_of(node.kind))},
             fmt::format("{} must be {}, not {}", what, wanted, name_of(node.kind)));
  return false;
}

template <class T>
std::optional<T> parse_number(std::string_view text) {
  T value{};
  const auto* end = text.data() + text.size();
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [stop, code] = std::from_chars(text.data(), end, value);
  if (code != std::errc() || stop != end) return std::nullopt;
  return value;
}

}  // namespace

void Complaints::add(const std::string& where, About about, std::string_view message) {
  lines_.push_back(fmt::format("{}: {}", where, message));
  abouts_.push_back(sanitise_line(fmt::format("{} {}", where, about.value), 400));
}

Error Complaints::to_error() const {
  KW_ASSERT(!lines_.empty());
  const auto shown = [](const std::vector<std::string>& all) {
    std::vector<std::string> first(
        all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(kShown, all.size())));
    if (all.size() > kShown) first.push_back(fmt::format("and {} more", all.size() - kShown));
    return join(first, "\n");
  };
  return fail_input(ErrorCode::BadInput, About{shown(abouts_)}, shown(lines_)).error();
}

void FileReport::add(Position place, About about, std::string_view message) {
  all_->add(fmt::format("{}:{}:{}", file_, place.line, place.column), std::move(about),
            sanitise(message, 400));
}

std::optional<std::string> read_text(FileReport& report, const Yaml& node, std::string_view what) {
  if (!is_scalar(report, node, what, "text")) return std::nullopt;
  return node.scalar;
}

std::optional<std::string> read_identifier(FileReport& report, const Yaml& node,
                                           std::string_view what) {
  if (!is_scalar(report, node, what, "a C identifier")) return std::nullopt;
  constexpr std::size_t kLongest = 63;  // significant characters of a C identifier
  if (!is_usable_identifier(node.scalar) || node.scalar.size() > kLongest) {
    report.add(
        node.place, About{fmt::format("{}: {}", what, sanitise(node.scalar, kLongest))},
        fmt::format("{} '{}' is not a usable C identifier", what, sanitise(node.scalar, kLongest)));
    return std::nullopt;
  }
  if (is_expression_function(node.scalar)) {
    report.add(node.place, About{fmt::format("{}: function {}", what, node.scalar)},
               fmt::format("{} '{}' is the name of a function of expressions, so it cannot be used",
                           what, node.scalar));
    return std::nullopt;
  }
  return node.scalar;
}

bool is_number(const Yaml& node) {
  return node.kind == Yaml::Kind::Scalar && parse_number<double>(node.scalar).has_value();
}

std::optional<double> read_number(FileReport& report, const Yaml& node, std::string_view what) {
  if (!is_scalar(report, node, what, "a number")) return std::nullopt;
  const auto value = parse_number<double>(node.scalar);
  if (!value || !std::isfinite(*value)) {
    report.add(node.place, About{fmt::format("{}: {}", what, sanitise(node.scalar, 40))},
               fmt::format("{} must be a number, not '{}'", what, sanitise(node.scalar, 40)));
    return std::nullopt;
  }
  return value;
}

std::optional<std::int64_t> read_integer(FileReport& report, const Yaml& node,
                                         std::string_view what) {
  if (!is_scalar(report, node, what, "an integer")) return std::nullopt;
  const auto value = parse_number<std::int64_t>(node.scalar);
  if (!value)
    report.add(
        node.place, About{fmt::format("{}: {}", what, sanitise(node.scalar, 40))},
        fmt::format("{} must be an integer of 64 bits, not '{}'", what, sanitise(node.scalar, 40)));
  return value;
}

std::optional<bool> read_flag(FileReport& report, const Yaml& node, std::string_view what) {
  if (!is_scalar(report, node, what, "true or false")) return std::nullopt;
  if (node.scalar == "true") return true;
  if (node.scalar == "false") return false;
  report.add(node.place, About{fmt::format("{}: {}", what, sanitise(node.scalar, 40))},
             fmt::format("{} must be true or false, not '{}'", what, sanitise(node.scalar, 40)));
  return std::nullopt;
}

std::optional<Formula> read_formula(FileReport& report, const Yaml& node, std::string_view what,
                                    std::span<const std::string> known) {
  if (!is_scalar(report, node, what, "an expression")) return std::nullopt;
  const auto complain = [&](const ExprError& error) {
    Position place = node.place;
    // If YAML folded the text over several lines, the error's offset does not give a column.
    if (node.scalar.find('\n') == std::string::npos)
      place.column += error.offset + (node.is_quoted ? 1 : 0);
    report.add(place, About{fmt::format("{}: {}", what, error.about)},
               fmt::format("{}: {}", what, error.message));
    return std::nullopt;
  };
  auto expr = Expr::parse(node.scalar);
  if (!expr) return complain(expr.error());
  if (const auto checked = expr->check_names(known); !checked) return complain(checked.error());
  return Formula{std::move(*expr), node.place};
}

std::optional<std::size_t> read_choice(FileReport& report, const Yaml& node, std::string_view what,
                                       std::span<const std::string_view> names) {
  const std::string wanted = fmt::format("one of {}", fmt::join(names, ", "));
  if (!is_scalar(report, node, what, wanted)) return std::nullopt;
  const auto found = std::ranges::find(names, node.scalar);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  const std::vector<std::string> known(names.begin(), names.end());
  report.add(node.place,
             About{fmt::format("{}: {}", what, with_nearest(sanitise(node.scalar, 40), known))},
             fmt::format("{} must be {}, not '{}'{}", what, wanted, sanitise(node.scalar, 40),
                         suggestion(node.scalar, known)));
  return std::nullopt;
}

std::span<const Yaml> read_list(FileReport& report, const Yaml& node, std::string_view what) {
  if (node.kind == Yaml::Kind::Sequence) return node.items;
  report.add(node.place, About{fmt::format("{}: {}", what, name_of(node.kind))},
             fmt::format("{} must be a list, not {}", what, name_of(node.kind)));
  return {};
}

std::span<const YamlEntry> read_entries(FileReport& report, const Yaml& node,
                                        std::string_view what) {
  if (node.kind == Yaml::Kind::Mapping) return node.entries;
  report.add(node.place, About{fmt::format("{}: {}", what, name_of(node.kind))},
             fmt::format("{} must be a mapping, not {}", what, name_of(node.kind)));
  return {};
}

Section::Section(FileReport& report, const Yaml& node, std::string_view what,
                 std::vector<std::string> known)
    : report_(report), node_(node), what_(what) {
  for (const auto& [key, value] : read_entries(report, node, what))
    if (std::ranges::find(known, key.scalar) == known.end())
      report.add(
          key.place,
          About{fmt::format("{}: unknown {}", what, with_nearest(sanitise(key.scalar, 40), known))},
          fmt::format("unknown key '{}' in {}{}", sanitise(key.scalar, 40), what,
                      suggestion(key.scalar, known)));
}

const Yaml* Section::require(std::string_view key) const {
  const Yaml* value = find(key);
  if (value == nullptr && node_.kind == Yaml::Kind::Mapping)
    report_.add(node_.place, About{fmt::format("{}: lacks {}", what_, key)},
                fmt::format("{} lacks the key '{}'", what_, key));
  return value;
}

}  // namespace kw::task
