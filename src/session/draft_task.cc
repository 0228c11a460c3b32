// Lets a model draft a task from a description, checks the draft, marks it as a draft, and accepts
// it.
// SPDX-License-Identifier: Apache-2.0
#include "session/draft_task.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "base/rng.h"
#include "base/text.h"
#include "import/kernel_function.h"
#include "llm/open_model.h"
#include "memory/shipped_task.h"
#include "net/curl.h"
#include "platform/read_text.h"
#include "session/model_access.h"
#include "session/settle_draft.h"
#include "session/tasks.h"
#include "task/draft_name.h"
#include "task/header.h"
#include "task/load.h"

namespace kw::session {
namespace {

namespace fs = std::filesystem;

/// A skeleton, or a draft from the function in the file `from`.
Result<task::Draft> draft_of(const std::string& name, const std::string& from,
                             const std::string& function, const task::DraftChoices& choices) {
  if (from.empty()) return task::draft_skeleton(name);
  const std::string source = KW_TRY(platform::read_text(from));
  if (source.size() > task::kMaxSourceBytes || !import::has_kernels(source))
    return task::draft_from_source(source, from, function, name, choices);
  // A CUDA kernel has no sequential code, so it is first rewritten as a plain function that loops
  // over its threads.
  const std::string plain = KW_TRY(import::plain_function(source, from, function));
  auto draft = task::draft_from_source(plain, from, {}, name, choices);
  if (!draft) draft.error().what += " (in the loop that was made from its kernel)";
  return draft;
}

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
  static Result<std::unique_ptr<DraftingModel>> open(const Options& options,
                                                     const memory::DataFiles& data,
                                                     const DraftRequest& request,
                                                     const platform::Path& runs,
                                                     const platform::Path& exchanges) {
    const llm::ModelSpec& spec = request.model;
    const Before before = KW_TRY(before_of(exchanges, spec.text()));
    std::unique_ptr<DraftingModel> drafting(
        new DraftingModel(request.limits, before.spent, exchanges, runs / kRepliesFolder));
    llm::ModelSurroundings around;
    around.http = drafting->http_.get();
    around.clock = &platform::real_clock();
    around.seed = Seed::from_os();
    around.keys = KW_TRY(llm::keys_from_environment());
    around.prices = KW_TRY(open_prices(data));
    around.ledger = &drafting->ledger_;
    around.records = &drafting->exchanges_;
    around.rates = request.rates;
    around.timeouts = timeouts_of(request.timeout_ns);
    if (request.caches_replies) around.cache = &drafting->cache_;
    around.script_position = before.tries;
    if (request.limits.usd) KW_TRY(needs_price(around.prices, spec));
    if (const auto price = around.prices.find(spec)) drafting->prices_ = {*price};
    for (const std::string& warning : llm::warnings_for(spec, around)) options.notice(warning);
    drafting->model_ = KW_TRY(as_input(llm::open_model(spec, around)));
    return drafting;
  }
  llm::ChatModel& model() { return *model_; }
  Spending spent() const { return ledger_.spent(); }
  const std::vector<Price>& prices() const { return prices_; }

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
Result<std::vector<std::string>> admission_problems(const Options& options,
                                                    const task::Definition& definition) {
  const auto lines = admit(options, definition);
  if (!lines) {
    if (!lines.error().is_input) return std::unexpected(lines.error());
    return std::vector{lines.error().what};
  }
  std::vector<std::string> problems;
  for (const AdmissionLine& line : *lines)
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
std::string mark_text(const std::string& words, const std::string& model,
                      const DraftedTask& drafted, const platform::Path& folder) {
  std::string text =
      fmt::format("# A draft that nobody has accepted\n\nWritten by {} on {} from these words:\n\n",
                  model, platform::utc_text(platform::real_clock().wall_seconds()));
  for (const std::string_view line : split_lines(words)) text += fmt::format("> {}\n", line);
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

Result<NewTask> new_task(const Options& options, const std::string& name, const std::string& from,
                         const std::string& function, bool is_settled) {
  NewTask made;
  made.folder = new_task_folder(options, name);
  if (const std::string wished = made.folder.filename().string(); !task::can_name_task(wished))
    made.folder.replace_filename(task::task_name(wished));
  KW_TRY(task::check_new_folder(made.folder));
  const DraftMaker make = [&](const task::DraftChoices& choices) {
    return as_input(draft_of(platform::Path(name).filename().string(), from, function, choices));
  };
  made.draft = KW_TRY(is_settled && !from.empty() ? settle_draft(options, make) : make({}));
  KW_TRY(task::write_draft(made.draft, made.folder));
  const auto shipped = memory::shipped_task(KW_TRY(open_data(options)), made.draft.name);
  if (shipped && !shipped->texts.empty())
    made.draft.notes.push_back(fmt::format(
        "the name: '{0}' is a shipped task, too; in this workspace it means the new one",
        made.draft.name));
  return made;
}

Result<> check_draft_request(const std::string& words, const platform::Path& folder) {
  std::error_code ignored;
  KW_TRY(as_input(task::draft_skeleton(folder.filename().string())));
  if (fs::exists(folder, ignored))
    return fail_input(ErrorCode::Exists, "exists already", folder.string());
  if (trim(words).empty())
    return fail_input(ErrorCode::Missing, About{"--describe"},
                      "--describe needs a description in words, and it is empty");
  return {};
}

Result<DraftResult> draft_task(const Options& options, const DraftRequest& request) {
  const platform::Path& folder = request.folder;
  KW_TRY(check_draft_request(request.words, folder));
  DraftResult result;
  result.name = folder.filename().string();
  const auto data = KW_TRY(open_data(options));
  const platform::Path runs = platform::Path(options.workspace) / "runs";
  const platform::Path exchanges = runs / "drafts" / result.name;
  KW_TRY(platform::make_dirs(exchanges));
  const auto drafting = KW_TRY(DraftingModel::open(options, data, request, runs, exchanges));
  propose::TaskDrafterOptions drafting_options;
  drafting_options.tries = request.tries;
  drafting_options.reply = request.reply;
  drafting_options.on_notice = [&options](const std::string& text) { options.notice(text); };
  auto drafter =
      KW_TRY(as_input(propose::TaskDrafter::open(data, drafting->model(), drafting_options)));
  result.drafted =
      KW_TRY(drafter.draft(result.name, request.words, [&](const task::Definition& definition) {
        return admission_problems(options, definition);
      }));
  const DraftedTask& drafted = result.drafted;
  if (drafted.files.empty())
    return fail(ErrorCode::BrokenReply, About{"task"},
                "no reply of the model held a task: " + drafted.problems.front(),
                drafting->model().name(), Advice::Stop);
  result.is_accepted = request.accepts_unread && drafted.is_good();
  task::Draft draft{result.name, drafted.files, {}};
  if (!result.is_accepted)
    draft.files[task::kDraftFile] =
        mark_text(request.words, drafting->model().name(), drafted, folder);
  KW_TRY(task::write_draft(draft, folder));
  retire(exchanges);
  result.spent = drafting->spent();
  result.prices = drafting->prices();
  return result;
}

Result<Acceptance> accept_task(const Options& options, const std::string& name) {
  const auto found = task_folder(options, name);
  if (!found) return fail_input(ErrorCode::NotFound, "no task folder of this name", name);
  Acceptance acceptance;
  acceptance.folder = *found;
  auto definition = KW_TRY(as_input(task::load_task(acceptance.folder)));
  if (definition.draft.empty())
    return fail_input(ErrorCode::WrongState, About{"draft"},
                      "this task is no draft, so there is nothing to accept",
                      acceptance.folder.string());
  acceptance.lines = KW_TRY(admit(options, std::move(definition)));
  acceptance.is_accepted = is_admitted(acceptance.lines);
  if (acceptance.is_accepted) KW_TRY(platform::remove_tree(acceptance.folder / task::kDraftFile));
  return acceptance;
}

}  // namespace kw::session
