// The parser of `// kw:` lines.
// SPDX-License-Identifier: Apache-2.0
#include "task/header.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/byte_order_mark.h"
#include "base/characters.h"
#include "base/contains.h"
#include "base/defence.h"
#include "base/foreign_text.h"
#include "base/hash.h"
#include "base/text.h"
#include "base/with_nearest.h"
#include "record/target.h"
#include "task/device_names.h"
#include "task/plan_parse.h"
#include "task/plan_text.h"

namespace kw::task {
namespace {

constexpr std::size_t kNameBytes = 200;

constexpr std::size_t kMaxDirectives = 200;
constexpr std::size_t kMaxPlanDirectives = 400;
constexpr std::size_t kMaxDiagnostics = 20;

constexpr auto kOptions = std::to_array<std::string_view>({"fast_math", "unroll_loops", "O2"});

bool has_launch(const PlanBlock& block);

bool has_launch(const PlanNode& node) {
  if (std::holds_alternative<LaunchNode>(node.what)) return true;
  if (const auto* loop = std::get_if<ForNode>(&node.what))
    return has_launch(loop->body) || (loop->tail && has_launch(*loop->tail));
  if (const auto* fork = std::get_if<ForkNode>(&node.what)) return has_launch(fork->body);
  if (const auto* guard = std::get_if<WhenNode>(&node.what))
    return std::ranges::any_of(guard->branches,
                               [](const auto& branch) { return has_launch(branch.body); });
  return false;
}

bool has_launch(const PlanBlock& block) {
  return std::ranges::any_of(block, [](const PlanNode& node) { return has_launch(node); });
}

std::vector<std::string> strings(std::span<const std::string_view> views) {
  return {views.begin(), views.end()};
}

/// The trimmed parts of a text between commas that stand outside parentheses.
std::vector<std::string_view> split_arguments(std::string_view text) {
  std::vector<std::string_view> parts;
  for (const PlanPiece& part : split_piece({text, 0}, ',')) parts.push_back(part.text);
  return parts;
}

/// Parses the directives one by one. `directive_` holds the current one, and offset_of_view()
/// converts a view into its text to an offset in the source.
class HeaderParser {
 public:
  HeaderParser(std::string_view source, std::string_view file, Target target)
      : source_(source), file_(file), plan_([this](const PlanTrouble& wrong) {
          complain_at(wrong.at, About{wrong.kind_and_about()}, wrong.words);
        }) {
    header_.target = target;
    header_.dialect = plain_dialect(target).name;
  }

  std::expected<CandidateHeader, Diagnostics> run() {
    check_text();
    if (diagnostics_.empty()) read_lines();
    if (diagnostics_.empty()) finish_plan();
    if (diagnostics_.empty() && header_.points(1).empty())
      complain_at(last_requirement_, About{"knobs"},
                  "no setting of the knobs satisfies the `// kw: require` lines");
    if (!diagnostics_.empty()) return std::unexpected(std::move(diagnostics_));
    return std::move(header_);
  }

 private:
  const TargetRow& row() const { return row_of(header_.target); }

  void complain_at(std::size_t offset, About about, const Wording& words) {
    if (diagnostics_.size() == kMaxDiagnostics) return;
    diagnostics_.push_back(diagnostic_at(source_, file_, offset, words.text));
    diagnostics_.back().about = std::move(about.value);
    diagnostics_.back().numbers = words.numbers;
  }
  void complain_at(std::size_t offset, About about, std::string message) {
    complain_at(offset, std::move(about), Wording{std::move(message), {}});
  }

  /// Complains about the text `where`, which must be a view into the current directive.
  void complain(std::string_view where, About about, std::string message) {
    complain_at(offset_of_view(where), std::move(about), std::move(message));
  }

  std::size_t offset_of_view(std::string_view where) const {
    return directive_.at + static_cast<std::size_t>(where.data() - directive_.text.data());
  }

  void read_lines() {
    const auto lines = split_lines(source_);
    const std::size_t most = row().launches_by_plan ? kMaxPlanDirectives : kMaxDirectives;
    std::size_t count = 0;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const auto text = directive_of(lines[i], row().comment);
      if (!text) continue;
      directive_ = join_directive(source_, lines, i, *text, row().comment);
      if (++count > most)
        return complain(directive_.text, About{fmt::format("at most {} lines", most)},
                        fmt::format("the source has more than {} `// kw:` lines", most));
      const auto word = leading_word(directive_.text);
      // A `tune` directive must stand on one line, because pinning the knobs rewrites that line.
      if (word == "tune")
        directive_.text = *text;
      else
        i += directive_.lines - 1;
      read_directive(directive_.text);
    }
  }

