// kw-worker --bundle: judges what a file asks for.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>

#include "worker/bundle.h"
#include "worker/worker.h"

namespace kw::worker {
namespace {

void say(const std::string& text) { std::fprintf(stderr, "kw-worker: %s\n", text.c_str()); }

/// Earlier results of the same bundle on the same device, or none.
Result<BundleResults> begun(const platform::Path& out, const std::string& bundle,
                            const DeviceFacts& facts) {
  std::error_code ignored;
  if (!std::filesystem::exists(out, ignored)) return BundleResults{bundle, facts, {}};
  BundleResults results = KW_TRY(read_results(out));
  if (results.bundle != bundle)
    return fail("these are the results of another bundle; give another file", out.string());
  if (results.facts.id != facts.id)
    return fail("these results are of another device; give another file", out.string());
  return results;
}

Result<int> judge_all(const platform::Path& path, const platform::Path& out) {
  ReadBundle read = KW_TRY(read_bundle(path));
  Bundle& bundle = read.bundle;
  const auto worker = KW_TRY(Worker::open(bundle.target));
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
  }
  std::set<std::string> answered;
  for (const BundledAnswer& answer : results.answers) answered.insert(answer.key);
  for (const BundledEvaluation& e : bundle.evaluations) {
    if (answered.contains(e.key)) continue;
    BundledAnswer answer{e.key, KW_TRY(worker->judge(e.request))};
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
  return code.error().advice == Advice::GiveUp ? 2 : 3;
}

}  // namespace kw::worker
