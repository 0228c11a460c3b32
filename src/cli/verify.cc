// kw verify CERTIFICATE: judges the certified kernel again on this machine, against the
// certificate's baseline.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "base/json.h"
#include "base/rng.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/errors.h"
#include "cli/verdict_view.h"
#include "platform/read_text.h"
#include "record/bounds.h"
#include "record/codec.h"
#include "record/interval.h"
#include "report/certificate.h"
#include "report/evaluation_json.h"
#include "report/junit.h"
#include "session/local_judge.h"
#include "session/tasks.h"
#include "task/header.h"

namespace kw::cli {
namespace {

namespace fs = std::filesystem;
using report::CaseFate;

struct VerifyFlags {
  std::string certificate;
  std::string task;
  std::string kernel;
  std::string least;
  std::string junit;
};

/// Parses --min, the least speedup to verify: "1.1" or "1.1x". Empty: 1, so that any proven gain is
/// enough.
Result<double> least_of(const std::string& text) {
  if (text.empty()) return 1;
  std::string_view number = text;
  if (number.ends_with('x')) number.remove_suffix(1);
  double least = 0;
  const char* const end = number.data() + number.size();
  const auto read = std::from_chars(number.data(), end, least);
  if (read.ec != std::errc() || read.ptr != end || !(least > 0 && least <= kMostSpeedup))
    return fail_input("--min is a speedup above 0, such as 1.1, not '" + text + "'");
  return least;
}

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
    return fail_input(fmt::format("this is not the kernel of the certificate: its SHA-256 is {}, "
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
  return fail_input(fmt::format("no {} file beside the certificate is its kernel, of SHA-256 {}; "
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

Result<FoundTask> find_task(const Global& global, const report::Certificate& certificate,
                            const std::string& given) {
  const auto data = KW_TRY(session::open_data(global));
  FoundTask found{
      KW_TRY(session::open_accepted_task(global, data, given.empty() ? certificate.task : given)),
      {}};
  const std::string& here = found.definition.task.sha256;
  if (!certificate.task_sha256.empty()) found.is_same = here == certificate.task_sha256;
  if (found.is_same.value_or(true) || !given.empty()) return found;
  return fail_input(
      fmt::format("the task '{}' here is another version than the certificate's (SHA-256 {}, not "
                  "{}): --task FOLDER names the certificate's task, or accepts this one",
                  certificate.task, here, certificate.task_sha256),
      certificate.task);
}

/// The result of judging the kernel again: the exit code, and a sentence.
struct Answer {
  ExitCode code = kDone;
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
    return {kEnvironment, "not verified: it cannot be measured here: " + e.verdict.evidence};
  if (!e.verdict.is_correct())
    return {kNotGood, fmt::format("WRONG: {} at {}: {}", name_of(e.verdict.outcome),
                                  name_of(e.verdict.stage), e.verdict.evidence)};
  if (s.value <= 0 && !e.opponent_fault.empty())
    return {kEnvironment, "not verified: the baseline fails here: " + e.opponent_fault};
  if (s.value <= 0) return {kNotShown, "not verified: nothing was timed"};
  const std::string seen = interval_words(e);
  if (s.confidence < kDecisive)
    return {
        kEnvironment,
        fmt::format("not verified: the machine was too restless to decide; seen so far: {}", seen)};
  // With --min below 1, a kernel that is slightly slower is verified, too, so no win is needed.
  if ((s.is_faster || least < 1) && s.low >= least)
    return {kDone, fmt::format("verified: {}, at least {:g}x", seen, least)};
  if (s.high < least) return {kNotShown, fmt::format("SLOWER than {:g}x: {}", least, seen)};
  return {kNotShown, fmt::format("not shown to be {:g}x or more: {}", least, seen)};
}

/// One verification. Its results so far can be reported even if a later step fails.
class Verification {
 public:
  Verification(const Global& global, const VerifyFlags& flags) : global_(global), flags_(flags) {}

  Result<Answer> run() {
    least_ = KW_TRY(least_of(flags_.least));
    if (!flags_.junit.empty()) KW_TRY(check_place(flags_.junit));
    certificate_ = KW_TRY(step("certificate", read()));
    kernel_ =
        KW_TRY(step("kernel hash", find_kernel(*certificate_, file_.parent_path(), flags_.kernel)));
    auto found = KW_TRY(step("task", find_task(global_, *certificate_, flags_.task)));
    is_same_task_ = found.is_same;
    if (!global_.json) print_subject(found.definition);
    if (!is_same_task_.value_or(true)) warn(found.definition);
    evaluation_ = KW_TRY(step("judgement", judge(std::move(found.definition))));
    const Answer answer = answer_of(*evaluation_, least_);
    add_cases(answer);
    return answer;
  }

  Json to_json(const Answer& answer) const {
    return {{"certificate", file_.string()},
            {"kernel", kernel_->path.string()},
            {"source_sha256", certificate_->source_sha256},
            {"task", certificate_->task},
            {"is_same_task", is_same_task_ ? Json(*is_same_task_) : Json()},
            {"min", least_},
            {"verified", answer.code == kDone},
            {"words", answer.words},
            {"claim", encode_json(certificate_->claim)},
            {"evaluation", report::evaluation_json(*evaluation_)}};
  }

  /// Whether a verification has begun; false if the flags were wrong, so that there is nothing to
  /// report.
  bool has_begun() const { return !cases_.empty(); }
  const std::optional<Evaluation>& evaluation() const { return evaluation_; }

  /// The steps as cases of a JUnit report; steps that were not reached are marked as skipped.
  std::vector<report::JunitCase> cases() const {
    auto all = cases_;
    for (const char* name : {"certificate", "kernel hash", "task", "judgement", "speedup"})
      if (std::ranges::find(all, name, &report::JunitCase::name) == all.end())
        all.push_back({name, CaseFate::Skipped, "not looked at"});
    return all;
  }

 private:
  /// Records whether a step passed, and returns its result.
  template <class T>
  Result<T> step(const char* name, Result<T> ended) {
    if (ended)
      cases_.push_back({name, CaseFate::Passed, ""});
    else
      cases_.push_back({name, ended.error().is_input ? CaseFate::Failed : CaseFate::Error,
                        describe(ended.error())});
    return ended;
  }

  static Result<> check_place(const platform::Path& file) {
    std::error_code ignored;
    const platform::Path folder = file.has_parent_path() ? file.parent_path() : ".";
    if (!fs::is_directory(folder, ignored)) return fail_input("no such folder", folder.string());
    if (fs::is_directory(file, ignored)) return fail_input("is a folder", file.string());
    return {};
  }

  Result<report::Certificate> read() {
    std::error_code ignored;
    file_ = flags_.certificate;
    if (fs::is_directory(file_, ignored)) file_ /= "certificate.json";
    const std::string text =
        KW_TRY(as_input(platform::read_file(file_, report::kMostCertificateBytes)));
    return report::read_certificate(text, file_.string());
  }

  void print_subject(const task::Definition& definition) const {
    const Speedup& claim = certificate_->claim;
    fmt::print("certificate: {} {:.3f}x {} ({:.3f}–{:.3f}){}\n", certificate_->kernel, claim.value,
               certificate_->baseline, claim.low, claim.high,
               certificate_->machine.empty() ? "" : " on " + certificate_->machine);
    fmt::print("kernel: {}, the certificate's by its hash\ntask: {}{}\n", kernel_->path.string(),
               definition.task.name,
               !is_same_task_   ? "; the certificate does not name the task's version"
               : *is_same_task_ ? ", the certificate's by its hash"
                                : "");
    std::fflush(stdout);
  }

  void warn(const task::Definition& definition) const {
    fmt::print(stderr,
               "kw: THE TASK IS NOT THE CERTIFICATE'S: {} has the SHA-256 {}, the certificate is "
               "of {}; the lines that follow are about this task\n",
               definition.folder, definition.task.sha256, certificate_->task_sha256);
  }

  Result<Evaluation> judge(task::Definition definition) {
    const Target target = certificate_->target;
    const std::string& baseline = certificate_->baseline;
    KW_TRY(engine::TaskWorkbench::check_baseline(definition, target, baseline));
    auto candidate = task::make_candidate(kernel_->path.stem().string(), kernel_->source,
                                          Origin::Human, definition.task.restrictions, target);
    if (!candidate) {
      Evaluation none;
      none.verdict = {Stage::Propose, Outcome::NoCandidate, candidate.error().front().text};
      none.findings = candidate.error();
      return none;
    }
    const Aim aim{target, {}};
    // Bench::open() gets no store (null), so that a verification leaves no workspace behind.
    const auto bench = KW_TRY(session::LocalJudge::open(global_, nullptr, aim));
    const auto workbench = KW_TRY(engine::TaskWorkbench::create(
        std::move(definition), {},
        KW_TRY(session::workbench_options(global_, aim, bench->facts()))));
    const auto& all = workbench.baselines();
    const auto opponent = std::ranges::find(all, baseline, &Candidate::name);
    if (opponent == all.end()) {
      const auto usable = workbench.check_baseline(baseline);
      return fail(usable ? "baseline " + baseline + " cannot be built here" : usable.error().what);
    }
    KW_TRY(bench->ensure_ceilings());
    auto request = KW_TRY(workbench.request(*candidate, &*opponent));
    request.id = "verify";
    request.seed = Seed::from_os().low;
    request.measure.purpose = Purpose::Confirm;
    bench->carrier().hurry_when(global_.is_interrupted);
    fmt::print(stderr, "kw: judging it in pairs with {}; this may take a minute\n", baseline);
    auto evaluation = bench->carrier().evaluate(std::move(request));
    bench->carrier().dismiss();
    if (evaluation && global_.is_interrupted && global_.is_interrupted() &&
        evaluation->verdict.outcome == Outcome::Unmeasurable)
      return fail("interrupted");
    return evaluation;
  }

  void add_cases(const Answer& answer) {
    const Evaluation& e = *evaluation_;
    bool is_seen = e.verdict.is_correct() || e.verdict.outcome == Outcome::Unmeasurable;
    for (const WorkloadResult& w : e.workloads) {
      const bool is_good = w.outcome == Outcome::Correct || w.outcome == Outcome::Unmeasurable;
      cases_.push_back({"correct: " + w.name, is_good ? CaseFate::Passed : CaseFate::Failed,
                        is_good ? "" : std::string(name_of(w.outcome)) + " " + w.note});
      is_seen = is_seen || !is_good;
    }
    // The failure concerns no single shape, so it is one case for the whole kernel.
    if (!is_seen) cases_.push_back({"correct", CaseFate::Failed, answer.words});
    const CaseFate fate = answer.code == kDone          ? CaseFate::Passed
                          : answer.code == kNotShown    ? CaseFate::Failed
                          : answer.code == kEnvironment ? CaseFate::Error
                                                        : CaseFate::Skipped;
    double seconds = 0;
    for (const auto& [stage, ns] : e.stage_ns) seconds += ns / 1e9;
    cases_.push_back({"speedup", fate, answer.words, seconds});
  }

  const Global& global_;
  const VerifyFlags& flags_;
  double least_ = 1;
  platform::Path file_;
  std::optional<report::Certificate> certificate_;
  std::optional<ShippedKernel> kernel_;
  std::optional<bool> is_same_task_;
  std::optional<Evaluation> evaluation_;
  std::vector<report::JunitCase> cases_;
};

int verify(const Global& global, const VerifyFlags& flags) {
  Verification verification(global, flags);
  const auto answer = verification.run();
  Result<> written;
  if (verification.has_begun() && !flags.junit.empty())
    written = platform::write_user_file(
        flags.junit, report::junit_xml("kw verify " + flags.certificate, verification.cases()));
  if (!written) std::fprintf(stderr, "kw: no JUnit file: %s\n", describe(written.error()).c_str());
  if (!answer) return report_error(global, answer.error(), code_of(answer.error()));
  if (global.json) {
    std::printf("%s\n", dump_json(verification.to_json(*answer)).c_str());
  } else {
    print_evaluation(*verification.evaluation());
    fmt::print("{}\n", sanitise(answer->words, 2000));
  }
  return answer->code == kDone && !written ? kEnvironment : answer->code;
}

}  // namespace

Command verify_command() {
  auto flags = std::make_shared<VerifyFlags>();
  Command command;
  command.name = "verify";
  command.summary = "Judge the kernel of a certificate again, on this machine";
  command.declare = [flags](Flags& f) {
    f.positional("certificate", flags->certificate,
                 "certificate.json with its kernel beside it, or the folder of both");
    f.text("--min", flags->least,
           "Speedup that must be shown at least, e.g. 1.1; default: any gain that is shown");
    f.text("--junit", flags->junit, "Write a JUnit report for continuous integration here");
    f.text("--task", flags->task,
           "Folder or name of the task; default: the name in the certificate");
    f.text("--kernel", flags->kernel,
           "File of the kernel, where it does not lie beside the certificate");
  };
  command.run = [flags](const Global& global) { return verify(global, *flags); };
  return command;
}

}  // namespace kw::cli
