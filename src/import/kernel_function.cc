// Recognises `i = blockIdx.x * blockDim.x + threadIdx.x` and replaces the index by a loop.
// SPDX-License-Identifier: Apache-2.0
#include "import/kernel_function.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/text.h"
#include "import/c_words.h"
#include "import/foreign_source.h"
#include "import/items.h"
#include "import/thread_body.h"
#include "import/words.h"

namespace kw::import {
namespace {

using lex::Token;

constexpr const char* kWayOut =
    "give a plain C function with --from, or name one of this file with --function";

class Plainer {
 public:
  Plainer(std::string_view source, std::string_view file)
      : file_(file), source_(read_foreign(source)), items_(find_items(source_.tokens)) {}

  Result<std::string> run(std::string_view wanted) {
    const Item* item = KW_TRY(choose(wanted));
    for (const TemplateParameter& parameter : item->templates)
      if (parameter.kind == "typename") types_[parameter.name] = "float";
    std::string body;
    if (item->kind == Item::Kind::Kernel) {
      body = KW_TRY(loop_of(*item));
    } else {
      refuse_words(*item, item->body_open, item->body_close + 1);
      if (!obstacles_.empty()) return refusal(*item);
      body = text({item->body_open + 1, item->body_close});
    }
    std::string text = helpers(*item);
    if (!obstacles_.empty()) return refusal(*item);
    return macros() + text + head(*item) + " {\n" + body + "\n}\n";
  }

 private:
  const Token& at(std::size_t i) const { return source_.tokens[i]; }

  std::string place(std::size_t token) const {
    const Position p = position_of(source_.text, at(token).offset);
    return fmt::format("{}:{}:{}", file_, p.line, p.column);
  }
  std::size_t line(std::size_t token) const {
    return position_of(source_.text, at(token).offset).line;
  }

  Result<const Item*> choose(std::string_view wanted) {
    std::vector<const Item*> kernels;
    std::vector<std::string> names;
    for (const Item& item : items_) {
      if (!item.is_function() || !item.is_defined()) continue;
      names.push_back(item.name);
      if (item.name == wanted) return &item;
      if (item.kind == Item::Kind::Kernel) kernels.push_back(&item);
    }
    if (!wanted.empty())
      return fail_input(
          ErrorCode::NotFound, About{std::string(wanted)},
          fmt::format("no function '{}'{}", sanitise(wanted, 60), suggestion(wanted, names)),
          file_);
    if (kernels.size() == 1) return kernels.front();
    if (kernels.empty())
      return fail_input(
          ErrorCode::Missing, About{"kernel"},
          "this file defines no kernel (__global__ function) that a reference could be drafted "
          "from",
          file_);
    names.clear();
    for (const Item* kernel : kernels) names.push_back(kernel->name);
    return fail_input(
        ErrorCode::Missing, About{"--function"},
        fmt::format("the file has several kernels ({}); name the one to draft from with --function",
                    sanitise(join(names, ", "), 200)),
        file_);
  }

  void obstacle(std::size_t token, std::string what) {
    if (!said_.insert(what).second) return;
    if (obstacles_.empty()) first_ = token;
    obstacles_.push_back(fmt::format("{} (line {})", what, line(token)));
  }

  void refuse_words(const Item& item, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < std::min(end, item.end); ++i)
      if (after_launch_open(source_.tokens, i) != 0)
        obstacle(i, "<<< >>>");
      else if (at(i).kind == Token::Kind::Word && !known_.contains(i) &&
               is_cuda_word(plain_word(at(i).text)) && !at(i).is("__ldg"))
        obstacle(i, std::string(at(i).text));
  }

  std::unexpected<Error> refusal(const Item& item) const {
    return fail_input(
        ErrorCode::Unsupported, About{join(obstacles_, ", ")},
        fmt::format("no reference can be drafted from '{}', because a thread's work is not a plain "
                    "function of its index: the kernel contains {}; {}",
                    item.name, join(obstacles_, ", "), kWayOut),
        place(first_));
  }

