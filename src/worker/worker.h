// Worker: makes evaluations from end to end on one device; kw-worker serves it over a pipe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "device/device.h"
#include "device/nvml.h"
#include "platform/locks.h"
#include "profile/ceilings.h"
#include "record/target.h"
#include "referee/referee.h"
#include "worker/messages.h"

namespace kw::worker {

class Worker;

/// Opens this machine's device of one target, as Worker::open() does.
using OpenWorker = Result<std::unique_ptr<Worker>> (*)(std::optional<JailLevel> expected);
ByTarget<OpenWorker>& openers_of_workers();

class Worker {
 public:
  /// Opens this machine's device of the target. An error names what is missing, and what works
  /// without it. `expected`: jail level whose players are started before a request asks for them.
  static Result<std::unique_ptr<Worker>> open(Target target,
                                              std::optional<JailLevel> expected = std::nullopt);
  /// `host`: device on which references compute; null where `device` itself runs them.
  explicit Worker(std::unique_ptr<device::Device> device,
                  std::unique_ptr<device::Device> host = nullptr);

  /// Takes over remembered ceilings if they were measured on this very device; returns the facts as
  /// known now.
  const DeviceFacts& greet(const std::vector<DeviceFacts>& remembered);
  /// Judges a request whose units are built, and adds rates, roofline and findings. Takes the
  /// device's lease: shared to check, exclusive to measure.
  Result<Evaluation> judge(const EvaluationRequest& request);
  Result<std::vector<AdmissionLine>> admit(const EvaluationRequest& request);
  /// Measures the ceilings, alone on the device: takes about half a second, or some ten seconds in
  /// full. The reply holds the facts and, as notes, what was refused or is unreliable.
  Result<Reply> measure(bool is_full);
  /// Takes over the built trusted kernels of the device.
  Result<> equip(const std::vector<BuildUnit>& units);

  /// Sets the function that tells whether an evaluation is to end after the step in progress;
  /// called often.
  void hurry_when(std::function<bool()> is_hurried) { is_hurried_ = std::move(is_hurried); }

  /// Sets the name of the program that the worker serves ("kw judge mine.cpp"); others that wait
  /// for the device read it.
  void work_for(std::string client) { client_ = std::move(client); }
  /// Sets the function that receives progress while a message is answered; called on any thread.
  void tell_progress(std::function<void(const Progress&)> tell) { tell_ = std::move(tell); }

  /// Answers one message; never throws: every failure is in the reply.
  Reply answer(const Message& message);

 private:
  /// The device's facts, with its maker's figures where the device is known.
  static DeviceFacts facts_of(const device::Device& device);
  Result<Reply> try_answer(const Message& message);
  /// Returns the error, or, if the GPU is lost, an error that says so, since then no other part is
  /// at fault.
  Error explained(Error error);
  Result<Evaluation> judge_under_lease(const EvaluationRequest& request);
  /// Waits for the device while other programs have it, and reports the wait. `work` names what is
  /// done afterwards.
  Result<platform::Lease> lease(platform::LeaseMode mode, const std::string& work) const;
  void tell_work(const std::string& words) const;
  /// Exchanges the shared lease for an exclusive one.
  Result<> take_alone();
  /// Records the state of a GPU, where its driver reports it.
  void look_at_device();
  /// Measures the ceilings; the caller holds the exclusive lease.
  Result<profile::CeilingReport> measure_ceilings(bool is_full);
  /// Measures the ceilings again, not in full, and keeps the higher figure of each; the caller
  /// holds the exclusive lease.
  Result<> raise_ceilings();
  /// Runs profiler and sanitizer as the request asks and adds their results to a correct
  /// candidate's evaluation; what prevents them becomes a note. Takes the exclusive lease.
  Result<> inspect(const EvaluationRequest& request, Evaluation& evaluation);
  /// Sets rates and roofline positions; true if a position lies above its ceiling.
  bool place_under_roof(const EvaluationRequest& request, Evaluation& evaluation) const;

  std::unique_ptr<device::Device> device_;
  std::unique_ptr<device::Device> host_;
  DeviceFacts facts_;                           ///< The device's facts, ceilings included.
  std::map<std::string, BuiltObject> trusted_;  ///< Objects from equip(), by role.
  std::optional<platform::Lease> held_;         ///< The lease, while an evaluation is judged.
  /// The management library of a GPU, opened once something was timed; null where the library is
  /// missing or does not know the device.
  std::unique_ptr<device::Nvml> nvml_;
  bool has_asked_nvml_ = false;
  std::vector<GpuMoment> moments_;  ///< States of the GPU in the current evaluation.
  bool has_remeasured_ = false;
  std::string client_ = "another kw";
  std::string judged_;  ///< Name of the latest candidate.
  std::function<void(const Progress&)> tell_;
  std::function<bool()> is_hurried_;
  bool has_news_ = false;  ///< Ceilings were raised, which the controller is to be told.
  referee::Referee referee_;
};

/// Whether inspect() is called for a judged candidate where the request asks for an inspection: in
/// a search only if the candidate is correct and either beat its opponent or the request wants
/// slower candidates inspected too.
bool is_to_inspect(const EvaluationRequest& request, const Evaluation& evaluation);

/// Serves frames on `fd` until the peer closes it. Returns the exit code of kw-worker.
int serve(Worker& worker, int fd);

/// Serves a worker without a device: answers the first frame with the reason. Returns the exit
/// code.
int refuse(const Error& why, int fd);

}  // namespace kw::worker
