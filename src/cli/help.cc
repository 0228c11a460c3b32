// Formats help in two columns: names on the left, and folded descriptions on the right.
// SPDX-License-Identifier: Apache-2.0
#include "cli/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "cli/styled.h"

namespace kw::cli {
namespace {

/// Most columns of a flag's name beside its description; a longer name takes a line of its own.
constexpr std::size_t kLongestName = 24;

std::string head_of(const HelpEntry& entry) {
  return "  " + entry.name + (entry.value.empty() ? "" : " " + entry.value);
}

std::size_t width_of(const std::vector<HelpEntry>& entries, std::size_t width) {
  for (const HelpEntry& entry : entries)
    if (const std::size_t own = head_of(entry).size(); own <= kLongestName + 2)
      width = std::max(width, own);
  return width;
}

std::string entry_text(const HelpEntry& entry, std::size_t width, std::size_t columns) {
  const std::string head = head_of(entry);
  std::string text;
  const std::size_t indent = std::min(width + 2, columns / 2);
  const std::string begin = fmt::format("{:<{}}", head.size() > width ? "" : head, indent);
  if (head.size() > width) text += head + "\n";
  bool is_first = true;
  for (const OwnLine& line : fold({{entry.words}}, 0, {columns - indent})) {
    std::string whole = (is_first ? begin : std::string(indent, ' ')) + line.bytes;
    text += whole.substr(0, whole.find_last_not_of(' ') + 1) + "\n";
    is_first = false;
  }
  return text;
}

std::string section(const std::string& title, const std::vector<HelpEntry>& entries,
                    std::size_t width, std::size_t columns) {
  if (entries.empty()) return {};
  std::string text = title + "\n";
  for (const HelpEntry& entry : entries) text += entry_text(entry, width, columns);
  return text;
}

std::string head(const HelpPage& page, std::size_t columns) {
  std::string summary = page.summary;
  if (!summary.empty())
    summary[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(summary[0])));
  std::string text;
  for (const OwnLine& line : fold({{page.usage + ": " + summary}}, 4, {columns}))
    text += line.bytes + "\n";
  return text;
}

/// The command in a usage line: "kw optimize" in "kw optimize TASK [flags]".
std::string words_of(const HelpPage& page) {
  const std::size_t end = page.usage.find_first_of("[ABCDEFGHIJKLMNOPQRSTUVWXYZ");
  return page.usage.substr(0, end == std::string::npos ? end : end - 1);
}

/// The command's argument or flag with this name; without a description if the command does not
/// declare it.
HelpEntry declared(const HelpPage& page, const std::string& name) {
  for (const auto* list : {&page.arguments, &page.flags})
    for (const HelpEntry& entry : *list)
      if (entry.name == name) return entry;
  return {name, "", ""};
}

}  // namespace

std::string help_text(const HelpPage& page, const std::vector<HelpGroup>& groups,
                      std::size_t columns) {
  std::string text = head(page, columns);
  std::size_t width = 0;
  if (groups.empty()) {
    for (const auto* list : {&page.arguments, &page.flags, &page.commands})
      width = width_of(*list, width);
    text += section("Arguments", page.arguments, width, columns);
    text += section("Commands", page.commands, width, columns);
    text += section("Flags", page.flags, width, columns);
    return text + "More: " + words_of(page) + " --help-all\n";
  }
  for (const HelpGroup& group : groups) width = width_of(group.shown, width);
  for (const HelpGroup& group : groups) text += section(group.title, group.shown, width, columns);
  return text + "More of each group: " + words_of(page) + " --help-all\n";
}

std::string help_all_text(const HelpPage& page, const std::vector<HelpGroup>& groups,
                          std::size_t columns) {
  std::string text = head(page, columns);
  std::size_t width = 0;
  for (const auto* list : {&page.arguments, &page.flags, &page.commands, &page.everywhere})
    width = width_of(*list, width);
  if (groups.empty()) {
    text += section("Arguments", page.arguments, width, columns);
    text += section("Commands", page.commands, width, columns);
    text += section("Flags", page.flags, width, columns);
  }
  std::vector<HelpEntry> others = groups.empty() ? std::vector<HelpEntry>() : page.flags;
  for (const HelpGroup& group : groups) {
    std::vector<HelpEntry> all;
    const auto add = [&](const std::string& name) {
      const HelpEntry entry = declared(page, name);
      if (entry.words.empty()) return;  // a flag of every command, listed in a section of its own
      all.push_back(entry);
      std::erase_if(others, [&](const HelpEntry& entry) { return entry.name == name; });
    };
    for (const HelpEntry& entry : group.shown) add(entry.name);
    for (const std::string& name : group.more) add(name);
    text += section(group.title, all, width, columns);
  }
  text += section("Others", others, width, columns);
  text += section("Every command", page.everywhere, width, columns);
  for (const OwnLine& line :
       fold({{"Flags may also be set in the environment, --time as KW_TIME, and in the file of "
              "--config; what is given here wins."}},
            0, {columns}))
    text += line.bytes + "\n";
  return text;
}

}  // namespace kw::cli