  /// The axis ('x', 'y' or 'z') of an index `blockIdx.x * blockDim.x + threadIdx.x`, its terms in
  /// any order; 0 if the value is no such index.
  char axis_of(Part value) const {
    std::string words;
    for (std::size_t i = value.begin; i < value.end; ++i)
      if (!is_one_of(at(i), {"(", ")", "static_cast", "int", "size_t", "long", "int64_t",
                             "unsigned", "uint32_t", "<", ">", "1LL", "1ll", "1L"}))
        words += at(i).text;
    if (words.starts_with("*")) words.erase(0, 1);
    for (const char axis : {'x', 'y', 'z'}) {
      const std::string block = fmt::format("blockIdx.{}", axis);
      const std::string thread = fmt::format("threadIdx.{}", axis);
      // Returns the factor other than blockIdx in a product; empty if `form` is no product with
      // blockIdx.
      const auto rest = [&](const std::string& form) {
        const auto star = form.find('*');
        if (star == std::string::npos) return std::string();
        const std::string left = form.substr(0, star);
        const std::string right = form.substr(star + 1);
        return left == block ? right : right == block ? left : std::string();
      };
      std::string product;
      if (words.ends_with("+" + thread))
        product = words.substr(0, words.size() - thread.size() - 1);
      if (words.starts_with(thread + "+")) product = words.substr(thread.size() + 1);
      const std::string size = rest(product);
      if (size == fmt::format("blockDim.{}", axis) || is_constant(size)) return axis;
    }
    return 0;
  }

  bool is_constant(const std::string& word) const {
    if (word.empty() || word.find('.') != std::string::npos) return false;
    return word.find_first_not_of("0123456789") == std::string::npos ||
           source_.macros.contains(word) || std::ranges::any_of(items_, [&](const Item& item) {
             return item.kind == Item::Kind::Variable && item.name == word;
           });
  }

  bool mentions(Part part, std::initializer_list<std::string_view> words) const {
    for (std::size_t i = part.begin; i < part.end; ++i)
      if (is_one_of(at(i), words)) return true;
    return false;
  }

  std::size_t statement_end(std::size_t i, std::size_t end) const {
    return import::statement_end(source_.tokens, i, end);
  }

  struct Index {
    std::string type;
    std::string name;
    char axis = 0;
    std::string bound;
  };

  /// The index that a statement such as `int i = …threadIdx…;` declares; nothing if it declares
  /// none.
  std::optional<Index> index_of(Part statement) const {
    std::size_t equals = statement.begin;
    while (equals < statement.end && !at(equals).is("=")) ++equals;
    if (equals >= statement.end || equals < statement.begin + 2) return std::nullopt;
    const std::size_t stop = at(statement.end - 1).is(";") ? statement.end - 1 : statement.end;
    const char axis = axis_of({equals + 1, stop});
    if (axis == 0) return std::nullopt;
    std::string type;
    for (std::size_t i = statement.begin; i + 1 < equals; ++i)
      if (!at(i).is("const")) type += (type.empty() ? "" : " ") + std::string(at(i).text);
    return Index{type == "auto" ? "int" : type, std::string(at(equals - 1).text), axis, {}};
  }

  Index* find_index(std::string_view name) {
    const auto found = std::ranges::find(indices_, name, &Index::name);
    return found == indices_.end() ? nullptr : &*found;
  }

  /// Sets the bounds of indices from a condition `i < n && j < m` or `i >= n || j >= m`. False if
  /// the condition has neither form.
  bool bound_by(Part condition, std::string_view sign, std::string_view joint) {
    std::size_t start = condition.begin;
    std::vector<std::pair<Index*, std::string>> found;
    for (std::size_t i = condition.begin; i <= condition.end; ++i) {
      if (i < condition.end && at(i).is("("))
        i = std::min(lex::find_closing(source_.tokens, i), condition.end - 1);
      if (i < condition.end && !at(i).is(joint)) continue;
      Part part{start, i};
      while (part.end > part.begin + 1 && at(part.begin).is("(") &&
             lex::find_closing(source_.tokens, part.begin) == part.end - 1)
        ++part.begin, --part.end;
      Index* index = part.begin + 2 < part.end ? find_index(at(part.begin).text) : nullptr;
      if (index == nullptr || !at(part.begin + 1).is(sign)) return false;
      found.emplace_back(index, text({part.begin + 2, part.end}));
      start = i + 1;
    }
    for (auto& [index, bound] : found) index->bound = bound;
    return std::ranges::all_of(indices_, [](const Index& i) { return !i.bound.empty(); });
  }

