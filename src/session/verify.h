// Judges the kernel of a certificate again, against the certificate's baseline.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "platform/files.h"
#include "record/evaluation.h"
#include "report/certificate.h"
#include "session/options.h"
#include "task/definition.h"

namespace kw::session {

struct VerifyRequest {
  platform::Path certificate;  ///< A certificate, or a folder with certificate.json.
  std::string task{};          ///< The task; empty: the one that the certificate names.
  std::string kernel{};        ///< The kernel's file; empty: a file beside the certificate.
  double least = 1;            ///< The speedup that must be shown at least.
};

/// The steps of a verification, in their order.
enum class VerifyStep { Certificate, KernelHash, Task, Judgement };

enum class VerifyOutcome {
  Verified,
  Wrong,      ///< The kernel is not correct.
  NotShown,   ///< Correct, but not shown to be as fast as asked.
  Undecided,  ///< This machine cannot measure the kernel, or was too restless to decide.
};

/// What a verification has found so far.
struct Verification {
  platform::Path file;
  report::Certificate certificate;
  platform::Path kernel;
  /// Whether the task has the content that the certificate names; nothing: the certificate names no
  /// hash of the task.
  std::optional<bool> is_same_task;
  Evaluation evaluation;
  VerifyOutcome outcome = VerifyOutcome::Undecided;
  std::string words;  ///< The outcome in a sentence.
};

/// Watches a verification. Calls come from the thread that verifies.
class VerifyObserver {
 public:
  virtual ~VerifyObserver() = default;
  /// A step has ended; `error` is null if the step passed.
  virtual void on_step(VerifyStep /*step*/, const Error* /*error*/) {}
  /// Certificate, kernel and task are found; the kernel is judged next.
  virtual void on_subject(const Verification&, const task::Definition&) {}
};

/// Costs a worker's start and a confirmation, up to a minute of the device; keeps nothing in the
/// workspace. Errors: the certificate, its kernel or its task cannot be read or differ from what
/// the certificate names, the baseline cannot be built here, or this machine cannot judge.
Result<Verification> verify(const Options& options, const VerifyRequest& request,
                            VerifyObserver& observer);

}  // namespace kw::session
