// Follows sizes through macros and constants that are made of them.
// SPDX-License-Identifier: Apache-2.0
#include "task/plain/file_sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/characters.h"
#include "base/contains.h"
#include "base/expr.h"
#include "base/text.h"
#include "lex/directives.h"
#include "task/c/index.h"
#include "task/c/polynomial.h"
#include "task/plain/name_uses.h"

namespace kw::task {
namespace {

constexpr int kDeepestConstant = 8;  // that is made of other constants
constexpr std::size_t kLongestBound = 512;

/// The text in parentheses, unless it has them.
std::string in_parentheses(const std::string& text) {
  if (text.find_first_of("+-*/%<>(") == std::string::npos) return text;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (depth == 0 && i + 1 < text.size()) return "(" + text + ")";
  }
  return text;
}

/// Whether the words are an expression of plain numbers of the type int.
bool is_number_text(const std::vector<std::string>& words) {
  static constexpr auto kSigns =
      std::to_array<std::string_view>({"(", ")", "+", "-", "*", "/", "%", "<<", ">>"});
  bool has_number = false;
  for (const std::string& word : words) {
    const bool is_number = !word.empty() && std::ranges::all_of(word, is_digit);
    if (!is_number && !contains(kSigns, word)) return false;
    has_number = has_number || is_number;
  }
  return has_number;
}

bool can_be_name(std::string_view word) {
  return !word.empty() && (is_usable_identifier(word) || word.front() == '_');
}

}  // namespace

FileSizes::FileSizes(const SiteReader& reader, const FileUses& uses)
    : reader_(reader), uses_(uses), code_{reader.list_begin(), reader.site().close + 1} {
  read_macros();
  std::vector<std::pair<std::size_t, std::string>> candidates;
  for (const auto& [name, all] : macros_) {
    if (!std::ranges::all_of(all, [](const Macro& one) { return is_number_text(one.body); }))
      continue;
    values_[name] = join(all.back().body, "");
    candidates.emplace_back(all.front().directive->tokens.front().offset, name);
  }
  for (const FileVariable* one : uses_.constants) {
    const bool is_whole = one->dtype && is_integer(*one->dtype);
    if (!is_whole || !one->bounds.empty() || one->is_odd) continue;
    const auto words =
        one->value_tokens.is_empty() ? std::vector{one->value} : words_of(one->value_tokens);
    if (!is_number_text(words)) continue;
    values_[one->name] = join(words, "");
    candidates.emplace_back(reader.tokens()[one->token].offset, one->name);
  }
  std::set<std::string, std::less<>> sizing, looping;
  const bool has_integer = has_integer_parameter();
  for (const FileVariable* array : uses_.arrays)
    for (const TokenRange bound : array->bounds) add_words(sizing, words_of(bound), 0);
  for (const TokenRange parameter : reader.parameters())
    for (std::size_t i = parameter.begin; i < parameter.end; ++i)
      if (constant(reader.word(i)) != nullptr || !has_integer)
        add_words(sizing, {std::string(reader.word(i))}, 0);
  if (!uses_.arrays.empty() || !has_integer) looping = loop_names(false);
  const auto steps = loop_names(true);
  std::ranges::sort(candidates);
  for (const auto& [offset, name] : candidates) {
    if ((!sizing.contains(name) && !looping.contains(name)) || steps.contains(name)) continue;
    if (!can_vary(name)) continue;
    const FileVariable* variable = constant(name);
    sizes_[name] = variable != nullptr ? variable->type : "int";
    order_.push_back(name);
  }
}

void FileSizes::read_macros() {
  for (const lex::Directive& directive : reader_.directives()) {
    const auto& tokens = directive.tokens;
    if (directive.name() != "define" || directive.word().empty()) continue;
    const bool takes_arguments =
        tokens.size() > 2 && tokens[2].is("(") && tokens[2].offset == tokens[1].end;
    if (takes_arguments) continue;
    Macro macro{&directive, {}};
    for (std::size_t i = 2; i < tokens.size(); ++i) macro.body.emplace_back(tokens[i].text);
    macros_[std::string(directive.word())].push_back(std::move(macro));
  }
}

const FileVariable* FileSizes::constant(std::string_view name) const {
  const auto found = std::ranges::find_if(
      uses_.constants, [&](const FileVariable* one) { return one->name == name; });
  return found == uses_.constants.end() ? nullptr : *found;
}

