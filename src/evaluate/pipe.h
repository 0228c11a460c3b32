// The pipe carrier: a kw-worker on this machine, units built on this side.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "compile/compiler.h"
#include "evaluate/carrier.h"
#include "evaluate/machine_code.h"
#include "evaluate/worker_process.h"
#include "worker/messages.h"
#include "worker/prepare.h"

namespace kw::evaluate {

struct PipeOptions {
  WorkerChoice worker{};
  int build_threads = 2;
  std::string compiler{};  ///< What builds candidates here, for DeviceFacts::compiler.
  std::int64_t reply_timeout_ns =
      30LL * 60 * 1'000'000'000;  ///< A worker silent for so long is replaced.
  /// Reads the machine code of cuda candidates; nothing: findings say nothing of it.
  std::optional<compile::Disassembler> disassembler{};
  /// Told of every new measurement of the device, wherever it came from; to remember it.
  std::function<Result<>(const DeviceFacts&)> on_facts{};
  /// Nobody wants the worker's answer any more: waiting for it ends with an error (stop). Asked
  /// twenty times a second; empty: never.
  std::function<bool()> is_interrupted{};
  /// Hears what is done here and by the worker, in the thread that submits and awaits.
  std::function<void(const worker::Progress&)> on_progress{};
};

/// Starts the worker at open(), replaces it when it dies, and gives up on a request that killed
/// two.
class PipeCarrier final : public Carrier {
 public:
  /// `compiler` must outlive the carrier. `ahead`: a worker as the options name it, if the caller
  /// has started one, to be the first.
  PipeCarrier(compile::Compiler& compiler, PipeOptions options,
              std::optional<WorkerProcess> ahead = {});
  ~PipeCarrier() override;

  /// What a worker says of its device of the target, and no more: nothing is built or measured.
  static Result<DeviceFacts> look(Target target);

  Result<DeviceFacts> open(const std::optional<DeviceFacts>& remembered) override;
  Result<> submit(EvaluationRequest request) override;
  Result<Evaluation> next() override;
  void hurry_when(std::function<bool()> is_hurried) override {
    is_hurried_ = std::move(is_hurried);
  }
  std::int64_t waited_ns() const override { return waited_ns_; }

  /// Null answers against the task's gates; the request's candidate is ignored.
  Result<std::vector<worker::AdmissionLine>> admit(EvaluationRequest request);
  /// Measures the ceilings: the few that judging needs, or all.
  Result<DeviceFacts> measure_device(bool is_full);
  const DeviceFacts& facts() const { return facts_; }
  /// What the last measurement refused or found unreliable; whole sentences.
  const std::vector<std::string>& notes() const { return notes_; }
  /// The last call of a program that ends next; see WorkerProcess::dismiss().
  void dismiss() {
    if (worker_) worker_->dismiss();
  }

 private:
  struct Waiting {
    EvaluationRequest request;
    worker::Prepared prepared;
    std::future<std::vector<Finding>> code;  ///< Invalid: nobody reads it.
    bool is_sent = false;                    ///< The worker has it, and nothing after it.
  };
  /// Starts a worker, or takes the one started ahead, and tells it what is known of the device.
  Result<DeviceFacts> greet(const std::vector<DeviceFacts>& known);
  /// The same, and hands over the device's trusted kernels.
  Result<DeviceFacts> start_equipped(const std::vector<DeviceFacts>& known);
  Result<> take_facts(DeviceFacts facts);
  /// One message over the pipe; errors are of the pipe alone, the reply may hold another.
  Result<worker::Reply> exchange(const worker::Message& message);
  Result<> send(const worker::Message& message);
  Result<worker::Reply> receive();
  /// Until something comes: tells the worker that it is to hurry, unless it `is_told`. Error:
  /// interrupted.
  Result<> await_reply(bool& is_told);
  /// `since_ns`: from when on this process has done nothing but wait.
  void take_progress(const worker::Progress& progress, std::int64_t& since_ns);
  void tell_work(const std::string& words) const;
  /// The worker's answer. A worker that dies over it is replaced once; two deaths are GiveUp.
  /// `is_sent`: send() was successful before.
  Result<worker::Reply> ask(const worker::Message& message, bool is_sent = false);
  /// Gives an idle worker the next request, so that it judges while this process builds another.
  void send_ahead();

  compile::Compiler& compiler_;
  PipeOptions options_;
  DeviceFacts facts_;
  std::vector<std::string> notes_;
  bool is_ahead_;  ///< The worker has not been greeted yet.
  std::optional<WorkerProcess> worker_;
  std::deque<Waiting> waiting_;
  std::function<bool()> is_hurried_;
  std::int64_t waited_ns_ = 0;
};

}  // namespace kw::evaluate
