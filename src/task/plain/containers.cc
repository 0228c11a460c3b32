// Vectors, spans and arrays of C++ as parameters: they become pointers, and their sizes integers.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "task/c/branches.h"
#include "task/plain/changes.h"
#include "task/plain/container_sizes.h"
#include "task/plain/container_type.h"
#include "task/plain/edits.h"
#include "task/plain/forms.h"
#include "task/plain/name_uses.h"

namespace kw::task {
namespace {

using LayerKind = ContainerType::Kind;

/// A name for a container, for a part of one, or for an element.
struct ContainerName {
  std::string name;
  std::string text;  ///< What the name becomes.
  std::size_t parameter = 0;
  std::size_t depth = 0;  ///< How many layers lie outside of what the name stands for.
  std::size_t from = 0;   ///< Tokens in which the name means this.
  std::size_t to = 0;
};

class Containers {
 public:
  explicit Containers(const PlainSite& site) : site_(site), reader_(site), edits_(reader_) {}

  Result<PlainStep> run() {
    KW_TRY(find_parameters());
    if (parameters_.empty()) return PlainStep{};
    ContainerSizes sizes(reader_, parameters_, edits_);
    sizes_ = &sizes;
    KW_TRY(sizes.find());
    for (std::size_t i = 0; i < parameters_.size(); ++i)
      names_.push_back({parameters_[i].name, parameters_[i].name, i, 0, site_.open, site_.close});
    for (std::size_t i = 0; i < names_.size() && i < kMostNames; ++i)
      KW_TRY(rewrite(ContainerName(names_[i])));
    KW_TRY(check_names());
    for (std::size_t i = 0; i < parameters_.size(); ++i) KW_TRY(declare(i));
    return PlainStep{edits_.edits(), std::move(notes_)};
  }

 private:
  static constexpr std::size_t kMostNames = 1000;

  bool at(std::size_t i, std::string_view text) const { return reader_.at(i, text); }

  Result<> find_parameters() {
    for (const ParameterTokens& tokens : reader_.parameters()) {
      std::size_t i = tokens.begin;
      const auto type = read_container(site_.tokens, i, tokens.end);
      if (!type || tokens.name + 1 != tokens.end) continue;
      ContainerParameter parameter;
      parameter.tokens = tokens;
      parameter.type = *type;
      parameter.name = site_.tokens[tokens.name].text;
      for (; i < tokens.name; ++i) {
        if (at(i, "*"))
          return reader_.refuse(i, fmt::format("{}: pointer to a container", parameter.name),
                                fmt::format("'{0}' points to a container; pass it by reference, as "
                                            "in const std::vector<float>& {0}",
                                            parameter.name));
        parameter.is_reference |= at(i, "&") || at(i, "&&");
        parameter.type.is_const |= at(i, "const");
      }
      KW_TRY(check_name(reader_, reader_.body(), parameter.name));
      parameters_.push_back(std::move(parameter));
    }
    return {};
  }

  Result<> rewrite(const ContainerName& name) {
    const std::size_t rank = parameters_[name.parameter].type.layers.size();
    for (const std::size_t use : find_name_uses(reader_, {name.from, name.to}, name.name).tokens) {
      if (edits_.is_dropped(use)) continue;
      if (name.text != name.name) edits_.put(use, name.text);
      std::size_t depth = name.depth, end = use + 1;
      std::string text = name.text;
      bool is_simple = true;
      while (depth < rank && step(name, depth, end, text, is_simple)) ++depth;
      if (depth == rank) {
        note_written(name.parameter, use, end);
        if (is_alias(use, end)) KW_TRY(take_alias(name, use, end, depth, text, is_simple));
      } else {
        KW_TRY(rewrite_whole(name, use, end, depth, text, is_simple));
      }
    }
    return {};
  }

