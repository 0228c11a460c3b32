// The parser of `// kw:` lines.
// SPDX-License-Identifier: Apache-2.0
#include "task/header.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/contains.h"
#include "base/hash.h"
#include "base/text.h"

namespace kw::task {
namespace {

constexpr std::size_t kMaxDirectives = 200;

constexpr auto kOptions = std::to_array<std::string_view>({"fast_math", "unroll_loops", "O2"});
constexpr auto kLibraries = std::to_array<std::string_view>({"openblas"});

std::vector<std::string> strings(std::span<const std::string_view> views) {
  return {views.begin(), views.end()};
}

/// The text of a directive line after "// kw:", or nothing.
std::optional<std::string_view> directive_of(std::string_view line) {
  line = trim(line);
  if (!line.starts_with("//")) return std::nullopt;
  line = trim(line.substr(2));
  if (!line.starts_with("kw:")) return std::nullopt;
  return trim(line.substr(3));
}

/// Parts at the commas that stand outside parentheses, trimmed.
std::vector<std::string_view> split_arguments(std::string_view text) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t start = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '(') ++depth;
    if (i < text.size() && text[i] == ')') --depth;
    if (i == text.size() || (text[i] == ',' && depth == 0)) {
      parts.push_back(trim(text.substr(start, i - start)));
      start = i + 1;
    }
  }
  return parts;
}

/// Byte in a source that no text has, or npos.
std::size_t find_binary(std::string_view source) {
  for (std::size_t i = 0; i < source.size(); ++i) {
    const char c = source[i];
    const bool is_blank = c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == '\v';
    if (static_cast<unsigned char>(c) < 0x20 && !is_blank) return i;
  }
  return std::string_view::npos;
}

/// Views into the source stay views into it, so that every complaint has its offset.
class HeaderParser {
 public:
  HeaderParser(std::string_view source, std::string_view file) : source_(source), file_(file) {}

  std::expected<CandidateHeader, Diagnostics> run() {
    check_text();
    if (diagnostics_.empty()) {
      std::size_t count = 0;
      for (const auto line : split_lines(source_)) {
        const auto text = directive_of(line);
        if (!text) continue;
        if (++count > kMaxDirectives) {
          complain(*text, fmt::format("more than {} directives", kMaxDirectives));
          break;
        }
        read_directive(*text);
      }
    }
    if (diagnostics_.empty() && header_.points(1).empty())
      complain(last_requirement_, "no combination of the knobs satisfies the requirements");
    if (!diagnostics_.empty()) return std::unexpected(std::move(diagnostics_));
    return std::move(header_);
  }

 private:
  void complain(std::string_view where, std::string message) {
    const auto offset = static_cast<std::size_t>(where.data() - source_.data());
    const Position place = position_of(source_, offset);
    Finding finding;
    finding.kind = "diagnostic";
    finding.frame = render_frame(source_, offset, message);
    finding.text = std::move(message);
    finding.place = fmt::format("{}:{}:{}", file_, place.line, place.column);
    diagnostics_.push_back(std::move(finding));
  }

  void check_text() {
    if (source_.size() > kMaxSourceBytes) {
      // The frame must not walk through a gigabyte.
      const auto size = source_.size();
      source_ = source_.substr(0, 100);
      complain(source_, fmt::format("the source has {}; at most {} are read", format_bytes(size),
                                    format_bytes(kMaxSourceBytes)));
    } else if (trim(source_).empty()) {
      complain(source_, "the source is empty");
    } else if (const auto at = find_binary(source_); at != std::string_view::npos) {
      complain(source_.substr(at), "this is not a text file");
    }
  }

  void read_directive(std::string_view text) {
    using Read = void (HeaderParser::*)(std::string_view);
    static constexpr auto kReaders = std::to_array<std::pair<std::string_view, Read>>({
        {"tune", &HeaderParser::read_tune},
        {"let", &HeaderParser::read_lets},
        {"require", &HeaderParser::read_require},
        {"option", &HeaderParser::read_options},
        {"library", &HeaderParser::read_libraries},
        {"technique", &HeaderParser::read_techniques},
    });
    const auto word = text.substr(0, text.find_first_of(" \t"));
    const auto found = std::ranges::find(kReaders, word, &std::pair<std::string_view, Read>::first);
    if (found != kReaders.end()) return (this->*found->second)(trim(text.substr(word.size())));
    std::vector<std::string> known;
    for (const auto& [name, unused] : kReaders) known.emplace_back(name);
    complain(text,
             fmt::format("unknown directive '{}'{}", sanitise(word, 40), suggestion(word, known)));
  }

  /// Splits `NAME = rest` and checks that the name is new and usable as a macro.
  std::optional<std::pair<std::string, std::string_view>> read_assignment(std::string_view text) {
    const auto equals = text.find('=');
    const auto name = trim(text.substr(0, equals));
    if (equals == std::string_view::npos || name.empty())
      complain(text, "expected NAME = value");
    else if (!is_usable_identifier(name) || is_expression_function(name))
      complain(name, fmt::format("'{}' cannot name a macro", sanitise(name, 40)));
    else if (contains(known_, name))
      complain(name, fmt::format("'{}' is defined twice", name));
    else
      return std::pair{std::string(name), trim(text.substr(equals + 1))};
    return std::nullopt;
  }

