// kw memory: shows what runs have learnt (lessons), and lets a person change it.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/errors.h"
#include "cli/judge_comparison.h"
#include "cli/memory_known.h"
#include "cli/target_flags.h"
#include "record/codec.h"
#include "session/lesson_diff.h"

namespace kw::cli {
namespace {

struct MemoryFlags {
  std::string task;
  std::string about;
  bool evicted = false;
  std::string id;
  std::string run;
  TargetFlags target;
  JudgeComparisonFlags judges;
};

/// The target whose lessons the flags ask for; nothing: all targets.
Result<std::optional<Target>> asked_target(const MemoryFlags& flags) {
  if (flags.target.target.empty()) return std::optional<Target>();
  return std::optional(KW_TRY(flags.target.aim()).target);
}

Json json_of(const Lesson& lesson) {
  Json object = encode_json(lesson);
  object["is_told"] = is_told(lesson);
  return object;
}

/// The attempts and runs from which a lesson comes: "saxpy-1 attempt 3, saxpy-2
/// (2026-01-02T03:04:05Z)".
std::string provenance(const Lesson& lesson) {
  std::vector<std::string> places;
  for (const Sighting& s : lesson.seen_in)
    places.push_back(s.attempt > 0 ? fmt::format("{} attempt {}", s.run, s.attempt) : s.run);
  const std::string last = lesson.seen_in.empty() ? "" : lesson.seen_in.back().at;
  return join(places, ", ") + (last.empty() ? "" : " (" + last + ")");
}

std::string head_of(const Lesson& lesson) {
  std::string head = fmt::format("{:>4}  {:<11}  {} ({}, {})", lesson.id, name_of(lesson.kind),
                                 lesson.task, lesson.family, name_of(lesson.target));
  if (lesson.state != LessonState::Live) head += fmt::format("  {}", name_of(lesson.state));
  if (lesson.state != LessonState::Dropped && !is_told(lesson))
    head += "  prompts leave it out until it is seen again";
  return head;
}

void print_lesson(const Lesson& lesson) {
  fmt::print("{}\n      {}\n      seen {}x: {}; {} run{} began with it, {} of them won\n",
             head_of(lesson), lesson.text, lesson.seen, provenance(lesson), lesson.uses,
             lesson.uses == 1 ? "" : "s", lesson.helped);
}

Json json_of(const store::EvictedLesson& gone) {
  return {{"run", gone.run}, {"why", gone.why}, {"lesson", encode_json(gone.lesson)}};
}

bool is_chosen(const Lesson& lesson, const std::string& task, std::optional<Target> target) {
  return (task.empty() || lesson.task == task) && (!target || lesson.target == *target);
}

/// Lists lessons (what runs have learnt) that were removed to make room for others.
Result<int> list_evicted(const Global& global, const MemoryFlags& flags) {
  if (!flags.about.empty())
    return fail_input(ErrorCode::Contradiction, About{"--evicted"},
                      "--evicted cannot be combined with --about");
  const auto store = KW_TRY(store::RunStore::open_to_read(global.workspace));
  auto evicted = KW_TRY(store.lessons().evicted());
  const auto target = KW_TRY(asked_target(flags));
  std::erase_if(evicted,
                [&](const auto& gone) { return !is_chosen(gone.lesson, flags.task, target); });
  if (global.json) {
    Json object = {{"evicted", Json::array()}};
    for (const store::EvictedLesson& gone : evicted) object["evicted"].push_back(json_of(gone));
    std::printf("%s\n", dump_json(object).c_str());
    return kDone;
  }
  if (evicted.empty()) fmt::print("no lesson was evicted\n");
  for (const store::EvictedLesson& gone : evicted) {
    print_lesson(gone.lesson);
    fmt::print("      evicted in {}: {}\n", gone.run, gone.why);
  }
  return kDone;
}

/// The lessons that contain some of the search words, best match first.
Result<std::vector<Lesson>> found_in(const store::RunStore& store, const std::string& words) {
  store::LessonQuery query;
  for (const std::string_view word : split(words, ' '))
    if (!word.empty()) query.words.emplace_back(word);
  if (query.words.empty())
    return fail_input(ErrorCode::Missing, About{"--about"}, "--about needs at least one word");
  const auto all = KW_TRY(store.lessons().all());
  std::vector<Lesson> lessons;
  for (const LessonMatch& match : KW_TRY(store.lessons().find(query))) {
    const auto lesson = std::ranges::find(all, match.id, &Lesson::id);
    if (lesson != all.end()) lessons.push_back(*lesson);
  }
  return lessons;
}

Result<int> list_lessons(const Global& global, const MemoryFlags& flags) {
  if (flags.evicted) return list_evicted(global, flags);
  auto store = KW_TRY(store::RunStore::open_to_read(global.workspace));
  std::vector<Lesson> lessons =
      flags.about.empty() ? KW_TRY(store.lessons().all()) : KW_TRY(found_in(store, flags.about));
  const auto target = KW_TRY(asked_target(flags));
  std::erase_if(lessons,
                [&](const Lesson& lesson) { return !is_chosen(lesson, flags.task, target); });
  if (global.json) {
    Json object;
    object["lessons"] = Json::array();
    for (const Lesson& lesson : lessons) object["lessons"].push_back(json_of(lesson));
    std::printf("%s\n", dump_json(object).c_str());
    return kDone;
  }
  if (lessons.empty())
    fmt::print("no lessons{}{}{} in {}; kw optimize TASK leaves some\n",
               flags.task.empty() ? "" : " of task '" + flags.task + "'",
               target ? fmt::format(" for {}", name_of(*target)) : "",
               flags.about.empty() ? "" : " about '" + flags.about + "'", store.root().string());
  for (const Lesson& lesson : lessons) print_lesson(lesson);
  const std::string beside = KW_TRY(known_beside(store));
  if (!beside.empty()) fmt::print("beside them: {}\n", beside);
  return kDone;
}

Result<int> experience(const Global& global, const MemoryFlags& flags) {
  if (flags.evicted)
    return fail_input(ErrorCode::Contradiction, About{"--evicted"},
                      "--evicted belongs to kw memory list");
  return list_experience(global, flags.task, KW_TRY(asked_target(flags)), flags.about);
}

Result<int> cards(const Global& global, const MemoryFlags& flags) {
  if (flags.evicted || !flags.task.empty())
    return fail_input(ErrorCode::Contradiction, About{"memory cards"},
                      "memory cards takes only --about and --target");
  return list_cards(global, KW_TRY(asked_target(flags)), flags.about);
}

/// Refuses flags that select lessons, for subcommands of kw memory that list none. `has_target`:
/// the subcommand accepts --target.
Result<> refuse_choice(const MemoryFlags& flags, bool has_target = false) {
  for (const auto& [is_set, name] :
       {std::pair(!flags.task.empty(), "--task"), std::pair(!flags.about.empty(), "--about"),
        std::pair(!has_target && !flags.target.target.empty(), "--target"),
        std::pair(flags.evicted, "--evicted")})
    if (is_set)
      return fail_input(ErrorCode::Contradiction, About{name},
                        std::string(name) + " belongs to kw memory list");
  return {};
}

Result<std::int64_t> id_of(const MemoryFlags& flags) {
  KW_TRY(refuse_choice(flags));
  std::int64_t id = 0;
  const char* end = flags.id.data() + flags.id.size();
  const auto parsed = std::from_chars(flags.id.data(), end, id);
  if (parsed.ec != std::errc() || parsed.ptr != end)
    return fail_input(
        ErrorCode::BadInput, About{"lesson"},
        "a lesson is named by its number, which kw memory lists, not by '" + flags.id + "'");
  return id;
}

Result<int> show_lesson(const Global& global, const MemoryFlags& flags) {
  const std::int64_t id = KW_TRY(id_of(flags));
  auto store = KW_TRY(store::RunStore::open_to_read(global.workspace));
  const Lesson lesson = KW_TRY(store.lessons().get(id));
  std::string source;
  if (!lesson.source_sha256.empty())
    source = KW_TRY(store.artifacts().get(KW_TRY(Sha256::from_hex(lesson.source_sha256))));
  if (global.json) {
    Json object = json_of(lesson);
    object["source"] = source;
    std::printf("%s\n", dump_json(object).c_str());
    return kDone;
  }
  print_lesson(lesson);
  fmt::print("      about {}\n", lesson.key);
  if (!source.empty()) fmt::print("\n{}", source);
  return kDone;
}

/// A change that a person makes to a lesson, a stored insight of runs: the new state, the verb for
/// messages, and the states in which the change is allowed.
struct Deed {
  LessonState to;
  std::string_view done;
  std::vector<LessonState> from;
};

Result<int> change(const Global& global, const MemoryFlags& flags, const Deed& deed) {
  const std::int64_t id = KW_TRY(id_of(flags));
  auto store = KW_TRY(store::RunStore::open(global.workspace));
  Lesson lesson = KW_TRY(store.lessons().get(id));
  if (std::find(deed.from.begin(), deed.from.end(), lesson.state) == deed.from.end())
    return fail_input(
        ErrorCode::WrongState, About{std::string(name_of(lesson.state))},
        fmt::format("lesson {} is {}: it cannot be {}", id, name_of(lesson.state), deed.done));
  KW_TRY(store.lessons().set_state(id, deed.to));
  lesson.state = deed.to;
  if (global.json)
    std::printf("%s\n", dump_json(json_of(lesson)).c_str());
  else
    fmt::print("{}: {}\nruns in progress keep the lessons with which they began\n", deed.done,
               head_of(lesson));
  return kDone;
}

Result<int> show_diff(const Global& global, const MemoryFlags& flags) {
  KW_TRY(refuse_choice(flags));
  const auto [run, changes, lines] = KW_TRY(session::lesson_diff(global, flags.run));
  if (global.json) {
    Json object = {{"run", run}, {"diff", lines}, {"changes", Json::array()}};
    for (const LessonChange& c : changes)
      object["changes"].push_back(
          {{"before", c.before.empty() ? Json() : json_of(c.before.front())},
           {"after", c.evicted.empty() ? json_of(c.after) : Json()},
           {"evicted", c.evicted}});
    std::printf("%s\n", dump_json(object).c_str());
    return kDone;
  }
  fmt::print("--- what prompts told when {} began\n+++ what they tell since\n{}", run,
             lines.empty() ? "nothing changed\n" : lines);
  for (const LessonChange& c : changes) {
    if (!c.evicted.empty())
      fmt::print("evicted ({}): {}\n", c.evicted, c.after.text);
    else if (c.after.state != LessonState::Dropped && !is_told(c.after))
      fmt::print("noted, left out of prompts until it is seen again: {}\n", c.after.text);
  }
  return kDone;
}

Command child(const std::shared_ptr<MemoryFlags>& flags, const std::string& name,
              const std::string& summary, std::function<void(Flags&)> declare,
              const std::function<Result<int>(const Global&, const MemoryFlags&)>& act) {
  Command command;
  command.name = name;
  command.summary = summary;
  command.declare = std::move(declare);
  command.run = [flags, act](const Global& global) {
    return end_command(global, act(global, *flags));
  };
  return command;
}

}  // namespace

Command memory_command() {
  using enum LessonState;
  auto flags = std::make_shared<MemoryFlags>();
  const auto takes_choice = [flags](Flags& f) {
    f.text("--task", flags->task, "Lessons of this task alone");
    f.text("--target", flags->target.target, "Only what is known for cpu, or for cuda");
    f.text("--about", flags->about, "Lessons that hold some of these words, best first");
    f.on_off("--evicted", flags->evicted, "Lessons that were evicted for others, and why");
  };
  const auto takes_id = [flags](Flags& f) {
    f.positional("id", flags->id, "Number of a lesson, which kw memory lists");
  };
  const auto takes_run = [flags](Flags& f) {
    f.positional("run", flags->run, "Name of a run, as kw runs lists it");
  };
  const auto does = [](const Deed& deed) {
    return [deed](const Global& global, const MemoryFlags& f) { return change(global, f, deed); };
  };
  // Without a subcommand, kw memory lists lessons.
  Command command =
      child(flags, "memory", "What runs have taught: list, show, drop, freeze, unfreeze, diff",
            takes_choice, list_lessons);
  command.children = {
      child(flags, "list", "List all lessons with where they come from", takes_choice,
            list_lessons),
      child(flags, "experience", "What each technique gained where it was tried, failures included",
            takes_choice, experience),
      child(flags, "cards", "Knowledge that prompts may hold: what was shipped, code that worked",
            takes_choice, cards),
      child(
          flags, "judge", "How well the learned judge, rules and models foresee recorded gains",
          [flags](Flags& f) {
            flags->target.declare(f, false);
            flags->judges.declare(f);
          },
          [](const Global& global, const MemoryFlags& f) -> Result<int> {
            KW_TRY(refuse_choice(f, true));
            return show_judges(global, KW_TRY(f.target.aim()).target, f.judges);
          }),
      child(flags, "show", "Show one lesson, and the source of a win", takes_id, show_lesson),
      child(flags, "drop", "Never use this lesson again, nor learn it again", takes_id,
            does({Dropped, "dropped", {Live, Frozen}})),
      child(flags, "freeze", "Keep a lesson as it is now", takes_id,
            does({Frozen, "frozen", {Live}})),
      child(flags, "unfreeze", "Let runs update a frozen lesson again", takes_id,
            does({Live, "unfrozen", {Frozen}})),
      child(flags, "diff", "Show what a run changed in the lessons that prompts tell", takes_run,
            show_diff)};
  return command;
}

}  // namespace kw::cli
