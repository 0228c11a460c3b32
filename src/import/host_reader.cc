// Follows the statements of a host function: declarations, branches, and what is returned.
// SPDX-License-Identifier: Apache-2.0
#include "import/host_reader.h"
#include "import/words.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace kw::import {

namespace {

constexpr int kDeepestStatements = 60;
constexpr std::size_t kHeaviest = 400;  // most nodes in the expression for one size
constexpr std::size_t kMostRemarks = 32;

using lex::Token;

}  // namespace

bool HostReader::spend() { return --budget_ > 0; }

std::size_t HostReader::closing(std::size_t open) const {
  return std::min(lex::find_closing(*tokens_, open), tokens_->size());
}

std::size_t HostReader::place(std::size_t i) const {
  return i < tokens_->size() ? (*tokens_)[i].offset
                             : (tokens_->empty() ? 0 : tokens_->back().offset);
}

void HostReader::miss(std::size_t offset, std::string text) {
  for (const Remark& remark : out_.missing)
    if (remark.offset == offset && remark.text == text) return;
  if (out_.missing.size() < kMostRemarks) out_.missing.push_back({offset, std::move(text)});
}

void HostReader::note(std::size_t offset, std::string text) {
  for (const Remark& remark : out_.notes)
    if (remark.text == text) return;
  if (out_.notes.size() < kMostRemarks) out_.notes.push_back({offset, std::move(text)});
}

Value HostReader::unknown(std::size_t offset, std::string why) const {
  Value value;
  value.word = std::move(why);
  value.offset = offset;
  return value;
}

std::optional<std::int64_t> HostReader::decided(const Value& value) const {
  if (!value.is(Value::Kind::Int)) return std::nullopt;
  if (out_.is_main) return value.size.op() == Size::Op::Number ? value.size.number() : std::nullopt;
  return value.size.replaced([](const Size&) { return std::nullopt; }).number();
}

Value HostReader::integer(const Size& size) {
  Value value;
  if (size.weight() > kHeaviest) {
    value.word = "the expression of this size is too long for a launch plan";
    return value;
  }
  value.kind = Value::Kind::Int;
  value.size = size;
  return value;
}

Value HostReader::real(const Size& size) {
  Value value = integer(size);
  if (value.is(Value::Kind::Int)) value.kind = Value::Kind::Real;
  return value;
}

Value HostReader::text(std::string word) {
  Value value;
  value.kind = Value::Kind::Text;
  value.word = std::move(word);
  return value;
}

HostProgram HostReader::run(const Item& function) {
  out_.function = &function;
  out_.is_main = function.name == "main";
  add_file_variables();
  scopes_.emplace_back();
  bind_templates(function, {}, {}, scopes_);
  check_text(function);
  const auto [body, is_new] = bodies_.try_emplace(&function);
  body->second = expand_macros(source_, function.body_open + 1, function.body_close);
  tokens_ = &body->second;
  callers_.push_back(&function);
  bind_parameters(function);
  scopes_.emplace_back();
  block(0, tokens_->size());
  close_branches(0);
  note_result(merged_result());
  check_memory();
  if (out_.is_main) drop_repeats();
  if (budget_ <= 0)
    miss(source_.tokens[function.begin].offset,
         "this host function does more steps than the plan drafter can follow");
  return std::move(out_);
}

/// Refuses a function that contains text of which it is unknown whether the preprocessor drops it.
void HostReader::check_text(const Item& function) {
  for (std::size_t i = function.begin; i < std::min(function.end, source_.tokens.size()); ++i) {
    const Token& token = source_.tokens[i];
    if (token.kind == Token::Kind::Word) check_macro(std::string(token.text), token.offset, 0);
  }
  for (const DoubtfulText& doubt : source_.doubtful) {
    const std::size_t begin = source_.tokens[function.begin].offset;
    const std::size_t end =
        source_.tokens[std::min(function.end, source_.tokens.size()) - 1].offset;
    const bool is_around = doubt.range.begin <= begin && end <= doubt.range.end;
    const bool is_inside = begin <= doubt.range.begin && doubt.range.begin <= end;
    if (is_around || is_inside)
      miss(doubt.range.begin, fmt::format("whether this condition holds is not known before the "
                                          "file is compiled: {}",
                                          sanitise(doubt.condition, 60)));
  }
}

void HostReader::check_macro(const std::string& name, std::size_t offset, int depth) {
  constexpr int kDeepest = 8;
  const Macro* macro = macro_at(source_, name, offset);
  if (macro == nullptr || depth > kDeepest) return;
  if (macro->is_doubtful)
    return miss(
        offset,
        fmt::format(
            "which definition of the macro '{}' is used is not known before the file is compiled",
            sanitise(name, 60)));
  for (const Token& token : lex::tokenize(macro->body))
    if (token.kind == Token::Kind::Word && token.text != name)
      check_macro(std::string(token.text), offset, depth + 1);
}

