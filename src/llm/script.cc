// Parses the files of replies and faults that scripted models play.
// SPDX-License-Identifier: Apache-2.0
#include "llm/script.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <limits>
#include <utility>

#include "base/text.h"

namespace kw::llm {
namespace {

constexpr std::string_view kSeparator = "===";
constexpr std::int64_t kLargest = 1'000'000'000;

const std::vector<std::string>& directive_names() {
  static const std::vector<std::string> names = {"usage",  "model", "thinking", "delay", "repeat",
                                                 "hang",   "cut",   "refusal",  "empty", "length",
                                                 "filter", "tool",  "429",      "500",   "529"};
  return names;
}

class ScriptParser {
 public:
  explicit ScriptParser(std::string_view origin) : origin_(origin) {}

  Result<std::vector<ScriptEntry>> parse(std::string_view text) {
    for (const std::string_view line : split_lines(text)) {
      ++line_;
      KW_TRY(take(line));
    }
    end_entry();
    if (entries_.empty())
      return bad("entry",
                 "the script of replies holds no entry; each entry begins with a line '==='");
    return std::move(entries_);
  }

 private:
  /// `about` names what is wrong with the line.
  std::unexpected<Error> bad(std::string about, const std::string& what) const {
    return fail(ErrorCode::BadInput, About{std::move(about)}, what,
                fmt::format("{}:{}:1", origin_, line_));
  }

  Result<> take(std::string_view line) {
    if (line.starts_with("====") && trim(line).find_first_not_of('=') == std::string_view::npos)
      return bad(
          "=======",
          "a line '=======' inside a scripted reply must be written '\\======='; a line that "
          "begins an entry has three '='");
    if (line.starts_with(kSeparator)) {
      end_entry();
      entries_.emplace_back();
      is_head_ = true;
      return {};
    }
    if (entries_.empty()) {  // text before the first entry is a remark
      if (trim(line).empty() || line.starts_with('#')) return {};
      return bad("===", "an entry of the script of replies must begin with a line '==='");
    }
    if (is_head_ && line.starts_with('!')) return directive(line.substr(1));
    is_head_ = false;
    if (line.starts_with("\\===") || line.starts_with("\\!")) line.remove_prefix(1);
    entries_.back().reply.text.append(line).append("\n");
    return {};
  }

  /// Ends an entry; blank lines before the next separator are not part of the reply.
  void end_entry() {
    if (entries_.empty()) return;
    std::string& text = entries_.back().reply.text;
    while (text.ends_with("\n\n") || text == "\n") text.pop_back();
  }

  Result<> directive(std::string_view line) {
    ScriptEntry& entry = entries_.back();
    const std::size_t blank = std::min(line.find(' '), line.size());
    const std::string_view name = line.substr(0, blank);
    const std::string_view rest = trim(line.substr(blank));
    if (name == "usage") return usage(rest);
    if (name == "delay") {
      entry.delay = std::chrono::milliseconds(KW_TRY(number(rest)));
    } else if (name == "repeat") {
      entry.repeat = rest == "forever" ? 0 : KW_TRY(number(rest));
    } else if (name == "model") {
      entry.reply.model = rest;
    } else if (name == "thinking") {
      entry.reply.thinking.append(rest).append("\n");
    } else if (name == "hang") {
      entry.fault = ScriptEntry::Fault::Hang;
    } else if (name == "cut") {
      entry.fault = ScriptEntry::Fault::Cut;
    } else if (const auto stop = stop_of(name)) {
      entry.reply.stop = *stop;
    } else if (!name.empty() && name.find_first_not_of("0123456789") == std::string_view::npos) {
      return status(name, rest);
    } else {
      return bad(sanitise(name, 40),
                 "unknown directive !" + sanitise(name, 40) + suggestion(name, directive_names()));
    }
    return {};
  }

  static std::optional<StopReason> stop_of(std::string_view name) {
    if (name == "refusal") return StopReason::Refusal;
    if (name == "length") return StopReason::Length;
    if (name == "filter") return StopReason::ContentFilter;
    if (name == "tool") return StopReason::Tool;
    if (name == "empty") return StopReason::End;
    return std::nullopt;
  }

  Result<> status(std::string_view name, std::string_view rest) {
    ScriptEntry& entry = entries_.back();
    const std::int64_t status = KW_TRY(number(name));
    if (status < 400 || status > 599)
      return bad("status", "the HTTP status of a scripted failure must be 400 to 599");
    entry.fault = ScriptEntry::Fault::Status;
    entry.status = static_cast<int>(status);
    if (rest.empty()) return {};
    constexpr std::string_view key = "retry-after=";
    if (!rest.starts_with(key))
      return bad("retry-after",
                 "after the status of a scripted failure only retry-after=SECONDS may follow");
    entry.retry_after = std::chrono::seconds(KW_TRY(number(rest.substr(key.size()))));
    return {};
  }

  /// Reads a usage such as "prompt=1200 cached=1000 completion=300", of which any part may be
  /// missing.
  Result<> usage(std::string_view rest) {
    Usage& usage = entries_.back().reply.usage;
    for (const std::string_view part : split(rest, ' ')) {
      if (part.empty()) continue;
      const std::size_t equals = std::min(part.find('='), part.size());
      const std::string_view key = part.substr(0, equals);
      const std::string_view value = part.substr(std::min(equals + 1, part.size()));
      if (key == "prompt")
        usage.prompt_tokens = KW_TRY(number(value));
      else if (key == "cached")
        usage.cached_tokens = KW_TRY(number(value));
      else if (key == "completion")
        usage.completion_tokens = KW_TRY(number(value));
      else
        return bad("usage",
                   "the usage of a scripted reply is given as prompt=N, cached=N and completion=N");
    }
    return {};
  }

  Result<std::int64_t> number(std::string_view text) const {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc() || end != text.data() + text.size() || value < 0 ||
        value > kLargest)
      return bad("number", "a number in the script of replies must be a whole number from 0");
    return value;
  }

  std::string_view origin_;
  std::size_t line_ = 0;
  bool is_head_ = false;
  std::vector<ScriptEntry> entries_;
};

}  // namespace

Result<std::vector<ScriptEntry>> parse_script(std::string_view text, std::string_view origin) {
  return ScriptParser(origin).parse(text);
}

}  // namespace kw::llm