  /// Moves `end` behind one index: [i], .at(i), .front() or .back().
  bool step(const ContainerName& name, std::size_t depth, std::size_t& end, std::string& text,
            bool& is_simple) {
    if (at(end, "[")) {
      const std::size_t close = lex::find_closing(site_.tokens, end);
      if (close >= site_.close) return false;
      text += reader_.text({end, close + 1});
      end = close + 1;
      return true;
    }
    if (!at(end, ".") || !at(end + 2, "(")) return false;
    const std::size_t close = lex::find_closing(site_.tokens, end + 2);
    if (close >= site_.close) return false;
    if (at(end + 1, "at")) {
      edits_.drop({end, end + 2});
      edits_.put(end + 2, "[");
      edits_.put(close, "]");
    } else if (at(end + 1, "front") && close == end + 3) {
      edits_.replace({end, close + 1}, "[0]");
    } else if (at(end + 1, "back") && close == end + 3) {
      edits_.replace({end, close + 1},
                     fmt::format("[{} - 1]", sizes_->text(name.parameter, depth)));
    } else {
      return false;
    }
    is_simple = false;
    end = close + 1;
    return true;
  }

  /// Notes that the element from `use` to below `end` may be written.
  void note_written(std::size_t parameter, std::size_t use, std::size_t end) {
    while (at(end, ".") || at(end, "["))
      end =
          at(end, ".") ? end + 2 : std::min(lex::find_closing(site_.tokens, end), site_.close) + 1;
    if (is_changed(reader_, {use, end}) || is_address_taken(reader_, use))
      parameters_[parameter].may_be_written = true;
  }

  /// Refuses a name that would stand for something that holds another such name.
  Result<> check_names() const {
    for (const ContainerName& name : names_) {
      if (name.name == name.text) continue;
      const lex::Tokens words = lex::tokenize(name.text);
      for (const ContainerName& other : names_)
        if (other.name != other.text && other.from <= name.from && name.from < other.to)
          for (const lex::Token& word : words)
            if (word.is(other.name))
              return reader_.refuse(name.from, fmt::format("{}: reference", name.name),
                                    fmt::format("'{}' is reached by another reference, '{}'; write "
                                                "the indices out, as in x[i][j]",
                                                name.name, other.name));
    }
    return {};
  }

  bool is_alias(std::size_t use, std::size_t end) const {
    return use >= site_.open + 4 && at(use - 1, "=") && at(use - 3, "&") && at(end, ";") &&
           (reader_.is_word(use - 4) || at(use - 4, ">") || at(use - 4, ">>"));
  }

  /// Takes a local reference out, and lets its name become what it refers to.
  Result<> take_alias(const ContainerName& name, std::size_t use, std::size_t end,
                      std::size_t depth, const std::string& text, bool is_simple) {
    std::size_t begin = use - 3;
    while (begin > site_.open + 1 && !at(begin - 1, ";") && !at(begin - 1, "{") &&
           !at(begin - 1, "}") && !at(begin - 1, ")"))
      --begin;
    const std::size_t to = reader_.block_close(use);
    const std::string alias(site_.tokens[use - 2].text);
    if (!is_simple || !keeps_indices(reader_, {use + 1, end}, to) || at(begin - 1, ")"))
      return reader_.refuse(
          use, fmt::format("{}: reference", alias),
          fmt::format("'{}' refers to an element whose index may change; write {}[…] "
                      "in its place",
                      alias, name.name));
    bool is_const = false;
    for (std::size_t i = begin; i < use; ++i) is_const |= at(i, "const");
    if (!is_const) parameters_[name.parameter].may_be_written = true;
    KW_TRY(check_name(reader_, {end, to}, alias));
    edits_.drop({begin, end + 1});
    names_.push_back({alias, text, name.parameter, depth, end, to});
    return {};
  }

  /// Takes out `float* p = x.data();` where p serves for elements alone, so that they are x's.
  bool take_pointer(const ContainerName& name, std::size_t use, std::size_t end,
                    const std::string& text) {
    const std::size_t begin = reader_.statement_begin(use);
    bool has_star = false;
    for (std::size_t i = begin; i < use; ++i) {
      has_star |= at(i, "*") || at(i, "auto");
      if (i + 1 < use && !reader_.is_word(i) && !at(i, "*") && !at(i, "::")) return false;
    }
    const std::size_t to = reader_.block_close(use);
    if (!at(use - 1, "=") || begin + 3 > use || !has_star || !at(end, ";") ||
        !reader_.is_type_word(begin) || !keeps_indices(reader_, {use + 1, end}, to))
      return false;
    const std::string pointer(site_.tokens[use - 2].text);
    for (const std::size_t place : find_name_uses(reader_, {end, to}, pointer).tokens)
      if (!at(place + 1, "[")) return false;
    if (!check_name(reader_, {end, to}, pointer)) return false;
    edits_.drop({begin, end + 1});
    names_.push_back(
        {pointer, text, name.parameter, parameters_[name.parameter].type.layers.size(), end, to});
    return true;
  }

