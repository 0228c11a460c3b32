// Structs as parameters: an array of them becomes one of numbers with a row for each, or one array
// for each member; a single one becomes a parameter for each member.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <set>
#include <utility>

#include "base/text.h"
#include "task/plain/changes.h"
#include "task/plain/edits.h"
#include "task/plain/forms.h"
#include "task/plain/name_uses.h"
#include "task/plain/struct_layout.h"
#include "task/plain/struct_places.h"

namespace kw::task {
namespace {

using NameKind = StructName::Kind;

class StructForm {
 public:
  explicit StructForm(const PlainSite& site)
      : site_(site),
        reader_(site),
        structs_(structs_of(site.source, site.tokens)),
        edits_(reader_) {}

  Result<PlainStep> run() {
    parameters_ = struct_parameters(reader_, structs_);
    if (parameters_.empty() && !names_a_struct(site_.open, site_.close)) return PlainStep{};
    for (const StructParameter& parameter : parameters_) {
      if (!parameter.layout->problem.empty())
        return reader_.refuse(parameter.tokens.begin, fmt::format("{}: struct", parameter.name),
                              fmt::format("the struct of '{}' holds {}; pass its numbers, as in "
                                          "struct Body {{ double x, y, m; }}",
                                          parameter.name, parameter.layout->problem));
      if (parameter.is_deep)
        return reader_.refuse(parameter.tokens.begin, parameter.name + ": dimensions",
                              fmt::format("'{0}' holds structs in several dimensions; pass them in "
                                          "one, as in Cell* {0} with {0}[i * cols + j].x",
                                          parameter.name));
      KW_TRY(check_name(reader_, reader_.body(), parameter.name));
      names_.push_back({parameter.is_array ? NameKind::Array : NameKind::Single,
                        parameter.name,
                        parameter.layout,
                        {},
                        {},
                        site_.open,
                        site_.close,
                        parameter.is_pointer});
    }
    KW_TRY(drop_unused_helpers(reader_, structs_, edits_));
    for (std::size_t i = site_.open + 1; i < site_.close; ++i) {
      if (begins_statement(i)) KW_TRY(read_declaration(i));
      if (begins_statement(i) || at(i - 1, ")") || at(i - 1, "else")) rewrite_assignment(i);
    }
    for (const bool is_first : {true, false})
      for (const StructName& name : names_) KW_TRY(rewrite(name, is_first));
    KW_TRY(check_new_names());
    KW_TRY(check_copies());
    for (const StructParameter& parameter : parameters_) declare(parameter);
    return PlainStep{edits_.edits(), std::move(notes_)};
  }

 private:
  bool at(std::size_t i, std::string_view text) const { return reader_.at(i, text); }
  bool is_word(std::size_t i) const { return reader_.is_word(i); }
  bool begins_statement(std::size_t i) const {
    return !edits_.is_dropped(i) && reader_.begins_statement(i);
  }

  /// Refuses writes to arrays in a struct that is a copy.
  Result<> check_copies() const {
    for (const StructParameter& parameter : parameters_)
      for (const StructMember& member : parameter.layout->members)
        if (!parameter.is_pointer && !parameter.is_reference &&
            (!member.bounds.empty() || member.is_container) &&
            written_.contains(key(parameter.name, member)))
          return reader_.refuse(
              parameter.tokens.begin, parameter.name + ": copy",
              fmt::format("'{0}' is a copy, and the function writes to {0}.{1}; copy "
                          "the elements to an array of your own",
                          parameter.name, join(member.path, ".")));
    return {};
  }

  bool names_a_struct(std::size_t begin, std::size_t end) const {
    for (std::size_t i = begin; i < end; ++i)
      if (is_word(i) && structs_.contains(site_.tokens[i].text)) return true;
    return false;
  }

  /// Refuses names of members that the file uses for something else.
  Result<> check_new_names() const {
    std::set<std::string_view> words;
    for (const lex::Token& token : site_.tokens) words.insert(token.text);
    for (const StructName& name : names_) {
      const bool is_uniform = name.kind == NameKind::Array && !name.layout->element.empty();
      if (is_uniform || !name.array.empty()) continue;
      for (const StructMember& member : name.layout->members)
        if (const std::string text = name.name + "_" + member.flat_name(); words.contains(text))
          return reader_.refuse(
              reader_.name(), text,
              fmt::format("the member {}.{} needs the name '{}', which stands for "
                          "something else; give that another name",
                          name.name, join(member.path, "."), text));
    }
    return {};
  }