bool is_same_value(const Value& a, const Value& b) {
  return a.kind == b.kind && a.buffer == b.buffer && a.word == b.word && a.size == b.size &&
         a.names == b.names && a.begin == b.begin && a.end == b.end && a.tokens == b.tokens &&
         a.depth == b.depth && std::ranges::equal(a.parts, b.parts, is_same_value) &&
         std::ranges::equal(a.captured, b.captured, is_same_value);
}

bool is_same_step(const Step& a, const Step& b) {
  return a.kind == b.kind && a.kernel == b.kernel && a.grid == b.grid && a.block == b.block &&
         a.shared == b.shared && a.templates == b.templates && a.fill == b.fill &&
         a.bytes == b.bytes && a.name == b.name && a.low == b.low && a.high == b.high &&
         a.stride == b.stride && is_same_value(a.target, b.target) &&
         is_same_value(a.source, b.source) &&
         std::ranges::equal(a.arguments, b.arguments, is_same_value);
}

/// Drops steps that repeat earlier steps, as programs that warm up or time their kernels have them.
void HostReader::drop_repeats() {
  constexpr std::size_t kLongest = 6;
  auto& steps = out_.steps;
  for (std::size_t period = 1; period <= kLongest; ++period)
    for (std::size_t i = period; i + period <= steps.size();) {
      bool is_repeat = true;
      for (std::size_t k = 0; k < period; ++k)
        is_repeat = is_repeat && steps[i + k].kind <= Step::Kind::Copy &&
                    is_same_step(steps[i + k], steps[i + k - period]);
      if (!is_repeat) {
        ++i;
        continue;
      }
      note(steps[i].offset,
           "the plan takes the steps that main() repeats to warm up or to measure time once");
      steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(i),
                  steps.begin() + static_cast<std::ptrdiff_t>(i + period));
    }
}

HostReader::Flow HostReader::block(std::size_t begin, std::size_t end) {
  std::size_t i = begin;
  while (i < end) {
    const std::size_t before = i;
    if (!spend()) return Flow::Return;
    const Flow flow = statement(i, end);
    if (flow != Flow::Next) return flow;
    if (i <= before) i = before + 1;
  }
  return Flow::Next;
}

std::size_t HostReader::statement_end(std::size_t i, std::size_t end, int depth) const {
  if (i >= end || depth > kDeepestStatements) return end;
  if (at(i).is("{")) return std::min(closing(i) + 1, end);
  if (at(i).is("do")) {
    i = statement_end(i + 1, end, depth + 1);
  } else if (is_one_of(at(i), {"if", "for", "while", "switch"})) {
    const bool is_if = at(i).is("if");
    while (i < end && !at(i).is("(")) ++i;
    i = statement_end(std::min(closing(i) + 1, end), end, depth + 1);
    if (is_if && i < end && at(i).is("else")) return statement_end(i + 1, end, depth + 1);
    return i;
  }
  while (i < end && !at(i).is(";")) {
    if (at(i).is("(") || at(i).is("[") || at(i).is("{")) i = closing(i);
    ++i;
  }
  return std::min(i + 1, end);
}

HostReader::Flow HostReader::statement(std::size_t& i, std::size_t end) {
  struct Deeper {
    explicit Deeper(int& counter) : depth(counter) { ++depth; }
    ~Deeper() { --depth; }
    int& depth;
  } deeper(depth_);
  if (depth_ > kDeepestStatements) {
    miss(place(i), "these statements are nested too deeply for the plan drafter");
    i = end;
    return Flow::Return;
  }
  const std::size_t keyword = i;
  if (at(i).is(";")) return ++i, Flow::Next;
  if (at(i).is("{")) {
    const std::size_t close = std::min(closing(i), end);
    scopes_.emplace_back();
    const Flow flow = block(i + 1, close);
    scopes_.pop_back();
    i = close + 1;
    return flow;
  }
  if (at(i).is("if")) return if_statement(i, end);
  if (is_one_of(at(i), {"for", "while", "switch"})) {
    std::size_t open = i + 1;
    if (!at(open).is("(")) return ++i, Flow::Next;
    const std::size_t close = std::min(closing(open), end);
    const std::size_t body = std::min(close + 1, end);
    i = statement_end(body, end);
    if (at(keyword).is("switch")) return switch_statement(keyword, open, close, body, i);
    return loop(keyword, open, body, i);
  }
  if (at(i).is("do")) return do_statement(i, end);
  if (is_one_of(at(i), {"break", "continue"})) {
    const Flow flow = at(i).is("break") ? Flow::Break : Flow::Continue;
    i = statement_end(i, end);
    return flow;
  }
  if (at(i).is("try") && at(i + 1).is("{")) return ++i, Flow::Next;
  if (at(i).is("catch")) {
    while (i < end && !at(i).is("{")) ++i;
    i = std::min(closing(i) + 1, end);
    return Flow::Next;
  }
  if (is_one_of(at(i), {"case", "default"})) {
    while (i < end && !at(i).is(":")) ++i;
    return ++i, Flow::Next;
  }
  // A label only matters to a goto, which is refused.
  if (at(i).kind == Token::Kind::Word && at(i + 1).is(":")) return i += 2, Flow::Next;
  i = statement_end(i, end);
  const std::size_t stop = i > keyword && at(i - 1).is(";") ? i - 1 : i;
  return plain_statement(keyword, stop);
}

