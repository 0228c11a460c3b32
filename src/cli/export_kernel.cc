// Exports a kernel from a run or a file to a folder for another program.
// SPDX-License-Identifier: Apache-2.0
#include "cli/export_kernel.h"

#include <dlfcn.h>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/contains.h"
#include "base/foreign_text.h"
#include "base/json.h"
#include "base/letter_case.h"
#include "base/text.h"
#include "cli/export_folder.h"
#include "cli/stored_run.h"
#include "cli/target_flags.h"
#include "deliver/delivery.h"
#include "device/known_devices.h"
#include "evaluate/plan_check.h"
#include "session/aim.h"
#include "session/given_kernel.h"
#include "session/local_judge.h"
#include "session/tasks.h"
#include "task/plan_resolve.h"
#include "task/resolve.h"
#include "task/units.h"
#include "evaluate/plan_check.h"

namespace kw::cli {
namespace {

using deliver::Form;

/// What kw export's positional argument names, loaded: a run's best kernel or a kernel file.
struct Given {
  std::optional<report::RunData> run;  ///< Nothing: the kernel comes from a file.
  task::Definition definition;
  Aim aim;
  Candidate kernel;
};

Result<Form> form_of(const std::string& text) {
  if (const auto form = enum_from<Form>(text)) return *form;
  std::vector<std::string> known;
  for (const auto name : EnumNames<Form>::names) known.emplace_back(name);
  return fail_input("--as is header, cmake, torch or source, not '" + sanitise(text, 40) + "'" +
                    suggestion(text, known));
}

/// The architectures of --arch. kw export takes a comma-separated list, so that one export serves
/// several kinds of GPU.
Result<std::vector<std::string>> archs_of(const KernelExport& flags) {
  std::vector<std::string> archs;
  if (flags.arch.empty()) return archs;
  for (const auto part : split(flags.arch, ',')) {
    const std::string arch(trim(part));
    if (!contains(device::known_archs(), arch))
      return fail_input(ErrorCode::NotFound,
                        "--arch knows no GPU architecture '" + sanitise(arch, 40) + "'" +
                            suggestion(arch, device::known_archs()) +
                            "; there are: " + join(device::known_archs(), ", "));
    if (!contains(archs, arch)) archs.push_back(arch);
  }
  return archs;
}

Result<Given> read_file(const Global& global, const memory::DataFiles& data,
                        const KernelExport& flags) {
  if (flags.task.empty())
    return fail_input("a kernel's file needs --task, which names the task that it computes",
                      flags.kernel);
  const TargetFlags target{flags.target, ""};
  Given given;
  given.aim = KW_TRY(target.aim(flags.kernel));
  given.definition = KW_TRY(session::open_accepted_task(global, data, flags.task));
  given.kernel = KW_TRY(session::kernel_in_file(global, flags.kernel, given.aim.target,
                                                given.definition, flags.settings));
  return given;
}

Result<Given> read_run(const Global& global, const memory::DataFiles& data,
                       const store::RunStore& store, const KernelExport& flags) {
  if (!flags.task.empty() || !flags.target.empty())
    return fail_input(
        "--task and --target go with a kernel's file; a run has its own task and target");
  Given given;
  given.run = KW_TRY(load_run(store, flags.kernel));
  const RunConfig& config = given.run->run.config;
  given.aim = {config.target, config.arch};
  given.definition = KW_TRY(session::open_task(global, data, config.task_path));
  if (given.definition.task.sha256 != config.task_sha256)
    return fail_input(
        "the task's files have changed since this run began, so its kernel cannot be exported",
        given.run->run.name);
  given.kernel =
      KW_TRY(session::best_of_run(store, given.run->run, config.target, given.definition));
  KW_TRY(session::set_knobs(given.kernel, flags.settings));
  return given;
}

Result<Given> read_given(const Global& global, const memory::DataFiles& data,
                         const KernelExport& flags) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(flags.kernel, ignored))
    return read_file(global, data, flags);
  const auto store = store::RunStore::open_to_read(global.workspace);
  if (!store)
    return fail_input(ErrorCode::NotFound,
                      "there is no file of this name, and no run, since this workspace has no runs",
                      sanitise(flags.kernel, 200));
  auto given = read_run(global, data, *store, flags);
  if (!given && given.error().code == ErrorCode::NotFound && given.error().about == flags.kernel)
    given.error().what += "; there is no such file either";
  return given;
}

