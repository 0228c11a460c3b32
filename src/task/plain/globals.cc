// Gives a function as parameters what it finds in variables and constants of its file.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/text.h"
#include "task/plain/changes.h"
#include "task/plain/edits.h"
#include "task/plain/element_uses.h"
#include "task/plain/file_sizes.h"
#include "task/plain/file_variables.h"
#include "task/plain/forms.h"
#include "task/plain/name_uses.h"
#include "task/plain/site_reader.h"

namespace kw::task {
namespace {

class GlobalRewriter {
 public:
  explicit GlobalRewriter(const PlainSite& site)
      : site_(site), reader_(site), edits_(reader_), variables_(file_variables(reader_)) {}

  Result<PlainStep> run() {
    if (reader_.list_begin() == reader_.list_end()) return PlainStep{};
    code_ = {reader_.list_begin(), site_.close + 1};
    helpers_ = reader_.helpers();
    const auto used = used_variables();
    for (const FileVariable* variable : used) KW_TRY(sort(*variable));
    sizes_.emplace(reader_, FileUses{variables_, arrays_, constants_, helpers_});
    for (const FileVariable* array : arrays_) KW_TRY(pass_array(*array));
    for (const FileVariable* number : numbers_) KW_TRY(pass_number(*number));
    keep_constants();
    write();
    return PlainStep{edits_.edits(), std::move(notes_)};
  }

 private:
  // --- what the function uses ---

  /// The variables that the function names, and those that their values and sizes name.
  std::vector<const FileVariable*> used_variables() const {
    std::set<const FileVariable*> used;
    std::set<std::string_view> words;
    const auto read = [&](TokenRange range) {
      for (std::size_t i = range.begin; i < range.end; ++i) words.insert(reader_.word(i));
    };
    read(code_);
    for (const CFunction& helper : helpers_) read(code_of(helper));
    for (const FileVariable& variable : variables_) {
      if (!words.contains(variable.name) && !reader_.is_in_directives(variable.name)) continue;
      const NameUses uses = find_name_uses(reader_, code_, variable.name);
      if (!uses.tokens.empty() || uses.unclear ||
          (!is_hidden(variable.name) && !hiding_macro(reader_, code_, variable.name).empty()))
        used.insert(&variable);
      for (const CFunction& helper : helpers_)
        if (names(helper, variable.name)) used.insert(&variable);
    }
    for (bool is_more = true; is_more;) {
      is_more = false;
      for (const FileVariable& variable : variables_)
        for (const FileVariable* other : std::vector(used.begin(), used.end()))
          if (mentions(*other, variable.name)) is_more = used.insert(&variable).second || is_more;
    }
    std::vector<const FileVariable*> ordered(used.begin(), used.end());
    std::ranges::sort(ordered, {}, &FileVariable::token);
    return ordered;
  }

  /// Whether a parameter has the name.
  bool is_hidden(std::string_view name) const {
    return std::ranges::any_of(reader_.parameters(), [&](const ParameterTokens& parameter) {
      return parameter.has_name() && reader_.word(parameter.name) == name;
    });
  }

  /// The function from its parameters on.
  TokenRange code_of(const CFunction& function) const {
    return {reader_.list_of(function).begin - 1, function.close + 1};
  }

  bool names(const CFunction& helper, std::string_view name) const {
    const TokenRange code = code_of(helper);
    const NameUses uses = find_name_uses(reader_, code, name);
    return !uses.tokens.empty() || uses.unclear || !hiding_macro(reader_, code, name).empty();
  }

  bool is_named_by_a_helper(std::string_view name) const {
    return std::ranges::any_of(helpers_,
                               [&](const CFunction& helper) { return names(helper, name); });
  }

  bool mentions(const FileVariable& variable, std::string_view name) const {
    const auto is_in = [&](TokenRange range) {
      for (std::size_t i = range.begin; i < range.end; ++i)
        if (reader_.at(i, name)) return true;
      return false;
    };
    return is_in(variable.value_tokens) || std::ranges::any_of(variable.bounds, is_in);
  }

  // --- what becomes of each ---

  Result<> sort(const FileVariable& variable) {
    const std::string shown = sanitise(variable.name, 60);
    const NameUses uses = find_name_uses(reader_, code_, variable.name);
    if (uses.unclear)
      return reader_.refuse(*uses.unclear, variable.name,
                            fmt::format("this '{}' may be the file's variable or another one; give "
                                        "the inner one a name of its own, such as `double {}_here "
                                        "= 0;`",
                                        shown, shown));
    if (variable.is_odd || !variable.dtype || variable.stars > 1 ||
        (variable.stars == 1 && !variable.bounds.empty()))
      return reader_.refuse(
          variable.token, variable.name,
          fmt::format(
              "the file's variable '{0}' is neither a number nor an array of numbers; write "
              "a parameter for each array in it, such as `double {0}[n][m]`",
              shown));
    if (is_constant(variable)) {
      constants_.push_back(&variable);
      return {};
    }
    const std::string macro =
        is_hidden(variable.name) ? "" : hiding_macro(reader_, code_, variable.name);
    if (!macro.empty() && !macro.starts_with("#pragma") && !macro.starts_with("#line"))
      return reader_.refuse(
          variable.token, macro,
          fmt::format("'{}' hides how the function uses the file's variable '{}'; write what it "
                      "stands for, such as `{}[i][j]`",
                      sanitise(macro, 60), shown, shown));
    if (is_named_by_a_helper(variable.name))
      return reader_.refuse(
          variable.token, variable.name,
          fmt::format("the file's variable '{0}' is used by a function that is called; pass it on "
                      "as an argument: `static double first(const double* {0}) {{ return {0}[0]; "
                      "}}`",
                      shown));
    const bool is_array = !variable.bounds.empty() || variable.stars > 0;
    (is_array ? arrays_ : numbers_).push_back(&variable);
    return {};
  }

