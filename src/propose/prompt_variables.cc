// Lists the template variables, including those of search methods.
// SPDX-License-Identifier: Apache-2.0
#include "propose/prompt_variables.h"

#include "propose/manner.h"
#include "record/target.h"

namespace kw::propose {

const std::vector<std::string>& prompt_variables() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all = manner_variables();
    for (const Target target : all_targets()) all.push_back("is_" + std::string(name_of(target)));
    all.insert(all.end(), {"launches_by_plan",
                           "has_own_memory",
                           "runs_references",
                           "arch",
                           "has_hopper_launches",
                           "function",
                           "flags",
                           "option_lines",
                           "threads",
                           "workspace",
                           "max_knobs",
                           "max_values",
                           "has_reply_limit",
                           "reply_tokens",
                           "has_shape_builds",
                           "task",
                           "summary",
                           "interface",
                           "arguments",
                           "name",
                           "type",
                           "what",
                           "layout_rule",
                           "spec",
                           "has_spec",
                           "tolerance",
                           "reference",
                           "shapes",
                           "has_size_classes",
                           "size_classes",
                           "has_pitch",
                           "has_rounding",
                           "has_products",
                           "has_long_truth",
                           "has_real",
                           "has_half",
                           "has_real_macro",
                           "has_cute",
                           "device_facts",
                           "text",
                           "target",
                           "parallel_units",
                           "restrictions",
                           "goal",
                           "has_examples",
                           "examples",
                           "title",
                           "code",
                           "has_cautions",
                           "cautions",
                           "has_task_instructions",
                           "task_instructions",
                           "has_remembered",
                           "remembered",
                           "why",
                           "has_insights",
                           "insights",
                           "has_history",
                           "history",
                           "baseline",
                           "has_dropped_history",
                           "dropped_history",
                           "has_best",
                           "best_title",
                           "best_code",
                           "has_instructions",
                           "instructions",
                           "has_parent_code",
                           "parent_title",
                           "parent_code",
                           "parent_numbered",
                           "verdict",
                           "has_findings",
                           "findings",
                           "rank",
                           "has_frame",
                           "frame",
                           "has_reading",
                           "reading",
                           "has_change",
                           "change_words",
                           "change",
                           "grandparent",
                           "attempt"});
    return all;
  }();
  return names;
}

}  // namespace kw::propose
