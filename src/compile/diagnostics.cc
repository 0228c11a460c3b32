// Reads error output of compilers, assemblers and linkers.
// SPDX-License-Identifier: Apache-2.0
#include "compile/diagnostics.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/characters.h"
#include "base/foreign_text.h"
#include "base/json.h"
#include "base/text.h"
#include "compile/library_names.h"

namespace kw::compile {
namespace {

using Severity = Diagnostic::Severity;

constexpr std::size_t kPlaceBytes = 200;

std::optional<Severity> severity_from(std::string_view kind) {
  if (kind.find("error") != std::string_view::npos || kind == "sorry, unimplemented")
    return Severity::Error;
  if (kind == "warning") return Severity::Warning;
  if (kind == "note") return Severity::Note;
  return std::nullopt;
}

std::string text_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::size_t number_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number_unsigned() ? found->get<std::size_t>() : 0;
}

Diagnostic from_json(const Json& item) {
  Diagnostic d;
  d.severity = severity_from(text_at(item, "kind")).value_or(Severity::Note);
  d.message = sanitise_line(text_at(item, "message"), 2000);
  const auto places = item.find("locations");
  if (places != item.end() && places->is_array() && !places->empty()) {
    const auto caret = places->front().find("caret");
    if (caret != places->front().end() && caret->is_object()) {
      d.file = text_at(*caret, "file");
      d.line = number_at(*caret, "line");
      d.column = number_at(*caret, "byte-column");
    }
  }
  const auto fixes = item.find("fixits");
  if (fixes != item.end() && fixes->is_array() && !fixes->empty() && fixes->front().is_object())
    d.replacement = sanitise_line(text_at(fixes->front(), "string"), 200);
  const auto children = item.find("children");
  if (children != item.end() && children->is_array()) {
    for (const Json& child : *children)
      if (child.is_object() && d.notes.size() < kMaxNotes) d.notes.push_back(from_json(child));
  }
  return d;
}

// Repairs a JSON array that the output limit cut off: ends it after its last complete element.
std::string mended(std::string_view array) {
  int depth = 0;
  bool in_string = false;
  std::size_t whole = 0;
  for (std::size_t i = 0; i < array.size(); ++i) {
    const char c = array[i];
    if (in_string) {
      if (c == '\\') {
        ++i;
      } else {
        in_string = c != '"';
      }
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      if (--depth == 1) whole = i + 1;
      if (depth == 0) return std::string(array.substr(0, i + 1));
    }
  }
  return whole == 0 ? "[]" : std::string(array.substr(0, whole)) + "]";
}

// Takes digits and the colon after them, as in "12:", from the front of the text.
std::optional<std::size_t> eat_number(std::string_view& text) {
  std::size_t value = 0, i = 0;
  for (; i < text.size() && i < 9 && std::isdigit(static_cast<unsigned char>(text[i])) != 0; ++i)
    value = value * 10 + static_cast<std::size_t>(text[i] - '0');
  if (i == 0 || i >= text.size() || text[i] != ':') return std::nullopt;
  text.remove_prefix(i + 1);
  return value;
}

// Reads "file:12:5: error: words", "file:12: Error: words" or "error: words".
std::optional<Diagnostic> from_text(std::string_view line) {
  Diagnostic d;
  std::string_view rest = line;
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  std::string_view after = line.substr(colon + 1);
  if (const auto number = eat_number(after)) {
    d.file = std::string(line.substr(0, colon));
    d.line = *number;
    d.column = eat_number(after).value_or(0);
    rest = trim(after);
  }
  const std::size_t end = rest.find(": ");
  if (end == std::string_view::npos || end > 24) return std::nullopt;
  std::string kind(rest.substr(0, end));
  for (char& c : kind) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (kind != "error" && kind != "fatal error" && kind != "warning" && kind != "note")
    return std::nullopt;
  d.severity = *severity_from(kind);
  d.message = sanitise_line(trim(rest.substr(end + 2)), 2000);
  return d;
}

// Reads "/usr/bin/ld: a.o: in function `f':" or "a.cpp:(.text+0x1): undefined reference to `g()'".
std::optional<Diagnostic> from_linker(std::string_view line) {
  for (const std::string_view phrase :
       {"undefined reference to ", "multiple definition of ", "cannot find ",
        "undefined symbol: ", "relocation truncated to fit", "duplicate symbol: "}) {
    const std::size_t at = line.find(phrase);
    if (at == std::string_view::npos) continue;
    Diagnostic d;
    const std::size_t section = line.find(":(.");
    if (section != std::string_view::npos && section < at) {
      std::string_view file = line.substr(0, section);
      if (file.rfind(' ') != std::string_view::npos) file.remove_prefix(file.rfind(' ') + 1);
      d.file = std::string(file);
    }
    d.message = sanitise_line(trim(line.substr(at)), 1000);
    return d;
  }
  return std::nullopt;
}

/// The first text of a message between single quotes; empty where there is none.
std::string quoted(std::string_view message) {
  const std::size_t open = message.find('\'');
  if (open == std::string_view::npos) return {};
  const std::size_t close = message.find('\'', open + 1);
  if (close == std::string_view::npos) return {};
  return std::string(message.substr(open + 1, close - open - 1));
}

// The quoted name that GCC, clang or NVRTC reports as undeclared.
std::string unknown_name(std::string_view message) {
  constexpr std::string_view kNvidia = "identifier \"";
  if (const std::size_t at = message.find(kNvidia);
      at != std::string_view::npos && message.find("is undefined") != std::string_view::npos) {
    const std::string_view name = message.substr(at + kNvidia.size());
    return std::string(name.substr(0, name.find('"')));
  }
  const bool is_unknown = message.find("was not declared") != std::string_view::npos ||
                          message.find("does not name a type") != std::string_view::npos ||
                          message.find("undeclared identifier") != std::string_view::npos ||
                          message.find("unknown type name") != std::string_view::npos;
  return is_unknown ? quoted(message) : std::string();
}

/// The name that a compiler itself suggests in place of an unknown one; empty where it has none.
std::string suggested_name(std::string_view message) {
  const std::size_t at = message.find("did you mean ");
  return at == std::string_view::npos ? std::string() : quoted(message.substr(at));
}

const SourceFile* file_of(const BuildUnit& unit, std::string_view name) {
  for (const SourceFile& f : unit.files)
    if (f.name == name) return &f;
  return nullptr;
}

std::string_view last_part(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string place_of(const Diagnostic& d) {
  if (d.file.empty() || d.line == 0) return d.file;
  std::string place = std::string(last_part(d.file)) + ":" + std::to_string(d.line);
  if (d.column > 0) place += ":" + std::to_string(d.column);
  return place;
}

std::string frame_of(const SourceFile& file, const Diagnostic& d) {
  return render_line(file.text, d.line, d.message, d.column);
}

// The place of a diagnostic in the unit's own files: its own place if that is in one, else that of
// its first note that is.
const Diagnostic* own_place(const Diagnostic& d, const BuildUnit& unit) {
  if (file_of(unit, d.file) != nullptr && d.line > 0) return &d;
  for (const Diagnostic& note : d.notes)
    if (const Diagnostic* found = own_place(note, unit)) return found;
  return nullptr;
}

bool is_in(const Diagnostic* place, const std::string& file) {
  return place != nullptr && place->file == file;
}

/// A function's declaration or definition on one line, up to its closing parenthesis.
struct Prototype {
  std::string text;
  std::size_t line = 0;
};

/// A name followed by parentheses.
struct Site {
  std::size_t at = 0;
  std::size_t close = 0;
};

/// For each name in a text, the first prototype that is followed by `next`, which is ';' or '{'.
/// Takes linear time.
std::map<std::string_view, Site> sites_of(std::string_view text, char next) {
  std::map<std::string_view, Site> sites;
  std::size_t close = 0, behind = 0;  // the latest parenthesis; many may open before one closes
  for (std::size_t at = 0, end = 0; at < text.size(); at = std::max(end, at + 1)) {
    for (end = at; end < text.size() && is_name_char(text[end]);) ++end;
    if (end == at || is_digit(text[at])) continue;
    const std::size_t open = text.find_first_not_of(" \t\n", end);
    if (open == std::string_view::npos) break;
    if (text[open] != '(') continue;
    if (close < open) {
      close = text.find(')', open);
      if (close == std::string_view::npos) break;
      behind = text.find_first_not_of(" \t\r\n", close + 1);
    }
    if (behind != std::string_view::npos && text[behind] == next)
      sites.try_emplace(text.substr(at, end - at), Site{at, close});
  }
  return sites;
}

Prototype prototype_at(std::string_view text, Site site) {
  const std::size_t before =
      site.at == 0 ? std::string_view::npos : text.find_last_of(";{}\n", site.at - 1);
  const std::size_t from = before == std::string_view::npos ? 0 : before + 1;
  Prototype found;
  for (const char c : trim(text.substr(from, site.close + 1 - from))) {
    const bool is_space = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (!is_space) found.text += c;
    if (is_space && !found.text.ends_with(' ')) found.text += ' ';
  }
  found.line = 1 + static_cast<std::size_t>(std::ranges::count(text.substr(0, site.at), '\n'));
  return found;
}

/// The identifiers of a text, each once, sorted.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && is_name_char(text[end])) ++end;
    if (end > i && !is_digit(text[i])) words.emplace_back(text.substr(i, end - i));
    i = end + 1;
  }
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

/// The name that the linker could not find; empty where the diagnostic is about something else.
std::string missing_name(const Diagnostic& d) {
  constexpr std::string_view kPhrase = "undefined reference to ";
  if (d.line != 0 || !d.message.starts_with(kPhrase)) return {};
  std::string name = d.message.substr(kPhrase.size());
  std::erase_if(name, [](char c) { return c == '`' || c == '\''; });
  return name;
}

/// Rewords the linker's message about a missing name. Where the trampoline calls an entry that the
/// main file lacks, the linker's message would mislead, so the finding shows the expected
/// declaration and what the file has instead.
void tell_missing(const std::string& name, bool is_entry, const BuildUnit& unit, Finding& f) {
  f.about = sanitise_line(name, kPlaceBytes);
  if (!is_entry) {
    f.text = "'" + name + "' is used but defined nowhere, and no library that is linked has it.";
    return;
  }
  f.text = "The source does not define '" + name +
           "' with the signature that iface.h declares (C linkage, same argument types).";
  f.place = unit.main_file;
  const SourceFile* interface = file_of(unit, "iface.h");
  const SourceFile* main = file_of(unit, unit.main_file);
  if (interface != nullptr) {
    const auto declared = sites_of(interface->text, ';');
    if (const auto wanted = declared.find(name); wanted != declared.end()) {
      f.about = prototype_at(interface->text, wanted->second).text;
      f.text += " Wanted: " + f.about + ".";
    }
  }
  if (main == nullptr) return;
  const auto defined = sites_of(main->text, '{');
  auto found = defined.find(name);
  const bool is_same = found != defined.end();
  if (!is_same) {
    std::vector<std::string> others;
    for (const auto& site : defined) others.emplace_back(site.first);
    if (const auto near = nearest(name, others)) found = defined.find(*near);
  }
  if (found == defined.end()) return;
  const Prototype there = prototype_at(main->text, found->second);
  f.text += is_same ? " Found: " : " Found, with another name: ";
  const std::string shown = sanitise_line(there.text, 400);
  f.text += shown + ".";
  f.about += " -> " + shown;
  f.place += ":" + std::to_string(there.line);
}

Finding finding_of(const Diagnostic& d, const BuildUnit& unit,
                   const std::vector<std::string>& names) {
  Finding f;
  const bool is_warning = d.severity == Severity::Warning;
  f.kind = is_warning ? FindingKind::Warning : FindingKind::Diagnostic;
  const Diagnostic* own = own_place(d, unit);
  f.text = (is_warning ? "Warning: " : "") + d.message;
  const std::string unknown = unknown_name(d.message);
  if (!unknown.empty()) {
    std::vector<std::string> others = names;
    std::erase(others, unknown);
    NameHint near{suggested_name(d.message), ""};
    if (near.name.empty()) near = nearest_hint(unknown, others);
    if (near.name.empty()) near = library_hint(unknown, unit.target);
    f.text += near.words;
    f.about = sanitise_line(unknown, kPlaceBytes);
    if (!near.name.empty()) f.about += " -> " + near.name;
  }
  if (!d.about.empty()) f.about = d.about;
  // The text of the place is sanitised, since a #line directive can give a file any name.
  f.place = sanitise_line(place_of(own != nullptr ? *own : d), kPlaceBytes);
  if (own != nullptr) f.frame = frame_of(*file_of(unit, own->file), *own);
  if (const std::string missing = missing_name(d); !missing.empty())
    tell_missing(missing, !d.file.empty() && d.file != unit.main_file, unit, f);
  return f;
}

}  // namespace

