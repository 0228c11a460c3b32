// The parts of a run's page; each function sets the template variables of one section.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "memory/template.h"
#include "report/page.h"

namespace kw::report {

struct EndTally;

using PageFields = memory::Fields;
using PageList = std::vector<PageFields>;

/// A list of no item or of one item with the variable `text`, by which a template shows a text only
/// if it is not empty.
PageList optional_text(std::string text);

/// Untrusted text, shortened to one or two sentences and sanitised; the template escapes it.
std::string short_text(std::string_view text);

/// A speedup as "1.234×"; "–" for 0, which means that it was not measured.
std::string times(double speedup);

/// Adds an item with `name` and `value`; an empty value adds nothing.
void add_fact(PageList& list, std::string name, std::string value);

/// The evaluation of the best attempt that the page shows: the confirmation if there was one, else
/// the evaluation during the search; null: no attempt was correct.
const Evaluation* shown_evaluation(const RunData& data);

/// The name of the kernel against which shown_evaluation() was timed.
std::string opponent_of(const RunData& data);

/// Sets the section on why a run has no confirmed win and how its attempts ended; sets it to empty
/// for a win.
void set_why(PageFields& fields, const RunData& data, const EndTally& tally);

/// Sets the table of timed shapes, the list of other checked shapes, and the advice from the
/// roofline.
void set_shapes(PageFields& fields, const RunData& data);

/// Sets the section about the best kernel: its findings, and its changes against the baseline.
void set_kernel(PageFields& fields, const RunData& data, const PageLimits& limits);

/// Sets what the run has cost, by model. Reads the run's attempts and exchanges once.
Result<> set_cost(PageFields& fields, const store::RunStore& store, const RunData& data);

void set_certificate(PageFields& fields, const RunData& data);

/// Sets the run's settings, and the commands that show more about the run.
void set_setting(PageFields& fields, const RunData& data);

}  // namespace kw::report
