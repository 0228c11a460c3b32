// Takes a template, and those that it calls, for one type.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/contains.h"
#include "base/expr.h"
#include "base/text.h"
#include "task/plain/edits.h"
#include "task/plain/forms.h"
#include "task/plain/name_uses.h"
#include "task/plain/site_reader.h"
#include "task/plain/template_head.h"

namespace kw::task {
namespace {

/// What a template parameter stands for: a type, a number, or an argument of the function.
struct Meaning {
  std::optional<Dtype> type;
  std::optional<std::int64_t> value;
};

/// A template with the meanings of its parameters, in their order.
struct Instance {
  CFunction function;
  TemplateHead head;
  std::vector<Meaning> meanings;
};

class TemplateRewriter {
 public:
  explicit TemplateRewriter(const PlainSite& site)
      : site_(site), reader_(site), edits_(reader_), macros_(integer_macros(site.source)) {}

  Result<PlainStep> run() {
    if (reader_.list_begin() == reader_.list_end()) return PlainStep{};
    const std::size_t name = reader_.name();
    KW_TRY(refuse_members(name));
    code_.emplace_back(site_.open, site_.close);
    for (CFunction& helper : reader_.helpers()) {
      code_.emplace_back(helper.open, helper.close);
      if (reader_.at(helper.begin, "template")) helpers_.push_back(std::move(helper));
    }
    const bool is_template = reader_.at(site_.begin, "template");
    if (!is_template && helpers_.empty()) return PlainStep{};
    CFunction function;
    function.name = reader_.word(name);
    function.begin = site_.begin;
    function.open = site_.open;
    function.close = site_.close;
    if (is_template) {
      instances_.push_back(KW_TRY(read(std::move(function))));
      KW_TRY(settle(instances_.front(), name));
    }
    for (const CFunction& helper : helpers_) {
      instances_.push_back(KW_TRY(read(helper)));
      KW_TRY(settle_helper(instances_.back()));
    }
    remove_arguments();
    for (const Instance& instance : instances_) KW_TRY(rewrite(instance));
    if (!arguments_.empty()) edits_.prepend_parameters(join(arguments_, ", "));
    return PlainStep{edits_.edits(), std::move(notes_)};
  }

 private:
  Result<> refuse_members(std::size_t name) const {
    const bool is_member = name > site_.begin && reader_.at(name - 1, "::");
    bool is_operator = reader_.word(name) == "operator";
    for (std::size_t i = site_.begin; i < name; ++i)
      is_operator = is_operator || reader_.at(i, "operator");
    if (!is_member && !is_operator) return {};
    return reader_.refuse(
        site_.begin, is_operator ? "operator" : "member function",
        fmt::format(
            "a task cannot be drafted from {}; write a function that gets the object's data "
            "as arrays and numbers: `void scale(int n, double factor, const double* x, "
            "double* y)` in place of `void Scaler::scale(const double* x, double* y)`",
            is_operator ? "an operator" : "a member function"));
  }

  Result<Instance> read(CFunction function) const {
    auto head = read_template_head(reader_, function.begin);
    const bool is_repeated = head && (reader_.at(head->range.end, "template") ||
                                      reader_.at(head->range.end, "requires"));
    if (!head || is_repeated)
      return reader_.refuse(
          function.begin, "template",
          fmt::format("the parameters of the template '{}' are not all types and whole numbers; "
                      "write the function for one type: `void {}(int n, const float* x, float* y)`",
                      sanitise(function.name, 60), sanitise(function.name, 60)));
    Instance instance{std::move(function), std::move(*head), {}};
    instance.meanings.resize(instance.head.parameters.size());
    return instance;
  }

  // --- what the parameters stand for ---

  /// The meanings of arguments; nothing where one of them is another template's parameter.
  std::optional<std::vector<Meaning>> meanings(const Instance& of,
                                               const std::vector<TokenRange>& arguments) const {
    if (arguments.size() > of.head.parameters.size()) return std::nullopt;
    std::vector<Meaning> found(of.head.parameters.size());
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (of.head.parameters[i].is_type)
        found[i].type = type_of(arguments[i]);
      else
        found[i].value = value_of(arguments[i]);
      if (!found[i].type && !found[i].value) return std::nullopt;
    }
    return found;
  }