  void finish_plan() {
    if (!row().launches_by_plan) return;
    header_.plan = plan_.finish();
    if (dialect_of(header_).trust_class == TrustClass::HostLauncher) return check_host();
    if (!header_.libraries.empty())
      complain_at(0, About{"library"},
                  "only host launchers may name libraries (// kw: dialect host)");
    if (diagnostics_.empty() && !has_launch(header_.plan))
      complain_at(
          0, About{"launch"},
          "the source launches no kernel; write `// kw: launch KERNEL grid(…) block(…) args(…)`");
  }

  void check_host() {
    for (const PlanNode& node : header_.plan)
      if (!std::holds_alternative<WorkspaceNode>(node.what) &&
          !std::holds_alternative<LetNode>(node.what) &&
          !std::holds_alternative<RequireNode>(node.what))
        complain_at(node.at, About{"host plan"},
                    "a host launcher queues its work itself, so `workspace` is the only line of a "
                    "plan that it may have");
  }

  void check_text() {
    if (source_.size() > kMaxSourceBytes && is_on(Defence::SourceCap)) {
      // The source is cut to its beginning, so that a diagnostic's code frame does not scan a
      // gigabyte.
      const auto size = source_.size();
      source_ = source_.substr(0, 100);
      complain_at(0, About{format_bytes(kMaxSourceBytes)},
                  fmt::format("the source file has {}; at most {} are read", format_bytes(size),
                              format_bytes(kMaxSourceBytes)));
    } else if (trim(source_).empty()) {
      complain_at(0, About{"empty"}, "the source file is empty");
    } else if (const auto at = find_control(source_, "\n\r\t\f\v"); at != std::string_view::npos) {
      complain_at(at, About{"text file"}, "the source file is not a text file");
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
        {"dialect", &HeaderParser::read_dialect},
    });
    const auto word = text.substr(0, text.find_first_of(" \t"));
    // A bracket may follow `workspace` and other first words of a launch plan without a blank.
    const auto plan_word = leading_word(text);
    if (PlanParser::knows(plan_word)) {
      if (row().launches_by_plan) return plan_.read({text, directive_.at});
      return complain(
          text, About{fmt::format("plan: {}", plan_word)},
          fmt::format("'{}' belongs to a launch plan, which only a .cu file has", plan_word));
    }
    const auto found = std::ranges::find(kReaders, word, &std::pair<std::string_view, Read>::first);
    if (found != kReaders.end()) return (this->*found->second)(trim(text.substr(word.size())));
    std::vector<std::string> known;
    for (const auto& [name, unused] : kReaders)
      if (row().dialects.size() > 1 || name != "dialect") known.emplace_back(name);
    if (row().launches_by_plan)
      for (std::string& name : PlanParser::words()) known.push_back(std::move(name));
    complain(text, About{fmt::format("directive {}", with_nearest(sanitise(word, 40), known))},
             fmt::format("unknown directive '{}'{}", sanitise(word, 40), suggestion(word, known)));
  }

  /// Splits `NAME = rest` and checks that the name is new and usable as a macro.
  std::optional<std::pair<std::string, std::string_view>> read_assignment(std::string_view text) {
    const auto equals = text.find('=');
    const auto name = trim(text.substr(0, equals));
    if (equals == std::string_view::npos || name.empty())
      complain(text, About{"NAME = value"}, "this `// kw:` line needs the form NAME = value");
    else if (!is_usable_identifier(name) || is_expression_function(name))
      complain(name, About{fmt::format("name {}", sanitise(name, 40))},
               fmt::format("a knob cannot have the name '{}', which C++ or the expressions reserve",
                           sanitise(name, 40)));
    else if (contains(known_, name))
      complain(name, About{fmt::format("twice {}", name)},
               fmt::format("the name '{}' is defined twice by `// kw:` lines", name));
    else
      return std::pair{std::string(name), trim(text.substr(equals + 1))};
    return std::nullopt;
  }

  std::optional<Expr> read_expression(std::string_view text) {
    auto expr = Expr::parse(text);
    if (expr) {
      // Which names a launch plan may use depends on the task, so they are checked when the plan is
      // resolved for a workload.
      const auto checked =
          row().launches_by_plan ? std::expected<void, ExprError>() : expr->check_names(known_);
      if (checked) return std::move(*expr);
      complain(text.substr(checked.error().offset), About{checked.error().about},
               checked.error().message);
    } else {
      complain(text.substr(std::min(text.size(), expr.error().offset)), About{expr.error().about},
               expr.error().message);
    }
    return std::nullopt;
  }

