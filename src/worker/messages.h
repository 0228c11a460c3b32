// What controller and worker say to each other in frames, one request and one reply at a time;
// while a reply is awaited, Hurry goes out and news of the work come in.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "record/device.h"
#include "record/evaluation.h"

namespace kw::worker {

/// Raised whenever a frame changes its meaning; both sides refuse another one.
inline constexpr int kProtocolVersion = 5;

enum class Verb {
  Hello,    ///< facts: what the controller remembers of the device → facts of the device at hand.
  Judge,    ///< request, units built → evaluation.
  Admit,    ///< request, units built → admission.
  Measure,  ///< Ceilings: → facts. `is_full` asks for all of them.
  Equip,    ///< units: what worker::equipment() lists, built → nothing. Right after Hello.
  Hurry,    ///< No reply. Sent behind a Judge: its evaluation ends after the step in progress.
};

/// What the admission of a task found; one line per null answer or mutant and workload.
struct AdmissionLine {
  std::string what;      ///< "zeros", "input x ignored", "reference at f32", …
  std::string workload;  ///< Where it was (or was not) caught; "all" for several.
  bool is_ok = false;
  std::string detail;
  bool is_examined = true;  ///< False: the workload was left out, which is no problem of the task.
  bool is_applicable = true;  ///< False: of a mutant whose answer is the right one there.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("what", s.what), v("workload", s.workload), v("is_ok", s.is_ok), v("detail", s.detail),
        v("is_examined", s.is_examined), v("is_applicable", s.is_applicable);
  }
};

/// What a worker does while its reply is awaited.
enum class Doing {
  Working,  ///< On what the words say.
  Waiting,  ///< For its device; the words say who has it. Told again every half minute.
  Waited,   ///< The wait has ended.
};

struct Progress {
  Doing doing = Doing::Working;
  std::string words;
  std::int64_t waited_ns = 0;  ///< Waited: how long.

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
  std::string what;  ///< Of the error.
  std::string where;
  std::string advice;              ///< retry | give_up | stop
  bool is_input = false;           ///< The task is at fault.
  std::vector<DeviceFacts> facts;  ///< At most one; with an evaluation: ceilings were raised.
  std::vector<Evaluation> evaluation;
  std::vector<AdmissionLine> admission;
  std::vector<std::string> notes;  ///< Of a measurement: what was refused or spreads, and why.
  std::vector<Progress>
      progress;  ///< One: the frame is news alone, and the reply is still to come.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("version", s.version), v("is_ok", s.is_ok), v("what", s.what), v("where", s.where),
        v("advice", s.advice), v("is_input", s.is_input), v("facts", s.facts),
        v("evaluation", s.evaluation), v("admission", s.admission), v("notes", s.notes),
        v("progress", s.progress);
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