  std::optional<Dtype> type_of(TokenRange range) const {
    if (range.end == range.begin + 1 && !instances_.empty()) {
      const Instance& main = instances_.front();
      for (std::size_t i = 0; i < main.meanings.size(); ++i)
        if (!reader_.word(range.begin).empty() &&
            main.head.parameters[i].name == reader_.word(range.begin))
          return main.meanings[i].type;
    }
    return reader_.dtype_of_words(range);
  }

  std::optional<std::int64_t> value_of(TokenRange range) const {
    std::string text;
    for (std::size_t i = range.begin; i < range.end; ++i) {
      const auto macro = macros_.find(std::string(reader_.word(i)));
      if (reader_.at(i, "true") || reader_.at(i, "false"))
        text += reader_.at(i, "true") ? "1" : "0";
      else if (macro != macros_.end())
        text += fmt::format("({})", macro->second);
      else if (const auto value = value_of_name(reader_.word(i)))
        text += fmt::format("({})", *value);
      else if (reader_.is_word(i))
        return std::nullopt;
      else
        text += reader_.tokens()[i].text;
      text += ' ';
    }
    const auto value = evaluate_text(text, {});
    return value ? std::optional(*value) : std::nullopt;
  }

  /// The value of the function's own template parameter, or of a line such as `const int n = 8;`.
  std::optional<std::int64_t> value_of_name(std::string_view name) const {
    if (name.empty()) return std::nullopt;
    if (!instances_.empty())
      for (std::size_t i = 0; i < instances_.front().meanings.size(); ++i)
        if (instances_.front().head.parameters[i].name == name)
          return instances_.front().meanings[i].value;
    for (std::size_t i = 0; i + 3 < reader_.tokens().size(); ++i)
      if (reader_.at(i, name) && reader_.at(i + 1, "=") && reader_.at(i + 3, ";"))
        if (const auto value = evaluate_text(reader_.tokens()[i + 2].text, {})) return *value;
    return std::nullopt;
  }

  /// All lists of arguments with which the file names a template, from token `begin` to `end`.
  std::vector<std::pair<std::size_t, TemplateArguments>> uses_of(const std::string& name,
                                                                 std::size_t begin,
                                                                 std::size_t end) const {
    std::vector<std::pair<std::size_t, TemplateArguments>> found;
    for (std::size_t i = begin; i + 1 < end; ++i)
      if (reader_.at(i, name) && reader_.at(i + 1, "<"))
        if (auto arguments = read_template_arguments(reader_, i + 1))
          found.emplace_back(i, std::move(*arguments));
    return found;
  }

  bool is_specialisation(std::size_t name) const {
    const std::size_t i = reader_.statement_begin(name);
    return reader_.at(i, "template") && reader_.at(i + 1, "<") && reader_.at(i + 2, ">");
  }

  Result<> refuse_specialised(const Instance& instance) const {
    for (const auto& [name, arguments] :
         uses_of(instance.function.name, 0, reader_.tokens().size()))
      if (is_specialisation(name))
        return reader_.refuse(
            name, instance.function.name,
            fmt::format("the template '{0}' has a version of its own for some types; write the one "
                        "that is meant as a function: `void {0}(int n, const float* x, float* y)`",
                        sanitise(instance.function.name, 60)));
    return {};
  }