  std::string loops(const std::string& body) const {
    // The last axis (z, else y) becomes the outermost loop.
    std::vector<Index> order = indices_;
    std::ranges::sort(order, std::ranges::greater(), &Index::axis);
    std::string text;
    for (const Index& index : order)
      text += fmt::format("  for ({0} {1} = 0; {1} < {2}; ++{1}) {{\n", index.type, index.name,
                          index.bound);
    text += "    " + std::string(trim(body)) + "\n";
    for (std::size_t i = 0; i < order.size(); ++i) text += "  }\n";
    return text;
  }

  Result<std::string> loop_of(const Item& kernel) {
    kernel_ = &kernel;
    std::string before;  // statements before the index
    std::string inside;  // statements between the index and its bound
    std::string result;
    std::size_t i = kernel.body_open + 1;
    while (i < kernel.body_close) {
      const Part statement{i, statement_end(i, kernel.body_close)};
      i = std::max(statement.end, i + 1);
      if (!result.empty()) {
        if (!at(statement.begin).is("return") && !at(statement.begin).is(";"))
          obstacle(statement.begin, "statements after the loop over a thread's elements");
        continue;
      }
      if (const auto index = index_of(statement)) {
        indices_.push_back(*index);
        know(statement);
        continue;
      }
      if (is_stride(statement)) continue;
      if (at(statement.begin).is("for") || at(statement.begin).is("while")) {
        if (const auto loop = stride_loop(statement)) {
          if (mentions({kernel.body_open, statement.begin}, {"return"}))
            obstacle(statement.begin, "a return before a strided loop");
          result = before + inside + loops(*loop);
          continue;
        }
      }
      if (at(statement.begin).is("if") && !indices_.empty()) {
        const std::size_t open = statement.begin + 1;
        const std::size_t close = lex::find_closing(source_.tokens, open);
        const Part condition{open + 1, close};
        const Part then{close + 1, statement.end};
        const bool leaves =
            then.end > then.begin && (at(then.begin).is("return") ||
                                      (at(then.begin).is("{") && at(then.begin + 1).is("return")));
        if (leaves && bound_by(condition, ">=", "||")) {
          const Part rest{statement.end, kernel.body_close};
          result = loops(before + inside + body_text(rest, Walk::OneElement));
          break;
        }
        if (!mentions(then, {"else"}) && bound_by(condition, "<", "&&")) {
          result = loops(before + inside + body_text(then, Walk::OneElement));
          continue;
        }
      }
      note_carried(statement);
      (indices_.empty() ? before : inside) += "  " + body_text(statement, Walk::OneElement) + "\n";
    }
    refuse_words(kernel, kernel.body_open, kernel.body_close);
    if (!obstacles_.empty()) return refusal(kernel);
    if (result.empty())
      return fail_input(
          ErrorCode::Unsupported, About{"index"},
          fmt::format(
              "no reference can be drafted from '{}': the elements of a thread must follow from a "
              "line such as `int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) …`; {}",
              kernel.name, kWayOut),
          place(kernel.begin));
    return result;
  }

  /// The text of what a thread does with one element. Anything by which elements depend on each
  /// other is recorded as an obstacle.
  std::string body_text(Part body, Walk walk) {
    ThreadContext context{walk, {}, carried_, &kernel_->parameters, &items_};
    for (const Index& index : indices_) {
      context.indices.push_back(index.name);
      if (is_one_of(index.type, {"char", "signed char", "unsigned char", "short", "unsigned short",
                                 "uint8_t", "int8_t", "uint16_t", "int16_t", "bool"}))
        obstacle(body.begin, fmt::format("an index of the narrow type {}", index.type));
    }
    ThreadBody read = read_thread_body(source_.tokens, body, context);
    for (const auto& [token, what] : read.obstacles) obstacle(token, what);
    replaced_.merge(read.replaced);
    if (!read.needs_label) return text(body);
    return fmt::format("{{ {} }}\n    {}:;", text(body), kNextElement);
  }

