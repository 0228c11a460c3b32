// Writes evaluations as JSON.
// SPDX-License-Identifier: Apache-2.0
#include "report/evaluation_json.h"

#include <nlohmann/json.hpp>

#include "record/codec.h"
#include "report/run_folder.h"

namespace kw::report {
namespace {

Json workload_json(const WorkloadResult& w) {
  Json object = {{"name", w.name},
                 {"group", name_of(w.group)},
                 {"outcome", name_of(w.outcome)},
                 {"note", w.note},
                 {"median_ns", w.median_ns},
                 {"baseline_ns", w.opponent_ns},
                 {"samples", w.samples.size()},
                 {"speedup", encode_json(w.speedup)},
                 {"items_per_s", w.items_per_s},
                 {"flops_per_s", w.flops_per_s},
                 {"bytes_per_s", w.bytes_per_s},
                 {"arithmetic_intensity", w.arithmetic_intensity},
                 {"roofline_fraction", w.roofline.fraction},
                 {"matrix_fraction", w.roofline.matrix_fraction},
                 {"bound", name_of(w.roofline.bound)},
                 {"advice", w.roofline.advice},
                 {"checksum_diff", w.accuracy.checksum_diff},
                 {"max_abs_diff", w.accuracy.max_abs_diff},
                 {"rel_l2", w.accuracy.rel_l2},
                 {"gate_fraction", w.accuracy.gate_fraction},
                 {"checked_share", w.checked_share},
                 {"miss_probability", w.miss_probability},
                 {"calls_per_sample", w.calls_per_sample},
                 {"opponent_calls_per_sample", w.opponent_calls_per_sample},
                 {"life_calls", w.life_calls},
                 {"life_checked", w.life_checked},
                 {"is_nondeterministic", w.is_nondeterministic}};
  for (const HostLaunch& h : w.host_launches) object["host_launches"].push_back(encode_json(h));
  for (const Retimed& r : w.retimed) object["retimed"].push_back(encode_json(r));
  for (const Sustained& s : w.sustained) object["sustained"].push_back(encode_json(s));
  return object;
}

}  // namespace

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
  for (const WorkloadResult& w : e.workloads) object["workloads"].push_back(workload_json(w));
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
