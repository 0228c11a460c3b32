// Lets a model draft a task from a description, checks the draft, marks it as a draft, and accepts
// it.
// SPDX-License-Identifier: Apache-2.0
#include "cli/task_draft.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/rng.h"
#include "base/text.h"
#include "llm/open_model.h"
#include "net/curl.h"
#include "propose/task_drafter.h"
#include "record/codec.h"
#include "report/run_folder.h"
#include "session/admission.h"
#include "session/model_access.h"
#include "session/tasks.h"
#include "task/draft.h"
#include "task/load.h"
#include "task/units.h"

namespace kw::cli {
namespace {

namespace fs = std::filesystem;

/// What earlier processes that worked on the same draft have spent.
struct Before {
  Spending spent;
  std::int64_t tries = 0;  ///< Calls of the model that drafts, failed ones included.
};

Result<Before> before_of(const platform::Path& exchanges, const std::string& model) {
  Before before;
  for (const Exchange& one : KW_TRY(llm::FolderExchanges(exchanges).all())) {
    before.spent.calls += one.reply.attempts;
    before.spent.tokens += one.reply.usage.total();
    before.spent.usd += one.reply.cost_usd.value_or(0);
    if (!one.reply.cost_usd) ++before.spent.unpriced;
    if (one.model == model) before.tries += one.reply.attempts;
  }
  return before;
}

/// The model that drafts a task, with everything that a call needs.
class DraftingModel {
 public:
  static Result<std::unique_ptr<DraftingModel>> open(const memory::DataFiles& data,
                                                     const DescribeFlags& flags,
                                                     const platform::Path& runs,
                                                     const platform::Path& exchanges,
                                                     const std::function<void(std::string)>& say) {
    const auto specs = KW_TRY(flags.models.specs());
    if (specs.size() != 1 || !specs.front().role.empty())
      return fail_input("--describe needs exactly one --model, without a role");
    const SpendLimits limits = KW_TRY(flags.spend.limits());
    const Before before = KW_TRY(before_of(exchanges, specs.front().text()));
    std::unique_ptr<DraftingModel> drafting(
        new DraftingModel(limits, before.spent, exchanges, runs / session::kRepliesFolder));
    llm::Surroundings around;
    around.http = drafting->http_.get();
    around.clock = &platform::real_clock();
    around.seed = Seed::from_os();
    around.keys = KW_TRY(llm::keys_from_environment());
    around.prices = KW_TRY(session::open_prices(data));
    around.ledger = &drafting->ledger_;
    around.records = &drafting->exchanges_;
    around.rates = KW_TRY(flags.pace.rates());
    around.timeouts = session::timeouts_of(KW_TRY(flags.asking.timeout_ns()));
    if (flags.pace.cache_replies) around.cache = &drafting->cache_;
    around.script_position = before.tries;
    if (limits.usd) KW_TRY(session::needs_price(around.prices, specs.front()));
    if (const auto price = around.prices.find(specs.front())) drafting->prices_ = {*price};
    for (const std::string& warning : llm::warnings_for(specs.front(), around)) say(warning);
    drafting->model_ = KW_TRY(as_input(llm::open_model(specs.front(), around)));
    return drafting;
  }
  llm::ChatModel& model() { return *model_; }
  Spending spent() const { return ledger_.spent(); }
  std::string spent_text() const { return report::spending_text(spent(), prices_); }