  const StructName* name_at(std::size_t i) const {
    if (!is_word(i) || at(i - 1, ".") || at(i - 1, "->") || at(i - 1, "::")) return nullptr;
    const StructName* found = nullptr;
    for (const StructName& name : names_)
      if (name.from <= i && i < name.to && site_.tokens[i].is(name.name)) found = &name;
    return found;
  }

  /// The struct that the tokens from `i` on reach, without members.
  std::optional<StructPlace> place_at(std::size_t i, std::size_t until) const {
    const bool is_star = at(i, "*");
    const StructName* name = name_at(is_star ? i + 1 : i);
    if (name == nullptr) return std::nullopt;
    StructPlace place{name, name->index, (is_star ? i + 1 : i) + 1, true};
    if (name->kind == NameKind::Array && at(place.end, "[")) {
      const std::size_t close = lex::find_closing(site_.tokens, place.end);
      if (is_star || close >= site_.close) return std::nullopt;
      place.index = reader_.text({place.end + 1, close});
      place.is_movable = keeps_value(reader_, {place.end + 1, close}, until);
      place.end = close + 1;
    } else if (name->kind == NameKind::Array) {
      if (!is_star) return std::nullopt;
      place.index = "0";
    } else if (is_star != name->is_pointer) {
      return std::nullopt;
    }
    return place;
  }

  // --- local variables ---

  /// Reads a declaration of a variable, a reference or a pointer whose type is a struct.
  Result<> read_declaration(std::size_t begin) {
    std::size_t i = begin;
    bool is_const = false;
    for (; at(i, "const") || at(i, "struct") || at(i, "static"); ++i) is_const |= at(i, "const");
    const auto type = is_word(i) ? structs_.find(site_.tokens[i].text) : structs_.end();
    if (type == structs_.end() && !at(i, "auto")) return {};
    for (++i; at(i, "const"); ++i) is_const = true;
    const bool is_pointer = at(i, "*"), is_reference = at(i, "&");
    for (; at(i, "*") || at(i, "&") || at(i, "const") || at(i, "restrict"); ++i) {
    }
    if (!is_word(i)) return {};
    const std::string name(site_.tokens[i].text);
    std::size_t end = i + 1;
    while (end < site_.close && !at(end, ";")) ++end;
    const std::size_t to = reader_.block_close(begin);
    StructName local{NameKind::Local,
                     name,
                     type == structs_.end() ? nullptr : &type->second,
                     {},
                     {},
                     end,
                     to,
                     false};
    if (is_pointer || is_reference) return read_alias(local, begin, i, end, is_pointer);
    return read_variable(local, begin, i, end, is_const);
  }

  std::unexpected<Error> refuse_local(std::size_t i, const std::string& name) const {
    return reader_.refuse(
        i, fmt::format("{}: struct", name),
        fmt::format("'{}' cannot be followed; write the members of what it stands for, as in "
                    "b[i].x, with an index that does not change",
                    name));
  }

  Result<> read_alias(StructName local, std::size_t begin, std::size_t name, std::size_t end,
                      bool is_pointer) {
    std::size_t i = name + 2;
    const bool is_address = at(i, "&");
    i += is_address;
    const StructName* of = name_at(i);
    if (of == nullptr && local.layout == nullptr) return {};
    if (of == nullptr || !at(name + 1, "=") || edits_.is_dropped(i))
      return refuse_local(begin, local.name);
    std::optional<StructPlace> place;
    if (is_pointer && !is_address && of->kind == NameKind::Array) {
      place = StructPlace{of, "0", i + 1, true};
      if (at(i + 1, "+")) {
        place->index = reader_.text({i + 2, end});
        place->is_movable = keeps_value(reader_, {i + 2, end}, local.to);
        place->end = end;
      }
    } else if (is_address == is_pointer) {
      place = place_at(i, local.to);
    }
    if (!place || place->end != end || !place->is_movable ||
        (local.layout != nullptr && local.layout != of->layout &&
         local.layout->members.size() != of->layout->members.size()))
      return refuse_local(begin, local.name);
    KW_TRY(check_name(reader_, {local.from, local.to}, local.name));
    local.is_pointer = is_pointer;
    local.layout = of->layout;
    if (of->kind == NameKind::Array || of->kind == NameKind::Element) {
      local.kind = NameKind::Element;
      local.array = of->kind == NameKind::Array ? of->name : of->array;
      local.index = place->index;
    } else {
      local.kind = of->kind;
      local.array = of->name;
    }
    edits_.drop({begin, end + 1});
    names_.push_back(std::move(local));
    return {};
  }

