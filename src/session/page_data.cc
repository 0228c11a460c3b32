// Gathers what the page of a run shows.
// SPDX-License-Identifier: Apache-2.0
#include "session/page_data.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "record/codec.h"
#include "session/judging/local_judge.h"
#include "session/orders.h"
#include "session/searching/run_data.h"
#include "session/searching/run_workbench.h"
#include "session/stored_run.h"

namespace kw::session {
namespace {

/// The facts of the device on which the best kernel was measured, from its certificate or else from
/// the store; only id and model if neither has them.
Result<DeviceFacts> device_of(const store::RunStore& store, const report::RunData& data) {
  if (!data.best) return DeviceFacts();
  const std::string& id = data.best->evaluation.device;
  const auto file = platform::read_file(store.folder_of(data.run) / "best" / "certificate.json");
  if (file)
    if (const auto certificate = parse_json(*file, "certificate.json");
        certificate && certificate->contains("device"))
      if (const auto facts = decode_json<DeviceFacts>((*certificate)["device"]);
          facts && facts->id == id)
        return *facts;
  if (auto known = KW_TRY(remembered_device(store, data.run.config.target));
      known && known->id == id)
    return std::move(*known);
  DeviceFacts facts;
  facts.id = id;
  facts.model = data.best->evaluation.machine;
  return facts;
}

/// Adds the source of the run's baseline, as its task has it now, or the reason why there is none.
void add_baseline_source(const Options& options, report::RunData& data) {
  if (!data.best) return;
  const auto bench = workbench_of(options, data.run);
  if (!bench) {
    data.no_baseline_source = bench.error().what;
    return;
  }
  const std::vector<Candidate>& baselines = (*bench)->baselines();
  const auto found = std::ranges::find(baselines, data.baseline, &Candidate::name);
  if (found == baselines.end())
    data.no_baseline_source = "the baseline cannot be built on this machine";
  else if (found->source.empty())
    data.no_baseline_source = "the baseline of a landscape is no code";
  else
    data.baseline_source = pinned_source(*found);
}

}  // namespace

Result<report::RunData> data_for_page(const Options& options, const store::RunStore& store,
                                      const std::string& name) {
  auto data = KW_TRY(load_run(store, name));
  data.device = KW_TRY(device_of(store, data));
  if (data.best) data.best_source = pinned_source(data.best->candidate);
  add_baseline_source(options, data);
  data.orders = order_lines(KW_TRY(orders_of(store, data.run.id)), data.run);
  return data;
}

}  // namespace kw::session
