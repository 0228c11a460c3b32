// The pipe carrier: builds units here and has them judged by a kw-worker on this machine.
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
#include "evaluate/prepare.h"
#include "evaluate/worker_process.h"
#include "worker/messages.h"

namespace kw::evaluate {

struct PipeOptions {
  WorkerChoice worker{};
  int build_threads = 2;
  std::string compiler{};  ///< Compiler of candidates, for DeviceFacts::compiler.
  /// A worker that sends nothing for this time is replaced.
  std::int64_t reply_timeout_ns = 30LL * 60 * 1'000'000'000;
  /// Reads the machine code of cuda candidates; nothing: there are no findings about it.
  std::optional<compile::Disassembler> disassembler{};
  /// Called with every new measurement of the device, from any source, to remember it.
  std::function<Result<>(const DeviceFacts&)> on_facts{};
  /// Whether nobody wants the worker's answer any more; then waiting ends with an error (stop).
  /// Called twenty times a second; empty: never interrupted.
  std::function<bool()> is_interrupted{};
  /// Receives the progress of this process and the worker, on the thread that submits and waits.
  std::function<void(const worker::Progress&)> on_progress{};
};

/// Starts the worker in open(), replaces it when it dies, and gives up on a request that killed two
/// workers.
class PipeCarrier final : public Carrier {
 public:
  /// `compiler` must outlive the carrier. `ahead`: the first worker, with the options' settings, if
  /// the caller has already started one.
  PipeCarrier(compile::Compiler& compiler, PipeOptions options,
              std::optional<WorkerProcess> ahead = {});
  ~PipeCarrier() override;

  /// Asks a worker about its device for this target; builds and measures nothing.
  static Result<DeviceFacts> look(Target target);

  Result<DeviceFacts> open(const std::optional<DeviceFacts>& remembered) override;
  Result<> submit(EvaluationRequest request) override;
  Result<Evaluation> next() override;
  void hurry_when(std::function<bool()> is_hurried) override {
    is_hurried_ = std::move(is_hurried);
  }
  std::int64_t waited_ns() const override { return waited_ns_; }

  /// Tests the task's gates with null answers; the request's candidate is ignored.
  Result<std::vector<worker::AdmissionLine>> admit(EvaluationRequest request);
  /// Measures the ceilings: the few that judging needs, or all.
  Result<DeviceFacts> measure_device(bool is_full);
  const DeviceFacts& facts() const { return facts_; }
  /// What the last measurement refused or found unreliable, in whole sentences.
  const std::vector<std::string>& notes() const { return notes_; }
  /// Kills the worker without waiting for its end, for a program that ends next; see
  /// WorkerProcess::dismiss(). No other call may follow.
  void dismiss() {
    if (worker_) worker_->dismiss();
  }

 private:
  struct Waiting {
    EvaluationRequest request;
    Prepared prepared;
    std::future<std::vector<Finding>> code;  ///< Invalid: the machine code is not read.
    bool is_sent = false;                    ///< The worker has this request, and none behind it.
  };
  /// Starts a worker, or takes the one started ahead, and tells it what is known about the device.
  Result<DeviceFacts> greet(const std::vector<DeviceFacts>& known);
  /// Starts a worker as greet() does, and hands it the device's trusted kernels.
  Result<DeviceFacts> start_equipped(const std::vector<DeviceFacts>& known);
  Result<> take_facts(DeviceFacts facts);
  /// Sends one message and receives its reply. Errors are about the pipe alone; the reply itself
  /// may report another error.
  Result<worker::Reply> exchange(const worker::Message& message);
  Result<> send(const worker::Message& message);
  Result<worker::Reply> receive();
  /// Waits until something can be read. Meanwhile tells the worker to hurry if the caller wants
  /// that, unless the worker `is_told` already. Error: interrupted.
  Result<> await_reply(bool& is_told);
  /// Counts the worker's waiting time and passes the progress on. `since_ns`: time since which this
  /// process has only waited.
  void take_progress(const worker::Progress& progress, std::int64_t& since_ns);
  void tell_work(const std::string& words) const;
  /// Asks the worker. A worker that dies meanwhile is replaced once; a second death is an error
  /// with GiveUp. `is_sent`: send() has succeeded before.
  Result<worker::Reply> ask(const worker::Message& message, bool is_sent = false);
  /// Sends the next request to an idle worker, so that it judges while this process builds another.
  void send_ahead();

  compile::Compiler& compiler_;
  PipeOptions options_;
  DeviceFacts facts_;
  std::vector<std::string> notes_;
  bool is_ahead_;  ///< The worker was started ahead and has not been greeted yet.
  std::optional<WorkerProcess> worker_;
  std::deque<Waiting> waiting_;
  std::function<bool()> is_hurried_;
  std::int64_t waited_ns_ = 0;
};

}  // namespace kw::evaluate