HostReader::Flow HostReader::plain_statement(std::size_t begin, std::size_t end) {
  if (at(begin).is("return")) {
    result_ = begin + 1 < end ? evaluate(begin + 1, end) : Value();
    if (begin + 1 >= end) result_.kind = Value::Kind::Null;
    return Flow::Return;
  }
  if (at(begin).is("goto")) {
    miss(place(begin), "the plan drafter cannot follow a goto");
    return Flow::Return;
  }
  const std::size_t name = at(begin).is("std") && at(begin + 1).is("::") ? begin + 2 : begin;
  const bool exits = is_one_of(at(name), {"exit", "abort", "_exit", "quick_exit", "terminate"}) &&
                     at(name + 1).is("(");
  // exit() in main() outside of branches ends the work normally.
  if (at(begin).is("throw") || exits)
    return out_.is_main && callers_.size() == 1 && inside_ == 0 ? Flow::Return : Flow::Fail;
  if (is_one_of(at(begin), {"using", "typedef"})) {
    // An alias for a type: `using scalar_t = float;` or `typedef float scalar_t;`.
    const bool is_using = at(begin).is("using");
    const TypeAt type = type_at(is_using ? begin + 3 : begin + 1, end);
    const std::size_t name = is_using ? begin + 1 : type.end;
    if (type.end != 0 && type.stars == 0 && name < end)
      types_.aliases[std::string(at(name).text)] = type.type;
    return Flow::Next;
  }
  if (at(begin).is("static_assert") || at(begin).is("delete")) return Flow::Next;
  if (at(begin).is("auto") && (at(begin + 1).is("[") || at(begin + 2).is("["))) {
    // The variables of a structured binding `auto [a, b] = …` become unknown.
    for (std::size_t i = begin + 1; i < end && !at(i).is("="); ++i)
      if (at(i).kind == Token::Kind::Word)
        scopes_.back()[std::string(at(i).text)] = {
            unknown(place(i),
                    fmt::format("the plan drafter cannot tell what '{}' is here", at(i).text)),
            "", 0};
    std::size_t equals = begin;
    while (equals < end && !at(equals).is("=")) ++equals;
    if (equals + 1 < end) evaluate(equals + 1, end);
    return Flow::Next;
  }
  if (declaration(begin, end)) return Flow::Next;
  for (const auto& [from, to] : parts_between(begin, end, ",")) evaluate(from, to);
  return Flow::Next;
}

std::vector<std::pair<std::size_t, std::size_t>> HostReader::parts_between(
    std::size_t begin, std::size_t end, std::string_view sign) const {
  std::vector<std::pair<std::size_t, std::size_t>> parts;
  std::size_t start = begin;
  for (std::size_t i = begin; i <= end; ++i) {
    if (i == end || at(i).is(sign)) {
      if (i > start) parts.emplace_back(start, i);
      start = i + 1;
    } else if (at(i).is("(") || at(i).is("[") || at(i).is("{")) {
      i = std::min(closing(i), end - 1);
    } else if (const std::size_t inner = after_launch_open(*tokens_, i)) {
      // Commas inside <<<grid, block>>> do not end an expression here.
      for (i = inner; i < end && !(at(i).is(">>") && at(i + 1).is(">")); ++i)
        if (at(i).is("(") || at(i).is("{")) i = std::min(closing(i), end - 1);
      ++i;
      if (i >= end) i = end - 1;
    } else if (at(i).is("<") && i > begin && at(i - 1).kind == Token::Kind::Word) {
      if (const std::size_t after = after_angles(*tokens_, i, end); after > i + 1) i = after - 1;
    }
  }
  return parts;
}

void HostReader::note_result(const Value& value) {
  if (value.is(Value::Kind::Tensor))
    out_.buffers[static_cast<std::size_t>(value.buffer)].is_returned = true;
  for (const Value& part : value.parts)
    if (part.is(Value::Kind::Tensor)) note_result(part);
  if (value.is(Value::Kind::Unknown) && value.word.find("PyTorch") != std::string::npos)
    miss(value.offset, value.word);
}

HostProgram read_host_program(const ForeignSource& source, const std::vector<Item>& items,
                              const Item& function, const TypeNames& type_names) {
  return HostReader(source, items, type_names).run(function);
}

}  // namespace kw::import
