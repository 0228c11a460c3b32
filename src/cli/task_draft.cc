// Shows tasks that a model drafted, and their acceptance.
// SPDX-License-Identifier: Apache-2.0
#include "cli/task_draft.h"

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "cli/admission_view.h"
#include "record/codec.h"
#include "report/run_folder.h"
#include "session/draft_task.h"

namespace kw::cli {
namespace {

Json drafted_json(const session::DraftedTask& drafted, const platform::Path& folder,
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

void print_drafted(const session::DraftedTask& drafted, const platform::Path& folder,
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

Result<session::DraftRequest> request_of(const DescribeFlags& flags, const platform::Path& folder) {
  KW_TRY(session::check_draft_request(flags.words, folder));
  session::DraftRequest request;
  request.words = flags.words;
  request.folder = folder;
  request.reply = KW_TRY(flags.asking.reply(flags.length.reply_tokens));
  const auto specs = KW_TRY(flags.models.specs());
  if (specs.size() != 1 || !specs.front().role.empty())
    return fail_input(ErrorCode::Missing, About{"--model"},
                      "--describe needs exactly one --model, without a role");
  request.model = specs.front();
  request.limits = KW_TRY(flags.spend.limits());
  request.rates = KW_TRY(flags.pace.rates());
  request.timeout_ns = KW_TRY(flags.asking.timeout_ns());
  request.caches_replies = flags.pace.cache_replies;
  request.tries = static_cast<int>(flags.tries);
  request.accepts_unread = flags.yes;
  return request;
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
  const auto result = KW_TRY(session::draft_task(global, KW_TRY(request_of(flags, folder))));
  const session::DraftedTask& drafted = result.drafted;
  if (global.json)
    std::printf("%s\n", dump_json(drafted_json(drafted, folder, result.name, result.is_accepted,
                                               result.spent))
                            .c_str());
  else
    print_drafted(drafted, folder, result.is_accepted,
                  report::spending_text(result.spent, result.prices));
  return drafted.is_good() ? kDone : kNotGood;
}

Result<int> accept_draft(const Global& global, const std::string& name) {
  const auto [folder, lines, is_good] = KW_TRY(session::accept_task(global, name));
  if (global.json) {
    Json object{
        {"folder", folder.string()}, {"is_accepted", is_good}, {"admission", Json::array()}};
    for (const session::AdmissionLine& line : lines)
      object["admission"].push_back(encode_json(line));
    std::printf("%s\n", dump_json(object).c_str());
  } else if (is_good) {
    fmt::print("{}\naccepted; next: kw optimize {}\n", session::admission_words(lines),
               folder.string());
  } else {
    for (const session::AdmissionLine& line : failures_once(lines))
      if (!line.is_ok) fmt::print("FAIL {:<30} {:<18} {}\n", line.what, line.workload, line.detail);
    fmt::print("not accepted: the task is not admitted; mend what the lines above say\n");
  }
  return is_good ? kDone : kNotGood;
}

}  // namespace kw::cli