  void read_tune(std::string_view text) {
    if (plan_.is_in_block())
      return complain(text, About{"knob in a block"},
                      "a knob must be declared outside the blocks of the plan (`for`, `when`)");
    const auto assignment = read_assignment(text);
    if (!assignment) return;
    if (header_.knobs.size() == kMaxKnobs)
      return complain(text, About{fmt::format("at most {} knobs", kMaxKnobs)},
                      fmt::format("the source declares more than {} knobs", kMaxKnobs));
    Knob knob{assignment->first, {}};
    for (const auto part : split_arguments(assignment->second)) {
      const auto value = evaluate_text(part, {});
      if (!value)
        return complain(part, About{fmt::format("knob value: {}", value.error().about)},
                        "a knob's values are integers: " + value.error().what);
      if (contains(knob.values, *value))
        return complain(part, About{fmt::format("twice {}", *value)},
                        fmt::format("the value {} of this knob is listed twice", *value));
      if (knob.values.size() == kMaxKnobValues)
        return complain(part, About{fmt::format("at most {} values", kMaxKnobValues)},
                        fmt::format("this knob has more than {} values", kMaxKnobValues));
      knob.values.push_back(*value);
    }
    known_.push_back(knob.name);
    macros_.push_back(knob.name);
    header_.knobs.push_back(std::move(knob));
  }

  void read_lets(std::string_view text) {
    for (const auto part : split_arguments(text)) {
      auto assignment = read_assignment(part);
      if (!assignment) return;
      auto expr = read_expression(assignment->second);
      if (!expr) return;
      if (plan_.is_in_block() || !is_over(*expr, macros_)) {
        plan_.add(offset_of_view(part),
                  LetNode{assignment->first, at_place(*expr, assignment->second)});
        // A name that a block defines is visible only in this block, so another block may define
        // the same name.
        if (!plan_.is_in_block()) known_.push_back(assignment->first);
        continue;
      }
      known_.push_back(assignment->first);
      macros_.push_back(assignment->first);
      header_.derived.push_back({assignment->first, std::move(*expr)});
    }
  }

  void read_require(std::string_view text) {
    auto expr = read_expression(text);
    if (!expr || !compares_arch_well(*expr, text)) return;
    const bool is_for_tuners = !plan_.is_in_block() && is_over(*expr, macros_and_limits());
    if (plan_.is_in_block() || !is_over(*expr, macros_))
      plan_.add(offset_of_view(text), RequireNode{at_place(*expr, text)});
    if (!is_for_tuners) return;
    last_requirement_ = offset_of_view(text);
    header_.requirements.push_back(std::move(*expr));
  }

  /// Whether `arch` is compared with the name of an architecture (sm_…) only. The numbers that
  /// stand for architectures are internal, so comparisons with numbers are refused.
  bool compares_arch_well(const Expr& expr, std::string_view text) {
    const auto& names = expr.names();
    const auto is_arch = [](const auto& name) { return std::string_view(name).starts_with("sm_"); };
    if (contains(known_, "arch") || !contains(names, "arch") || std::ranges::any_of(names, is_arch))
      return true;
    complain(text, About{"arch"},
             "arch can only be compared with the name of an architecture, such as sm_90a");
    return false;
  }

  PlanExpr at_place(const Expr& expr, std::string_view text) const {
    return {expr, offset_of_view(text)};
  }

  static bool is_over(const Expr& expr, std::span<const std::string> names) {
    return std::ranges::all_of(expr.names(),
                               [&](const auto& name) { return contains(names, name); });
  }

  std::vector<std::string> macros_and_limits() const {
    auto names = macros_;
    for (const auto limit : device_names())
      if (!contains(known_, limit)) names.emplace_back(limit);
    return names;
  }

  void read_dialect(std::string_view text) {
    std::vector<std::string> known;
    for (const DialectRow& dialect : row().dialects) known.emplace_back(dialect.name);
    if (known.size() == 1)
      complain(text, About{"dialect"}, "`// kw: dialect` may stand only in a .cu file");
    else if (!contains(known, text))
      complain(text, About{fmt::format("dialect {}", with_nearest(sanitise(text, 40), known))},
               fmt::format("unknown dialect '{}'; there are {}{}", sanitise(text, 40),
                           join(known, ", "), suggestion(text, known)));
    else
      header_.dialect = text;
  }

  /// Reads a list of words, each of which must be in `known`; drops repetitions.
  void read_words(std::string_view text, std::string_view what,
                  std::span<const std::string_view> known, std::vector<std::string>& words) {
    for (const auto word : split_arguments(text)) {
      if (!contains(known, word))
        complain(
            word,
            About{fmt::format("{} {}", what, with_nearest(sanitise(word, 40), strings(known)))},
            fmt::format("unknown {} '{}'; there are {}{}", what, sanitise(word, 40),
                        fmt::join(known, ", "), suggestion(word, strings(known))));
      else if (!contains(words, word))
        words.emplace_back(word);
    }
  }

