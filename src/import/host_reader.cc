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
constexpr std::size_t kHeaviest = 400;  // the most nodes of the expression for one size
constexpr std::size_t kMostRemarks = 32;

using task::CodeToken;

bool is_tensor_type(std::string_view type) {
  return type == "torch::Tensor" || type == "at::Tensor" || type == "Tensor";
}

bool is_stream_type(std::string_view type) {
  return type == "cudaStream_t" || type.ends_with("CUDAStream");
}

}  // namespace

bool HostReader::spend() { return --budget_ > 0; }

std::size_t HostReader::closing(std::size_t open) const {
  return std::min(task::find_closing(*tokens_, open), tokens_->size());
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
    value.word = "this size is too long an expression";
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
  scopes_.emplace_back();
  const auto [body, is_new] = bodies_.try_emplace(&function);
  body->second = expand_macros(source_, function.body_open + 1, function.body_close);
  tokens_ = &body->second;
  callers_.push_back(&function);
  bind_parameters(function);
  scopes_.emplace_back();
  block(0, tokens_->size());
  note_result(result_);
  if (out_.is_main) drop_repeats();
  close_branches(0);
  if (budget_ <= 0)
    miss(source_.tokens[function.begin].offset, "this function is too long to be followed");
  return std::move(out_);
}

bool is_same_value(const Value& a, const Value& b) {
  return a.kind == b.kind && a.buffer == b.buffer && a.word == b.word && a.size == b.size &&
         a.names == b.names && std::ranges::equal(a.parts, b.parts, is_same_value);
}

bool is_same_step(const Step& a, const Step& b) {
  return a.kind == b.kind && a.kernel == b.kernel && a.grid == b.grid && a.block == b.block &&
         a.shared == b.shared && a.templates == b.templates && a.fill == b.fill &&
         a.bytes == b.bytes && a.name == b.name && a.low == b.low && a.high == b.high &&
         a.stride == b.stride && is_same_value(a.target, b.target) &&
         is_same_value(a.source, b.source) &&
         std::ranges::equal(a.arguments, b.arguments, is_same_value);
}

/// Drops steps that repeat the steps before them, as programs do to warm up and to time.
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
           "main() repeats the same steps, to warm up or to time them: they are taken once");
      steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(i),
                  steps.begin() + static_cast<std::ptrdiff_t>(i + period));
    }
}

