// Reads the gates of task.yaml, which say how close a kernel's answers must come to the truth.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "task/parse.h"

namespace kw::task {
namespace {

/// Reads a number of at least 0 from a key; complains about a missing key only if `is_required`.
void read_limit(FileReport& report, const Section& section, std::string_view key, double& limit,
                bool is_required) {
  const Yaml* node = is_required ? section.require(key) : section.find(key);
  if (node == nullptr) return;
  limit = read_number(report, *node, key).value_or(limit);
  if (limit < 0)
    report.add(node->place, About{fmt::format("{}: negative", key)},
               fmt::format("{} of the gate must not be negative", key));
}

}  // namespace

void parse_gate(FileReport& report, const Section& section, Definition& definition) {
  Gate& gate = definition.task.gate;
  const Yaml* node = section.require("gate");
  const Yaml* kind = node == nullptr ? nullptr : node->find("kind");
  if (node != nullptr && kind == nullptr)
    report.add(node->place, About{"gate: lacks kind"}, "the gate lacks the key 'kind'");
  if (kind == nullptr) return;
  const auto chosen = read_enum<GateKind>(report, *kind, "gate");
  if (!chosen) return;
  gate.kind = *chosen;
  static const std::vector<std::string> kKeys[] = {{"kind"},
                                                   {"kind", "c", "scale"},
                                                   {"kind", "c", "k", "scale", "magnitude"},
                                                   {"kind", "l2", "max"}};
  const Section keys(report, *node, fmt::format("gate '{}'", kw::name_of(gate.kind)),
                     kKeys[static_cast<std::size_t>(gate.kind)]);
  if (gate.kind == GateKind::Relative || gate.kind == GateKind::Dot) {
    read_limit(report, keys, "c", gate.c, true);
    read_limit(report, keys, "scale", gate.scale, false);
  }
  if (gate.kind == GateKind::Field) {
    read_limit(report, keys, "l2", gate.l2, true);
    read_limit(report, keys, "max", gate.max, true);
  }
  if (gate.kind == GateKind::Dot) {
    if (const Yaml* k = keys.require("k"))
      definition.dot_length = read_formula(report, *k, "k", formula_names(definition));
    if (const Yaml* words = keys.find("magnitude"))
      definition.magnitude = read_text(report, *words, "magnitude").value_or("");
    if (!definition.task.has_magnitude)
      report.add(kind->place, About{"magnitude"},
                 "gate 'dot' needs a function template 'magnitude' in reference.cpp");
  }
  if (gate.kind == GateKind::Exact) gate.rms_factor = 0;
}

void parse_gate_numbers(FileReport& report, const Section& section, Gate& gate) {
  const Yaml* node = section.find("gate");
  if (node == nullptr) return;
  static const std::vector<std::string> kKeys[] = {
      {}, {"c", "scale"}, {"c", "scale"}, {"l2", "max"}};
  const Section keys(report, *node, fmt::format("gate '{}' of a variant", kw::name_of(gate.kind)),
                     kKeys[static_cast<std::size_t>(gate.kind)]);
  read_limit(report, keys, "c", gate.c, false);
  read_limit(report, keys, "scale", gate.scale, false);
  read_limit(report, keys, "l2", gate.l2, false);
  read_limit(report, keys, "max", gate.max, false);
}

void parse_rms(FileReport& report, const Section& section, Gate& gate) {
  const Yaml* node = section.find("rms");
  if (node == nullptr) return;
  const Section keys(report, *node, "rms", {"factor"});
  if (gate.kind == GateKind::Exact)
    report.add(node->place, About{"rms: exact"},
               "a task with gate 'exact' cannot have the second gate 'rms'");
  read_limit(report, keys, "factor", gate.rms_factor, true);
  if (gate.rms_factor < 1)
    report.add(node->place, About{"factor"}, "the factor of 'rms' must be at least 1");
}

}  // namespace kw::task