  void read_options(std::string_view text) {
    read_words(text, "option", kOptions, header_.options);
  }
  void read_libraries(std::string_view text) {
    read_words(text, "library", row().libraries, header_.libraries);
  }
  void read_techniques(std::string_view text) {
    for (const auto word : split_arguments(text))
      if (!word.empty()) header_.techniques.push_back(sanitise(word, 60));
  }

  std::string_view source_;
  std::string_view file_;
  DirectiveText directive_;
  std::size_t last_requirement_ = 0;  ///< Offset of the last requirement in the source.
  std::vector<std::string> known_;    ///< Every name that the file defines outside of blocks.
  std::vector<std::string> macros_;   ///< Names that are knobs or follow from knobs.
  CandidateHeader header_;
  PlanParser plan_;
  Diagnostics diagnostics_;
};

Finding note(About about, std::string text) {
  Finding finding;
  finding.about = std::move(about.value);
  finding.kind = FindingKind::Diagnostic;
  finding.text = std::move(text);
  return finding;
}

}  // namespace

Finding diagnostic_at(std::string_view source, std::string_view file, std::size_t offset,
                      std::string message) {
  const Position place = position_of(source, offset);
  Finding finding;
  finding.kind = FindingKind::Diagnostic;
  finding.frame = render_frame(source, offset, message);
  finding.text = std::move(message);
  finding.place = fmt::format("{}:{}:{}", file, place.line, place.column);
  return finding;
}

const DialectRow& dialect_of(const CandidateHeader& header) {
  const DialectRow* dialect = find_dialect(header.target, header.dialect);
  KW_ASSERT(dialect != nullptr);
  return *dialect;
}

namespace {

/// Whether a line names this dialect of this target.
bool names_dialect(std::string_view line, const TargetRow& target, const DialectRow& dialect) {
  for (const std::string_view word :
       {target.comment, std::string_view("kw:"), std::string_view("dialect"), dialect.name}) {
    line = trim(line);
    if (!line.starts_with(word)) return false;
    line.remove_prefix(word.size());
  }
  return true;
}

}  // namespace

const DialectRow* dialect_with_headers(std::string_view source) {
  const auto lines = split_lines(source);
  for (const Target target : all_targets())
    for (const DialectRow& dialect : row_of(target).dialects)
      if (!dialect.headers.empty() && std::ranges::any_of(lines, [&](std::string_view line) {
            return names_dialect(line, row_of(target), dialect);
          }))
        return &dialect;
  return nullptr;
}

bool asks_for_headers(std::string_view source) { return dialect_with_headers(source) != nullptr; }

std::expected<CandidateHeader, Diagnostics> parse_header(std::string_view source,
                                                         std::string_view file, Target target) {
  return HeaderParser(without_byte_order_mark(source), file, target).run();
}

std::expected<CandidateHeader, Diagnostics> parse_header(const Candidate& candidate) {
  return parse_header(candidate.source,
                      candidate.name + std::string(source_suffix(candidate.target)),
                      candidate.target);
}

Diagnostics check_restrictions(const CandidateHeader& header, const Restrictions& restrictions,
                               Origin origin) {
  Diagnostics diagnostics;
  // The task must allow only options that can change a result: fast_math.
  for (const auto& option : header.options)
    if (option == "fast_math" && !contains(restrictions.options, option))
      diagnostics.push_back(note(About{"option " + option},
                                 fmt::format("the task does not allow the option {}", option)));
  for (const auto& library : header.libraries)
    if (origin != Origin::Baseline && is_on(Defence::ClaimsScreened) &&
        !contains(restrictions.libraries, library))
      diagnostics.push_back(note(About{"library " + library},
                                 fmt::format("the task does not allow the library {}", library)));
  return diagnostics;
}

std::expected<Candidate, Diagnostics> make_candidate(std::string_view name, std::string_view source,
                                                     Origin origin,
                                                     const Restrictions& restrictions,
                                                     Target target) {
  // The byte order mark is removed before parsing, so that offsets in the parsed header fit the
  // candidate's stored source.
  source = without_byte_order_mark(source);
  auto header = parse_header(source, name, target);
  if (!header) return std::unexpected(std::move(header.error()));
  auto forbidden = check_restrictions(*header, restrictions, origin);
  if (!forbidden.empty()) return std::unexpected(std::move(forbidden));
  Candidate candidate;
  // The name comes from a file name, which may contain any characters.
  candidate.name = sanitise_line(name, kNameBytes);
  candidate.source = source;
  candidate.origin = origin;
  candidate.target = target;
  candidate.trust_class = dialect_of(*header).trust_class;
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