  /// A variable of its own: one variable for each member.
  Result<> read_variable(StructName local, std::size_t begin, std::size_t name, std::size_t end,
                         bool is_const) {
    const auto of = at(name + 1, "=") ? place_at(name + 2, site_.close) : std::nullopt;
    const bool is_copy = of && of->end == end;
    if (local.layout == nullptr && !is_copy) return {};
    if (local.layout == nullptr) local.layout = of->name->layout;
    const std::size_t brace = at(name + 1, "=") ? name + 2 : name + 1;
    const bool has_list = at(brace, "{") && lex::find_closing(site_.tokens, brace) + 1 == end;
    std::vector<TokenRange> values;
    if (has_list) values = reader_.parts({brace + 1, end - 1});
    if (!values.empty() && values.back().is_empty()) {
      edits_.drop({end - 2, end - 1});  // a comma behind the last value
      values.pop_back();
    }
    for (const TokenRange value : values)
      for (std::size_t k = value.begin; k < value.end; ++k)
        if (at(k, "{")) return refuse_local(begin, local.name);
    const auto& members = local.layout->members;
    const bool is_scalar = std::ranges::all_of(
        members, [](const StructMember& member) { return member.bounds.empty(); });
    const bool is_plain =
        name + 1 == end || is_copy || (has_list && is_scalar && values.size() <= members.size());
    if (!is_plain || !local.layout->problem.empty() ||
        (is_copy && (!keeps_index(*of, name + 2) || may_be_pointers(*of->name))))
      return refuse_local(begin, local.name);
    KW_TRY(check_name(reader_, {local.from, local.to}, local.name));
    std::string text, rest;  // in front of the values, and behind them
    for (std::size_t k = 0; k < members.size(); ++k) {
      const StructMember& member = members[k];
      std::string declared = local_declaration(local, member, is_const);
      if (is_copy && !member.bounds.empty() && (member.count() == 0 || member.counts.size() > 1))
        return refuse_local(begin, local.name);
      if (is_copy) {
        std::vector<std::string> copied;
        const auto count = static_cast<std::size_t>(member.count());
        for (std::size_t e = 0; e < count; ++e) copied.push_back(copied_text(*of, member, e));
        declared +=
            " = " + (member.bounds.empty() ? copied.front() : "{" + join(copied, ", ") + "}");
      } else if (k < values.size()) {
        // The value stays where it is, so that members in it are rewritten.
        if (k > 0) edits_.replace({values[k].begin - 1, values[k].begin}, "; " + declared + " =");
        if (k == 0) text = declared + " = ";
        continue;
      } else if (has_list) {
        declared += " = 0";
      }
      (values.empty() ? text : rest) += (k == 0 ? "" : " ") + declared + ";";
    }
    edits_.replace({begin, values.empty() ? end + 1 : brace + 1}, text);
    if (!values.empty()) edits_.drop({end - 1, end});
    if (!values.empty()) edits_.after(end, rest);
    names_.push_back(std::move(local));
    return {};
  }

  std::string copied_text(const StructPlace& place, const StructMember& member,
                          std::size_t element) {
    note_use(*place.name, member, false);
    return member_text(*place.name, place.index, member, element);
  }

  // --- assignments of whole structs ---

  /// Rewrites `b[i] = b[j];` as assignments of the members.
  void rewrite_assignment(std::size_t begin) {
    const auto left = place_at(begin, site_.close);
    if (!left || !at(left->end, "=")) return;
    const auto right = place_at(left->end + 1, site_.close);
    if (!right || !at(right->end, ";") || left->name->layout != right->name->layout) return;
    if (left->name->kind == NameKind::Single || right->name->kind == NameKind::Single) return;
    if (!keeps_index(*left, begin) || !keeps_index(*right, left->end + 1)) return;
    std::string text = "{";
    for (const StructMember& member : left->name->layout->members) {
      if (member.count() == 0) return;
      for (std::size_t e = 0; e < static_cast<std::size_t>(member.count()); ++e)
        text += fmt::format(" {} = {};", member_text(*left->name, left->index, member, e),
                            member_text(*right->name, right->index, member, e));
      note_use(*left->name, member, true);
      note_use(*right->name, member, false);
    }
    edits_.replace({begin, right->end + 1}, text + " }");
  }

