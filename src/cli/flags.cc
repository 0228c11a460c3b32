// Implements the declaration and parsing of flags on CLI11.
// SPDX-License-Identifier: Apache-2.0
#include "cli/flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <sstream>

#include "base/json.h"
#include "base/letter_case.h"
#include "base/shown_output.h"
#include "base/text.h"
#include "cli/interruption.h"
#include "cli/status.h"
#include "generated/version.h"

namespace kw::cli {
namespace {

CLI::App& app_of(void* app) { return *static_cast<CLI::App*>(app); }

/// The environment variable of a flag, KW_<FLAG> for --flag, which ranks between the configuration
/// file and the command line.
std::string env_name(const std::string& flag) {
  std::string name = upper_case(flag.substr(flag.find_first_not_of('-')));
  std::ranges::replace(name, '-', '_');
  return "KW_" + name;
}

/// Drops configuration-file entries whose environment variable is set, since CLI11 would let the
/// file override the environment.
class FileBelowEnvironment final : public CLI::ConfigBase {
 public:
  std::vector<CLI::ConfigItem> from_config(std::istream& input) const override {
    std::vector<CLI::ConfigItem> entries = CLI::ConfigBase::from_config(input);
    std::erase_if(entries, [](const CLI::ConfigItem& item) {
      if (item.name == "++" || item.name == "--")
        return false;  // CLI11 marks the begin and end of a section
      const char* value = std::getenv(env_name(item.name).c_str());
      return value != nullptr && *value != '\0';
    });
    return entries;
  }
};

/// The command that each parser object stands for: filled before parsing, searched after parsing.
using CommandOf = std::map<const CLI::App*, const Command*>;

void declare(CLI::App& parent, const Command& command, CommandOf& bound) {
  CLI::App* app = parent.add_subcommand(command.name, command.summary);
  app->fallthrough();
  if (command.declare) {
    Flags flags(app);
    command.declare(flags);
  }
  for (const Command& child : command.children) declare(*app, child, bound);
  if (!command.children.empty()) app->require_subcommand(command.run ? 0 : 1, 1);
  bound[app] = &command;
}

std::vector<std::string> names_known_to(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(sub->get_name());
  for (const CLI::App* a = &app; a != nullptr; a = a->get_parent())
    for (const CLI::Option* option : a->get_options())
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

const CLI::App& deepest_parsed(const CLI::App& app) {
  const auto parsed = app.get_subcommands();
  return parsed.empty() ? app : deepest_parsed(*parsed.front());
}

/// The command's full name, such as "kw task new".
std::string words_of(const CLI::App& app) {
  const CLI::App* parent = app.get_parent();
  return parent == nullptr ? app.get_name() : words_of(*parent) + " " + app.get_name();
}

std::vector<const CLI::App*> subcommands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

/// Finds the commands, at any depth, that have a flag.
void add_owners(const CLI::App& app, const std::string& flag, std::vector<std::string>& owners) {
  for (const CLI::App* sub : subcommands_of(app)) {
    if (sub->get_option_no_throw(flag) != nullptr) owners.push_back(words_of(*sub));
    add_owners(*sub, flag, owners);
  }
}

/// A hint such as " (did you mean '--model'?)", from the command's own flags, or else from the
/// flags of all commands.
std::string suggestion_for(const CLI::App& root, const CLI::App& where, const std::string& word) {
  const auto owned = [&root](const std::string& flag) {
    std::vector<std::string> owners;
    add_owners(root, flag, owners);
    constexpr std::size_t kMost = 3;
    if (owners.size() > kMost) {
      owners.resize(kMost);
      owners.back() += " and others";
    }
    return join(owners, ", ");
  };
  const bool is_flag = word.starts_with("--");
  if (is_flag)
    if (const std::string owners = owned(word); !owners.empty())
      return " (a flag of " + owners + ")";
  if (std::string own = suggestion(word, names_known_to(where)); !own.empty() || !is_flag)
    return own;
  std::vector<std::string> all;
  const std::function<void(const CLI::App&)> collect = [&](const CLI::App& app) {
    for (const CLI::App* sub : subcommands_of(app)) {
      for (const CLI::Option* option : sub->get_options())
        for (const std::string& name : option->get_lnames()) all.push_back("--" + name);
      collect(*sub);
    }
  };
  collect(root);
  const auto near = nearest(word, all);
  return near ? " (did you mean '" + *near + "' of " + owned(*near) + "?)" : std::string();
}

bool is_help(const CLI::Option* option) {
  const auto& names = option->get_lnames();
  return std::ranges::any_of(names, [](const std::string& n) { return n.starts_with("help"); });
}

HelpEntry entry_of(const CLI::Option& option) {
  HelpEntry entry;
  entry.words = option.get_description();
  if (option.get_positional()) {
    entry.name = upper_case(option.get_name(true));
    return entry;
  }
  entry.name = "--" + option.get_lnames().front();
  if (option.get_items_expected_max() > 0)
    entry.value = option.get_type_name() == "INT" ? "N" : "X";
  const std::string& usual = option.get_default_str();
  if (!entry.value.empty() && !usual.empty() && usual != "0" &&
      entry.words.find("default") == std::string::npos)
    entry.words += " (default " + usual + ")";
  return entry;
}

HelpPage page_of(const CLI::App& app) {
  HelpPage page;
  page.usage = words_of(app);
  page.summary = app.get_description();
  const CLI::App* root = &app;
  while (root->get_parent() != nullptr) root = root->get_parent();
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) {
      page.arguments.push_back(entry_of(*option));
      page.usage += " " + page.arguments.back().name;
    } else if (!is_help(option) && &app != root) {
      page.flags.push_back(entry_of(*option));
    }
  }
  for (const CLI::Option* option : root->get_options())
    if (!is_help(option)) page.everywhere.push_back(entry_of(*option));
  page.everywhere.push_back({"--help", "", "Print the most important flags"});
  page.everywhere.push_back({"--help-all", "", "Print this page, which has all flags"});
  for (const CLI::App* sub : subcommands_of(app))
    page.commands.push_back({sub->get_name(), "", sub->get_description()});
  if (!page.commands.empty()) page.usage += " COMMAND";
  return page;
}

/// Columns of help: the terminal's, but at most 80 for comfortable reading, and 80 in a file.
std::size_t help_columns() {
  constexpr std::size_t kUsual = 80;
  const std::size_t own = look_of(1).columns;
  return own == 0 ? kUsual : std::min(own, kUsual);
}

/// Whether --json is among the arguments, even if other arguments cannot be parsed.
bool wants_json(std::span<char* const> words) {
  return std::any_of(words.begin(), words.end(),
                     [](const char* word) { return std::string_view(word) == "--json"; });
}

/// The line of a file at which `key` is set in `section`; 0 if it is not set.
std::size_t line_of_entry(const std::string& file, std::string_view section, std::string_view key) {
  std::ifstream stream(file);
  std::string within;
  std::string line;
  for (std::size_t number = 1; std::getline(stream, line); ++number) {
    const std::string_view text = trim(line);
    if (text.starts_with('[')) within = std::string(text.substr(1, text.find(']') - 1));
    if (within == section && trim(text.substr(0, text.find('='))) == key) return number;
  }
  return 0;
}

/// Appends the names of the subcommands, at any depth, that have a flag: "optimize", "task.new".
void add_sections_with(const CLI::App& app, const std::string& flag, const std::string& path,
                       std::vector<std::string>& sections) {
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    const std::string name = path + sub->get_name();
    if (sub->get_option_no_throw("--" + flag) != nullptr) sections.push_back(name);
    add_sections_with(*sub, flag, name + ".", sections);
  }
}