  /// The type that follows from a line such as `template void f(int, const double*);`.
  std::optional<Dtype> deduced(const Instance& main, std::string_view type) const {
    const auto wanted = reader_.parameters();
    for (std::size_t i = main.function.close; i + 1 < reader_.tokens().size(); ++i) {
      if (!reader_.at(i, main.function.name) || !reader_.at(i + 1, "(")) continue;
      const std::size_t start = reader_.statement_begin(i);
      if (!reader_.at(start, "template") || reader_.at(start + 1, "<")) continue;
      const auto given = reader_.parts({i + 2, lex::find_closing(reader_.tokens(), i + 1)});
      for (std::size_t k = 0; k < std::min(given.size(), wanted.size()); ++k) {
        bool has_type = false;
        for (std::size_t at = wanted[k].begin; at < wanted[k].end; ++at)
          has_type = has_type || reader_.word(at) == type;
        TokenRange words{given[k].begin, given[k].begin};
        while (words.end < given[k].end &&
               (reader_.is_word(words.end) || reader_.at(words.end, "::")))
          ++words.end;
        if (!has_type || type.empty()) continue;
        if (const auto found = reader_.dtype_of_words(words)) return found;
        if (words.is_empty()) continue;
        if (const auto found = reader_.dtype_of_words({words.begin, words.end - 1})) return found;
      }
    }
    return std::nullopt;
  }

  Result<> settle(Instance& main, std::size_t name) {
    KW_TRY(refuse_specialised(main));
    const TokenRange body = reader_.body();
    if (!find_name_uses(reader_, body, main.function.name).tokens.empty())
      return reader_.refuse(
          name, main.function.name,
          fmt::format("the template '{0}' calls itself; write a loop, or a function for one type: "
                      "`void {0}(int n, const float* x, float* y)`",
                      sanitise(main.function.name, 60)));
    bool is_given = false;
    for (const auto& [token, arguments] : uses_of(main.function.name, 0, reader_.tokens().size()))
      if (const auto found = meanings(main, arguments.parts)) {
        main.meanings = *found;
        is_given = true;
        break;
      }
    for (std::size_t i = 0; i < main.meanings.size(); ++i) {
      const TemplateParameter& parameter = main.head.parameters[i];
      Meaning& meaning = main.meanings[i];
      const std::string shown = sanitise(parameter.name, 60);
      if (parameter.is_type) {
        const auto standard = parameter.standard.is_empty()
                                  ? std::nullopt
                                  : reader_.dtype_of_words(parameter.standard);
        if (!meaning.type && !is_given) meaning.type = deduced(main, parameter.name);
        const bool is_told = meaning.type.has_value();
        if (!is_told) meaning.type = standard.value_or(Dtype::F32);
        if (!parameter.name.empty())
          notes_.push_back(fmt::format(
              "{}: the template is taken for {}{}", shown, row_of(*meaning.type).c_type,
              is_told || standard
                  ? ""
                  : fmt::format("; for another type write `template void {}<double>(…);` below it",
                                sanitise(main.function.name, 60))));
      } else if (meaning.value) {
        notes_.push_back(fmt::format("{}: the template is taken for {}", shown, *meaning.value));
      } else if (is_given && !parameter.standard.is_empty() && value_of(parameter.standard)) {
        meaning.value = value_of(parameter.standard);
      } else {
        KW_TRY(become_argument(main, parameter));
      }
    }
    return {};
  }

  Result<> become_argument(const Instance& main, const TemplateParameter& parameter) {
    if (parameter.name.empty()) return {};
    const TokenRange body = reader_.body();
    const NameUses uses = find_name_uses(reader_, body, parameter.name);
    auto constant = uses.unclear ? uses.unclear : find_constant_use(reader_, body, uses.tokens);
    if (*parameter.dtype == Dtype::Bool) constant = main.head.range.begin;
    // A helper that gets the number as its own argument needs a constant, too.
    if (constant)
      return reader_.refuse(
          *constant, parameter.name,
          fmt::format("the template's parameter '{}' cannot become an argument, because a constant "
                      "is needed here; choose its value by a line below the function: `template "
                      "void {}<{}>(…);`",
                      sanitise(parameter.name, 60), sanitise(main.function.name, 60),
                      example_arguments(main.head)));
    arguments_.push_back(parameter.words + " " + parameter.name);
    notes_.push_back(fmt::format("{}: was a parameter of the template and is an argument",
                                 sanitise(parameter.name, 60)));
    return {};
  }

  static std::string example_arguments(const TemplateHead& head) {
    std::vector<std::string> words;
    for (const TemplateParameter& parameter : head.parameters)
      words.emplace_back(parameter.is_type                                    ? "float"
                         : parameter.dtype && *parameter.dtype == Dtype::Bool ? "true"
                                                                              : "8");
    return join(words, ", ");
  }