void HostReader::bind_parameters(const Item& function) {
  const std::size_t offset = source_.tokens[function.parameters_open].offset;
  if (out_.is_main) return;
  for (const FunctionParameter& parameter : function.parameters) {
    const std::string type = device_type(parameter.type, types_);
    Value value;
    if (is_tensor_type(parameter.type) || parameter.stars == 1) {
      Buffer buffer;
      buffer.name = parameter.name;
      buffer.element = is_tensor_type(parameter.type) || type == "void" ? "" : type;
      buffer.is_const = parameter.is_const && parameter.stars == 1;
      buffer.is_tensor = parameter.stars == 0;
      buffer.offset = offset;
      const int index = add_buffer(std::move(buffer));
      if (parameter.stars == 0) {
        value = tensor(index);
      } else {
        value.kind = Value::Kind::Pointer;
        value.buffer = index;
        value.word = type;
      }
    } else if (is_stream_type(parameter.type)) {
      value.kind = Value::Kind::Stream;
    } else if (parameter.stars == 0 && (type == "float" || type == "double" || type == "__half" ||
                                        type == "__nv_bfloat16")) {
      out_.reals.push_back(parameter.name);
      value = real(Size::name(parameter.name));
    } else if (parameter.stars == 0 && bytes_of_type(type) > 0) {
      out_.integers.push_back(parameter.name);
      value = integer(Size::name(parameter.name));
    } else {
      value = unknown(offset, fmt::format("what '{}' of type {} holds is not known", parameter.name,
                                          parameter.type));
    }
    scopes_.back()[parameter.name] = {value, type, parameter.stars};
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
    miss(place(i), "this is nested too deeply to be followed");
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
  if (at(i).is("do")) {
    const std::size_t body_end = statement_end(i + 1, end);
    const std::size_t whole = statement_end(i, end);
    std::size_t inner = i + 1;
    const std::size_t steps = out_.steps.size();
    const Flow flow = inner < body_end ? statement(inner, body_end) : Flow::Next;
    if (leap_ && out_.steps.size() > steps) miss(leap_->offset, leap_->text);
    i = whole;
    // `do … while (0)` is how macros hold statements together, so the body runs once.
    const bool is_once = at(body_end).is("while") && at(body_end + 2).is("0");
    if (!is_once && flow == Flow::Next && out_.steps.size() > steps)
      miss(place(keyword), "how often this loop launches kernels depends on data");
    return flow == Flow::Break || flow == Flow::Continue ? Flow::Next : flow;
  }
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
  if (is_one_of(at(begin), {"throw", "goto"}) || is_one_of(at(begin), {"exit", "abort"}))
    return Flow::Next;
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
      // Commas inside <<<grid, block>>> separate nothing here.
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

HostReader::TypeAt HostReader::type_at(std::size_t i, std::size_t end) const {
  static constexpr auto kNumbers = {"unsigned", "signed", "long", "short", "int", "char"};
  TypeAt type;
  bool is_number = false;
  for (; i < end; ++i) {
    const Token& token = at(i);
    if (is_one_of(token, {"const", "constexpr"})) {
      type.is_const = type.is_const || type.stars == 0;
      continue;
    }
    if (is_one_of(token, {"static", "volatile", "struct", "typename", "inline", "extern"}))
      continue;
    if (token.is("*") && !type.type.empty()) {
      ++type.stars;
      continue;
    }
    if ((token.is("&") || token.is("&&")) && !type.type.empty()) continue;
    if (is_one_of(token, {"__restrict__", "__restrict"})) continue;
    if (token.kind != Token::Kind::Word) break;
    const bool is_part = std::ranges::find(kNumbers, token.text) != kNumbers.end();
    if (!type.type.empty() && !(is_number && is_part)) break;
    if (is_one_of(token, {"return", "new", "delete", "sizeof", "if", "else", "case", "throw"}))
      return {};
    type.type += (type.type.empty() ? "" : " ") + std::string(token.text);
    is_number = is_part;
    while (at(i + 1).is("::") && at(i + 2).kind == Token::Kind::Word) {
      type.type += "::" + std::string(at(i + 2).text);
      i += 2;
    }
    if (at(i + 1).is("<"))
      if (const std::size_t after = after_angles(*tokens_, i + 1, end); after > i + 2) {
        for (std::size_t k = i + 1; k < after; ++k) type.type += at(k).text;
        i = after - 1;
      }
  }
  if (type.type.empty()) return {};
  type.type = device_type(type.type, types_);
  type.end = i;
  return type;
}

bool HostReader::declaration(std::size_t begin, std::size_t end) {
  const TypeAt type = type_at(begin, end);
  if (type.end == 0 || type.end >= end || at(type.end).kind != Token::Kind::Word) return false;
  const Token& next = at(type.end + 1);
  const bool is_last = type.end + 1 >= end;
  if (!is_last && !(next.is("=") || next.is("(") || next.is("{") || next.is("[") || next.is(",")))
    return false;
  std::size_t i = type.end;
  TypeAt own = type;
  while (i < end && at(i).kind == Token::Kind::Word) {
    i = declarator(own, i, end);
    if (i >= end || !at(i).is(",")) break;
    ++i;
    own.stars = 0;
    while (at(i).is("*")) ++own.stars, ++i;
  }
  return true;
}

std::size_t HostReader::declarator(const TypeAt& base, std::size_t name, std::size_t end) {
  const std::string word(at(name).text);
  TypeAt type = base;
  std::size_t i = name + 1;
  bool is_array = false;
  for (; at(i).is("["); i = std::min(closing(i) + 1, end)) is_array = true;
  std::size_t stop = i;
  while (stop < end && !at(stop).is(",")) {
    if (at(stop).is("(") || at(stop).is("[") || at(stop).is("{"))
      stop = std::min(closing(stop), end);
    if (at(stop).is("<") && at(stop - 1).kind == Token::Kind::Word)
      if (const std::size_t after = after_angles(*tokens_, stop, end); after > stop + 1)
        stop = after - 1;
    if (stop < end) ++stop;
  }
  Value value;
  if (at(i).is("=") && i + 1 < stop) {
    value = evaluate(i + 1, stop);
  } else if ((at(i).is("(") || at(i).is("{")) && i < stop) {
    Value list;
    list.kind = Value::Kind::List;
    const std::size_t close = std::min(closing(i), end);
    for (const auto& [from, to] : parts_between(i + 1, close, ","))
      list.parts.push_back(evaluate(from, to));
    const bool is_one = list.parts.size() == 1 && type.type != "dim3" && at(i).is("(");
    value = is_one ? list.parts.front() : list;
  } else {
    value = unknown(place(name), fmt::format("'{}' is not set here", word));
  }
  if (is_array && !value.is(Value::Kind::List)) {
    value.kind = Value::Kind::Host;
    value.word = word;
  }
  declare(word, type, std::move(value));
  if (is_array) scopes_.back()[word].stars = std::max(type.stars, 1);
  return stop;
}

void HostReader::declare(const std::string& name, const TypeAt& type, Value value) {
  using Kind = Value::Kind;
  // A constant keeps its name, because in main() it may be a size of the task.
  if (value.is(Kind::Unknown) && out_.is_main && type.stars == 0 && bytes_of_type(type.type) > 0 &&
      !value.word.ends_with("not set here")) {
    out_.integers.push_back(name);
    value = integer(Size::name(name));
  }
  if (value.is(Kind::Unknown) && type.type == "dim3" && value.word.ends_with("not set here")) {
    value.kind = Kind::List;
  }
  value = cast(type, std::move(value), value.offset);
  const bool is_real_constant =
      out_.is_main && value.is(Kind::Real) && value.size.op() == Size::Op::Text;
  if ((value.is(Kind::Int) && value.size.op() == Size::Op::Number) || is_real_constant)
    value.size = Size::named(name, value.size);
  else if (value.is(Kind::Int) && value.size.op() == Size::Op::Name &&
           value.size.word().find('#') != std::string::npos)
    out_.nicknames.try_emplace(value.size.word(), name);
  if (type.type.starts_with("std::vector") || type.type.starts_with("thrust::host") ||
      type.type.starts_with("std::unique_ptr")) {
    value.kind = value.is(Kind::List) && type.type.find("Tensor") != std::string::npos ? Kind::List
                                                                                       : Kind::Host;
    value.word = name;
  }
  if (value.is(Kind::Host) && value.word.empty()) value.word = name;
  if (value.is(Kind::Tensor) || value.is(Kind::Pointer)) {
    Buffer& buffer = out_.buffers[static_cast<std::size_t>(value.buffer)];
    if (buffer.name.empty()) buffer.name = name;
    if (buffer.element.empty() && type.stars == 1 && type.type != "void" && type.type != "auto")
      buffer.element = type.type;
  }
  scopes_.back()[name] = {std::move(value), type.type, type.stars};
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