  std::optional<Expr> read_expression(std::string_view text) {
    auto expr = Expr::parse(text);
    if (expr) {
      const auto checked = expr->check_names(known_);
      if (checked) return std::move(*expr);
      complain(text.substr(checked.error().offset), checked.error().message);
    } else {
      complain(text.substr(std::min(text.size(), expr.error().offset)), expr.error().message);
    }
    return std::nullopt;
  }

  void read_tune(std::string_view text) {
    const auto assignment = read_assignment(text);
    if (!assignment) return;
    if (header_.knobs.size() == kMaxKnobs)
      return complain(text, fmt::format("more than {} knobs", kMaxKnobs));
    Knob knob{assignment->first, {}};
    for (const auto part : split_arguments(assignment->second)) {
      const auto value = evaluate_text(part, {});
      if (!value) return complain(part, "a knob's values are integers: " + value.error().what);
      if (contains(knob.values, *value))
        return complain(part, fmt::format("{} is listed twice", *value));
      if (knob.values.size() == kMaxKnobValues)
        return complain(part, fmt::format("more than {} values", kMaxKnobValues));
      knob.values.push_back(*value);
    }
    known_.push_back(knob.name);
    header_.knobs.push_back(std::move(knob));
  }

  void read_lets(std::string_view text) {
    for (const auto part : split_arguments(text)) {
      auto assignment = read_assignment(part);
      if (!assignment) return;
      auto expr = read_expression(assignment->second);
      if (!expr) return;
      known_.push_back(assignment->first);
      header_.derived.push_back({assignment->first, std::move(*expr)});
    }
  }

  void read_require(std::string_view text) {
    last_requirement_ = text;
    if (auto expr = read_expression(text)) header_.requirements.push_back(std::move(*expr));
  }

  /// A list of words from a closed set; each word once.
  void read_words(std::string_view text, std::string_view what,
                  std::span<const std::string_view> known, std::vector<std::string>& words) {
    for (const auto word : split_arguments(text)) {
      if (!contains(known, word))
        complain(word, fmt::format("unknown {} '{}'; there are {}{}", what, sanitise(word, 40),
                                   fmt::join(known, ", "), suggestion(word, strings(known))));
      else if (!contains(words, word))
        words.emplace_back(word);
    }
  }

  void read_options(std::string_view text) {
    read_words(text, "option", kOptions, header_.options);
  }
  void read_libraries(std::string_view text) {
    read_words(text, "library", kLibraries, header_.libraries);
  }
  void read_techniques(std::string_view text) {
    for (const auto word : split_arguments(text))
      if (!word.empty()) header_.techniques.push_back(sanitise(word, 60));
  }

  std::string_view source_;
  std::string_view file_;
  std::string_view last_requirement_ = source_;
  std::vector<std::string> known_;  ///< Names that expressions may use.
  CandidateHeader header_;
  Diagnostics diagnostics_;
};

Finding note(std::string text) {
  Finding finding;
  finding.kind = "diagnostic";
  finding.text = std::move(text);
  return finding;
}

}  // namespace

std::expected<CandidateHeader, Diagnostics> parse_header(std::string_view source,
                                                         std::string_view file) {
  return HeaderParser(source, file).run();
}

Diagnostics check_restrictions(const CandidateHeader& header, const Restrictions& restrictions,
                               Origin origin) {
  Diagnostics diagnostics;
  // Options that cannot change a result by themselves are always allowed.
  for (const auto& option : header.options)
    if (option == "fast_math" && !contains(restrictions.options, option))
      diagnostics.push_back(note(fmt::format("the task does not allow the option {}", option)));
  for (const auto& library : header.libraries)
    if (origin != Origin::Baseline && !contains(restrictions.libraries, library))
      diagnostics.push_back(note(fmt::format("the task does not allow the library {}", library)));
  return diagnostics;
}

std::expected<Candidate, Diagnostics> make_candidate(std::string_view name, std::string_view source,
                                                     Origin origin,
                                                     const Restrictions& restrictions,
                                                     Target target) {
  auto header = parse_header(source, name);
  if (!header) return std::unexpected(std::move(header.error()));
  auto forbidden = check_restrictions(*header, restrictions, origin);
  if (!forbidden.empty()) return std::unexpected(std::move(forbidden));
  Candidate candidate;
  candidate.name = name;
  candidate.source = source;
  candidate.origin = origin;
  candidate.target = target;
  if (target == Target::Cuda) candidate.trust_class = TrustClass::DeviceCode;
  candidate.knobs = header->default_point();
  candidate.options = header->options;
  candidate.libraries = header->libraries;
  candidate.techniques = header->techniques;
  candidate.sha256 = sha256(source).hex();
  return candidate;
}

std::string to_text(const Diagnostics& diagnostics) {
  std::string text;
  for (const Finding& finding : diagnostics) {
    text += finding.place.empty() ? finding.text : finding.place + ": " + finding.text;
    text += '\n';
    if (!finding.frame.empty()) text += finding.frame + '\n';
  }
  return text;
}

}  // namespace kw::task
