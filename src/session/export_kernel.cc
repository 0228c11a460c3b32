// Compiles kernels for export, and writes what another program builds.
// SPDX-License-Identifier: Apache-2.0
#include "session/export_kernel.h"

#include <dlfcn.h>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <utility>

#include "base/foreign_text.h"
#include "base/letter_case.h"
#include "base/text.h"
#include "evaluate/plan_check.h"
#include "record/target.h"
#include "session/export_folder.h"
#include "session/given_kernel.h"
#include "session/judging/local_judge.h"
#include "session/stored_run.h"
#include "session/tasks.h"
#include "task/plan_resolve.h"
#include "task/resolve.h"
#include "task/units.h"

namespace kw::session {
namespace {

using deliver::Form;

/// What a request names, loaded: a run's best kernel or a kernel file.
struct Exportable {
  std::optional<report::RunData> run;  ///< Nothing: the kernel comes from a file.
  task::Definition definition;
  Aim aim;
  Candidate kernel;
};

Result<Exportable> read_file(const Options& options, const memory::DataFiles& data,
                             const ExportRequest& request) {
  if (request.task.empty())
    return fail_input(ErrorCode::Missing, About{"--task"},
                      "a kernel's file needs --task, which names the task that it computes",
                      request.kernel);
  Exportable given;
  given.aim = *request.aim;
  given.definition = KW_TRY(open_accepted_task(options, data, request.task));
  given.kernel = KW_TRY(kernel_in_file(options, request.kernel, given.aim.target, given.definition,
                                       request.settings));
  return given;
}

Result<Exportable> read_run(const Options& options, const memory::DataFiles& data,
                            const store::RunStore& store, const ExportRequest& request) {
  if (!request.task.empty() || request.aim)
    return fail_input(
        ErrorCode::Contradiction, About{"--task"},
        "--task and --target go with a kernel's file; a run has its own task and target");
  Exportable given;
  given.run = KW_TRY(load_run(store, request.kernel));
  const RunConfig& config = given.run->run.config;
  given.aim = {config.target, config.arch};
  given.definition = KW_TRY(open_task(options, data, config.task_path));
  if (given.definition.task.sha256 != config.task_sha256)
    return fail_input(
        ErrorCode::Changed, About{"task"},
        "the task's files have changed since this run began, so its kernel cannot be exported",
        given.run->run.name);
  given.kernel = KW_TRY(best_of_run(store, given.run->run, config.target, given.definition));
  KW_TRY(set_knobs(given.kernel, request.settings));
  return given;
}

Result<Exportable> read_given(const Options& options, const memory::DataFiles& data,
                              const ExportRequest& request) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(request.kernel, ignored))
    return read_file(options, data, request);
  const auto store = store::RunStore::open_to_read(options.workspace);
  if (!store)
    return fail_input(ErrorCode::NotFound,
                      "there is no file of this name, and no run, since this workspace has no runs",
                      sanitise(request.kernel, 200));
  auto given = read_run(options, data, *store, request);
  if (!given && given.error().code == ErrorCode::NotFound && given.error().about == request.kernel)
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
deliver::Story story_of(const Exportable& given, const store::RunStore* store,
                        const ExportRequest& request) {
  deliver::Story story;
  story.date = today();
  story.licence = deliver::licence_of(given.kernel.source);
  if (!given.run) {
    story.kernel = sanitise_line(platform::Path(request.kernel).filename().string(), 200);
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
    return fail_input(ErrorCode::Missing, About{"shape"},
                      "the task has no shape that is small enough for the export's test");
  return chosen;
}

std::string trouble_of(const compile::CompileResult& result) {
  return result.findings.empty()
             ? result.evidence
             : result.findings.front().place + ": " + result.findings.front().text;
}

/// The cubin for one architecture. Fails if the launch plan exceeds a limit of the architecture at
/// any shape.
Result<deliver::Built> build_for(const Exportable& given, compile::Compiler& compiler,
                                 const std::string& arch, const DeviceFacts& known) {
  auto unit = task::candidate_unit(given.definition.task, given.kernel, "candidate", arch);
  if (!unit)
    return fail_input(ErrorCode::BadInput, About{"unit"}, task::to_text(unit.error()),
                      given.kernel.name);
  const auto result = KW_TRY(compiler.build(*unit));
  if (!result.ok())
    return fail_input(ErrorCode::DoesNotCompile, About{arch},
                      "the kernel does not compile for " + arch + ": " + trouble_of(result),
                      given.kernel.name);
  unit->object = result.object;
  const GpuFacts gpu =
      limits_of(known.gpu.empty() || known.gpu.front().arch != arch ? DeviceFacts() : known, arch);
  const auto resolved =
      KW_TRY(task::resolve(given.definition, given.kernel.target, std::int64_t{1} << 40));
  const auto plans =
      task::candidate_plans(given.definition, given.kernel, "candidate", resolved.workloads, gpu);
  if (!plans)
    return fail_input(ErrorCode::BadInput, About{"plan"},
                      plans.error().finding.place + ": " + plans.error().finding.text);
  if (const auto fault = evaluate::check_plans(*unit, *plans, given.kernel,
                                               given.definition.task.restrictions, &gpu))
    return fail_input(ErrorCode::BadInput, About{"launch"},
                      fault->finding.place + ": " + fault->finding.text);
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
  return fail_input(ErrorCode::DoesNotCompile, About{"namespace"},
                    "the kernel does not compile inside a namespace, where an export puts it: " +
                        trouble_of(result) + "; --as source exports the kernel unchanged",
                    d.kernel.name);
}

Result<std::string> name_of_export(const ExportRequest& request, const Task& task) {
  const std::string name = request.name.empty() ? "kw_" + task.name : request.name;
  if (!is_usable_identifier(name) || name == task.function)
    return fail_input(
        ErrorCode::BadInput, About{"--name"},
        "--name '" + sanitise(name, 60) +
            "' must be a C++ identifier that is not the name of the kernel's own function");
  // A options function with the name of a system library's function would replace it in the whole
  // program.
  if (::dlsym(RTLD_DEFAULT, name.c_str()) != nullptr || name.starts_with("omp_"))
    return fail_input(ErrorCode::Exists, About{"--name"},
                      "--name '" + name + "' is a function of a system library; take another");
  return name;
}

Result<deliver::Delivery> prepare(const Options& options, const ExportRequest& request, Form form,
                                  Exportable& given, const store::RunStore* store) {
  deliver::Delivery d;
  d.name = KW_TRY(name_of_export(request, given.definition.task));
  d.story = story_of(given, store, request);
  d.workloads = KW_TRY(test_workloads(given.definition, given.aim.target));
  auto archs = request.archs;
  const bool needs_arch = row_of(given.aim.target).needs_arch;
  if (!needs_arch && !archs.empty())
    return fail_input(ErrorCode::Contradiction, About{"--arch"},
                      "--arch is for target cuda; on cpu the program's own build decides");
  if (given.kernel.trust_class == TrustClass::HostLauncher)
    return fail_input(
        ErrorCode::Unsupported, About{"host launcher"},
        "this kernel is a host launcher, which is host code already: use its source file",
        given.kernel.name);
  if (needs_arch) {
    DeviceFacts known;
    if (store != nullptr)
      known = KW_TRY(remembered_device(*store, given.aim.target)).value_or(DeviceFacts());
    if (archs.empty() && !given.aim.arch.empty()) archs.push_back(given.aim.arch);
    if (archs.empty() && given.run && !given.run->run.config.gpu.empty())
      archs.push_back(given.run->run.config.gpu.front().arch);
    if (archs.empty() && !known.gpu.empty()) archs.push_back(known.gpu.front().arch);
    if (archs.empty())
      return fail_input(
          ErrorCode::Missing, About{"--arch"},
          "no GPU is known here, so --arch must say which GPUs to compile for: one or more of " +
              join(known_archs(), ", "));
    const auto bench = KW_TRY(LocalJudge::open_compilers(options, given.aim));
    for (const std::string& arch : archs)
      d.built.push_back(KW_TRY(build_for(given, bench->compiler(), arch, known)));
  }
  auto header = task::parse_header(given.kernel);
  if (!header)
    return fail_input(ErrorCode::BadInput, About{"header"}, task::to_text(header.error()),
                      given.kernel.name);
  d.header = std::move(*header);
  d.definition = std::move(given.definition);
  d.kernel = std::move(given.kernel);
  if (!needs_arch && form != Form::Source) {
    const auto bench = KW_TRY(LocalJudge::open_compilers(options, given.aim));
    const auto files = KW_TRY(deliver::deliver(Form::Header, d));
    KW_TRY(try_out(d, files.at(d.name + ".h"), bench->compiler()));
  }
  return d;
}

}  // namespace

Result<ExportedKernel> export_kernel(const Options& options, const ExportRequest& request) {
  const auto data = KW_TRY(open_data(options));
  Exportable given = KW_TRY(read_given(options, data, request));
  const auto store = store::RunStore::open_to_read(options.workspace);
  const auto run = given.run;
  const std::string form(name_of(request.form));
  ExportedKernel result;
  result.folder = request.out;
  if (request.out.empty())
    result.folder = run ? store->folder_of(run->run) / "export" / form
                        : platform::Path(given.definition.task.name + "-" + form);
  KW_TRY(check_export_folder(result.folder));
  result.delivery =
      KW_TRY(prepare(options, request, request.form, given, store ? &*store : nullptr));
  const auto files = KW_TRY(deliver::deliver(request.form, result.delivery));
  KW_TRY(write_export_folder(result.folder, files));
  for (const auto& [name, text] : files) result.files.push_back(name);
  if (run) result.run = run->run.name;
  result.is_confirmed = run && run->is_win() && !result.delivery.story.certificate.empty();
  return result;
}

}  // namespace kw::session