std::vector<std::string> FileSizes::words_of(TokenRange range) const {
  std::vector<std::string> words;
  for (std::size_t i = range.begin; i < range.end; ++i)
    words.emplace_back(reader_.tokens()[i].text);
  return words;
}

/// Adds the names among the words, and those of which they are made.
void FileSizes::add_words(std::set<std::string, std::less<>>& names,
                          const std::vector<std::string>& words, int depth) const {
  if (depth > kDeepestConstant) return;
  for (const std::string& word : words) {
    if (!can_be_name(word) || !names.insert(word).second) continue;
    if (values_.contains(word)) continue;
    if (const auto macro = macros_.find(word); macro != macros_.end())
      add_words(names, macro->second.front().body, depth + 1);
    else if (const FileVariable* variable = constant(word))
      add_words(names, words_of(variable->value_tokens), depth + 1);
  }
}

/// The words with each constant that is made of others written out.
std::string FileSizes::expanded(const std::vector<std::string>& words, int depth) const {
  std::string text;
  for (const std::string& word : words) {
    std::string part = word;
    if (can_be_name(word) && !is_size(word) && depth < kDeepestConstant) {
      const auto macro = macros_.find(word);
      const FileVariable* variable = constant(word);
      if (const auto value = values_.find(word); value != values_.end() && variable != nullptr)
        part = in_parentheses(value->second);
      else if (macro != macros_.end() && macro->second.size() == 1 && !values_.contains(word))
        part = in_parentheses(expanded(macro->second.front().body, depth + 1));
      else if (variable != nullptr)
        part = in_parentheses(expanded(words_of(variable->value_tokens), depth + 1));
    }
    if (text.size() + part.size() > kLongestBound) break;
    const bool is_apart =
        !text.empty() && can_be_name(word) && can_be_name(text.substr(text.size() - 1));
    text += (is_apart ? " " : "") + part;
  }
  return text;
}

/// The names in the conditions of loops, or in what moves their variables.
std::set<std::string, std::less<>> FileSizes::loop_names(bool of_steps) const {
  std::set<std::string, std::less<>> names;
  for (std::size_t i = reader_.site().open; i + 1 < reader_.site().close; ++i) {
    const bool is_for = reader_.at(i, "for");
    if ((!is_for && (of_steps || !reader_.at(i, "while"))) || !reader_.at(i + 1, "(")) continue;
    const std::size_t close =
        std::min(lex::find_closing(reader_.tokens(), i + 1), reader_.site().close);
    int semicolons = is_for ? 0 : 1;
    std::vector<std::string> words;
    for (std::size_t k = i + 2; k < close; ++k) {
      semicolons += reader_.at(k, ";") ? 1 : 0;
      if (reader_.is_word(k) && semicolons == (of_steps ? 2 : 1))
        words.emplace_back(reader_.word(k));
    }
    add_words(names, words, 0);
  }
  return names;
}

bool FileSizes::has_integer_parameter() const {
  return std::ranges::any_of(reader_.parameters(), [&](const ParameterTokens& parameter) {
    const auto type = reader_.dtype_of_words({parameter.begin, parameter.name});
    return parameter.name + 1 == parameter.end && type && !is_real(*type);
  });
}

bool FileSizes::is_named_by_a_helper(std::string_view name) const {
  return std::ranges::any_of(uses_.helpers, [&](const CFunction& helper) {
    for (std::size_t i = helper.begin; i < helper.close; ++i)
      if (reader_.at(i, name)) return true;
    return !hiding_macro(reader_, {helper.begin, helper.close + 1}, name).empty();
  });
}

