// The parts of a run's page: each function sets the template variables of one section.
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

/// Zero or one item with the variable `text`: how templates say "where there is any".
PageList optional_text(std::string text);

/// Foreign text of one or two sentences, sanitised and cut; the template escapes it.
std::string short_text(std::string_view text);

/// "1.234×"; "–" for 0, which stands for a speedup that was not measured.
std::string times(double speedup);

/// Adds an item with `name` and `value`; an empty value adds nothing.
void add_fact(PageList& list, std::string name, std::string value);

/// What the page shows of the best attempt: its confirmation, where there was one, else its
/// evaluation in the search; null: no attempt was correct.
const Evaluation* shown_evaluation(const RunData& data);

/// Name of what shown_evaluation() was timed against.
std::string opponent_of(const RunData& data);

/// Why a run has no confirmed win, and how its attempts ended. Sets nothing to show for a win.
void set_why(PageFields& fields, const RunData& data, const EndTally& tally);

/// The table of timed shapes with what else was checked, and the advice of the roofline.
void set_shapes(PageFields& fields, const RunData& data);

/// The best kernel with its findings, and its changes against the baseline.
void set_kernel(PageFields& fields, const RunData& data, const PageLimits& limits);

/// What the run has cost, by model. Reads the run's attempts and exchanges once.
Result<> set_cost(PageFields& fields, const store::RunStore& store, const RunData& data);

void set_certificate(PageFields& fields, const RunData& data);

/// How the run was asked for, and the commands that show more of it.
void set_setting(PageFields& fields, const RunData& data);

}  // namespace kw::report
