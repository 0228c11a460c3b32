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

#include "base/json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/errors.h"
#include "cli/verdict_view.h"
#include "record/bounds.h"
#include "record/codec.h"
#include "report/evaluation_json.h"
#include "report/junit.h"
#include "session/verify.h"

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
    return fail_input(ErrorCode::OutOfRange, About{"--min"},
                      "--min is a speedup above 0, such as 1.1, not '" + text + "'");
  return least;
}

ExitCode exit_code_of(session::VerifyOutcome outcome) {
  switch (outcome) {
    case session::VerifyOutcome::Verified:
      return kDone;
    case session::VerifyOutcome::Wrong:
      return kNotGood;
    case session::VerifyOutcome::NotShown:
      return kNotShown;
    case session::VerifyOutcome::Undecided:
      break;
  }
  return kEnvironment;
}

const char* words_of(session::VerifyStep step) {
  switch (step) {
    case session::VerifyStep::Certificate:
      return "certificate";
    case session::VerifyStep::KernelHash:
      return "kernel hash";
    case session::VerifyStep::Task:
      return "task";
    case session::VerifyStep::Judgement:
      break;
  }
  return "judgement";
}

/// Refuses a file that cannot be written, before anything is judged.
Result<> check_place(const platform::Path& file) {
  std::error_code ignored;
  const platform::Path folder = file.has_parent_path() ? file.parent_path() : ".";
  if (!fs::is_directory(folder, ignored))
    return fail_input(ErrorCode::NotFound, About{folder.string()}, "no such folder",
                      folder.string());
  if (fs::is_directory(file, ignored))
    return fail_input(ErrorCode::BadInput, About{"folder"}, "is a folder", file.string());
  return {};
}

void print_subject(const session::Verification& v, const task::Definition& definition) {
  const Speedup& claim = v.certificate.claim;
  fmt::print("certificate: {} {:.3f}x {} ({:.3f}–{:.3f}){}\n", v.certificate.kernel, claim.value,
             v.certificate.baseline, claim.low, claim.high,
             v.certificate.machine.empty() ? "" : " on " + v.certificate.machine);
  fmt::print("kernel: {}, the certificate's by its hash\ntask: {}{}\n", v.kernel.string(),
             definition.task.name,
             !v.is_same_task   ? "; the certificate does not name the task's version"
             : *v.is_same_task ? ", the certificate's by its hash"
                               : "");
  std::fflush(stdout);
}

/// Notes the steps of a verification as cases of a JUnit report, even if a later step fails.
class Watch final : public session::VerifyObserver {
 public:
  explicit Watch(bool is_quiet) : is_quiet_(is_quiet) {}

  void on_step(session::VerifyStep step, const Error* error) override {
    if (error == nullptr)
      cases_.push_back({words_of(step), CaseFate::Passed, ""});
    else
      cases_.push_back(
          {words_of(step), error->is_input ? CaseFate::Failed : CaseFate::Error, describe(*error)});
  }

  void on_subject(const session::Verification& v, const task::Definition& definition) override {
    if (!is_quiet_) print_subject(v, definition);
    if (v.is_same_task.value_or(true)) return;
    fmt::print(stderr,
               "kw: THE TASK IS NOT THE CERTIFICATE'S: {} has the SHA-256 {}, the certificate is "
               "of {}; the lines that follow are about this task\n",
               definition.folder, definition.task.sha256, v.certificate.task_sha256);
  }

  /// Adds a case for each workload, and one for the speedup.
  void add(const session::Verification& v) {
    const Evaluation& e = v.evaluation;
    bool is_seen = e.verdict.is_correct() || e.verdict.outcome == Outcome::Unmeasurable;
    for (const WorkloadResult& w : e.workloads) {
      const bool is_good = w.outcome == Outcome::Correct || w.outcome == Outcome::Unmeasurable;
      cases_.push_back({"correct: " + w.name, is_good ? CaseFate::Passed : CaseFate::Failed,
                        is_good ? "" : std::string(name_of(w.outcome)) + " " + w.note});
      is_seen = is_seen || !is_good;
    }
    // The failure concerns no single shape, so it is one case for the whole kernel.
    if (!is_seen) cases_.push_back({"correct", CaseFate::Failed, v.words});
    const CaseFate fate = v.outcome == session::VerifyOutcome::Verified    ? CaseFate::Passed
                          : v.outcome == session::VerifyOutcome::NotShown  ? CaseFate::Failed
                          : v.outcome == session::VerifyOutcome::Undecided ? CaseFate::Error
                                                                           : CaseFate::Skipped;
    double seconds = 0;
    for (const auto& [stage, ns] : e.stage_ns) seconds += ns / 1e9;
    cases_.push_back({"speedup", fate, v.words, seconds});
  }

  /// The steps as cases of a JUnit report; steps that were not reached are marked as skipped.
  std::vector<report::JunitCase> cases() const {
    auto all = cases_;
    for (const char* name : {"certificate", "kernel hash", "task", "judgement", "speedup"})
      if (std::ranges::find(all, name, &report::JunitCase::name) == all.end())
        all.push_back({name, CaseFate::Skipped, "not looked at"});
    return all;
  }

  /// Whether a verification has begun; false if the flags were wrong, so that there is nothing to
  /// report.
  bool has_begun() const { return !cases_.empty(); }

 private:
  const bool is_quiet_;
  std::vector<report::JunitCase> cases_;
};

Json to_json(const session::Verification& v, double least) {
  return {{"certificate", v.file.string()},
          {"kernel", v.kernel.string()},
          {"source_sha256", v.certificate.source_sha256},
          {"task", v.certificate.task},
          {"is_same_task", v.is_same_task ? Json(*v.is_same_task) : Json()},
          {"min", least},
          {"verified", v.outcome == session::VerifyOutcome::Verified},
          {"words", v.words},
          {"claim", encode_json(v.certificate.claim)},
          {"evaluation", report::evaluation_json(v.evaluation)}};
}

Result<session::Verification> verified(const Global& global, const VerifyFlags& flags,
                                       double& least, Watch& watch) {
  least = KW_TRY(least_of(flags.least));
  if (!flags.junit.empty()) KW_TRY(check_place(flags.junit));
  auto verification =
      KW_TRY(session::verify(global, {flags.certificate, flags.task, flags.kernel, least}, watch));
  watch.add(verification);
  return verification;
}

int verify(const Global& global, const VerifyFlags& flags) {
  Watch watch(global.json);
  double least = 1;
  const auto verification = verified(global, flags, least, watch);
  Result<> written;
  if (watch.has_begun() && !flags.junit.empty())
    written = platform::write_user_file(
        flags.junit, report::junit_xml("kw verify " + flags.certificate, watch.cases()));
  if (!written) std::fprintf(stderr, "kw: no JUnit file: %s\n", describe(written.error()).c_str());
  if (!verification)
    return report_error(global, verification.error(), code_of(verification.error()));
  if (global.json) {
    std::printf("%s\n", dump_json(to_json(*verification, least)).c_str());
  } else {
    print_evaluation(verification->evaluation);
    fmt::print("{}\n", sanitise(verification->words, 2000));
  }
  const ExitCode code = exit_code_of(verification->outcome);
  return code == kDone && !written ? kEnvironment : code;
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
