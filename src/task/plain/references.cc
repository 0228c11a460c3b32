// Passes by value or by pointer what the function takes by reference.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "task/c/branches.h"
#include "task/plain/edits.h"
#include "task/plain/element_uses.h"
#include "task/plain/forms.h"
#include "task/plain/name_uses.h"
#include "task/plain/site_reader.h"

namespace kw::task {
namespace {

class ReferenceRewriter {
 public:
  explicit ReferenceRewriter(const PlainSite& site) : reader_(site), edits_(reader_) {}

  Result<PlainStep> run() {
    for (const ParameterTokens& parameter : reader_.parameters()) {
      std::size_t sign = parameter.begin;
      while (sign < parameter.end && !reader_.at(sign, "&") && !reader_.at(sign, "&&")) ++sign;
      if (sign < parameter.end) KW_TRY(rewrite(parameter, sign));
    }
    return PlainStep{edits_.edits(), std::move(notes_)};
  }

 private:
  Result<> rewrite(const ParameterTokens& parameter, std::size_t sign) {
    TokenRange type{parameter.begin, sign};
    if (reader_.at(sign - 1, "(") && sign > parameter.begin) type.end = sign - 1;
    bool is_const = false;
    std::size_t stars = 0;
    for (std::size_t i = type.begin; i < type.end; ++i) {
      if (reader_.at(i, "const")) is_const = true;
      if (reader_.at(i, "*")) {
        ++stars;
        is_const = false;  // what counts is whether the pointer itself is const
      }
    }
    std::size_t type_end = type.begin;
    while (type_end < type.end && !reader_.at(type_end, "*")) ++type_end;
    if (!reader_.dtype_of_words({type.begin, type_end})) return {};  // another form, or none
    const std::size_t name = parameter.name;
    if (!parameter.has_name() || name < sign) return {};
    const std::string word(reader_.word(name));
    if (reader_.at(sign, "&&"))
      return reader_.refuse(sign, word,
                            fmt::format("'{0}' is a reference to a temporary value; write `double "
                                        "{0}` in place of `double&& {0}`",
                                        sanitise(word, 60)));
    if (type.end < sign) return array(parameter, sign, word);
    if (stars > 0 && !is_const)
      return reader_.refuse(
          sign, word,
          fmt::format(
              "'{0}' is a reference to a pointer; write `double* {0}` in place of `double*& "
              "{0}`, and leave the pointer where it points",
              sanitise(word, 60)));
    if (is_const) {
      edits_.drop({sign, sign + 1});
      notes_.push_back(
          fmt::format("{}: was a constant reference and is passed by value", sanitise(word, 60)));
      return {};
    }
    KW_TRY(use_element(reader_, reader_.body(), word, name, edits_));
    edits_.put(sign, "*");
    notes_.push_back(
        fmt::format("{}: was a reference to a number and is an array of one", sanitise(word, 60)));
    return {};
  }

  /// `double (&a)[n][m]`.
  Result<> array(const ParameterTokens& parameter, std::size_t sign, const std::string& word) {
    const std::size_t name = parameter.name;
    const bool is_array = reader_.at(name + 1, ")") && reader_.at(name + 2, "[") &&
                          name + 2 < parameter.end && name == sign + 1;
    if (!is_array)
      return reader_.refuse(
          sign, word,
          fmt::format("'{0}' is a reference to neither a number nor an array; "
                      "write `double {0}[n][m]` in place of `double (&{0})[n][m]`",
                      sanitise(word, 60)));
    for (const std::size_t use : find_name_uses(reader_, reader_.body(), word).tokens) {
      const bool is_indexed = reader_.at(use + 1, "[") && !reader_.at(use - 1, "&");
      const bool is_measured =
          !is_indexed && (reader_.at(use - 1, ":") || reader_.at(use - 1, "("));
      const bool is_size = reader_.at(use - 1, "sizeof") ||
                           (reader_.at(use - 1, "(") && reader_.at(use - 2, "sizeof"));
      if (is_size || (is_measured && knows_size(use)))
        return reader_.refuse(
            use, word,
            fmt::format("the size of '{0}' is taken from its type here; pass it as a number: `for "
                        "(int i = 0; i < n; ++i) … {0}[i]` with a parameter `int n`",
                        sanitise(word, 60)));
    }
    edits_.drop({sign - 1, sign + 1});
    edits_.drop({name + 1, name + 2});
    notes_.push_back(
        fmt::format("{}: was a reference to an array and is the array", sanitise(word, 60)));
    return {};
  }

  /// Whether a range loop or a function that knows the size of an array takes the name.
  bool knows_size(std::size_t use) const {
    if (reader_.at(use - 1, ":")) return true;
    for (const auto* taker : {"size", "ssize", "begin", "end", "cbegin", "cend", "decltype", "span",
                              "extent", "swap", "fill", "copy", "accumulate"})
      if (use >= 2 && reader_.at(use - 2, taker)) return true;
    return false;
  }

  const SiteReader reader_;
  TokenEdits edits_;
  std::vector<std::string> notes_;
};

}  // namespace

Result<PlainStep> plain_references(const PlainSite& site) { return ReferenceRewriter(site).run(); }

}  // namespace kw::task
