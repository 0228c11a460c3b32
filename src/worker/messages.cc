// Instantiates the codecs of the messages between controller and worker.
// SPDX-License-Identifier: Apache-2.0
#include "worker/messages.h"

#include "record/codec_impl.h"

KW_CODEC_IS_ELSEWHERE(kw::DeviceFacts);
KW_CODEC_IS_ELSEWHERE(kw::Evaluation);
KW_CODEC_IS_ELSEWHERE(kw::EvaluationRequest);
KW_INSTANTIATE_CODEC(kw::worker::AdmissionLine);
KW_INSTANTIATE_CODEC(kw::worker::Message);
KW_INSTANTIATE_CODEC(kw::worker::Reply);

namespace kw::worker {

Reply reply_of(const Error& error) {
  Reply reply;
  reply.what = error.what;
  reply.where = error.where;
  reply.advice = error.advice == Advice::Retry  ? "retry"
                 : error.advice == Advice::Stop ? "stop"
                                                : "give_up";
  reply.is_input = error.is_input;
  reply.code = error.code;
  reply.about = error.about;
  return reply;
}

Error error_of(const Reply& reply) {
  const Advice advice = reply.advice == "retry"  ? Advice::Retry
                        : reply.advice == "stop" ? Advice::Stop
                                                 : Advice::GiveUp;
  return {reply.what, reply.where, advice, reply.is_input, reply.code, reply.about};
}

}  // namespace kw::worker
