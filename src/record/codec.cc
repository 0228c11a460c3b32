// Instantiates the record codec for the types of records.
// SPDX-License-Identifier: Apache-2.0
#include "record/attempt.h"
#include "record/card.h"
#include "record/codec_impl.h"
#include "record/evaluation.h"
#include "record/exchange.h"
#include "record/experience.h"
#include "record/lesson.h"
#include "record/order.h"
#include "record/proposal.h"
#include "record/terms.h"

KW_INSTANTIATE_CODEC(kw::Task);
KW_INSTANTIATE_CODEC(kw::WorkPerCall);
KW_INSTANTIATE_CODEC(kw::Workload);
KW_INSTANTIATE_CODEC(kw::SkippedWorkload);
KW_INSTANTIATE_CODEC(kw::Speedup);
KW_INSTANTIATE_CODEC(kw::Candidate);
KW_INSTANTIATE_CODEC(kw::Verdict);
KW_INSTANTIATE_CODEC(kw::Finding);
KW_INSTANTIATE_CODEC(kw::DeviceFacts);
KW_INSTANTIATE_CODEC(kw::GpuMoment);
KW_INSTANTIATE_CODEC(kw::RolePlan);
KW_INSTANTIATE_CODEC(kw::Retimed);
KW_INSTANTIATE_CODEC(kw::HostLaunch);
KW_INSTANTIATE_CODEC(kw::Sustained);
KW_INSTANTIATE_CODEC(kw::WorkloadProfile);
KW_INSTANTIATE_CODEC(kw::SanitizerPass);
KW_INSTANTIATE_CODEC(kw::EvaluationRequest);
KW_INSTANTIATE_CODEC(kw::Evaluation);
KW_INSTANTIATE_CODEC(kw::Terms);
KW_INSTANTIATE_CODEC(kw::Attempt);
KW_INSTANTIATE_CODEC(kw::AttemptLine);
KW_INSTANTIATE_CODEC(kw::RunConfig);
KW_INSTANTIATE_CODEC(kw::RunSummary);
KW_INSTANTIATE_CODEC(kw::ReplySettings);
KW_INSTANTIATE_CODEC(kw::ChatRequest);
KW_INSTANTIATE_CODEC(kw::ChatReply);
KW_INSTANTIATE_CODEC(kw::Usage);
KW_INSTANTIATE_CODEC(kw::Price);
KW_INSTANTIATE_CODEC(kw::Exchange);
KW_INSTANTIATE_CODEC(kw::Spending);
KW_INSTANTIATE_CODEC(kw::Order);
KW_INSTANTIATE_CODEC(kw::Reading);
KW_INSTANTIATE_CODEC(kw::Lesson);
KW_INSTANTIATE_CODEC(kw::LessonSnapshot);
KW_INSTANTIATE_CODEC(kw::LessonChange);
KW_INSTANTIATE_CODEC(kw::Experience);
KW_INSTANTIATE_CODEC(kw::Card);