std::vector<Diagnostic> parse_diagnostics(std::string_view output) {
  std::vector<Diagnostic> out;
  for (const std::string_view line : split_lines(output)) {
    if (out.size() >= kMaxDiagnostics) break;
    if (line.starts_with('[')) {
      // Control characters and invalid bytes are escaped before parsing, since GCC copies parts of
      // the source unchanged into its JSON.
      const Result<Json> array = parse_json(with_escapes(mended(line)), "diagnostics");
      if (!array || !array->is_array()) continue;
      for (const Json& item : *array)
        if (item.is_object() && out.size() < kMaxDiagnostics) out.push_back(from_json(item));
      continue;
    }
    auto found = from_text(line);
    if (!found) found = from_linker(line);
    if (!found || found->message.starts_with("ld returned")) continue;
    const bool is_note = found->severity == Severity::Note && !out.empty();
    if (!is_note) {
      out.push_back(std::move(*found));
    } else if (out.back().notes.size() < kMaxNotes) {
      out.back().notes.push_back(std::move(*found));
    }
  }
  return out;
}

std::vector<std::string> known_names(const BuildUnit& unit) {
  std::vector<std::string> names;
  for (const SourceFile& file : unit.files)
    for (std::string& word : words_of(file.text)) names.push_back(std::move(word));
  for (const std::string& define : unit.defines)
    names.push_back(define.substr(0, define.find('=')));
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::vector<Finding> diagnostic_findings(std::span<const Diagnostic> diagnostics,
                                         const BuildUnit& unit, std::size_t limit) {
  // Order: errors first, then the main file's diagnostics before others, then the compiler's order.
  std::vector<const Diagnostic*> order;
  for (int pass = 0; pass < 4; ++pass) {
    const Severity wanted = pass < 2 ? Severity::Error : Severity::Warning;
    for (const Diagnostic& d : diagnostics) {
      if (d.severity == wanted && is_in(own_place(d, unit), unit.main_file) == (pass % 2 == 0))
        order.push_back(&d);
    }
  }
  if (order.size() > limit) order.resize(limit);
  const std::vector<std::string> names =
      order.empty() ? std::vector<std::string>() : known_names(unit);
  std::vector<Finding> findings;
  for (const Diagnostic* d : order) {
    findings.push_back(finding_of(*d, unit, names));
    findings.back().rank = static_cast<int>(findings.size());
  }
  return findings;
}

}  // namespace kw::compile