  /// Whether the index can be written several times.
  bool keeps_index(const StructPlace& place, std::size_t begin) const {
    return place.name->kind != NameKind::Array ||
           keeps_value(reader_, {begin + 2, place.end - 1}, place.end);
  }

  // --- members ---

  /// Whether members of the single struct are passed by pointer if they are written.
  bool may_be_pointers(const StructName& name) const {
    const std::string& base = name.array.empty() ? name.name : name.array;
    const auto parameter = std::ranges::find(parameters_, base, &StructParameter::name);
    return name.kind == NameKind::Single && parameter != parameters_.end() &&
           !parameter->is_const && (parameter->is_pointer || parameter->is_reference);
  }

  static std::string key(const std::string& name, const StructMember& member) {
    return name + "." + join(member.path, ".");
  }
  void note_use(const StructName& name, const StructMember& member, bool is_written) {
    const std::string& base = name.array.empty() ? name.name : name.array;
    used_.insert(key(base, member));
    if (is_written) written_.insert(key(base, member));
  }
  bool is_by_pointer(const std::string& name, const StructMember& member) const {
    const auto parameter = std::ranges::find(parameters_, name, &StructParameter::name);
    return parameter != parameters_.end() && !parameter->is_array && member.bounds.empty() &&
           member.stars == 0 && !member.is_container &&
           (parameter->is_pointer || parameter->is_reference) &&
           written_.contains(key(name, member));
  }

  /// Rewrites the uses of members; at first only notes which members are used and written.
  Result<> rewrite(const StructName& name, bool is_first) {
    for (const std::size_t use : find_name_uses(reader_, {name.from, name.to}, name.name).tokens) {
      if (edits_.is_dropped(use) || name_at(use) != &name) continue;
      std::size_t end = use + 1, index = 0, index_end = 0;
      std::size_t begin = use;
      if (at(use - 1, "*") && at(use - 2, "(") && at(end, ")") && name.is_pointer) {
        begin = use - 2;
        ++end;
      } else if (name.kind == NameKind::Array && at(end, "[")) {
        index = end;
        index_end = lex::find_closing(site_.tokens, index);
        if (index_end >= site_.close) return refuse_whole(name, use);
        end = index_end + 1;
      } else if (name.is_pointer != at(end, "->")) {
        return refuse_whole(name, use);
      }
      const std::size_t path = end;
      const StructMember* member = read_member(reader_, *name.layout, end);
      if (member == nullptr) return refuse_whole(name, use);
      std::vector<std::size_t> brackets;
      for (std::size_t i = end; brackets.size() < member->bounds.size() && at(i, "[");) {
        const std::size_t close = lex::find_closing(site_.tokens, i);
        if (close >= site_.close) break;
        brackets.push_back(i);
        i = close + 1;
      }
      if (brackets.size() < member->bounds.size()) return refuse_whole(name, use);
      const std::size_t last = reader_.indices_end(end);
      if (is_first) {
        note_use(name, *member,
                 is_changed(reader_, {begin, last}) || is_address_taken(reader_, begin));
        continue;
      }
      edits_.drop({path, end});
      if (begin != use) {
        edits_.drop({begin, use});
        edits_.drop({use + 1, path});
      }
      put_member(name, *member, {use, index, index_end, path}, brackets);
    }
    return {};
  }

  struct UsePlace {
    std::size_t use = 0;
    std::size_t index = 0;  ///< Bracket of an array's index; 0: there is none.
    std::size_t index_end = 0;
    std::size_t path = 0;
  };

  void put_member(const StructName& name, const StructMember& member, const UsePlace& place,
                  const std::vector<std::size_t>& brackets) {
    const bool has_index = name.kind == NameKind::Array || name.kind == NameKind::Element;
    const std::string& base = name.array.empty() ? name.name : name.array;
    const bool is_uniform = has_index && !name.layout->element.empty();
    std::string text = is_uniform ? base : base + "_" + member.flat_name();
    if (has_index && place.index == 0)
      text += fmt::format("[{}]", name.kind == NameKind::Element ? name.index : "0");
    edits_.put(place.use, text);
    if (!has_index && is_by_pointer(base, member)) edits_.before(place.path, "[0]");
    if (!is_uniform) return;
    if (brackets.empty()) {
      edits_.before(place.path, fmt::format("[{}]", member.place));
      return;
    }
    // The indices of an array inside the struct become one, behind the members before it.
    for (std::size_t i = 0; i < brackets.size(); ++i) {
      const std::size_t close = lex::find_closing(site_.tokens, brackets[i]);
      const bool is_last = i + 1 == brackets.size();
      std::int64_t stride = 1;
      for (std::size_t k = i + 1; k < brackets.size(); ++k) stride *= member.counts[k];
      const bool is_short = close == brackets[i] + 2;
      std::string open = i > 0 ? " + " : "[";
      if (i == 0 && member.place > 0) open += fmt::format("{} + ", member.place);
      const bool is_alone = is_last && i == 0 && member.place == 0;
      edits_.put(brackets[i], open + (is_short || is_alone ? "" : "("));
      std::string after = is_short || is_alone ? "" : ")";
      if (stride != 1) after += fmt::format(" * {}", stride);
      edits_.put(close, after + (is_last ? "]" : ""));
    }
  }