  /// Rewrites the use of something that holds further elements.
  Result<> rewrite_whole(const ContainerName& name, std::size_t use, std::size_t end,
                         std::size_t depth, const std::string& text, bool is_simple) {
    const std::size_t rank = parameters_[name.parameter].type.layers.size();
    const bool is_call = at(end, ".") && at(end + 2, "(") && at(end + 3, ")");
    if (is_call && at(end + 1, "size")) {
      const std::string size = sizes_->text_at(name.parameter, depth, use, end + 4);
      edits_.replace({use, end + 4}, size);
      return {};
    }
    if (is_call && at(end + 1, "empty")) {
      edits_.replace({use, end + 4}, fmt::format("({} == 0)", sizes_->text(name.parameter, depth)));
      return {};
    }
    if (is_call && at(end + 1, "data") && depth + 1 == rank) {
      parameters_[name.parameter].may_be_written = true;
      if (is_simple && take_pointer(name, use, end + 4, text)) return {};
      edits_.drop({end, end + 4});
      return {};
    }
    if (at(use - 1, ":") && at(end, ")") && is_simple)
      if (const std::size_t head = range_head(use - 1, end); head != 0)
        if (keeps_indices(reader_, {use + 1, end}, nest_end(site_.tokens, end + 1, site_.close)))
          return rewrite_range(name, head, use - 1, end, depth, text);
    if (is_alias(use, end)) return take_alias(name, use, end, depth, text, is_simple);
    return refuse_whole(name.name, use, end);
  }

  std::unexpected<Error> refuse_whole(const std::string& name, std::size_t use,
                                      std::size_t end) const {
    const auto is_one_of = [&](std::initializer_list<std::string_view> words) {
      return at(end, ".") &&
             std::ranges::any_of(words, [&](auto word) { return at(end + 1, word); });
    };
    const std::string about =
        at(end, ".") && end + 1 < site_.close
            ? fmt::format("{}.{}", name, sanitise(site_.tokens[end + 1].text, 40))
            : fmt::format("{} as a whole", name);
    if (is_one_of({"push_back", "emplace_back", "insert", "erase", "pop_back", "clear"}))
      return reader_.refuse(
          use, about,
          fmt::format("the size of '{0}' changes here; let the caller give it its "
                      "size, and write {0}[i] = v in place of {0}.push_back(v)",
                      name));
    if (is_one_of({"resize", "assign", "reserve", "swap"}))
      return reader_.refuse(
          use, about,
          fmt::format("the size of '{0}' changes here in a way that is not "
                      "understood; begin the function with {0}.resize(n), where n "
                      "is a parameter, or let the caller give it its size",
                      name));
    if (is_one_of({"begin", "end", "cbegin", "cend", "rbegin", "rend"}))
      return reader_.refuse(
          use, about,
          fmt::format("iterators of '{0}' cannot be rewritten; walk by index, as in "
                      "for (size_t i = 0; i < {0}.size(); ++i) … {0}[i]",
                      name));
    return reader_.refuse(
        use, about,
        fmt::format("'{0}' is used as a whole here; pass {0}.data() and {0}.size() "
                    "on, or write what is done with {0}[i]",
                    name));
  }

  /// The `for` of a loop over a range whose colon and closing parenthesis stand at these tokens; 0
  /// where there is none.
  std::size_t range_head(std::size_t colon, std::size_t close) const {
    for (std::size_t i = colon; i > site_.open + 1; --i) {
      if (at(i, ";") || at(i, "{") || at(i, "}")) return 0;
      if (at(i, "("))
        return at(i - 1, "for") && lex::find_closing(site_.tokens, i) == close ? i - 1 : 0;
    }
    return 0;
  }

