// Finds what a certificate certifies, and judges it again.
// SPDX-License-Identifier: Apache-2.0
#include "session/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/hash.h"
#include "base/rng.h"
#include "base/text.h"
#include "platform/read_text.h"
#include "record/bounds.h"
#include "record/interval.h"
#include "session/judging/task_judge.h"
#include "session/tasks.h"
#include "task/header.h"

namespace kw::session {
namespace {

namespace fs = std::filesystem;

/// The source file that the certificate certifies.
struct ShippedKernel {
  platform::Path path;
  std::string source;
};

Result<ShippedKernel> kernel_at(const platform::Path& path) {
  // The source is read into a variable first, because GCC leaks the members already initialised if
  // KW_TRY returns from inside a braced initialiser.
  std::string source = KW_TRY(as_input(platform::read_text(path, task::kMaxSourceBytes)));
  return ShippedKernel{path, std::move(source)};
}

std::string suffix_of(const report::Certificate& certificate) {
  return std::string(source_suffix(certificate.target));
}

/// Finds the certified kernel by its hash: the file name that kw writes, or else any source file
/// beside the certificate.
Result<ShippedKernel> find_kernel(const report::Certificate& certificate,
                                  const platform::Path& folder, const std::string& given) {
  const auto is_it = [&](const ShippedKernel& kernel) {
    return sha256(kernel.source).hex() == certificate.source_sha256;
  };
  const auto changed = [&](const ShippedKernel& kernel) {
    return fail_input(ErrorCode::Changed, About{"kernel"},
                      fmt::format("this is not the kernel of the certificate: its SHA-256 is {}, "
                                  "the certificate's {}",
                                  sha256(kernel.source).hex(), certificate.source_sha256),
                      kernel.path.string());
  };
  if (!given.empty()) {
    auto kernel = KW_TRY(kernel_at(given));
    if (!is_it(kernel)) return changed(kernel);
    return kernel;
  }
  const std::string suffix = suffix_of(certificate);
  const auto usual = kernel_at(folder / (certificate.task + suffix));
  if (usual && is_it(*usual)) return *usual;
  for (const std::string& name : KW_TRY(as_input(platform::list_dir(folder)))) {
    if (!name.ends_with(suffix)) continue;
    if (auto other = kernel_at(folder / name); other && is_it(*other)) return other;
  }
  if (usual) return changed(*usual);
  return fail_input(ErrorCode::NotFound, About{"kernel"},
                    fmt::format("no {} file beside the certificate is its kernel, of SHA-256 {}; "
                                "--kernel FILE names one that lies elsewhere",
                                suffix, certificate.source_sha256),
                    folder.string());
}

struct FoundTask {
  task::Definition definition;
  /// Whether the task has the content that the certificate names; nothing: the certificate names no
  /// hash of the task.
  std::optional<bool> is_same;
};

Result<FoundTask> find_task(const Options& options, const report::Certificate& certificate,
                            const std::string& given) {
  const auto data = KW_TRY(open_data(options));
  FoundTask found{
      KW_TRY(open_accepted_task(options, data, given.empty() ? certificate.task : given)), {}};
  const std::string& here = found.definition.task.sha256;
  if (!certificate.task_sha256.empty()) found.is_same = here == certificate.task_sha256;
  if (found.is_same.value_or(true) || !given.empty()) return found;
  return fail_input(
      ErrorCode::Changed, About{"task"},
      fmt::format("the task '{}' here is another version than the certificate's (SHA-256 {}, not "
                  "{}): --task FOLDER names the certificate's task, or accepts this one",
                  certificate.task, here, certificate.task_sha256),
      certificate.task);
}

/// The result of judging the kernel again, and a sentence.
struct Answer {
  VerifyOutcome outcome;
  std::string words;
};

/// The least confidence of an interval that may decide; an interval from too few pairs has less.
constexpr double kDecisive = 0.99;

std::string interval_words(const Evaluation& e) {
  const Speedup& s = e.speedup;
  return fmt::format("{:.3f}x {}{}", s.value, e.opponent_words(), in_brackets(interval_text(s)));
}

Answer answer_of(const Evaluation& e, double least) {
  const Speedup& s = e.speedup;
  if (e.verdict.outcome == Outcome::Unmeasurable)
    return {VerifyOutcome::Undecided,
            "not verified: it cannot be measured here: " + e.verdict.evidence};
  if (!e.verdict.is_correct())
    return {VerifyOutcome::Wrong, fmt::format("WRONG: {} at {}: {}", name_of(e.verdict.outcome),
                                              name_of(e.verdict.stage), e.verdict.evidence)};
  if (s.value <= 0 && !e.opponent_fault.empty())
    return {VerifyOutcome::Undecided, "not verified: the baseline fails here: " + e.opponent_fault};
  if (s.value <= 0) return {VerifyOutcome::NotShown, "not verified: nothing was timed"};
  const std::string seen = interval_words(e);
  if (s.confidence < kDecisive)
    return {
        VerifyOutcome::Undecided,
        fmt::format("not verified: the machine was too restless to decide; seen so far: {}", seen)};
  // With --min below 1, a kernel that is slightly slower is verified, too, so no win is needed.
  if ((s.is_faster || least < 1) && s.low >= least)
    return {VerifyOutcome::Verified, fmt::format("verified: {}, at least {:g}x", seen, least)};
  if (s.high < least)
    return {VerifyOutcome::NotShown, fmt::format("SLOWER than {:g}x: {}", least, seen)};
  return {VerifyOutcome::NotShown, fmt::format("not shown to be {:g}x or more: {}", least, seen)};
}

/// The certificate at a path, or in the folder of this path, which becomes its file's path.
Result<report::Certificate> certificate_at(platform::Path& file) {
  std::error_code ignored;
  if (fs::is_directory(file, ignored)) file /= "certificate.json";
  const std::string text =
      KW_TRY(as_input(platform::read_file(file, report::kMostCertificateBytes)));
  return report::read_certificate(text, file.string());
}

Result<Evaluation> judge_certified(const Options& options, const report::Certificate& certificate,
                                   const ShippedKernel& kernel, task::Definition definition) {
  const Target target = certificate.target;
  const std::string& baseline = certificate.baseline;
  KW_TRY(engine::TaskWorkbench::check_baseline(definition, target, baseline));
  auto candidate = task::make_candidate(kernel.path.stem().string(), kernel.source, Origin::Human,
                                        definition.task.restrictions, target);
  if (!candidate) {
    Evaluation none;
    none.verdict = make_verdict(
        Stage::Propose, Outcome::NoCandidate,
        {.kind = EvidenceKind::NotACandidate, .detail = candidate.error().front().text});
    none.findings = candidate.error();
    return none;
  }
  // The judge gets no store, so that a verification leaves no workspace behind.
  const auto judge = KW_TRY(TaskJudge::open(options, nullptr, std::move(definition), {target, {}}));
  const auto& all = judge->workbench().baselines();
  const auto opponent = std::ranges::find(all, baseline, &Candidate::name);
  if (opponent == all.end()) {
    const auto usable = judge->workbench().check_baseline(baseline);
    if (!usable) return fail(usable.error().code, About{baseline}, usable.error().what);
    return fail(ErrorCode::Unsupported, About{baseline},
                "baseline " + baseline + " cannot be built here");
  }
  KW_TRY(judge->machine().ensure_ceilings());
  auto request = KW_TRY(judge->workbench().request(*candidate, &*opponent));
  request.id = "verify";
  request.seed = Seed::from_os().low;
  request.measure.purpose = Purpose::Confirm;
  judge->carrier().hurry_when(options.is_interrupted);
  options.notice("judging it in pairs with " + baseline + "; this may take a minute");
  auto evaluation = judge->carrier().evaluate(std::move(request));
  judge->carrier().dismiss();
  if (evaluation && options.is_interrupted && options.is_interrupted() &&
      evaluation->verdict.outcome == Outcome::Unmeasurable)
    return fail(ErrorCode::Cancelled, "interrupted");
  return evaluation;
}

/// Tells the observer how a step ended, and returns the step's result.
template <class T>
Result<T> told(VerifyObserver& observer, VerifyStep step, Result<T> ended) {
  observer.on_step(step, ended ? nullptr : &ended.error());
  return ended;
}

}  // namespace

Result<Verification> verify(const Options& options, const VerifyRequest& request,
                            VerifyObserver& observer) {
  Verification v;
  v.file = request.certificate;
  v.certificate = KW_TRY(told(observer, VerifyStep::Certificate, certificate_at(v.file)));
  const ShippedKernel kernel =
      KW_TRY(told(observer, VerifyStep::KernelHash,
                  find_kernel(v.certificate, v.file.parent_path(), request.kernel)));
  v.kernel = kernel.path;
  auto found =
      KW_TRY(told(observer, VerifyStep::Task, find_task(options, v.certificate, request.task)));
  v.is_same_task = found.is_same;
  observer.on_subject(v, found.definition);
  v.evaluation =
      KW_TRY(told(observer, VerifyStep::Judgement,
                  judge_certified(options, v.certificate, kernel, std::move(found.definition))));
  Answer answer = answer_of(v.evaluation, request.least);
  v.outcome = answer.outcome;
  v.words = std::move(answer.words);
  return v;
}

}  // namespace kw::session
