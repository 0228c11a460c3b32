// Files of a task folder, and the parts of task.yaml that are neither tensors nor workloads.
// SPDX-License-Identifier: Apache-2.0
#include "task/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <set>
#include <system_error>

#include "base/hash.h"
#include "task/code.h"
#include "task/header.h"
#include "task/parse.h"
#include "task/resolve.h"

namespace kw::task {
namespace {

namespace fs = std::filesystem;

constexpr const char* kReference = "reference.cpp";
constexpr const char* kReferenceFast = "reference_fast.cu";
constexpr const char* kMagnitudeFast = "magnitude_fast.cu";
constexpr std::array kTruth = {kReference, kReferenceFast, kMagnitudeFast};

Result<std::string> read_text_file(const fs::path& path) {
  std::error_code error;
  const auto status = fs::status(path, error);
  if (!fs::exists(status)) return fail("no such file", path.string(), Advice::Stop);
  if (!fs::is_regular_file(status)) return fail("not a regular file", path.string(), Advice::Stop);
  const auto size = fs::file_size(path, error);
  if (error) return fail(error.message(), path.string());
  if (size > kMaxYamlBytes)
    return fail(fmt::format("the file has {}; at most {} are read", format_bytes(size),
                            format_bytes(kMaxYamlBytes)),
                path.string(), Advice::Stop);
  std::ifstream stream(path, std::ios::binary);
  std::string text(size, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(size));
  if (!stream) return fail("cannot read the file", path.string());
  return text;
}

/// Sources in a subfolder; a missing subfolder has none.
Result<> read_sources(const fs::path& folder, const std::string& name, TaskFiles& files) {
  std::error_code error;
  for (fs::directory_iterator entry(folder / name, error), end; entry != end;
       entry.increment(error)) {
    if (error) return fail(error.message(), (folder / name).string());
    const auto extension = entry->path().extension();
    if (extension != ".cpp" && extension != ".cu") continue;
    files.texts[name + "/" + entry->path().filename().string()] =
        KW_TRY(read_text_file(entry->path()));
  }
  return {};
}

/// The tasks beside a folder that does not exist, for a suggestion.
std::vector<std::string> siblings(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  const auto parent = folder.has_parent_path() ? folder.parent_path() : fs::path(".");
  for (fs::directory_iterator entry(parent, error), end; !error && entry != end;
       entry.increment(error))
    if (fs::exists(entry->path() / "task.yaml", error))
      names.push_back(entry->path().filename().string());
  return names;
}

/// A source of the task's folder as a candidate; what is wrong with it are complaints.
std::optional<Candidate> read_candidate(const TaskFiles& files, const std::string& path,
                                        Origin origin, const Restrictions& restrictions,
                                        Complaints& complaints) {
  auto candidate = make_candidate(fs::path(path).stem().string(), files.texts.at(path), origin,
                                  restrictions, target_of_file(path).value_or(Target::Cpu));
  if (candidate) return std::move(*candidate);
  for (const Finding& finding : candidate.error()) {
    // The place starts with the candidate's name; the user needs the path.
    const auto colon = finding.place.find(':');
    const auto place = colon == std::string::npos ? ":1:1" : finding.place.substr(colon);
    complaints.add(fmt::format("{}/{}{}: {}", files.origin, path, place, finding.text));
  }
  return std::nullopt;
}

/// Baselines or hand-made candidates of one subfolder, by file name.
std::vector<Candidate> read_candidates(const TaskFiles& files, std::string_view folder,
                                       Origin origin, const Restrictions& restrictions,
                                       Complaints& complaints) {
  std::vector<Candidate> found;
  for (const auto& [path, unused] : files.texts) {
    if (!path.starts_with(folder) || !target_of_file(path)) continue;
    if (auto candidate = read_candidate(files, path, origin, restrictions, complaints))
      found.push_back(std::move(*candidate));
  }
  return found;
}

/// Evaluates every formula of every workload; a place that is wrong for many is named once.
void check_workloads(const Definition& definition, Complaints& complaints) {
  std::set<std::string> seen;
  for (const WorkloadSpec& spec : definition.workloads)
    if (const auto workload = resolve(definition, spec);
        !workload && seen.insert(workload.error().where).second)
      complaints.add(describe(workload.error()));
}

}  // namespace

Result<std::string> truth_of(const TaskFiles& files) {
  const auto text = files.texts.find("task.yaml");
  if (text == files.texts.end()) return std::string();
  const std::string file = files.origin + "/task.yaml";
  const Yaml yaml = KW_TRY(parse_yaml(text->second, file));
  const Yaml* named = yaml.find("truth_of");
  if (named == nullptr) return std::string();
  Complaints complaints;
  FileReport report(file, complaints);
  const auto name = read_identifier(report, *named, "truth_of");
  if (!complaints.empty()) return std::unexpected(complaints.to_error());
  return name.value_or("");
}

void add_truth(TaskFiles& files, const std::map<std::string, std::string>& other) {
  for (const auto* name : kTruth)
    if (const auto found = other.find(name); found != other.end()) files.texts.insert(*found);
}

Result<TaskFiles> read_task_files(const fs::path& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    const auto name = folder.filename().string();
    return fail(fmt::format("no such task folder{}", suggestion(name, siblings(folder))),
                folder.string(), Advice::Stop);
  }
  TaskFiles files;
  files.origin = folder.lexically_normal().string();
  if (files.origin.size() > 1 && files.origin.ends_with('/')) files.origin.pop_back();
  files.texts["task.yaml"] = KW_TRY(read_text_file(folder / "task.yaml"));
  const std::string truth = KW_TRY(truth_of(files));
  files.texts["shapes.yaml"] = KW_TRY(read_text_file(folder / "shapes.yaml"));
  if (truth.empty()) files.texts[kReference] = KW_TRY(read_text_file(folder / kReference));
  for (const auto* name : {kReference, "spec.md", kDraftFile, kReferenceFast, kMagnitudeFast})
    if (fs::exists(folder / name, error)) files.texts[name] = KW_TRY(read_text_file(folder / name));
  KW_TRY(read_sources(folder, "baselines", files));
  KW_TRY(read_sources(folder, "candidates", files));
  if (!truth.empty()) {
    const fs::path beside = folder / ".." / truth;
    std::map<std::string, std::string> other;
    for (const auto* name : kTruth)
      if (fs::exists(beside / name, error)) other[name] = KW_TRY(read_text_file(beside / name));
    if (other.empty())
      return fail(fmt::format("truth_of: no task '{}' beside this one", truth), files.origin,
                  Advice::Stop);
    add_truth(files, other);
  }
  return files;
}