std::string today() {
  return fmt::format(
      "{:%Y-%m-%d}",
      fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
}

std::string speed_of(const report::RunData& data) {
  const Speedup& s = data.confirmation ? data.confirmation->speedup : data.best->evaluation.speedup;
  if (s.value <= 0) return "not confirmed, and never timed against a baseline";
  const std::string opponent = s.baseline.empty() ? data.baseline : s.baseline;
  const std::string figures = fmt::format("{:.3f}x {} ({:.3f}–{:.3f} at {:.1f} %)", s.value,
                                          opponent, s.low, s.high, s.confidence * 100);
  return data.is_win() ? figures + ", confirmed by fresh processes, seeds and samples"
                       : figures + ", NOT CONFIRMED: the fastest correct attempt of the run";
}

/// What the comments in the exported source say about the kernel. The certificate is included only
/// if it certifies exactly this kernel.
deliver::Story story_of(const Given& given, const store::RunStore* store,
                        const KernelExport& flags) {
  deliver::Story story;
  story.date = today();
  story.licence = deliver::licence_of(given.kernel.source);
  if (!given.run) {
    story.kernel = sanitise_line(platform::Path(flags.kernel).filename().string(), 200);
    story.speed = "not known, because the exported file belongs to no run";
    return story;
  }
  const report::RunData& data = *given.run;
  story.kernel = fmt::format("attempt {} ({}) of run {}", data.run.best_attempt, given.kernel.name,
                             data.run.name);
  if (given.kernel.knobs != data.best->candidate.knobs) {
    story.speed = "not measured with these knob values, which differ from the run's";
    return story;
  }
  story.speed = speed_of(data);
  if (!data.run.started_at.empty()) story.date += ", measured " + data.run.started_at.substr(0, 10);
  story.device = sanitise_line(data.best->evaluation.machine, 200);
  if (store == nullptr) return story;
  const auto text = platform::read_file(store->folder_of(data.run) / "best" / "certificate.json");
  if (!text || !data.is_win()) return story;
  story.certificate = *text;
  return story;
}

/// Shapes for the exported tests, small enough that a float64 reference takes seconds.
Result<std::vector<Workload>> test_workloads(const task::Definition& definition, Target target) {
  constexpr std::int64_t kMostBytes = std::int64_t{64} << 20;
  constexpr std::int64_t kMostFlops = 1'000'000'000;
  constexpr std::size_t kMost = 12;
  auto resolved = KW_TRY(task::resolve(definition, target, kMostBytes));
  std::vector<Workload> chosen;
  for (Workload& w : resolved.workloads)
    if (w.work.flops <= kMostFlops && chosen.size() < kMost) chosen.push_back(std::move(w));
  if (chosen.empty())
    return fail_input("the task has no shape that is small enough for the export's test");
  return chosen;
}

std::string trouble_of(const compile::CompileResult& result) {
  return result.findings.empty()
             ? result.evidence
             : result.findings.front().place + ": " + result.findings.front().text;
}

/// The cubin for one architecture. Fails if the launch plan exceeds a limit of the architecture at
/// any shape.
Result<deliver::Built> build_for(const Given& given, compile::Compiler& compiler,
                                 const std::string& arch, const DeviceFacts& known) {
  auto unit = task::candidate_unit(given.definition.task, given.kernel, "candidate", arch);
  if (!unit) return fail_input(task::to_text(unit.error()), given.kernel.name);
  const auto result = KW_TRY(compiler.build(*unit));
  if (!result.ok())
    return fail_input("the kernel does not compile for " + arch + ": " + trouble_of(result),
                      given.kernel.name);
  unit->object = result.object;
  const GpuFacts gpu = session::limits_of(
      known.gpu.empty() || known.gpu.front().arch != arch ? DeviceFacts() : known, arch);
  const auto resolved =
      KW_TRY(task::resolve(given.definition, Target::Cuda, std::int64_t{1} << 40));
  const auto plans =
      task::candidate_plans(given.definition, given.kernel, "candidate", resolved.workloads, gpu);
  if (!plans) return fail_input(plans.error().finding.place + ": " + plans.error().finding.text);
  if (const auto fault = evaluate::check_plans(*unit, *plans, given.kernel,
                                             given.definition.task.restrictions, &gpu))
    return fail_input(fault->finding.place + ": " + fault->finding.text);
  const BuiltObject& object = unit->object.front();
  std::string cubin = KW_TRY(platform::read_file(object.path));
  return deliver::Built{arch, std::move(cubin), object.kernels};
}

/// Compiles an export for a processor, so that code that cannot stand in a namespace fails here and
/// not in the user's program.
Result<> try_out(const deliver::Delivery& d, const std::string& header,
                 compile::Compiler& compiler) {
  BuildUnit unit;
  unit.role = "candidate";
  unit.main_file = "unit.cpp";
  const std::string macro = upper_case(d.name);
  unit.files = {
      {d.name + ".h", header},
      {unit.main_file, "#define " + macro + "_IMPLEMENTATION\n#include \"" + d.name + ".h\"\n"}};
  unit.options = d.kernel.options;
  unit.libraries = d.kernel.libraries;
  const auto result = KW_TRY(compiler.build(unit));
  if (result.ok()) return {};
  return fail_input("the kernel does not compile inside a namespace, where an export puts it: " +
                        trouble_of(result) + "; --as source exports the kernel unchanged",
                    d.kernel.name);
}

Result<std::string> name_of_export(const KernelExport& flags, const Task& task) {
  const std::string name = flags.name.empty() ? "kw_" + task.name : flags.name;
  if (!is_usable_identifier(name) || name == task.function)
    return fail_input(
        "--name '" + sanitise(name, 60) +
        "' must be a C++ identifier that is not the name of the kernel's own function");
  // A global function with the name of a system library's function would replace it in the whole
  // program.
  if (::dlsym(RTLD_DEFAULT, name.c_str()) != nullptr || name.starts_with("omp_"))
    return fail_input("--name '" + name + "' is a function of a system library; take another");
  return name;
}

Result<deliver::Delivery> prepare(const Global& global, const KernelExport& flags, Form form,
                                  Given& given, const store::RunStore* store) {
  deliver::Delivery d;
  d.name = KW_TRY(name_of_export(flags, given.definition.task));
  d.story = story_of(given, store, flags);
  d.workloads = KW_TRY(test_workloads(given.definition, given.aim.target));
  auto archs = KW_TRY(archs_of(flags));
  const bool is_cuda = given.aim.target == Target::Cuda;
  if (!is_cuda && !archs.empty())
    return fail_input("--arch is for target cuda; on cpu the program's own build decides");
  if (given.kernel.trust_class == TrustClass::HostLauncher)
    return fail_input(
        "this kernel is a host launcher, which is host code already: use its source file",
        given.kernel.name);
  if (is_cuda) {
    DeviceFacts known;
    if (store != nullptr)
      known = KW_TRY(session::remembered_device(*store, Target::Cuda)).value_or(DeviceFacts());
    if (archs.empty() && !given.aim.arch.empty()) archs.push_back(given.aim.arch);
    if (archs.empty() && given.run && !given.run->run.config.gpu.empty())
      archs.push_back(given.run->run.config.gpu.front().arch);
    if (archs.empty() && !known.gpu.empty()) archs.push_back(known.gpu.front().arch);
    if (archs.empty())
      return fail_input(
          "no GPU is known here, so --arch must say which GPUs to compile for: one or more of " +
          join(device::known_archs(), ", "));
    const auto bench = KW_TRY(session::LocalJudge::open_compilers(global, given.aim));
    for (const std::string& arch : archs)
      d.built.push_back(KW_TRY(build_for(given, bench->compiler(), arch, known)));
  }
  auto header = task::parse_header(given.kernel);
  if (!header) return fail_input(task::to_text(header.error()), given.kernel.name);
  d.header = std::move(*header);
  d.definition = std::move(given.definition);
  d.kernel = std::move(given.kernel);
  if (!is_cuda && form != Form::Source) {
    const auto bench = KW_TRY(session::LocalJudge::open_compilers(global, given.aim));
    const auto files = KW_TRY(deliver::deliver(Form::Header, d));
    KW_TRY(try_out(d, files.at(d.name + ".h"), bench->compiler()));
  }
  return d;
}

std::string what_next(Form form, const deliver::Delivery& d, const platform::Path& folder) {
  const std::string at = folder.string();
  switch (form) {
    case Form::Header:
      return fmt::format(
          "use: #include \"{}.h\"; the first lines of the header say how to build it\n", d.name);
    case Form::CMake:
      return fmt::format(
          "try: cmake -S {0} -B {0}/build && cmake --build {0}/build && ctest "
          "--test-dir {0}/build\n",
          at);
    case Form::Torch:
      return fmt::format(
          "try: pip install --no-build-isolation {0} && python {0}/tests/test_{1}.py\n", at,
          d.name);
    case Form::Source:
      return "the first lines of the source say how to build it\n";
  }
  return {};
}

}  // namespace