  /// Whether the variable has a value that no code of the file changes.
  bool is_constant(const FileVariable& variable) const {
    if (variable.value.empty() || variable.stars > 0) return false;
    if (variable.is_const) return true;
    for (const CFunction& function : find_functions(reader_.tokens())) {
      const Change change = change_of(code_of(function), variable);
      if (change.is_written || change.is_escaping) return false;
    }
    return true;
  }

  struct Change {
    bool is_written = false;
    bool is_escaping = false;  ///< It is used in a way that may change it.
    std::size_t token = 0;     ///< Where it is assigned as a whole.
  };

  Change change_of(TokenRange code, const FileVariable& variable) const {
    Change change;
    for (const std::size_t use : find_name_uses(reader_, code, variable.name).tokens) {
      std::size_t end = use + 1, indices = 0;
      while (reader_.at(end, "[")) {
        end = lex::find_closing(reader_.tokens(), end) + 1;
        ++indices;
      }
      const bool is_written = is_changed(reader_, {use, end});
      const std::size_t wanted = variable.stars > 0 ? 1 : variable.bounds.size();
      const bool is_starred = indices == 0 && reader_.at(use - 1, "*") && variable.stars > 0;
      if (is_written && indices == 0 && wanted > 0 && !is_starred) change.token = use;
      change.is_written = change.is_written || is_written || (is_starred && !reader_.at(end, ")"));
      if (is_address_taken(reader_, use) || (indices < wanted && !is_starred) ||
          (wanted == 0 && is_passed_by_reference(reader_, code, use)))
        change.is_escaping = true;
    }
    return change;
  }

  Result<> pass_array(const FileVariable& array) {
    const Change change = change_of(code_, array);
    const std::string shown = sanitise(array.name, 60);
    if (change.token != 0)
      return reader_.refuse(
          change.token, array.name,
          fmt::format("the function moves the file's pointer '{0}'; give it memory outside, and "
                      "write a function that gets it: `void f(int n, double* {0})`",
                      shown));
    const bool is_read_only = array.is_const || (!change.is_written && !change.is_escaping);
    std::string text = fmt::format("{}{}{} {}", is_read_only ? "const " : "", array.type,
                                   array.stars > 0 ? "*" : "", array.name);
    for (const TokenRange bound : array.bounds) text += "[" + sizes_->bound_text(bound) + "]";
    appended_.push_back(text);
    notes_.push_back(fmt::format("{}: was an array of the file and is a parameter", shown));
    return {};
  }

  Result<> pass_number(const FileVariable& number) {
    const Change change = change_of(code_, number);
    const std::string shown = sanitise(number.name, 60);
    if (!change.is_written && !change.is_escaping) {
      const bool is_size = !is_real(*number.dtype);
      (is_size ? prepended_ : appended_).push_back(number.type + " " + number.name);
      notes_.push_back(fmt::format("{}: was a variable of the file and is a parameter", shown));
      return {};
    }
    KW_TRY(use_element(reader_, reader_.body(), number.name, number.token, edits_));
    appended_.push_back(number.type + "* " + number.name);
    notes_.push_back(fmt::format(
        "{}: was a variable of the file that the function changes, and is an array of one", shown));
    return {};
  }

  /// Constants that are no sizes are declared in each function that names them.
  void keep_constants() {
    for (const FileVariable* constant : constants_) {
      if (sizes_->is_size(constant->name)) continue;
      std::string text = fmt::format("const {} {}", constant->type, constant->name);
      for (const TokenRange bound : constant->bounds) text += "[" + reader_.text(bound) + "]";
      text += " = " + constant->value + ";";
      locals_[site_.open] += " " + text;
      for (const CFunction& helper : helpers_)
        if (needs(helper, constant->name)) locals_[helper.open] += " " + text;
      notes_.push_back(fmt::format("{}: the file's constant is written into the function",
                                   sanitise(constant->name, 60)));
    }
  }

  /// Whether a helper names the constant, or one whose value does.
  bool needs(const CFunction& helper, std::string_view name) const {
    if (names(helper, name)) return true;
    return std::ranges::any_of(constants_, [&](const FileVariable* other) {
      return mentions(*other, name) && names(helper, other->name);
    });
  }

  void write() {
    std::vector<std::string> front = sizes_->parameters();
    for (std::string& one : prepended_) front.push_back(std::move(one));
    if (!front.empty()) edits_.prepend_parameters(join(front, ", "));
    if (!appended_.empty()) edits_.append_parameters(join(appended_, ", "));
    for (const auto& [open, text] : locals_) edits_.after(open, text);
    sizes_->rewrite(edits_);
    for (std::string& note : sizes_->notes()) notes_.push_back(std::move(note));
  }

  const PlainSite& site_;
  const SiteReader reader_;
  TokenEdits edits_;
  const std::vector<FileVariable> variables_;
  TokenRange code_;
  std::vector<CFunction> helpers_;
  std::vector<const FileVariable*> arrays_;
  std::vector<const FileVariable*> numbers_;
  std::vector<const FileVariable*> constants_;
  std::optional<FileSizes> sizes_;
  std::vector<std::string> prepended_, appended_;
  std::map<std::size_t, std::string> locals_;  ///< By the brace behind which they are declared.
  std::vector<std::string> notes_;
};

}  // namespace

Result<PlainStep> plain_globals(const PlainSite& site) { return GlobalRewriter(site).run(); }

}  // namespace kw::task
