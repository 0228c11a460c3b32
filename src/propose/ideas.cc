// Gathers the kernels that a run without a model can try.
// SPDX-License-Identifier: Apache-2.0
#include "propose/ideas.h"

#include "base/text.h"
#include "propose/generic.h"
#include "record/target.h"

namespace kw::propose {
namespace {

Result<SourceIdea> make_idea(const std::string& name, const std::string& source, Origin origin,
                             const Restrictions& restrictions, Target target, std::string why) {
  auto candidate = task::make_candidate(name, source, origin, restrictions, target);
  if (!candidate)
    return fail_input(
        ErrorCode::BadInput,
        About{candidate.error().empty() ? std::string() : candidate.error().front().about},
        "this kernel of the task or the playbook cannot be used:\n" +
            task::to_text(candidate.error()),
        name);
  auto header = task::parse_header(*candidate);
  KW_ASSERT(header.has_value());  // make_candidate has just parsed it.
  return SourceIdea{std::move(*candidate), std::move(*header), std::move(why)};
}

}  // namespace

Result<std::vector<SourceIdea>> gather_ideas(const task::Definition& task,
                                             const std::map<std::string, std::string>& playbook,
                                             Target target) {
  std::vector<SourceIdea> ideas;
  const Restrictions& restrictions = task.task.restrictions;
  for (const Candidate& c : task.candidates)
    if (c.target == target)
      ideas.push_back(KW_TRY(make_idea(c.name, c.source, Origin::Task, restrictions, target,
                                       "hand-made, in the task's folder")));
  bool has_playbook = false;
  for (const auto& [file, source] : playbook) {
    if (target_of_file(file) != target) continue;
    has_playbook = true;
    ideas.push_back(KW_TRY(make_idea(file.substr(0, file.rfind('.')), source, Origin::Playbook,
                                     restrictions, target, "expert kernel of the playbook")));
  }
  if (has_playbook || !row_of(target).runs_references) return ideas;
  for (const Variant& v : generic_variants(task.task, task.reference))
    ideas.push_back(
        KW_TRY(make_idea(v.name, v.source, Origin::Generic, restrictions, target, v.why)));
  return ideas;
}

}  // namespace kw::propose