  // --- helpers ---

  Result<> refuse_helper(std::size_t token, const Instance& helper) const {
    return reader_.refuse(
        token, helper.function.name,
        fmt::format("it cannot be told for which type the template '{0}' is used here; write it "
                    "for one type: `static float {0}(float x)`",
                    sanitise(helper.function.name, 60)));
  }

  /// The one real type among the function's parameters.
  std::optional<Dtype> main_type() const {
    std::set<Dtype> types;
    if (!instances_.empty() && reader_.at(site_.begin, "template"))
      for (const Meaning& meaning : instances_.front().meanings)
        if (meaning.type) types.insert(*meaning.type);
    if (types.empty())
      for (const TokenRange parameter : reader_.parameters())
        for (std::size_t i = parameter.begin; i < parameter.end; ++i)
          if (const auto type = reader_.dtype_of_words({i, i + 1}); type && is_real(*type))
            types.insert(*type);
    return types.size() == 1 ? std::optional(*types.begin()) : std::nullopt;
  }

  Result<> settle_helper(Instance& helper) const {
    const std::string& name = helper.function.name;
    KW_TRY(refuse_specialised(helper));
    const auto is_same = [&](const CFunction& other) { return other.name == name; };
    if (std::ranges::count_if(helpers_, is_same) > 1)
      return refuse_helper(helper.function.begin, helper);
    std::optional<std::vector<Meaning>> told;
    for (const auto& [begin, end] : code()) {
      for (const auto& [token, arguments] : uses_of(name, begin, end)) {
        const auto found = meanings(helper, arguments.parts);
        if (!found || (told && !are_same(*told, *found))) return refuse_helper(token, helper);
        told = found;
      }
      KW_TRY(refuse_integers(helper, {begin, end}));
    }
    if (told) helper.meanings = *told;
    int types = 0;
    for (std::size_t i = 0; i < helper.meanings.size(); ++i) {
      Meaning& meaning = helper.meanings[i];
      const bool is_type = helper.head.parameters[i].is_type;
      types += is_type && !meaning.type ? 1 : 0;
      if (is_type && !meaning.type) meaning.type = main_type();
      if (!meaning.type && !meaning.value) return refuse_helper(helper.function.begin, helper);
    }
    return types > 1 ? refuse_helper(helper.function.begin, helper) : Result<>{};
  }

  static bool are_same(const std::vector<Meaning>& a, const std::vector<Meaning>& b) {
    return std::ranges::equal(a, b, [](const Meaning& one, const Meaning& other) {
      return one.type == other.type && one.value == other.value;
    });
  }

  /// The function and the helpers, whose calls count.
  const std::vector<std::pair<std::size_t, std::size_t>>& code() const { return code_; }

  /// A call without types whose arguments are integers means another type than the function's.
  Result<> refuse_integers(const Instance& helper, TokenRange range) const {
    for (std::size_t i = range.begin; i < range.end; ++i) {
      if (!reader_.at(i, helper.function.name) || !reader_.at(i + 1, "(")) continue;
      const std::size_t close = lex::find_closing(reader_.tokens(), i + 1);
      for (const TokenRange argument : reader_.parts({i + 2, std::min(close, range.end)}))
        if (takes_type(helper, argument, i + 2) && is_whole(argument, range))
          return refuse_helper(argument.begin, helper);
    }
    return {};
  }

  /// Whether the template's type follows from the argument.
  bool takes_type(const Instance& helper, TokenRange argument, std::size_t first) const {
    std::size_t which = 0;
    for (std::size_t i = first; i < argument.begin; ++i) {
      if (reader_.at(i, "(") || reader_.at(i, "[") || reader_.at(i, "{"))
        i = lex::find_closing(reader_.tokens(), i);
      else if (reader_.at(i, ","))
        ++which;
    }
    const auto parameters = reader_.parts(reader_.list_of(helper.function));
    if (which >= parameters.size()) return false;
    for (std::size_t i = parameters[which].begin; i < parameters[which].end; ++i)
      for (const TemplateParameter& parameter : helper.head.parameters)
        if (parameter.is_type && !parameter.name.empty() && reader_.at(i, parameter.name))
          return true;
    return false;
  }

