// Reads shapes.yaml: the workloads in their three groups show, check and time.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "base/with_nearest.h"
#include "task/parse.h"

namespace kw::task {
namespace {

constexpr std::size_t kMaxWorkloads = 1000;

class ShapesReader {
 public:
  ShapesReader(FileReport& report, Definition& definition)
      : report_(report), definition_(definition), known_(formula_names(definition)) {}

  void read(const Yaml& root) {
    const Section section(report_, root, "shapes.yaml", {"show", "check", "time"});
    for (const Group group : {Group::Show, Group::Check, Group::Time}) {
      const Yaml* list = group == Group::Show ? section.find(kw::name_of(group))
                                              : section.require(kw::name_of(group));
      if (list == nullptr) continue;
      const auto items = read_list(report_, *list, kw::name_of(group));
      if (items.empty() && group != Group::Show)
        report_.add(list->place, About{fmt::format("{}: empty", kw::name_of(group))},
                    fmt::format("the group '{}' of workloads is empty", kw::name_of(group)));
      if (definition_.workloads.size() + items.size() > kMaxWorkloads)
        return report_.add(list->place, About{fmt::format("workloads: at most {}", kMaxWorkloads)},
                           fmt::format("the task has more than {} workloads", kMaxWorkloads));
      const std::size_t before = definition_.workloads.size();
      for (const Yaml& item : items) read_workload(item, group);
      if (definition_.workloads.size() == before && !items.empty() && group != Group::Show)
        report_.add(list->place, About{fmt::format("{}: none left", kw::name_of(group))},
                    fmt::format("'only' leaves this variant no workload of the group '{}'",
                                kw::name_of(group)));
    }
  }

 private:
  void read_workload(const Yaml& node, Group group) {
    WorkloadSpec spec;
    spec.group = group;
    spec.place = node.place;
    std::vector<std::string> keys = {"name", "for", "values", "scalars"};
    keys.insert(keys.end(), definition_.dims.begin(), definition_.dims.end());
    for (const auto& [dim, value] : definition_.narrowing.fixed) keys.push_back(dim);
    const Section section(report_, node, "workload", keys);
    if (is_left_out(section)) return;
    if (const Yaml* name = section.require("name")) read_name(*name, spec);
    if (const Yaml* targets = section.find("for"))
      for (const Yaml& item : read_list(report_, *targets, "for"))
        if (const auto target = read_enum<Target>(report_, item, "target"))
          spec.targets.push_back(*target);
    for (const std::string& dim : definition_.dims)
      if (const Yaml* value = section.require(dim))
        spec.dims[dim] = read_integer(report_, *value, dim).value_or(1);
    if (const Yaml* values = section.find("values"))
      read_value_overrides(report_, *values, definition_, spec.values);
    if (const Yaml* scalars = section.find("scalars")) read_scalars(*scalars, spec);
    definition_.workloads.push_back(std::move(spec));
  }

  /// Whether the workload sets a dim to another value than the variant requires (`only` in
  /// task.yaml).
  bool is_left_out(const Section& section) {
    for (const auto& [dim, wanted] : definition_.narrowing.only)
      if (const Yaml* value = section.find(dim))
        if (read_integer(report_, *value, dim).value_or(wanted) != wanted) return true;
    return false;
  }

  void read_name(const Yaml& node, WorkloadSpec& spec) {
    const auto name = read_text(report_, node, "name");
    if (!name) return;
    const auto is_plain = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             c == '_' || c == '-' || c == '.';
    };
    // Names of workloads become parts of file names and of command lines.
    if (name->empty() || name->size() > 64 || !std::ranges::all_of(*name, is_plain))
      report_.add(node.place, About{"workload: name"},
                  "a workload's name has up to 64 letters, digits, '_', '-' and '.'");
    if (std::ranges::find(definition_.workloads, *name, &WorkloadSpec::name) !=
        definition_.workloads.end())
      report_.add(node.place, About{fmt::format("workload: twice {}", sanitise(*name, 64))},
                  fmt::format("duplicate workload '{}'", sanitise(*name, 64)));
    spec.name = *name;
  }

  void read_scalars(const Yaml& node, WorkloadSpec& spec) {
    std::vector<std::string> scalars;
    for (const auto& scalar : definition_.scalars) scalars.push_back(scalar.name);
    for (const auto& [key, value] : read_entries(report_, node, "scalars")) {
      const auto found = std::ranges::find(definition_.scalars, key.scalar, &ScalarSpec::name);
      if (found == definition_.scalars.end()) {
        report_.add(
            key.place,
            About{fmt::format("scalar {}", with_nearest(sanitise(key.scalar, 40), scalars))},
            fmt::format("the task has no scalar named '{}'{}", sanitise(key.scalar, 40),
                        suggestion(key.scalar, scalars)));
      } else if (std::ranges::find(definition_.dims, key.scalar) != definition_.dims.end()) {
        report_.add(key.place, About{fmt::format("scalar: dim {}", key.scalar)},
                    fmt::format("'{}' is a dim, not a scalar; set it beside the workload's name",
                                key.scalar));
      } else {
        ScalarSpec scalar = *found;
        if (read_scalar_value(report_, value, known_, scalar))
          spec.scalars[key.scalar] = std::move(scalar);
      }
    }
  }

  FileReport& report_;
  Definition& definition_;
  std::vector<std::string> known_;
};

}  // namespace

bool WorkloadSpec::is_for(Target target) const {
  return targets.empty() || std::ranges::find(targets, target) != targets.end();
}

void parse_shapes_yaml(FileReport& report, const Yaml& root, Definition& definition) {
  ShapesReader(report, definition).read(root);
}

}  // namespace kw::task
