// Joins the edits of neighbouring tokens.
// SPDX-License-Identifier: Apache-2.0
#include "task/plain/edits.h"

#include <algorithm>
#include <utility>

#include "base/characters.h"

namespace kw::task {

void TokenEdits::put(std::size_t token, std::string text) {
  if (Change& change = changes_[token]; !change.is_dropped) change.text = std::move(text);
}

void TokenEdits::drop(TokenRange range) {
  for (std::size_t i = range.begin; i < std::min(range.end, reader_.tokens().size()); ++i)
    changes_[i] = {{}, std::string(), {}, true};
}

void TokenEdits::replace(TokenRange range, const std::string& text) {
  drop(range);
  before(range.begin, text);
}

void TokenEdits::drop_directive(const lex::Directive& directive) {
  const auto& whole = reader_.whole();
  directives_.push_back({whole[directive.first].offset, whole[directive.last - 1].end, ""});
}

void TokenEdits::prepend_parameters(const std::string& text) { add_parameters(text, true); }

void TokenEdits::append_parameters(const std::string& text) { add_parameters(text, false); }

void TokenEdits::add_parameters(const std::string& text, bool is_first) {
  const std::size_t open = reader_.list_begin(), close = reader_.list_end();
  const bool has_others = has_new_parameters_ || !reader_.parameters().empty();
  if (!has_others) drop({open + 1, close});  // the `void` of `(void)`
  if (is_first)
    after(open, text + (has_others ? ", " : ""));
  else
    before(close, (has_others ? ", " : "") + text);
  has_new_parameters_ = true;
}

bool TokenEdits::is_dropped(std::size_t token) const {
  const auto found = changes_.find(token);
  return found != changes_.end() && found->second.is_dropped;
}

/// What stays of the text between two dropped tokens; nothing where it is to stay as it is.
std::optional<std::string> TokenEdits::gap_between(const lex::Token& first,
                                                   const lex::Token& second) const {
  std::string left;
  const auto& whole = reader_.whole();
  const auto begin = std::ranges::lower_bound(whole, first.end, {}, &lex::Token::offset);
  for (auto token = begin; token != whole.end() && token->offset < second.offset; ++token) {
    if (token->in_directive) return std::nullopt;
    const auto bytes = reader_.site().source.substr(token->offset, token->end - token->offset);
    left.append(static_cast<std::size_t>(std::ranges::count(bytes, '\n')), '\n');
  }
  return left;
}

std::vector<PlainEdit> TokenEdits::edits() const {
  const auto& tokens = reader_.tokens();
  const std::string_view source = reader_.site().source;
  std::vector<PlainEdit> edits;
  std::size_t last = tokens.size();
  for (const auto& [i, change] : changes_) {
    if (i >= tokens.size()) break;
    const lex::Token& token = tokens[i];
    const std::string text =
        change.before + change.text.value_or(std::string(token.text)) + change.after;
    const bool follows =
        last + 1 == i && change.is_dropped && change.before.empty() && is_dropped(last);
    const auto gap = follows ? gap_between(tokens[last], token) : std::nullopt;
    if (gap) {
      edits.back().end = token.end;
      edits.back().text += *gap + text;
    } else {
      edits.push_back({token.offset, token.end, text});
    }
    last = i;
  }
  // Words that are left beside each other stay two.
  for (std::size_t i = 0; i < edits.size(); ++i) {
    PlainEdit& edit = edits[i];
    const bool is_beside_edits = (i > 0 && edits[i - 1].end == edit.begin) ||
                                 (i + 1 < edits.size() && edits[i + 1].begin == edit.end);
    if (edit.text.empty() && !is_beside_edits && edit.begin > 0 && edit.end < source.size() &&
        is_name_char(source[edit.begin - 1]) && is_name_char(source[edit.end]))
      edit.text = " ";
  }
  edits.insert(edits.end(), directives_.begin(), directives_.end());
  return edits;
}

}  // namespace kw::task