  /// Whether an argument is made of whole numbers only.
  bool is_whole(TokenRange argument, TokenRange range) const {
    bool has_any = false;
    for (std::size_t i = argument.begin; i < argument.end; ++i) {
      const lex::Token& token = reader_.tokens()[i];
      if (token.kind == lex::Token::Kind::Number) {
        if (token.text.find_first_of(".eEfF") != std::string_view::npos) return false;
        has_any = true;
      } else if (reader_.is_word(i)) {
        if (!is_whole_name(reader_.word(i), range)) return false;
        has_any = true;
      } else if (!contains(std::vector<std::string_view>{"+", "-", "*", "/", "%", "(", ")"},
                           token.text)) {
        return false;
      }
    }
    return has_any;
  }

  bool is_whole_name(std::string_view name, TokenRange range) const {
    const auto is_declared = [&](std::size_t from, std::size_t to) {
      for (std::size_t i = from + 1; i < to; ++i)
        if (reader_.at(i, name))
          if (const auto type = reader_.dtype_of_words({i - 1, i}); type && !is_real(*type))
            return true;
      return false;
    };
    return is_declared(range.begin, range.end) ||
           (range.begin == site_.open && is_declared(reader_.list_begin(), reader_.list_end()));
  }

  // --- edits ---

  /// `helper<T>(x)` becomes `helper(x)`.
  void remove_arguments() {
    for (const CFunction& helper : helpers_)
      for (const auto& [begin, end] : code())
        for (const auto& [token, arguments] : uses_of(helper.name, begin, end))
          edits_.drop({token + 1, arguments.end});
  }

  Result<> rewrite(const Instance& instance) {
    const TokenRange all{instance.head.range.end, instance.function.close + 1};
    edits_.drop(instance.head.range);
    for (std::size_t p = 0; p < instance.meanings.size(); ++p) {
      const std::string& name = instance.head.parameters[p].name;
      const Meaning& meaning = instance.meanings[p];
      if (name.empty() || (!meaning.type && !meaning.value)) continue;
      if (const std::string macro = hiding_macro(reader_, all, name); !macro.empty())
        return reader_.refuse(
            instance.function.begin, macro,
            fmt::format("'{}' uses the template's parameter '{}' in a way that the function's text "
                        "does not show; write what it stands for",
                        sanitise(macro, 60), sanitise(name, 60)));
      const std::string text = meaning.type         ? std::string(row_of(*meaning.type).c_type)
                               : *meaning.value < 0 ? fmt::format("({})", *meaning.value)
                                                    : fmt::format("{}", *meaning.value);
      for (std::size_t i = all.begin; i < all.end; ++i) {
        if (!reader_.is_word(i) || !reader_.at(i, name) || edits_.is_dropped(i)) continue;
        if (reader_.at(i - 1, ".") || reader_.at(i - 1, "->") || reader_.at(i - 1, "::")) continue;
        if (reader_.at(i + 1, "::"))
          return reader_.refuse(
              i, name,
              fmt::format("'{}::…' is a part of the template's type, which a number does not have; "
                          "write the type itself, such as `float`",
                          sanitise(name, 60)));
        edits_.put(i, text);
      }
    }
    return {};
  }

  const PlainSite& site_;
  const SiteReader reader_;
  TokenEdits edits_;
  const std::map<std::string, std::int64_t> macros_;
  std::vector<std::pair<std::size_t, std::size_t>> code_;
  std::vector<CFunction> helpers_;   ///< Those that are templates.
  std::vector<Instance> instances_;  ///< If the function is a template, it comes first.
  std::vector<std::string> arguments_;
  std::vector<std::string> notes_;
};

}  // namespace

Result<PlainStep> plain_templates(const PlainSite& site) { return TemplateRewriter(site).run(); }

}  // namespace kw::task
