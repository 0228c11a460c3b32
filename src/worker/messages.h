// Messages between controller and worker, sent in frames: one request and one reply at a time.
// While a reply is awaited, the controller may send Hurry, and the worker may send Progress.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "record/device.h"
#include "record/evaluation.h"

namespace kw::worker {

/// Increase when the meaning of a frame changes; both sides refuse other versions.
inline constexpr int kProtocolVersion = 5;

enum class Verb {
  /// Carries the facts that the controller remembers of the device. Reply: facts of the device at
  /// hand.
  Hello,
  Judge,    ///< Carries `request`, with its units built. Reply: evaluation.
  Admit,    ///< Carries `request`, with its units built. Reply: admission.
  Measure,  ///< Measures ceilings, all of them if `is_full`. Reply: facts.
  /// Carries the built units of worker::equipment(). Reply: empty. Sent right after Hello.
  Equip,
  /// Sent after a Judge, whose evaluation then ends after the step in progress. Gets no reply.
  Hurry,
};

/// One result of admission, which tests a task with right and wrong answers (all zeros, for
/// example): which answer was tried on which workload, and whether the task judged it rightly.
struct AdmissionLine {
  std::string what;  ///< "zeros", "input x ignored", "reference at f32", …
  /// Workload on which the answer was judged; "all" for several.
  std::string workload;
  bool is_ok = false;
  std::string detail;
  /// Whether the workload was examined; leaving it out is no fault of the task.
  bool is_examined = true;
  /// Whether the answer can be judged here; false for a mutant whose answer happens to be correct
  /// on this workload.
  bool is_applicable = true;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("what", s.what), v("workload", s.workload), v("is_ok", s.is_ok), v("detail", s.detail),
        v("is_examined", s.is_examined), v("is_applicable", s.is_applicable);
  }
};

/// What a worker does while its reply is awaited.
enum class Doing {
  Working,  ///< Working on what the words say.
  /// Waiting for its device; the words say who has it. Sent again every half minute.
  Waiting,
  Waited,  ///< The wait for the device has ended.
};

struct Progress {
  Doing doing = Doing::Working;
  std::string words;
  std::int64_t waited_ns = 0;  ///< Waited: length of the wait.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("doing", s.doing), v("words", s.words), v("waited_ns", s.waited_ns);
  }
};

struct Message {
  int version = kProtocolVersion;
  Verb verb = Verb::Hello;
  std::vector<DeviceFacts> facts;          ///< At most one.
  std::vector<EvaluationRequest> request;  ///< At most one.
  bool is_full = false;
  std::vector<BuildUnit> units;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("version", s.version), v("verb", s.verb), v("facts", s.facts), v("request", s.request),
        v("is_full", s.is_full), v("units", s.units);
  }
};

struct Reply {
  int version = kProtocolVersion;
  bool is_ok = false;
  std::string what;  ///< Text of the error.
  std::string where;
  std::string advice;     ///< retry | give_up | stop
  bool is_input = false;  ///< The input is at fault, for example the task.
  ErrorCode code = ErrorCode::Failed;
  std::string about;  ///< Error::about.
  /// At most one; sent with an evaluation if ceilings were raised.
  std::vector<DeviceFacts> facts;
  std::vector<Evaluation> evaluation;
  std::vector<AdmissionLine> admission;
  /// Ceilings that a measurement refused or found to have a large spread, and why.
  std::vector<std::string> notes;
  /// At most one entry; a frame with an entry only reports progress, and the reply is still to
  /// come.
  std::vector<Progress> progress;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("version", s.version), v("is_ok", s.is_ok), v("what", s.what), v("where", s.where),
        v("advice", s.advice), v("is_input", s.is_input), v("code", s.code), v("about", s.about),
        v("facts", s.facts), v("evaluation", s.evaluation), v("admission", s.admission),
        v("notes", s.notes), v("progress", s.progress);
  }
};

Reply reply_of(const Error& error);
Error error_of(const Reply& reply);

}  // namespace kw::worker

template <>
struct kw::EnumNames<kw::worker::Doing> {
  static constexpr std::array<std::string_view, 3> names{"working", "waiting", "waited"};
};

template <>
struct kw::EnumNames<kw::worker::Verb> {
  static constexpr std::array<std::string_view, 6> names{"hello",   "judge", "admit",
                                                         "measure", "equip", "hurry"};
};