  Result<> rewrite_range(const ContainerName& name, std::size_t head, std::size_t colon,
                         std::size_t close, std::size_t depth, const std::string& text) {
    const auto& type = parameters_[name.parameter].type;
    const std::size_t body = close + 1, end = nest_end(site_.tokens, body, site_.close);
    const std::size_t variable = colon - 1;
    const bool is_plain = reader_.is_word(variable) && variable > head + 2 && end > body;
    bool is_reference = false, is_const = false;
    for (std::size_t i = head + 2; i < variable; ++i) {
      is_reference |= at(i, "&") || at(i, "&&");
      is_const |= at(i, "const");
    }
    const bool is_element = depth + 1 == type.layers.size();
    if (!is_plain || (!is_reference && !is_element))
      return reader_.refuse(
          head, fmt::format("{}: loop", name.name),
          fmt::format("this loop over '{0}' cannot be rewritten; write for (auto& v "
                      ": {0})",
                      name.name));
    const std::string word(site_.tokens[variable].text);
    const std::string index = reader_.free_name(word + "_at", sizes_->given());
    const std::string element = fmt::format("{}[{}]", text, index);
    std::string words = reader_.text({head + 2, variable});
    edits_.drop({head + 2, close});
    edits_.before(head + 2, fmt::format("int {0} = 0; {0} < {1}; ++{0}", index,
                                        sizes_->text(name.parameter, depth)));
    KW_TRY(check_name(reader_, {close, end}, word));
    if (is_reference) {
      if (!is_const) parameters_[name.parameter].may_be_written = true;
      names_.push_back({word, element, name.parameter, depth + 1, close, end});
      return {};
    }
    if (const std::size_t place = words.find("auto"); place != std::string::npos)
      words.replace(place, 4, type.element);
    const std::string local = fmt::format("{} {} = {};", words, word, element);
    if (at(body, "{")) {
      edits_.after(body, " " + local);
    } else {
      edits_.before(body, "{ " + local + " ");
      edits_.after(end - 1, " }");
    }
    return {};
  }

  /// Rewrites the declaration of a parameter.
  Result<> declare(std::size_t index) {
    const ContainerParameter& parameter = parameters_[index];
    const auto& layers = parameter.type.layers;
    const bool is_copy = !parameter.is_reference && layers.front().kind != LayerKind::Span;
    if (is_copy && parameter.may_be_written && !parameter.type.is_const)
      return reader_.refuse(parameter.tokens.begin, fmt::format("{}: copy", parameter.name),
                            fmt::format("'{0}' is a copy that the function may write; take {0} by "
                                        "reference, and write to an array of your own",
                                        parameter.name));
    const auto has_extent = [](const ContainerType::Layer& layer) { return !layer.extent.empty(); };
    const auto fixed = std::ranges::find_if(layers, has_extent);
    const auto dynamic = fixed - layers.begin();
    if (!std::all_of(fixed, layers.end(), has_extent) || (fixed != layers.end() && dynamic > 1))
      return reader_.refuse(parameter.tokens.begin, fmt::format("{}: type", parameter.name),
                            fmt::format("containers of '{}' are nested in a way that cannot be "
                                        "rewritten; pass one std::vector with all elements",
                                        parameter.name));
    std::string text = parameter.type.is_const || is_copy ? "const " : "";
    text += parameter.type.element;
    if (fixed == layers.end()) text += std::string(layers.size(), '*');
    text += " " + parameter.name;
    if (fixed != layers.end() && dynamic == 1) text += "[]";
    for (auto layer = fixed; layer != layers.end(); ++layer) text += "[" + layer->extent + "]";
    std::string note = fmt::format("{}: passed as {}", parameter.name, text);
    const std::vector<std::string> sizes = sizes_->parameters_behind(index);
    for (const std::string& size : sizes) text += ", int " + size;
    if (!sizes.empty())
      note +=
          fmt::format(", with its size{} in {}", sizes.size() > 1 ? "s" : "", join(sizes, " and "));
    edits_.replace({parameter.tokens.begin, parameter.tokens.end}, text);
    notes_.push_back(std::move(note));
    for (const std::string& more : sizes_->notes(index)) notes_.push_back(more);
    return {};
  }

  const PlainSite& site_;
  const SiteReader reader_;
  TokenEdits edits_;
  std::vector<ContainerParameter> parameters_;
  std::vector<ContainerName> names_;
  ContainerSizes* sizes_ = nullptr;
  std::vector<std::string> notes_;
};

}  // namespace

Result<PlainStep> plain_containers(const PlainSite& site) { return Containers(site).run(); }

}  // namespace kw::task
