// kw-worker --bundle: judges the evaluations in a file.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>

#include "platform/signals.h"
#include "worker/bundle.h"
#include "worker/worker.h"

namespace kw::worker {
namespace {

void say(const std::string& text) { std::fprintf(stderr, "kw-worker: %s\n", text.c_str()); }

/// Results from an earlier start with the same bundle on the same device, or none. A missing file
/// is created now, so that a path that cannot be written is reported before the work.
Result<BundleResults> begun(const platform::Path& out, const std::string& bundle,
                            const DeviceFacts& facts) {
  std::error_code ignored;
  if (!std::filesystem::exists(out, ignored)) {
    BundleResults fresh{bundle, facts, {}};
    KW_TRY(write_results(out, fresh));
    return fresh;
  }
  BundleResults results = KW_TRY(read_results(out));
  if (results.bundle != bundle)
    return fail_input(ErrorCode::Contradiction, About{"bundle"},
                      "--out names the results of another bundle; give another file", out.string());
  if (results.facts.id != facts.id)
    return fail_input(ErrorCode::Contradiction, About{"device"},
                      "--out names results of another device; give another file", out.string());
  // Evaluations that a busy machine kept from being timed are made again.
  std::erase_if(results.answers, [](const BundledAnswer& answer) {
    return answer.evaluation.verdict.outcome == Outcome::Unmeasurable;
  });
  return results;
}

Result<int> judge_all(const platform::Path& path, const platform::Path& out) {
  ReadBundle read = KW_TRY(read_bundle(path));
  Bundle& bundle = read.bundle;
  const platform::SignalGuard stopped;
  const auto worker = KW_TRY(Worker::open(bundle.target));
  worker->work_for("kw-worker --bundle");
  worker->tell_progress([](const Progress& progress) {
    if (progress.doing == Doing::Waiting)
      std::fprintf(stderr, "kw-worker: waiting: %s\n", progress.words.c_str());
  });
  const DeviceFacts facts = worker->greet({});
  KW_TRY(check_fit(bundle, facts));
  BundleResults results = KW_TRY(begun(out, read.sha256, facts));
  const auto folder = KW_TRY(platform::TempDir::create("kw-bundle"));
  KW_TRY(unpack(bundle, folder.path()));
  KW_TRY(worker->equip(bundle.equipment));
  worker->greet({results.facts});
  if (results.facts.ceilings.empty()) {
    say("measuring the ceilings of " + facts.model);
    results.facts = KW_TRY(worker->measure(false)).facts.front();
    KW_TRY(write_results(out, results));
  }
  std::set<std::string> answered;
  for (const BundledAnswer& answer : results.answers) answered.insert(answer.key);
  for (const BundledEvaluation& e : bundle.evaluations) {
    // The work is interrupted only between evaluations, so that a job out of time leaves no folders
    // behind and loses no answer.
    if (stopped.is_interrupted()) {
      say(fmt::format("interrupted; the same command goes on: {} of {} evaluations are in {}",
                      results.answers.size(), bundle.evaluations.size(), out.string()));
      return 130;
    }
    if (answered.contains(e.key)) continue;
    Evaluation judged = KW_TRY(worker->judge(e.request));
    BundledAnswer answer{e.key, std::move(judged)};
    say(fmt::format("{}: {} at {}", e.request.candidate.name,
                    name_of(answer.evaluation.verdict.outcome),
                    name_of(answer.evaluation.verdict.stage)));
    results.answers.push_back(std::move(answer));
    KW_TRY(write_results(out, results));
  }
  KW_TRY(write_results(out, results));
  say(fmt::format("{} of {} evaluations are in {}", results.answers.size(),
                  bundle.evaluations.size(), out.string()));
  return 0;
}

}  // namespace

int judge_bundle(const platform::Path& bundle, const platform::Path& out) {
  const auto code = judge_all(bundle, out);
  if (code) return *code;
  say(describe(code.error()));
  return code.error().is_input ? 2 : 3;
}

}  // namespace kw::worker