/// Whether nothing needs the constant as one.
bool FileSizes::can_vary(const std::string& name) const {
  if (!is_usable_identifier(name) || is_expression_function(name)) return false;
  if (is_named_by_a_helper(name)) return false;
  std::set<std::string, std::less<>> made{name};  // the name, and the macros that are made of it
  for (const auto& [macro, all] : macros_) {
    std::set<std::string, std::less<>> words;
    for (const Macro& one : all) add_words(words, one.body, 0);
    if (words.contains(name)) made.insert(macro);
  }
  const TokenRange body{reader_.site().open, reader_.site().close + 1};
  for (const std::string& one : made) {
    const NameUses uses = find_name_uses(reader_, body, one);
    if (uses.unclear || find_constant_use(reader_, body, uses.tokens)) return false;
  }
  if (bounds_a_table(made)) return false;
  for (const FileVariable* table : uses_.constants) {
    if (table->bounds.empty()) continue;
    std::set<std::string, std::less<>> words;
    for (const TokenRange bound : table->bounds) add_words(words, words_of(bound), 0);
    add_words(words, words_of(table->value_tokens), 0);
    if (words.contains(name)) return false;
  }
  for (const lex::Directive& directive : reader_.directives()) {
    const std::string_view kind = directive.name();
    if (kind == "define" || kind == "undef" || kind == "ifdef" || kind == "ifndef") continue;
    for (const lex::Token& token : directive.tokens)
      if (token.kind == lex::Token::Kind::Word && made.contains(token.text)) return false;
  }
  return true;
}

/// Whether a loop that one of the names ends counts through a constant or local array, whose size
/// stays what it is.
bool FileSizes::bounds_a_table(const std::set<std::string, std::less<>>& names) const {
  const TokenRange body{reader_.site().open, reader_.site().close};
  std::set<std::string_view> variables;
  for (std::size_t i = body.begin; i < body.end; ++i) {
    if ((!reader_.at(i, "for") && !reader_.at(i, "while")) || !reader_.at(i + 1, "(")) continue;
    const std::size_t close = std::min(lex::find_closing(reader_.tokens(), i + 1), body.end);
    bool is_named = false;
    for (std::size_t k = i + 2; k < close; ++k)
      is_named = is_named || names.contains(reader_.word(k));
    for (std::size_t k = i + 2; k < close && is_named; ++k)
      if (reader_.is_word(k) && !names.contains(reader_.word(k)) && !reader_.is_type_word(k))
        variables.insert(reader_.word(k));
  }
  std::set<std::string_view> tables;
  for (const FileVariable* constant : uses_.constants)
    if (!constant->bounds.empty()) tables.insert(constant->name);
  for (std::size_t i = body.begin + 1; i < body.end; ++i)
    if (reader_.is_word(i) && reader_.is_type_word(i - 1) && reader_.at(i + 1, "["))
      tables.insert(reader_.word(i));
  for (std::size_t i = body.begin; i < body.end; ++i) {
    if (!tables.contains(reader_.word(i)) || !reader_.at(i + 1, "[")) continue;
    const std::size_t end = std::min(reader_.indices_end(i + 1), body.end);
    for (std::size_t k = i + 2; k < end; ++k)
      if (variables.contains(reader_.word(k))) return true;
  }
  return false;
}

std::vector<std::string> FileSizes::parameters() const {
  std::vector<std::string> parameters;
  for (const std::string& name : order_)
    parameters.push_back(sizes_.find(name)->second + " " + name);
  return parameters;
}

std::string FileSizes::bound_text(TokenRange bound) const {
  const std::string text = expanded(words_of(bound), 0);
  // As the indices of the code are written, so that they compare equal.
  const lex::Tokens tokens = lex::tokenize(text);
  const auto polynomial = IndexReader(tokens).whole(0, tokens.size());
  return polynomial && !polynomial->empty() ? to_expression(*polynomial) : text;
}

void FileSizes::rewrite(TokenEdits& edits) const {
  for (const auto& [name, all] : macros_) {
    if (is_size(name)) {
      for (const Macro& one : all) edits.drop_directive(*one.directive);
      continue;
    }
    if (values_.contains(name) || all.size() != 1) continue;
    std::set<std::string, std::less<>> words;
    add_words(words, all.front().body, 0);
    const bool is_made_of_sizes =
        std::ranges::any_of(words, [&](const std::string& word) { return is_size(word); });
    if (!is_made_of_sizes) continue;
    for (const std::size_t use : find_name_uses(reader_, code_, name).tokens)
      edits.put(use, in_parentheses(expanded(all.front().body, 1)));
  }
}

std::vector<std::string> FileSizes::notes() const {
  std::vector<std::string> notes;
  for (const std::string& name : order_)
    notes.push_back(
        fmt::format("{}: was the constant {} and is a parameter, because the sizes of a task vary",
                    sanitise(name, 60), sanitise(values_.find(name)->second, 60)));
  return notes;
}

}  // namespace kw::task
