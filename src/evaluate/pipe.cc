// The pipe carrier: its conversation with the worker at the other end of a socket pair.
// SPDX-License-Identifier: Apache-2.0
#include "evaluate/pipe.h"

#include <algorithm>

#include "evaluate/prepare.h"
#include "platform/clock.h"
#include "record/bounds.h"
#include "record/codec.h"
#include "record/target.h"
#include "worker/equipment.h"
#include "worker/frame.h"

namespace kw::evaluate {
namespace {

worker::Message message_of(worker::Verb verb) {
  worker::Message message;
  message.verb = verb;
  return message;
}

worker::Message judge_message(EvaluationRequest request) {
  worker::Message message = message_of(worker::Verb::Judge);
  message.request.push_back(std::move(request));
  return message;
}

/// Turns a worker's refusal into an error that stops the run, whatever the refusal advises: the
/// worker lives, so the machine or the task is at fault.
Result<worker::Reply> accepted(Result<worker::Reply> reply) {
  if (!reply || reply->is_ok) return reply;
  Error error = worker::error_of(*reply);
  error.advice = Advice::Stop;
  return std::unexpected(std::move(error));
}

/// A worker runs beside foreign code, so impossible figures in its reply are refused.
Result<> check_answer(const worker::Reply& reply) {
  const auto check = [&]() -> Result<> {
    for (const Evaluation& evaluation : reply.evaluation) KW_TRY(check_evaluation(evaluation));
    for (const DeviceFacts& facts : reply.facts) KW_TRY(check_facts(facts));
    return {};
  };
  const auto checked = check();
  if (checked) return {};
  return fail(ErrorCode::Malformed, About{checked.error().about},
              "kw-worker answered with values that cannot be true: " + checked.error().what, "",
              Advice::Stop);
}

}  // namespace

PipeCarrier::PipeCarrier(compile::Compiler& compiler, PipeOptions options,
                         std::optional<WorkerProcess> ahead)
    : compiler_(compiler),
      options_(std::move(options)),
      is_ahead_(ahead.has_value()),
      worker_(std::move(ahead)) {}

PipeCarrier::~PipeCarrier() = default;

Result<worker::Reply> PipeCarrier::exchange(const worker::Message& message) {
  KW_TRY(send(message));
  return receive();
}

Result<> PipeCarrier::send(const worker::Message& message) {
  if (!worker_) return fail(ErrorCode::Ended, "no worker", "", Advice::Retry);
  return worker::write_frame(worker_->socket(), encode(message));
}

Result<> PipeCarrier::await_reply(bool& is_told) {
  const auto& is_interrupted = options_.is_interrupted;
  if (is_told && !is_interrupted) return {};
  constexpr int kLookMs = 50;
  for (std::int64_t left_ns = options_.reply_timeout_ns; left_ns > 0;
       left_ns -= std::int64_t{kLookMs} * 1'000'000) {
    if (worker::has_input(worker_->socket(), kLookMs)) return {};
    if (is_interrupted && is_interrupted())
      return fail(ErrorCode::Cancelled, "interrupted", "", Advice::Stop);
    if (is_told || !is_hurried_()) continue;
    // A failed send is ignored: a worker that has died is noticed when its reply is read.
    (void)send(message_of(worker::Verb::Hurry));
    is_told = true;
  }
  return {};
}

Result<worker::Reply> PipeCarrier::receive() {
  bool is_told = !is_hurried_;
  std::int64_t since_ns = platform::real_clock().now_ns();
  for (;;) {
    KW_TRY(await_reply(is_told));
    const std::string text =
        KW_TRY(worker::read_frame(worker_->socket(), options_.reply_timeout_ns));
    auto reply = KW_TRY(decode<worker::Reply>(text));
    if (reply.version != worker::kProtocolVersion)
      return fail(
          ErrorCode::OtherBuild, About{"protocol"},
          "kw and kw-worker are of different builds: rebuild both, or unpack the release file "
          "again",
          "", Advice::Stop);
    if (reply.progress.empty()) {
      KW_TRY(check_answer(reply));
      return reply;
    }
    take_progress(reply.progress.front(), since_ns);
  }
}

void PipeCarrier::take_progress(const worker::Progress& progress, std::int64_t& since_ns) {
  if (progress.doing == worker::Doing::Waited) {
    // Only time since `since_ns` counts: before that, the worker may have waited while this process
    // built something.
    const std::int64_t now = platform::real_clock().now_ns();
    waited_ns_ += std::clamp<std::int64_t>(progress.waited_ns, 0, now - since_ns);
    since_ns = now;
  }
  if (options_.on_progress) options_.on_progress(progress);
}

void PipeCarrier::tell_work(const std::string& words) const {
  if (options_.on_progress) options_.on_progress({worker::Doing::Working, words});
}

Result<DeviceFacts> PipeCarrier::greet(const std::vector<DeviceFacts>& known) {
  if (!std::exchange(is_ahead_, false)) {
    worker_.reset();  // only one at a time, since the old worker holds the device's lease
    tell_work("starting kw-worker");
    worker_ = KW_TRY(WorkerProcess::start(options_.worker));
  }
  tell_work("examining the device");
  worker::Message hello = message_of(worker::Verb::Hello);
  hello.facts = known;
  auto reply = KW_TRY(accepted(exchange(hello)));
  tell_work("");
  if (reply.facts.empty())
    return fail(ErrorCode::Missing, About{"facts"}, "kw-worker reports no device", "",
                Advice::Stop);
  return std::move(reply.facts.front());
}

Result<DeviceFacts> PipeCarrier::start_equipped(const std::vector<DeviceFacts>& known) {
  DeviceFacts facts = KW_TRY(greet(known));
  worker::Message equip = message_of(worker::Verb::Equip);
  if (row_of(facts.target).needs_arch) tell_work("compiling the referee's own kernels");
  equip.units = KW_TRY(worker::build_equipment(facts, compiler_, options_.build_threads));
  if (!equip.units.empty()) KW_TRY(accepted(exchange(equip)));
  return facts;
}

Result<DeviceFacts> PipeCarrier::look(Target target) {
  struct NoCompiler final : compile::Compiler {
    Result<compile::CompileResult> build(const BuildUnit&) override {
      return fail(ErrorCode::MissingProgram, About{"compiler"}, "no compiler");
    }
    const std::string& identity() const override { return name; }
    std::string name = "none";
  };
  NoCompiler none;
  PipeOptions options;
  options.worker.target = target;
  return PipeCarrier(none, std::move(options)).greet({});
}

Result<worker::Reply> PipeCarrier::ask(const worker::Message& message, bool is_sent) {
  auto reply = is_sent ? receive() : exchange(message);
  if (!reply && reply.error().advice == Advice::Retry) {
    KW_TRY(start_equipped({facts_}));
    reply = exchange(message);
    if (!reply && reply.error().advice == Advice::Retry)
      return fail(reply.error().code, About{reply.error().about},
                  "kw-worker ended twice in a row before it had answered: " + reply.error().what,
                  reply.error().where, Advice::GiveUp);
  }
  tell_work("");
  return accepted(std::move(reply));
}

Result<DeviceFacts> PipeCarrier::open(const std::optional<DeviceFacts>& remembered) {
  std::vector<DeviceFacts> known;
  if (remembered) known.push_back(*remembered);
  auto facts = start_equipped(known);
  // One retry, since a worker that dies at once may have met a fault that passes.
  if (!facts && facts.error().advice == Advice::Retry) facts = start_equipped(known);
  if (!facts) {
    facts.error().advice = Advice::Stop;
    return facts;
  }
  facts_ = std::move(*facts);
  facts_.compiler = options_.compiler;
  return facts_;
}

Result<> PipeCarrier::submit(EvaluationRequest request) {
  tell_work("compiling " + request.candidate.name);
  Prepared prepared = KW_TRY(prepare(request, compiler_, options_.build_threads));
  std::future<std::vector<Finding>> code;
  if (prepared.ended) tell_work("");
  if (options_.disassembler) code = start_reading_code(*options_.disassembler, request);
  waiting_.push_back({std::move(request), std::move(prepared), std::move(code)});
  send_ahead();
  return {};
}

// Where building would disturb the measurement, a request is sent only when its answer is awaited.
void PipeCarrier::send_ahead() {
  if (!row_of(options_.worker.target).measures_beside_builds) return;
  for (Waiting& waiting : waiting_) {
    if (waiting.is_sent) return;
    if (waiting.prepared.ended) continue;
    // A failed send is ignored: a worker that has died is noticed when its answer is awaited.
    waiting.is_sent = send(judge_message(waiting.request)).has_value();
    return;
  }
}

Result<Evaluation> PipeCarrier::next() {
  if (waiting_.empty())
    return fail(ErrorCode::WrongState, "no evaluation was submitted, so there is none to wait for",
                "pipe carrier");
  Waiting waiting = std::move(waiting_.front());
  waiting_.pop_front();
  Evaluation evaluation;
  if (waiting.prepared.ended) {
    evaluation = std::move(*waiting.prepared.ended);
    evaluation.device = facts_.id;
    evaluation.machine = facts_.model;
  } else {
    const worker::Message judge = judge_message(std::move(waiting.request));
    auto reply = ask(judge, waiting.is_sent);
    send_ahead();
    if (!reply && reply.error().advice == Advice::GiveUp) {
      evaluation.id = judge.request.front().id;
      evaluation.verdict = {Stage::Run, Outcome::Unsupported, "not judged: " + reply.error().what};
    } else if (!reply) {
      return std::unexpected(reply.error());
    } else if (reply->evaluation.empty()) {
      return fail(ErrorCode::Missing, About{"evaluation"},
                  "kw-worker answered without the result of the evaluation", "", Advice::Stop);
    } else {
      evaluation = std::move(reply->evaluation.front());
      if (!reply->facts.empty()) KW_TRY(take_facts(std::move(reply->facts.front())));
    }
  }
  if (waiting.code.valid() && evaluation.verdict.is_correct())
    add_code_findings(waiting.code.get(), evaluation);
  evaluation.stage_ns["compile"] = waiting.prepared.build_ns;
  return evaluation;
}

Result<std::vector<worker::AdmissionLine>> PipeCarrier::admit(EvaluationRequest request) {
  tell_work("compiling the reference of task " + request.task.name);
  KW_TRY(build_references(request, compiler_, options_.build_threads));
  worker::Message admit = message_of(worker::Verb::Admit);
  admit.request.push_back(std::move(request));
  return KW_TRY(ask(admit)).admission;
}

Result<> PipeCarrier::take_facts(DeviceFacts facts) {
  facts_ = std::move(facts);
  facts_.compiler = options_.compiler;
  if (options_.on_facts) KW_TRY(options_.on_facts(facts_));
  return {};
}

Result<DeviceFacts> PipeCarrier::measure_device(bool is_full) {
  worker::Message measure = message_of(worker::Verb::Measure);
  measure.is_full = is_full;
  auto reply = KW_TRY(ask(measure));
  if (reply.facts.empty())
    return fail(ErrorCode::Missing, About{"facts"},
                "kw-worker answered without the facts of its device");
  KW_TRY(take_facts(std::move(reply.facts.front())));
  notes_ = std::move(reply.notes);
  return facts_;
}

}  // namespace kw::evaluate