/// A message that explains a wrong entry of the configuration file. CLI11's message ends with the
/// entry's name: "INI was not able to parse optimize.attemps".
std::string words_of_entry(const CLI::App& app, std::string_view told) {
  const std::string_view entry = told.substr(told.rfind(' ') + 1);
  const std::size_t dot = entry.rfind('.');
  const std::string key(entry.substr(dot == std::string_view::npos ? 0 : dot + 1));
  const std::string section(entry.substr(0, dot == std::string_view::npos ? 0 : dot));
  const auto file = app.get_config_ptr()->as<std::string>();
  const std::size_t line = line_of_entry(file, section, key);
  std::string words = file + (line > 0 ? ":" + std::to_string(line) : "") + ": no flag '" +
                      sanitise(key, 60) + "'" +
                      (section.empty() ? "" : " in [" + sanitise(section, 60) + "]");
  std::vector<std::string> sections;
  add_sections_with(app, key, "", sections);
  if (!sections.empty()) return words + " (it belongs below [" + join(sections, "] or [") + "])";
  const CLI::App* of = &app;
  for (const std::string_view part : split(section, '.'))
    for (const CLI::App* sub :
         of->get_subcommands([&](const CLI::App* a) { return a->get_name() == part; }))
      of = sub;
  std::vector<std::string> known;
  for (const std::string& name : names_known_to(*of))
    if (name.starts_with("--")) known.push_back(name.substr(2));
  return words + suggestion(key, known);
}