Result<int> export_kernel(const Global& global, const KernelExport& flags) {
  const Form form = KW_TRY(form_of(flags.form));
  const auto data = KW_TRY(session::open_data(global));
  Given given = KW_TRY(read_given(global, data, flags));
  const auto store = store::RunStore::open_to_read(global.workspace);
  const auto run = given.run;
  platform::Path folder = flags.out;
  if (flags.out.empty())
    folder = run ? store->folder_of(run->run) / "export" / flags.form
                 : platform::Path(given.definition.task.name + "-" + flags.form);
  KW_TRY(check_export_folder(folder));
  const auto d = KW_TRY(prepare(global, flags, form, given, store ? &*store : nullptr));
  const auto files = KW_TRY(deliver::deliver(form, d));
  KW_TRY(write_export_folder(folder, files));
  std::vector<std::string> names, archs;
  for (const auto& [name, text] : files) names.push_back(name);
  for (const deliver::Built& built : d.built) archs.push_back(built.arch);
  const bool is_confirmed = run && run->is_win() && !d.story.certificate.empty();
  if (global.json) {
    Json object{{"form", flags.form},
                {"task", d.task().name},
                {"target", name_of(d.kernel.target)},
                {"name", d.name},
                {"kernel", d.kernel.name},
                {"knobs", d.kernel.knobs},
                {"folder", folder.string()},
                {"files", names},
                {"confirmed", is_confirmed},
                {"archs", archs}};
    object["run"] = run ? Json(run->run.name) : Json();
    std::printf("%s\n", dump_json(object).c_str());
    return kDone;
  }
  std::printf("%s\n%s\n", d.story.kernel.c_str(), d.story.speed.c_str());
  for (const std::string& name : names)
    if (name != ".kw-export") std::printf("  %s\n", (folder / name).string().c_str());
  std::printf("%s", what_next(form, d, folder).c_str());
  return kDone;
}

}  // namespace kw::cli