  /// Records the names of variables that a statement before a strided loop may declare.
  void note_carried(Part statement) {
    for (std::size_t i = statement.begin; i + 1 < statement.end; ++i)
      if (at(i).kind == Token::Kind::Word && is_one_of(at(i + 1), {"=", ";", ",", "[", "{"}))
        carried_.insert(std::string(at(i).text));
  }

  /// Marks tokens whose CUDA words disappear because the loop replaces them.
  void know(Part part) {
    for (std::size_t i = part.begin; i < part.end; ++i) known_.insert(i);
  }

  /// Whether the statement declares the stride of a loop: `int stride = blockDim.x * gridDim.x;`
  bool is_stride(Part statement) {
    if (!mentions(statement, {"gridDim"}) || mentions(statement, {"threadIdx", "for", "while"}) ||
        !at(statement.end - 1).is(";"))
      return false;
    for (std::size_t k = statement.begin; k < statement.end; ++k)
      if (at(k).is("=") && k > statement.begin) {
        strides_.insert(std::string(at(k - 1).text));
        know(statement);
        return true;
      }
    return false;
  }

  bool is_stride_step(Part step) const {
    // The step is `i += blockDim.x * gridDim.x`, or adds a variable with that value.
    if (step.begin + 2 >= step.end || !at(step.begin + 1).is("+=")) return false;
    return mentions({step.begin + 2, step.end}, {"gridDim"}) ||
           (step.begin + 3 == step.end && strides_.contains(std::string(at(step.begin + 2).text)));
  }

  /// The body of a grid-stride loop; nothing for any other statement. Also sets the index and its
  /// bound.
  std::optional<std::string> stride_loop(Part statement) {
    const std::size_t open = statement.begin + 1;
    const std::size_t close = lex::find_closing(source_.tokens, open);
    Part body{close + 1, statement.end};
    if (at(statement.begin).is("while")) return while_loop({open + 1, close}, body);
    std::vector<Part> parts;
    std::size_t start = open + 1;
    for (std::size_t i = open + 1; i <= close; ++i)
      if (i == close || at(i).is(";")) {
        parts.push_back({start, i});
        start = i + 1;
      }
    if (parts.size() != 3 || !is_stride_step(parts[2])) return std::nullopt;
    if (parts[0].end > parts[0].begin) {
      const auto index = index_of(parts[0]);
      if (!index) return std::nullopt;
      indices_ = {*index};
    }
    if (indices_.size() != 1 || !bound_by(parts[1], "<", "&&")) return std::nullopt;
    know({open, close});
    return body_text(body, Walk::StridedFor);
  }

  std::optional<std::string> while_loop(Part condition, Part body) {
    if (indices_.size() != 1 || !at(body.begin).is("{") || !bound_by(condition, "<", "&&"))
      return std::nullopt;
    // The increment of the index must be the last statement of the loop's body.
    std::size_t last = body.begin + 1;
    for (std::size_t i = last; i + 1 < body.end;) {
      last = i;
      i = std::max(statement_end(i, body.end - 1), i + 1);
    }
    if (!is_stride_step({last, body.end - 2})) return std::nullopt;
    know({last, body.end});
    return body_text({body.begin + 1, last}, Walk::StridedWhile);
  }

  /// The source text of the tokens, with CUDA words replaced by C's.
  std::string text(Part part) const {
    std::string out;
    for (std::size_t i = part.begin; i < part.end; ++i) {
      if (i > part.begin) {
        const std::size_t gap = at(i - 1).end;
        out += source_.code.substr(gap, at(i).offset - gap);
      }
      // The call __ldg(&x[i]) becomes x[i].
      if (at(i).is("__ldg") && i + 2 < part.end && at(i + 2).is("&")) {
        const std::size_t close = std::min(lex::find_closing(source_.tokens, i + 1), part.end);
        out += "(" + text({i + 3, close}) + ")";
        i = close;
        continue;
      }
      if (const auto other = replaced_.find(i); other != replaced_.end()) {
        out += other->second;
        continue;
      }
      const std::string_view word = plain_word(at(i).text);
      const auto bound = types_.find(std::string(word));
      out += bound != types_.end() ? bound->second : std::string(word);
    }
    return out;
  }