/// The command and its file, task or run, such as "kw judge mine.cpp": shown to other users who
/// wait until this program frees the device.
std::string title_of(const CLI::App& app) {
  std::string title = words_of(app);
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_positional() || option->count() == 0) continue;
    constexpr std::size_t kMost = 60;
    const std::string& given = option->results().front();
    const std::string name = std::filesystem::path(given).filename().string();
    return title + " " + sanitise(name.empty() ? given : name, kMost);
  }
  return title;
}

int report(const CLI::App& app, const CommandOf& bound, const CLI::ParseError& error,
           bool is_json) {
  const CLI::App& where = deepest_parsed(app);
  const auto command = bound.find(&where);
  const std::vector<HelpGroup> groups =
      command == bound.end() ? std::vector<HelpGroup>() : command->second->screen;
  const bool wants_all = dynamic_cast<const CLI::CallForAllHelp*>(&error) != nullptr;
  if (wants_all || dynamic_cast<const CLI::CallForHelp*>(&error) != nullptr) {
    const auto write = wants_all ? help_all_text : help_text;
    std::fputs(write(page_of(where), groups, help_columns()).c_str(), stdout);
    return kDone;
  }
  if (error.get_exit_code() == 0) {  // --version
    std::ostringstream words;
    const int code = app.exit(error, words, words);
    std::fputs(words.str().c_str(), stdout);
    return code;
  }
  std::string message = sanitise(error.what(), 1000);
  constexpr std::string_view kUnknownEntry = "INI was not able to parse ";
  if (message.starts_with(kUnknownEntry)) message = words_of_entry(app, message);
  // CLI11 reports a misspelt subcommand as a missing one, so unknown arguments are checked first.
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr ||
      dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
    const std::vector<std::string> extras = app.remaining(true);
    if (!extras.empty()) {
      const std::string word = extras.front().substr(0, extras.front().find('='));
      message = (word.starts_with("-") ? "unknown flag " : "unknown word ") + word +
                suggestion_for(app, where, word);
    }
  }
  if (is_json)
    std::printf("%s\n", dump_json({{"error",
                                    {{"code", name_of(ErrorCode::BadInput)},
                                     {"what", message},
                                     {"where", ""},
                                     {"exit_code", kUsage}}}})
                            .c_str());
  std::fprintf(stderr, "kw: %s\nkw: try '%s --help'\n", message.c_str(), words_of(where).c_str());
  return kUsage;
}

/// Why an empty value is refused for a flag that takes a word; each flag would give the empty text
/// another meaning.
std::string why_no_value(const std::string& value) {
  return value.empty() ? "an empty value is not allowed" : "";
}

