// Writes evaluations as JSON.
// SPDX-License-Identifier: Apache-2.0
#include "report/evaluation_json.h"

#include <nlohmann/json.hpp>

#include "record/codec.h"
#include "report/run_folder.h"
#include "report/workload_table.h"

namespace kw::report {
Json evaluation_json(const Evaluation& e) {
  Json object;
  object["verdict"] = encode_json(e.verdict);
  object["findings"] = Json::array();
  for (const Finding& f : e.findings) object["findings"].push_back(encode_json(f));
  object["speedup"] = encode_json(e.speedup);
  object["roofline_fraction"] = e.roofline_fraction;
  object["device"] = e.device;
  object["machine"] = e.machine;
  object["jail"] = e.has_run() ? Json(name_of(e.jail)) : Json();
  object["jail_lacks"] = jail_lacks(e);
  object["trust_class"] = name_of(e.trust_class);
  if (e.opponent_class) object["baseline_trust_class"] = name_of(*e.opponent_class);
  if (e.opponent_trusted_by_user) object["baseline_trusted_by_user"] = true;
  object["workloads"] = Json::array();
  for (const WorkloadResult& w : e.workloads)
    object["workloads"].push_back(workload_json(WorkloadJson::Judgement, w));
  object["skipped"] = Json::array();
  for (const SkippedWorkload& s : e.skipped)
    object["skipped"].push_back(
        {{"name", s.name}, {"group", name_of(s.group)}, {"reason", s.reason}});
  object["stage_ns"] = e.stage_ns;
  object["account_ns"] = e.account_ns;
  object["profiles"] = Json::array();
  for (const WorkloadProfile& p : e.profiles) object["profiles"].push_back(encode_json(p));
  object["sanitizer"] = Json::array();
  for (const SanitizerPass& p : e.sanitizer) object["sanitizer"].push_back(encode_json(p));
  object["moments"] = Json::array();
  for (const GpuMoment& m : e.moments) object["moments"].push_back(encode_json(m));
  return object;
}

}  // namespace kw::report
