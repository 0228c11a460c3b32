// The target `echo`, which only tests have: its kernels say what to multiply by, compiling copies
// their source, and the device that plays them is memory of this process.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <charconv>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compile/build.h"
#include "compile/library_names.h"
#include "device/fake.h"
#include "device/unmeasured.h"
#include "profile/ceilings.h"
#include "propose/target_words.h"
#include "referee/screen.h"
#include "search/technique_card.h"
#include "session/judging/toolchain.h"
#include "task/units.h"
#include "worker/worker.h"

namespace kw::echo {

inline constexpr auto kDialects =
    std::to_array<DialectRow>({{.name = "", .source_suffix = ".echo"}});
inline constexpr auto kFences = std::to_array<std::string_view>({"echo"});
inline constexpr TargetRow kRow{
    .name = "echo",
    .dialects = kDialects,
    .comment = ";",
    .fence = "echo",
    .reply_fences = kFences,
    .object_format = "echo",
    .object_suffix = ".copy",
    .system_prompt = "system_echo",
    .spec_mark = "**On an echo.**",
    .kernel_mark = "play",
    .units_of_parallelism = "voices",
};

/// Copies the kernel's source; one without the word "play" does not compile.
class Copier final : public compile::Compiler {
 public:
  explicit Copier(platform::Path objects) : objects_(std::move(objects)) {}
  Result<compile::CompileResult> build(const BuildUnit& unit) override {
    for (const SourceFile& file : unit.files)
      if (file.name == unit.main_file) {
        if (file.text.find("play") == std::string::npos)
          return compile::refused(Outcome::CompileFailed, compile::BuildTrouble::Diagnosed, "play",
                                  "nothing is played");
        return compile::keep_object(objects_, file.text, "echo");
      }
    return fail("the unit has no main file");
  }
  const std::string& identity() const override { return identity_; }

 private:
  platform::Path objects_;
  std::string identity_ = "copier";
};

inline device::FakeWorld& world() {
  static device::FakeWorld world;
  return world;
}

/// Plays a copied source: y becomes the number behind "play" times x.
inline device::FakeKernel player_of(std::string_view object) {
  float factor = 0;
  const std::string_view number = object.substr(object.find("play ") + 5);
  std::from_chars(number.data(), number.data() + number.size(), factor);
  return [factor](const std::vector<std::vector<device::FakeArgument>>& sets) {
    for (const auto& set : sets)
      for (std::int32_t i = 0; i < set[0].value<std::int32_t>(); ++i)
        set[2].tensor<float>()[i] = factor * set[1].tensor<float>()[i];
    return device::returned_after(1e6);
  };
}

/// Adds the row and the strategies; call once in a program.
inline Target add() {
  const Target echo = add_target(kRow);
  world().facts.target = echo;
  world().facts.model = "a valley";
  task::source_forms().add(
      echo, {[](const Task& task) { return "one line: play FACTOR, for " + task.name + "\n"; },
             [](BuildUnit& unit, const Task&, const task::CandidateHeader&,
                const std::string& text) { unit.files = {{unit.main_file, text}}; }});
  compile::library_names().add(echo, {[]() -> const std::vector<std::string>& {
                                        static const std::vector<std::string> none;
                                        return none;
                                      },
                                      [](std::string_view) { return std::string(); }});
  referee::screeners().add(echo,
                           {{}, [](std::string_view bytes, const Candidate&, const BuildUnit&) {
                              return bytes.find("forge") == std::string_view::npos
                                         ? referee::Screening{}
                                         : referee::refuse({.kind = EvidenceKind::TargetRule,
                                                            .subject = "forge",
                                                            .detail = "an echo cannot forge"});
                            }});
  profile::ceiling_meters().add(
      echo, [](device::Device&, profile::Effort) -> Result<profile::CeilingReport> {
        return profile::CeilingReport{};
      });
  worker::openers_of_workers().add(
      echo, [](std::optional<JailLevel>) -> Result<std::unique_ptr<worker::Worker>> {
        return std::make_unique<worker::Worker>(device::make_fake_device(world()));
      });
  device::unmeasured_facts().add(
      echo, [](const std::string&) -> Result<DeviceFacts> { return world().facts; });
  propose::target_words().add(
      echo, {[](const Restrictions&, bool) { return std::string("There are no libraries."); },
             [](const Restrictions&) { return std::vector<std::string>(); },
             [](bool) { return std::string("none."); }});
  static constexpr auto kTechniques =
      std::to_array<search::TechniqueRow>({{15, "loudness", "compute", "play louder"}});
  search::technique_rows().add(echo, kTechniques);
  session::toolchains().add(echo, {[](const platform::Path& objects,
                                      JailLevel) -> Result<std::unique_ptr<compile::Compiler>> {
                                     return std::make_unique<Copier>(objects);
                                   },
                                   [](const Candidate&) { return std::string(); }});
  return echo;
}

}  // namespace kw::echo