 private:
  DraftingModel(SpendLimits limits, const Spending& before, const platform::Path& exchanges,
                const platform::Path& replies)
      : http_(net::make_curl_client()),
        ledger_(limits, before),
        exchanges_(exchanges),
        cache_(replies) {}
  std::unique_ptr<net::HttpClient> http_;
  llm::Ledger ledger_;
  llm::FolderExchanges exchanges_;
  /// Stored replies of all drafts and runs; used only with --cache-replies.
  llm::FolderExchanges cache_;
  std::unique_ptr<llm::ChatModel> model_;
  std::vector<Price> prices_;
};

/// Problems that kw task check finds in the task, as lines for a model. A reference that cannot be
/// compiled or run is a problem of the task; a machine that cannot judge is an error.
Result<std::vector<std::string>> admission_problems(const Global& global,
                                                    const task::Definition& definition) {
  const auto lines = session::admit(global, definition);
  if (!lines) {
    if (!lines.error().is_input) return std::unexpected(lines.error());
    return std::vector{lines.error().what};
  }
  std::vector<std::string> problems;
  for (const worker::AdmissionLine& line : *lines)
    if (!line.is_ok)
      problems.push_back(fmt::format("{}{}{}", line.what,
                                     line.workload == "all" ? "" : " on " + line.workload,
                                     line.detail.empty() ? "" : ": " + line.detail));
  if (lines->empty())
    problems.emplace_back(
        "the draft has nothing to check: none of its workloads fits this machine");
  return problems;
}

/// The text of DRAFT.md, the file that marks a task as a draft: what a person should check before
/// accepting the task.
std::string mark_text(const DescribeFlags& flags, const std::string& model,
                      const propose::DraftedTask& drafted, const platform::Path& folder) {
  std::string text =
      fmt::format("# A draft that nobody has accepted\n\nWritten by {} on {} from these words:\n\n",
                  model, platform::utc_text(platform::real_clock().wall_seconds()));
  for (const std::string_view line : split_lines(flags.words)) text += fmt::format("> {}\n", line);
  if (drafted.is_good()) {
    text +=
        "\nThe draft loads and is admitted: wrong answers are caught. Whether it computes what was "
        "meant,\nonly a person can say.\n";
  } else {
    text += "\nThe draft does not pass its checks yet:\n\n";
    for (const std::string& problem : drafted.problems) text += fmt::format("- {}\n", problem);
  }
  return text + fmt::format(
                    "\nRead the files, change what is wrong, then: kw task accept {}\n"
                    "Until then nothing is judged or searched with this task.\n",
                    folder.string());
}

Json drafted_json(const propose::DraftedTask& drafted, const platform::Path& folder,
                  const std::string& name, bool is_accepted, const Spending& spent) {
  Json object{{"task", name},
              {"folder", folder.string()},
              {"files", Json::array()},
              {"notes", Json::array()},
              {"is_admitted", drafted.is_good()},
              {"is_accepted", is_accepted},
              {"problems", drafted.problems},
              {"replies", drafted.tries},
              {"ended", drafted.ended},
              {"spent", encode_json(spent)}};
  for (const auto& [path, text] : drafted.files) object["files"].push_back(path);
  return object;
}

void print_drafted(const propose::DraftedTask& drafted, const platform::Path& folder,
                   bool is_accepted, const std::string& spent) {
  fmt::print("wrote {} after {} {}; {}\n", folder.string(), drafted.tries,
             drafted.tries == 1 ? "reply" : "replies", spent);
  for (const auto& [path, text] : drafted.files) fmt::print("  {}\n", path);
  for (const std::string& problem : drafted.problems) fmt::print("not yet: {}\n", problem);
  if (!drafted.ended.empty()) fmt::print("ended: {}\n", drafted.ended);
  if (is_accepted)
    fmt::print("accepted; next: kw optimize {}\n", folder.string());
  else
    fmt::print("a draft: read it, then: kw task accept {}\n", folder.string());
}

/// Renames the folder with a finished draft's exchanges, so that another draft may have the same
/// name.
void retire(const platform::Path& exchanges) {
  std::error_code ignored;
  for (int n = 1; fs::exists(exchanges, ignored); ++n) {
    const platform::Path to = exchanges.string() + fmt::format("-{}", n);
    if (!fs::exists(to, ignored)) return fs::rename(exchanges, to, ignored);
  }
}

}  // namespace

void DescribeFlags::declare(Flags& flags) {
  flags.text("--describe", words, "What the task computes, in words: a model drafts the folder");
  models.declare(flags);
  spend.declare(flags);
  pace.declare(flags);
  length.declare_reply(flags);
  asking.declare(flags);
  flags.integer("--tries", tries, "Most replies to ask for; errors in a draft go back to the model",
                {1});
  flags.on_off("--yes", yes, "Accept the draft unread, if it is admitted");
}

Result<int> draft_from_words(const Global& global, const DescribeFlags& flags,
                             const platform::Path& folder) {
  const std::string name = folder.filename().string();
  std::error_code ignored;
  KW_TRY(as_input(task::draft_skeleton(name)));  // checks the name before anything is paid
  if (fs::exists(folder, ignored)) return fail_input("exists already", folder.string());
  if (trim(flags.words).empty())
    return fail_input("--describe needs a description in words, and it is empty");
  const ReplySettings reply = KW_TRY(flags.asking.reply(flags.length.reply_tokens));
  const auto say = [](const std::string& text) { fmt::print(stderr, "kw: {}\n", text); };
  const auto data = KW_TRY(session::open_data(global));
  const platform::Path runs = platform::Path(global.workspace) / "runs";
  const platform::Path exchanges = runs / "drafts" / name;
  KW_TRY(platform::make_dirs(exchanges));
  const auto drafting = KW_TRY(DraftingModel::open(data, flags, runs, exchanges, say));
  propose::TaskDrafterOptions options;
  options.tries = static_cast<int>(flags.tries);
  options.reply = reply;
  options.on_notice = say;
  auto drafter = KW_TRY(as_input(propose::TaskDrafter::open(data, drafting->model(), options)));
  const auto drafted =
      KW_TRY(drafter.draft(name, flags.words, [&](const task::Definition& definition) {
        return admission_problems(global, definition);
      }));
  if (drafted.files.empty())
    return fail("no reply of the model held a task: " + drafted.problems.front(),
                drafting->model().name(), Advice::Stop);

  const bool is_accepted = flags.yes && drafted.is_good();
  task::Draft draft{name, drafted.files, {}};
  if (!is_accepted)
    draft.files[task::kDraftFile] = mark_text(flags, drafting->model().name(), drafted, folder);
  KW_TRY(task::write_draft(draft, folder));
  retire(exchanges);
  if (global.json)
    std::printf(
        "%s\n",
        dump_json(drafted_json(drafted, folder, name, is_accepted, drafting->spent())).c_str());
  else
    print_drafted(drafted, folder, is_accepted, drafting->spent_text());
  return drafted.is_good() ? kDone : kNotGood;
}

Result<int> accept_draft(const Global& global, const std::string& name) {
  const auto found = session::task_folder(global, name);
  if (!found) return fail_input(ErrorCode::NotFound, "no task folder of this name", name);
  const platform::Path& folder = *found;
  auto definition = KW_TRY(as_input(task::load_task(folder)));
  if (definition.draft.empty())
    return fail_input("this task is no draft, so there is nothing to accept", folder.string());
  const auto lines = KW_TRY(session::admit(global, std::move(definition)));
  const bool is_good = session::is_admitted(lines);
  if (is_good) KW_TRY(platform::remove_tree(folder / task::kDraftFile));
  if (global.json) {
    Json object{
        {"folder", folder.string()}, {"is_accepted", is_good}, {"admission", Json::array()}};
    for (const worker::AdmissionLine& line : lines)
      object["admission"].push_back(encode_json(line));
    std::printf("%s\n", dump_json(object).c_str());
  } else if (is_good) {
    fmt::print("{}\naccepted; next: kw optimize {}\n", session::admission_words(lines),
               folder.string());
  } else {
    for (const worker::AdmissionLine& line : lines)
      if (!line.is_ok) fmt::print("FAIL {:<30} {:<18} {}\n", line.what, line.workload, line.detail);
    fmt::print("not accepted: the task is not admitted; mend what the lines above say\n");
  }
  return is_good ? kDone : kNotGood;
}

}  // namespace kw::cli