  std::string head(const Item& item) const {
    std::vector<std::string> parts;
    for (const FunctionParameter& p : item.parameters) {
      const auto bound = types_.find(p.type);
      const std::string_view stars = std::string_view("**").substr(0, p.stars > 1    ? 2
                                                                      : p.stars == 1 ? 1
                                                                                     : 0);
      parts.push_back(fmt::format("{}{}{} {}", p.is_const && p.stars > 0 ? "const " : "",
                                  bound != types_.end() ? bound->second : p.type, stars, p.name));
    }
    return fmt::format("void {}({})", item.name, join(parts, ", "));
  }

  /// The text of the functions that `item` calls, directly or through other functions.
  std::string helpers(const Item& item) {
    std::set<const Item*> wanted;
    std::vector<const Item*> open{&item};
    while (!open.empty()) {
      const Item* one = open.back();
      open.pop_back();
      for (std::size_t i = one->body_open; i < one->body_close; ++i)
        for (const Item& other : items_)
          if (other.is_function() && other.kind != Item::Kind::Kernel && other.is_defined() &&
              &other != &item && at(i).is(other.name) && at(i + 1).is("(") &&
              wanted.insert(&other).second)
            open.push_back(&other);
    }
    std::string out;
    for (const Item& other : items_) {
      if (!wanted.contains(&other)) continue;
      refuse_words(other, other.body_open, other.body_close);
      Part part{other.begin, other.end};
      while (is_one_of(at(part.begin), {"__device__", "__host__", "__forceinline__", "__noinline__",
                                        "inline", "static", "constexpr", "__inline__"}))
        ++part.begin;
      out += "static " + text(part) + "\n";
    }
    for (const Item& other : items_)  // constants that the function's body may use
      if (other.kind == Item::Kind::Variable &&
          !mentions({other.begin, other.end}, {"__constant__", "__device__", "__shared__"}) &&
          mentions({item.body_open, item.body_close}, {other.name}))
        constants_ += constant_line(other);
    return out;
  }

  /// A constant of the file written as a macro, since a task's reference may contain macros but no
  /// global constants.
  std::string constant_line(const Item& item) const {
    for (std::size_t i = item.begin; i < item.end; ++i)
      if (at(i).is("=") && at(item.end - 1).is(";"))
        return fmt::format("#define {} ({})\n", item.name, text({i + 1, item.end - 1}));
    return {};
  }

  std::string macros() const {
    std::string out = constants_;
    for (const auto& [name, macro] : source_.macros)
      if (!macro.is_function && is_plain_expression(macro))
        out += fmt::format("#define {} {}\n", name, macro.body);
    bool has_max = false;
    bool has_min = false;
    for (std::size_t i = 0; i < source_.tokens.size(); ++i) {
      has_max = has_max || at(i).is("max");
      has_min = has_min || at(i).is("min");
    }
    if (has_max) out += "#define max(a, b) ((a) > (b) ? (a) : (b))\n";
    if (has_min) out += "#define min(a, b) ((a) < (b) ? (a) : (b))\n";
    return out;
  }

  std::string file_;
  ForeignSource source_;
  std::vector<Item> items_;
  std::vector<Index> indices_;
  std::set<std::string> strides_, said_;
  std::set<std::size_t> known_;                  ///< Tokens that the loop replaces.
  std::map<std::size_t, std::string> replaced_;  ///< Tokens with another text in the loop.
  std::set<std::string> carried_;                ///< Variables declared before a thread's loop.
  const Item* kernel_ = nullptr;
  std::map<std::string, std::string> types_;
  std::vector<std::string> obstacles_;
  std::string constants_;
  std::size_t first_ = 0;
};

}  // namespace

bool has_kernels(std::string_view source) {
  const ForeignSource read = read_foreign(source);
  return std::ranges::any_of(read.tokens, [](const Token& t) { return t.is("__global__"); });
}

Result<std::string> plain_function(std::string_view source, std::string_view file,
                                   std::string_view wanted) {
  return Plainer(source, file).run(wanted);
}

}  // namespace kw::import
