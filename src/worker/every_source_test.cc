// Tests that every .cu that is shipped, and every honest kernel of the test suites, compiles
// wherever its own conditions hold.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <iostream>
#include <map>
#include <optional>
#include <thread>

#include "base/contains.h"
#include "base/text.h"
#include "compile/cuda_unit_for_test.h"
#include "compile/device_flags.h"
#include "device/known_devices.h"
#include "task/device_names.h"
#include "task/header.h"
#include "task/load.h"
#include "task/units.h"
#include "worker/equipment.h"

namespace kw::worker {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = KW_SOURCE_DIR;

/// A source, and the task whose iface.h it is compiled with.
struct Source {
  fs::path path;
  const Task* task;
};

/// The text behind `// KEY: ` in a file of the suites.
std::string line_of(const std::string& text, const std::string& key) {
  const std::string start = "// " + key + ": ";
  const auto at = text.find(start);
  return at == std::string::npos
             ? ""
             : text.substr(at + start.size(), text.find_first_of("\r\n", at) - at - start.size());
}

class EverySource : public compile::CudaCompilerTest {
 protected:
  std::map<std::string, task::Definition> tasks;
  int without_cutlass = 0;

  void SetUp() override {
    CudaCompilerTest::SetUp();
    limits.wall_ns *= 20;  // machines are busy, and build times are not tested here
    for (const auto& folder : fs::directory_iterator(kRoot / "tasks"))
      tasks.emplace(folder.path().filename(), task::load_task(folder.path()).value());
  }

  void TearDown() override {
    if (without_cutlass > 0)
      std::cerr << "not tested: " << without_cutlass << " builds with CuTe, whose headers "
                << "scripts/install-cutlass installs\n";
  }

  /// Architectures that the checks always compile for, and newer ones that this NVRTC knows,
  /// ascending.
  std::vector<std::string> archs() {
    std::vector<std::string> all = {"sm_75", "sm_80", "sm_90a"};
    const auto version = compiler().server().version().value();
    for (const std::string& arch : device::known_archs()) {
      const int number = compile::architecture_number(arch);
      if (number > 90 && !arch.ends_with('a') && contains(version.architectures, number))
        all.push_back(arch);
    }
    return all;
  }

  void add(const fs::path& folder, const Task& task, std::vector<Source>& to) const {
    if (!fs::is_directory(folder)) return;
    for (const auto& entry : fs::directory_iterator(folder))
      if (entry.path().extension() == ".cu") to.push_back({entry.path(), &task});
  }

  std::vector<Source> shipped() const {
    std::vector<Source> all;
    for (const auto& [name, definition] : tasks) {
      std::vector<std::string> folders = definition.like;
      folders.push_back(name);
      for (const std::string& of : folders)
        for (const char* part : {"tasks/{}", "tasks/{}/baselines", "playbook/{}"})
          add(kRoot / fmt::format(fmt::runtime(part), of), definition.task, all);
    }
    for (const auto& entry : fs::directory_iterator(kRoot / "tests/honest/cuda")) {
      std::string name = line_of(*platform::read_file(entry.path()), "task");
      const std::string stem = entry.path().stem();
      if (name.empty()) name = stem.substr(0, stem.find('_'));
      if (entry.path().extension() == ".cu") all.push_back({entry.path(), &tasks.at(name).task});
    }
    return all;
  }

  /// The unit of a source if it is meant for GPUs of this architecture, else nothing; a source that
  /// cannot be read is a failure.
  std::optional<BuildUnit> unit_of(const Source& source, const std::string& arch) {
    const auto text = platform::read_file(source.path);
    const std::string asked = line_of(*text, "arch");
    if (compile::architecture_number(asked) > compile::architecture_number(arch))
      return std::nullopt;
    const auto candidate =
        task::make_candidate(source.path.stem().string(), *text, Origin::Baseline,
                             source.task->restrictions, Target::Cuda);
    if (!candidate) {
      ADD_FAILURE() << source.path << ": " << task::to_text(candidate.error());
      return std::nullopt;
    }
    auto header = task::parse_header(*candidate).value();
    if (header.dialect == "host") return std::nullopt;
    header.limits = task::device_limits(device::least_facts(arch));
    const auto points = header.points(1);
    if (points.empty()) return std::nullopt;
    if (header.dialect == "cute" && toolkit().cutlass.empty()) {
      ++without_cutlass;
      return std::nullopt;
    }
    Candidate at_point = *candidate;
    at_point.knobs = points.front();
    auto unit = task::candidate_unit(*source.task, at_point, "candidate", arch);
    if (!unit) {
      ADD_FAILURE() << source.path << ": " << task::to_text(unit.error());
      return std::nullopt;
    }
    return std::move(*unit);
  }

  /// Builds the sources for the architecture, and `units`; returns the number of built sources.
  std::size_t expect_built(const std::vector<Source>& sources, const std::string& arch,
                           std::vector<BuildUnit> units = {}) {
    std::vector<std::string> names;
    for (const BuildUnit& unit : units) names.push_back(unit.role);
    for (const Source& source : sources)
      if (auto unit = unit_of(source, arch)) {
        units.push_back(std::move(*unit));
        names.push_back(source.task->name + ": " + source.path.lexically_relative(kRoot).string());
      }
    const auto built = compile::build_all(compiler(), units, std::thread::hardware_concurrency());
    for (std::size_t i = 0; i < units.size(); ++i) {
      if (!built[i])
        ADD_FAILURE() << arch << ", " << names[i] << ": " << describe(built[i].error());
      else
        EXPECT_TRUE(built[i]->ok()) << arch << ", " << names[i] << ": " << built[i]->evidence;
    }
    return units.size();
  }
};

TEST_F(EverySource, OneOfThePlaybookCompilesForTheOldestAndTheNewestArchitecture) {
  const std::vector<Source> one = {
      {kRoot / "playbook/softmax_bf16_padded/50_gpu_staged.cu", &tasks.at("softmax_f16").task}};
  const std::vector<std::string> all = archs();
  for (const std::string& arch : {all.front(), all.back()}) EXPECT_EQ(expect_built(one, arch), 1u);
}

TEST_F(EverySource, TheFunctionsOfDependentLaunchesNeedNoHeader) {
  const std::vector<Source> one = {
      {kRoot / "tests/honest/cuda/saxpy_programmatic_functions.cu", &tasks.at("saxpy").task}};
  EXPECT_EQ(expect_built(one, "sm_90a"), 1u);
}

// The test is marked slow, since it makes some six hundred builds.
TEST_F(EverySource, CompilesOnEveryArchitectureThatItIsFor) {
  const std::vector<Source> all = shipped();
  for (const std::string& arch : archs()) {
    DeviceFacts facts;
    facts.gpu = {device::least_facts(arch)};
    const std::size_t built = expect_built(all, arch, equipment(facts));
    std::cerr << built << " builds for " << arch << "\n";
    EXPECT_GT(built, 100u) << arch;
  }
}

}  // namespace
}  // namespace kw::worker
