// Worker: one evaluation end to end on one device; what kw-worker serves over a pipe.
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
#include "referee/referee.h"
#include "worker/messages.h"

namespace kw::worker {

class Worker {
 public:
  /// Opens this machine's device of the target. An error names what is missing and what works
  /// without it. `expected`: a jail level whose players are started before a request asks for them.
  static Result<std::unique_ptr<Worker>> open(Target target,
                                              std::optional<JailLevel> expected = std::nullopt);
  /// `host`: where references compute; null where the device itself runs them.
  explicit Worker(std::unique_ptr<device::Device> device,
                  std::unique_ptr<device::Device> host = nullptr);

  /// Takes remembered ceilings over if they are of this very device; returns the facts as known
  /// now.
  const DeviceFacts& greet(const std::vector<DeviceFacts>& remembered);
  /// Judges a request whose units are built; adds rates, roofline and findings. Takes the device's
  /// lease: shared to check, exclusive to measure.
  Result<Evaluation> judge(const EvaluationRequest& request);
  Result<std::vector<AdmissionLine>> admit(const EvaluationRequest& request);
  /// Measures the ceilings alone on the device: about half a second, or some ten seconds in full.
  /// The reply holds the facts and, as notes, what was refused or is unreliable.
  Result<Reply> measure(bool is_full);
  /// Takes the device's trusted kernels, built.
  Result<> equip(const std::vector<BuildUnit>& units);

  /// Whether what is judged is to end after the step in progress; asked again and again.
  void hurry_when(std::function<bool()> is_hurried) { is_hurried_ = std::move(is_hurried); }

  /// Whom it works for ("kw judge mine.cpp"): what others read who wait for the device.
  void work_for(std::string client) { client_ = std::move(client); }
  /// Hears of the work while a message is answered, from whatever thread.
  void tell_progress(std::function<void(const Progress&)> tell) { tell_ = std::move(tell); }

  /// Answers one message; never throws, every trouble is in the reply.
  Reply answer(const Message& message);

 private:
  /// The device's own facts, with its maker's figures where the device is known.
  static DeviceFacts facts_of(const device::Device& device);
  Result<Reply> try_answer(const Message& message);
  /// The error, or that the GPU is lost: then whatever else went wrong is nobody's fault.
  Error explained(Error error);
  Result<Evaluation> judge_under_lease(const EvaluationRequest& request);
  /// Waits for the device as long as others have it, and says so; `work` is what is done then.
  Result<platform::Lease> lease(platform::LeaseMode mode, const std::string& work) const;
  void tell_work(const std::string& words) const;
  /// Turns the share of the lease into the whole.
  Result<> take_alone();
  /// Notes how a GPU stands, where its driver tells.
  void look_at_device();
  /// Caller holds the lease alone.
  Result<profile::CeilingReport> measure_ceilings(bool is_full);
  /// Measures the few ceilings again and keeps the higher figure of each. Caller as above.
  Result<> raise_ceilings();
  /// What the request asks to have looked at, added to a correct candidate's evaluation; whatever
  /// hinders it is a note. Takes the lease alone.
  Result<> inspect(const EvaluationRequest& request, Evaluation& evaluation);
  /// Fills rates and roofline positions; true if one lies above its ceiling.
  bool place_under_roof(const EvaluationRequest& request, Evaluation& evaluation) const;

  std::unique_ptr<device::Device> device_;
  std::unique_ptr<device::Device> host_;
  DeviceFacts facts_;                           ///< With ceilings.
  std::map<std::string, BuiltObject> trusted_;  ///< What equip() got, by role.
  std::optional<platform::Lease> held_;         ///< While an evaluation is judged.
  std::unique_ptr<device::Nvml> nvml_;  ///< Once something was timed; null: it tells nothing.
  bool has_asked_nvml_ = false;
  std::vector<GpuMoment> moments_;  ///< Of the evaluation that is judged.
  bool has_remeasured_ = false;
  std::string client_ = "another kw";
  std::string judged_;  ///< Name of the latest candidate.
  std::function<void(const Progress&)> tell_;
  std::function<bool()> is_hurried_;
  bool has_news_ = false;  ///< Of the ceilings, for the controller.
  referee::Referee referee_;
};

/// Whether a judged candidate is looked at from outside, or told why not: in a search only what is
/// correct and beat its opponent, unless the request wants slower ones too.
bool is_to_inspect(const EvaluationRequest& request, const Evaluation& evaluation);

/// Serves frames on `fd` until the peer closes it. Returns the exit code of kw-worker.
int serve(Worker& worker, int fd);

/// For a worker without a device: answers the first frame with why. Returns the exit code.
int refuse(const Error& why, int fd);

}  // namespace kw::worker