Result<Definition> parse_task(const TaskFiles& files) {
  const auto text = [&](const char* name) -> const std::string* {
    const auto found = files.texts.find(name);
    return found == files.texts.end() ? nullptr : &found->second;
  };
  for (const auto* name : {"task.yaml", "shapes.yaml", "reference.cpp"})
    if (text(name) == nullptr) return fail("no such file", files.origin + "/" + name, Advice::Stop);
  const std::string task_file = files.origin + "/task.yaml";
  const std::string shapes_file = files.origin + "/shapes.yaml";
  const Yaml task_yaml = KW_TRY(parse_yaml(*text("task.yaml"), task_file));
  const Yaml shapes_yaml = KW_TRY(parse_yaml(*text("shapes.yaml"), shapes_file));

  Complaints complaints;
  Definition definition;
  definition.folder = files.origin;
  definition.reference = *text("reference.cpp");
  definition.task.has_magnitude = defines_function(definition.reference, "magnitude");
  if (!defines_function(definition.reference, "reference"))
    complaints.add(files.origin +
                   "/reference.cpp:1:1: defines no function template named 'reference'");
  if (const auto* spec = text("spec.md")) definition.task.spec = *spec;
  // A mark without words is one, too.
  if (const auto* draft = text(kDraftFile)) definition.draft = draft->empty() ? "draft" : *draft;

  FileReport task_report(task_file, complaints);
  parse_task_yaml(task_report, task_yaml, definition);
  FileReport shapes_report(shapes_file, complaints);
  parse_shapes_yaml(shapes_report, shapes_yaml, definition);
  const Restrictions& restrictions = definition.task.restrictions;
  definition.baselines =
      read_candidates(files, "baselines/", Origin::Baseline, restrictions, complaints);
  definition.candidates =
      read_candidates(files, "candidates/", Origin::Task, restrictions, complaints);
  const auto read_truth = [&](const char* name, std::optional<Candidate>& truth) {
    if (text(name) != nullptr)
      truth = read_candidate(files, name, Origin::Reference, restrictions, complaints);
  };
  read_truth(kReferenceFast, definition.reference_fast);
  read_truth(kMagnitudeFast, definition.magnitude_fast);
  if (text(kMagnitudeFast) != nullptr && !definition.task.has_magnitude)
    complaints.add(fmt::format("{}/{}:1:1: reference.cpp defines no magnitude to check it against",
                               files.origin, kMagnitudeFast));
  if (complaints.empty()) check_workloads(definition, complaints);
  if (!complaints.empty()) return std::unexpected(complaints.to_error());

  Sha256Stream digest;
  for (const auto* name : {"task.yaml", "shapes.yaml", "reference.cpp"})
    digest.update_part(*text(name));
  for (const auto* name : {kReferenceFast, kMagnitudeFast})
    if (text(name) != nullptr) digest.update_part(*text(name));
  definition.task.sha256 = digest.finish().hex();
  return definition;
}

}  // namespace kw::task