  std::unexpected<Error> refuse_whole(const StructName& name, std::size_t use) const {
    const std::string example = name.layout->members.empty()
                                    ? std::string("x")
                                    : join(name.layout->members.front().path, ".");
    const std::string reached = name.kind == NameKind::Array ? name.name + "[i]." : name.name + ".";
    return reader_.refuse(
        use, fmt::format("{} as a whole", name.name),
        fmt::format("'{}' is used as a whole here; write each of its members, as in "
                    "{}{} = 0",
                    name.name, reached, example));
  }

  // --- parameters ---

  void declare(const StructParameter& parameter) {
    const StructLayout& layout = *parameter.layout;
    const std::string constant = parameter.is_const ? "const " : "";
    std::vector<std::string> texts, words;
    if (parameter.is_array && !layout.element.empty()) {
      texts.push_back(fmt::format("{}{} {}[{}][{}]", constant, layout.element, parameter.name,
                                  parameter.bound, layout.count));
      for (const StructMember& member : layout.members)
        words.push_back(fmt::format("{} {}", member.place, join(member.path, ".")));
      notes_.push_back(fmt::format("{}: an array of structs is passed as rows of {} numbers: {}",
                                   parameter.name, layout.count, join(words, ", ")));
    } else {
      for (const StructMember& member : layout.members) {
        if (!used_.contains(key(parameter.name, member))) continue;
        texts.push_back(member_parameter(parameter, member));
        words.push_back(texts.back());
      }
      notes_.push_back(fmt::format("{}: its members are passed one by one: {}", parameter.name,
                                   join(words, ", ")));
    }
    std::size_t begin = parameter.tokens.begin, end = parameter.tokens.end;
    if (texts.empty() && at(end, ","))
      ++end;
    else if (texts.empty() && at(begin - 1, ","))
      --begin;
    edits_.drop({begin, end});
    if (!texts.empty()) edits_.before(begin, join(texts, ", "));
  }

  std::string member_parameter(const StructParameter& parameter, const StructMember& member) const {
    const std::string name = parameter.name + "_" + member.flat_name();
    std::string bounds;
    for (const std::string& bound : member.bounds) bounds += "[" + bound + "]";
    const bool is_copy = !parameter.is_pointer && !parameter.is_reference;
    const bool is_const = (parameter.is_const || is_copy) && !member.type.starts_with("const");
    const std::string constant = is_const ? "const " : "";
    if (parameter.is_array) {
      const std::string stars(member.stars + (bounds.empty() ? 1 : 0), '*');
      return fmt::format("{}{}{} {}{}", constant, member.type, stars, name,
                         bounds.empty() ? "" : "[" + parameter.bound + "]" + bounds);
    }
    if (member.is_container) return fmt::format("{}{}& {}", constant, member.type, name);
    if (member.stars > 0)
      return fmt::format("{}{} {}{}", member.type, std::string(member.stars, '*'), name, bounds);
    if (!bounds.empty()) return fmt::format("{}{} {}{}", constant, member.type, name, bounds);
    const bool by_pointer = is_by_pointer(parameter.name, member);
    return fmt::format("{}{} {}", member.type, by_pointer ? "*" : "", name);
  }

  const PlainSite& site_;
  const SiteReader reader_;
  const Structs structs_;
  TokenEdits edits_;
  std::vector<StructParameter> parameters_;
  std::deque<StructName> names_;  ///< References to names stay valid.
  std::set<std::string> used_;    ///< Members of parameters, as key() names them.
  std::set<std::string> written_;
  std::vector<std::string> notes_;
};

}  // namespace

Result<PlainStep> plain_structs(const PlainSite& site) { return StructForm(site).run(); }

}  // namespace kw::task