std::string why_no_integer(const std::string& value, WholeNumbers range) {
  std::int64_t number = 0;
  const char* end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, number);
  const bool is_whole = !value.empty() && stop == end && error != std::errc::invalid_argument;
  if (!is_whole) return "'" + sanitise(value, 40) + "' is no whole number";
  const std::string shown = sanitise(value, 40);
  // If the number does not fit 64 bits, only its sign is known.
  const bool is_beyond = error == std::errc::result_out_of_range;
  const bool is_negative = value.front() == '-';
  if (is_beyond ? is_negative : number < range.least)
    return shown + " is too small: at least " + std::to_string(range.least);
  if (is_beyond || number > range.most)
    return shown + " is too large: at most " + std::to_string(range.most);
  return "";
}

}  // namespace

void Flags::positional(const std::string& name, std::string& into, const std::string& help,
                       bool required) {
  app_of(app_).add_option(name, into, help)->required(required)->check(why_no_value);
}

void Flags::positionals(const std::string& name, std::vector<std::string>& into,
                        const std::string& help) {
  app_of(app_).add_option(name, into, help)->required()->check(why_no_value);
}

void Flags::text(const std::string& flag, std::string& into, const std::string& help) {
  app_of(app_)
      .add_option(flag, into, help)
      ->envname(env_name(flag))
      ->capture_default_str()
      ->check(why_no_value);
}

void Flags::texts(const std::string& flag, std::vector<std::string>& into,
                  const std::string& help) {
  app_of(app_).add_option(flag, into, help)->allow_extra_args(false)->check(why_no_value);
}

void Flags::integer(const std::string& flag, std::int64_t& into, const std::string& help,
                    WholeNumbers range) {
  app_of(app_)
      .add_option(flag, into, help)
      ->envname(env_name(flag))
      ->capture_default_str()
      ->check([range](const std::string& value) { return why_no_integer(value, range); });
}

void Flags::on_off(const std::string& flag, bool& into, const std::string& help) {
  app_of(app_).add_flag(flag, into, help)->envname(env_name(flag));
}

int run_program(const std::vector<Command>& commands,
                const std::function<int(const Global&)>& alone, int argc, char** argv) {
  CLI::App app(
      "Kernelwright: turns the description of a computation into the fastest kernel that can be "
      "trusted",
      "kw");
  Global global;
  app.set_help_all_flag("--help-all", "Every flag");
  app.set_version_flag("--version", "kernelwright " + std::string(kw::built_commit()),
                       "The commit that this program was built from");
  app.config_formatter(std::make_shared<FileBelowEnvironment>());
  app.set_config("--config", "kernelwright.toml",
                 "File that sets flags by name; flags on the command line win");
  app.allow_config_extras(false);
  Flags flags(&app);
  flags.text("--workspace", global.workspace, "Folder in which runs/ is kept");
  flags.text("--data-dir", global.data_dir,
             "Folder to read tasks/, playbook/, prompts/, models/, web/, knowledge/ from");
  flags.text("--jail", global.jail,
             "namespace, landlock or none; default: the strongest of the first two that works");
  flags.on_off("--json", global.json, "Exactly one JSON object on standard output");
  app.require_subcommand(0, 1);
  app.fallthrough();

  CommandOf bound;
  for (const Command& command : commands) declare(app, command, bound);
  const bool is_document = wants_json({argv, static_cast<std::size_t>(argc)});
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (is_document) keep_output_as_utf8();
    return report(app, bound, error, is_document);
  }
  global.configured = [&app](const std::string& command, const std::string& flag) {
    const CLI::Option* option = app.get_subcommand(command)->get_option_no_throw(flag);
    return option == nullptr ? std::vector<std::string>() : option->results();
  };
  if (global.json) keep_output_as_utf8();
  const CLI::App& chosen = deepest_parsed(app);
  global.title = title_of(chosen);
  Status status(global.json);
  global.status = &status;
  global.on_progress = [&status](const session::Progress& progress) { status.hear(progress); };
  global.on_notice = [](const std::string& line) {
    std::fprintf(stderr, "kw: %s\n", line.c_str());
  };
  const Interruption interruption(global);
  if (&chosen == &app) return alone(global);
  const Command& command = *bound.at(&chosen);
  return command.run ? command.run(global) : kUsage;
}

}  // namespace kw::cli
