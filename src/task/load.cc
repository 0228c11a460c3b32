// Reads the files of a task folder, and those parts of task.yaml that are neither tensors nor
// workloads.
// SPDX-License-Identifier: Apache-2.0
#include "task/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <set>
#include <system_error>

#include "base/byte_order_mark.h"
#include "base/hash.h"
#include "base/with_nearest.h"
#include "record/coded_inputs.h"
#include "record/target.h"
#include "task/code.h"
#include "task/header.h"
#include "task/narrowed.h"
#include "task/parse.h"
#include "task/resolve.h"

namespace kw::task {
namespace {

namespace fs = std::filesystem;

constexpr const char* kReference = "reference.cpp";
constexpr const char* kReferenceFast = "reference_fast.cu";
constexpr const char* kMagnitudeFast = "magnitude_fast.cu";
/// The files that a task cannot be without.
constexpr std::array kNeeded = {"task.yaml", "shapes.yaml", kReference};
constexpr std::array kTruth = {kReference, kReferenceFast, kMagnitudeFast, kInitFile};

Result<std::string> read_text_file(const fs::path& path) {
  std::error_code error;
  const auto status = fs::status(path, error);
  if (!fs::exists(status))
    return fail_input(ErrorCode::NotFound, "there is no such file", path.string());
  if (!fs::is_regular_file(status))
    return fail_input(ErrorCode::BadInput, About{"regular file"}, "this is not a regular file",
                      path.string());
  const auto size = fs::file_size(path, error);
  if (error) return fail_input(ErrorCode::Io, error.message(), path.string());
  if (size > kMaxYamlBytes)
    return fail_input(ErrorCode::TooLarge, About{format_bytes(kMaxYamlBytes)},
                      fmt::format("the file of the task has {}; at most {} are read",
                                  format_bytes(size), format_bytes(kMaxYamlBytes)),
                      path.string());
  std::ifstream stream(path, std::ios::binary);
  std::string text(size, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(size));
  if (!stream)
    return fail_input(ErrorCode::Io, "this file of the task cannot be read", path.string());
  if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
  return text;
}

/// Reads the kernel sources in a subfolder of the task; a missing subfolder is no error.
Result<> read_sources(const fs::path& folder, const std::string& name, TaskFiles& files) {
  std::error_code error;
  for (fs::directory_iterator entry(folder / name, error), end; entry != end;
       entry.increment(error)) {
    if (error) return fail_input(ErrorCode::Io, error.message(), (folder / name).string());
    if (!target_of_file(entry->path().filename().string())) continue;
    files.texts[name + "/" + entry->path().filename().string()] =
        KW_TRY(read_text_file(entry->path()));
  }
  return {};
}

/// A task name that a key of task.yaml gives, and where it stands; the name is empty if the key is
/// missing.
struct Named {
  std::string name;
  std::string key;
  std::string where;

  std::unexpected<Error> refusal(About about, std::string_view message) const {
    return fail_input(ErrorCode::BadInput, std::move(about), fmt::format("{}: {}", key, message),
                      where);
  }
};

Result<Named> named_in(const TaskFiles& files, const char* path, const char* key) {
  const auto text = files.texts.find(path);
  // Most task.yaml files lack the key, and parsing a file takes a millisecond.
  if (text == files.texts.end() || !text->second.contains(key)) return Named();
  const std::string file = files.place_of(path);
  const Yaml yaml = KW_TRY(parse_yaml(text->second, file));
  const Yaml* named = yaml.find(key);
  if (named == nullptr) return Named();
  Complaints complaints;
  FileReport report(file, complaints);
  const auto name = read_identifier(report, *named, key);
  if (!complaints.empty()) return std::unexpected(complaints.to_error());
  return Named{name.value_or(""), key,
               fmt::format("{}:{}:{}", file, named->place.line, named->place.column)};
}

Result<TaskFiles> files_named(const Named& named,
                              const std::function<Result<TaskFiles>(std::string_view)>& beside) {
  TaskFiles other = KW_TRY(beside(named.name));
  if (other.texts.empty())
    return named.refusal(
        About{fmt::format("{}: {}", named.key, named.name)},
        fmt::format("'like' names the task '{}', which has no folder beside this one", named.name));
  return other;
}

/// Reads the files directly in the task's folder; only task.yaml is required.
Result<TaskFiles> read_folder(const fs::path& folder) {
  TaskFiles files;
  files.origin = folder.lexically_normal().string();
  if (files.origin.size() > 1 && files.origin.ends_with('/')) files.origin.pop_back();
  files.texts["task.yaml"] = KW_TRY(read_text_file(folder / "task.yaml"));
  std::error_code error;
  for (const auto* name : {"shapes.yaml", kReference, "spec.md", kDraftFile, kReferenceFast,
                           kMagnitudeFast, kInitFile})
    if (fs::exists(folder / name, error)) files.texts[name] = KW_TRY(read_text_file(folder / name));
  KW_TRY(read_sources(folder, "baselines", files));
  KW_TRY(read_sources(folder, "candidates", files));
  return files;
}

/// Makes a candidate from a source in the task's folder; errors in the source become complaints.
std::optional<Candidate> read_candidate(const TaskFiles& files, const std::string& path,
                                        Origin origin, const Definition& definition,
                                        Complaints& complaints) {
  const Target target = target_of_file(path).value_or(kDefaultTarget);
  auto candidate = make_candidate(fs::path(path).stem().string(),
                                  with_overload(definition, files.texts.at(path), target), origin,
                                  definition.task.restrictions, target);
  if (candidate) return std::move(*candidate);
  for (const Finding& finding : candidate.error()) {
    // The diagnostic's place starts with the candidate's name; the user needs the file's path
    // instead.
    const auto colon = finding.place.find(':');
    const auto place = colon == std::string::npos ? ":1:1" : finding.place.substr(colon);
    complaints.add(files.place_of(path) + place, About{finding.about}, finding.text);
  }
  return std::nullopt;
}

/// The baselines or hand-made candidates of one subfolder, by file name.
std::vector<Candidate> read_candidates(const TaskFiles& files, std::string_view folder,
                                       Origin origin, const Definition& definition,
                                       Complaints& complaints) {
  std::vector<Candidate> found;
  for (const auto& [path, unused] : files.texts) {
    if (!path.starts_with(folder) || !target_of_file(path)) continue;
    if (auto candidate = read_candidate(files, path, origin, definition, complaints))
      found.push_back(std::move(*candidate));
  }
  return found;
}

/// Evaluates every formula of every workload. A formula that fails for several workloads is
/// reported once.
void check_workloads(const Definition& definition, Complaints& complaints) {
  std::set<std::string> seen;
  for (const WorkloadSpec& spec : definition.workloads)
    if (const auto workload = resolve(definition, spec);
        !workload && seen.insert(workload.error().where).second)
      complaints.add(workload.error().where, About{workload.error().about}, workload.error().what);
}

/// The longest allowed chain of variants of variants; more levels would be hard for people to
/// follow.
constexpr int kMostLikes = 3;

/// Paths of the task.yaml of this task, of the task that it is based on (`like`), and so on, as far
/// as `files` has them.
std::vector<std::string> chain_of(const TaskFiles& files) {
  std::vector<std::string> chain;
  for (std::string path = "task.yaml"; files.texts.contains(path); path = "like/" + path)
    chain.push_back(path);
  return chain;
}

/// Adds the files that a variant takes from the tasks it is based on; `deeper` is how many more
/// levels of `like` are allowed.
Result<> borrow_within(TaskFiles& files,
                       const std::function<Result<TaskFiles>(std::string_view)>& beside,
                       int deeper) {
  const auto lend = [&files](const std::string& lender, const std::string& text, std::string as) {
    if (files.texts.try_emplace(as, text).second) files.lenders[std::move(as)] = lender;
  };
  const Named like = KW_TRY(named_in(files, "task.yaml", "like"));
  if (!like.name.empty()) {
    if (deeper == 0)
      return like.refusal(
          About{fmt::format("like: at most {}", kMostLikes)},
          fmt::format("more than {} tasks are 'like' one another in a chain", kMostLikes));
    TaskFiles other = KW_TRY(files_named(like, beside));
    KW_TRY(borrow_within(other, beside, deeper - 1));
    // The variant's own spec.md is put before the spec.md of the task that it is based on.
    if (const auto spec = other.texts.find("spec.md"); spec != other.texts.end())
      if (const auto own = files.texts.find("spec.md"); own != files.texts.end())
        own->second += "\n" + spec->second;
    for (const auto& [path, text] : other.texts) {
      if (path.starts_with("candidates/")) continue;
      const auto lender = other.lenders.find(path);
      lend(lender == other.lenders.end() ? like.name : lender->second, text,
           path.ends_with("task.yaml") ? "like/" + path : path);
    }
  }
  const Named truth = KW_TRY(named_in(files, "task.yaml", "truth_of"));
  if (truth.name.empty()) return {};
  const TaskFiles other = KW_TRY(files_named(truth, beside));
  for (const auto* name : kTruth)
    if (const auto found = other.texts.find(name); found != other.texts.end())
      lend(truth.name, found->second, name);
  return {};
}

const std::string* find_text(const TaskFiles& files, const std::string& name) {
  const auto found = files.texts.find(name);
  return found == files.texts.end() ? nullptr : &found->second;
}

Result<Yaml> parse_file(const TaskFiles& files, const std::string& name) {
  return parse_yaml(*find_text(files, name), files.place_of(name));
}

/// The definition with what stands outside of the task's YAML files, save the kernels.
Definition begin_definition(const TaskFiles& files, Complaints& complaints) {
  Definition definition;
  definition.folder = files.origin;
  definition.reference = *find_text(files, kReference);
  definition.task.has_magnitude = defines_function(definition.reference, "magnitude");
  if (!defines_function(definition.reference, "reference"))
    complaints.add(files.place_of(kReference) + ":1:1", About{"reference"},
                   "this file defines no function template named 'reference'");
  if (const auto* init = find_text(files, kInitFile)) definition.init = *init;
  if (const auto* spec = find_text(files, "spec.md")) definition.task.spec = *spec;
  // Even an empty DRAFT.md marks the task as a draft.
  if (const auto* draft = find_text(files, kDraftFile))
    definition.draft = draft->empty() ? "draft" : *draft;
  return definition;
}

/// Reads the task.yaml at the end of the chain, and applies what the variants before it change.
Result<> read_chain(const TaskFiles& files, const std::vector<std::string>& chain,
                    const std::vector<Yaml>& yamls, Definition& definition,
                    Complaints& complaints) {
  // The variant's dtype is read before the file of the task on which it is based, because the dtype
  // applies to the tensors declared there.
  for (std::size_t i = 0; i + 1 < chain.size(); ++i) {
    definition.like.push_back(KW_TRY(named_in(files, chain[i].c_str(), "like")).name);
    FileReport report(files.place_of(chain[i]), complaints);
    if (!definition.real) parse_variant_dtype(report, yamls[i], definition);
  }
  FileReport main_report(definition.file, complaints);
  parse_task_yaml(main_report, yamls.back(), definition);
  for (std::size_t i = chain.size() - 1; i-- > 0;) {
    FileReport report(files.place_of(chain[i]), complaints);
    parse_variant_yaml(report, yamls[i], definition);
  }
  if (complaints.empty()) {
    definition.reference = reference_with_overloads(definition, definition.reference);
    definition.task.spec = without_wider(definition, definition.task.spec);
  }
  return {};
}

/// The first values of the task, of a workload or of a timed one that init.cpp computes.
const ValuesSpec* first_coded(const Definition& definition) {
  const auto is_coded = [](const ValuesSpec& values) { return values.kind == kCodedKind; };
  for (const TensorSpec& tensor : definition.tensors)
    if (is_coded(tensor.values)) return &tensor.values;
  const auto find = [&](const std::map<std::string, ValuesSpec>& values) {
    const auto found =
        std::ranges::find_if(values, is_coded, &std::pair<const std::string, ValuesSpec>::second);
    return found == values.end() ? nullptr : &found->second;
  };
  for (const WorkloadSpec& workload : definition.workloads)
    if (const ValuesSpec* found = find(workload.values)) return found;
  return find(definition.timed.values);
}

/// Compares init.cpp with what the task says of its values.
void check_init(const TaskFiles& files, const Definition& definition, Complaints& complaints) {
  const ValuesSpec* coded = first_coded(definition);
  if (coded != nullptr && definition.init.empty())
    complaints.add(
        files.place_of("task.yaml") + ":1:1", About{kInitFile},
        fmt::format("values have the kind '{}', and the task has no {}", kCodedKind, kInitFile));
  if (find_text(files, kInitFile) == nullptr) return;
  if (!defines_function(definition.init, "init"))
    complaints.add(files.place_of(kInitFile) + ":1:1", About{"init"},
                   "this file defines no function named 'init'");
  // A variant may do without what it takes from the task on which it is based.
  if (coded == nullptr && !files.lenders.contains(kInitFile))
    complaints.add(files.place_of(kInitFile) + ":1:1", About{kCodedKind},
                   fmt::format("no tensor takes its values from this file: write 'values: {{ kind: "
                               "{} }}' to those that it fills",
                               kCodedKind));
}

/// Reads the baselines, the task's own candidates, and the device code of its truth.
void read_kernels(const TaskFiles& files, Definition& definition, Complaints& complaints) {
  definition.baselines =
      read_candidates(files, "baselines/", Origin::Baseline, definition, complaints);
  definition.candidates =
      read_candidates(files, "candidates/", Origin::Task, definition, complaints);
  const auto read_truth = [&](const char* name, std::optional<Candidate>& truth) {
    if (find_text(files, name) != nullptr)
      truth = read_candidate(files, name, Origin::Reference, definition, complaints);
  };
  read_truth(kReferenceFast, definition.reference_fast);
  read_truth(kMagnitudeFast, definition.magnitude_fast);
  if (find_text(files, kMagnitudeFast) != nullptr && !definition.task.has_magnitude)
    complaints.add(files.place_of(kMagnitudeFast) + ":1:1", About{"magnitude"},
                   "reference.cpp defines no magnitude to check it against");
}

/// The digest of all files that say what the task is.
std::string digest_of(const TaskFiles& files, const std::vector<std::string>& chain) {
  Sha256Stream digest;
  for (const auto* name : kNeeded) digest.update_part(*find_text(files, name));
  for (const auto* name : {kReferenceFast, kMagnitudeFast, kInitFile})
    if (const auto* text = find_text(files, name)) digest.update_part(*text);
  for (std::size_t i = 1; i < chain.size(); ++i) digest.update_part(*find_text(files, chain[i]));
  return digest.finish().hex();
}

}  // namespace

std::vector<std::string> tasks_beside(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  const auto parent = folder.has_parent_path() ? folder.parent_path() : fs::path(".");
  for (fs::directory_iterator entry(parent, error), end; !error && entry != end;
       entry.increment(error))
    if (fs::exists(entry->path() / "task.yaml", error))
      names.push_back(entry->path().filename().string());
  return names;
}

std::string TaskFiles::place_of(const std::string& path) const {
  const auto lender = lenders.find(path);
  if (lender == lenders.end()) return origin + "/" + path;
  const std::string file = path.ends_with(kLikeFile) ? "task.yaml" : path;
  return (fs::path(origin) / ".." / lender->second / file).lexically_normal().string();
}

Result<std::string> truth_of(const TaskFiles& files) {
  std::string nearest;
  for (const std::string& path : chain_of(files)) {
    const Named truth = KW_TRY(named_in(files, path.c_str(), "truth_of"));
    if (!truth.name.empty()) return truth.name;
    const Named like = KW_TRY(named_in(files, path.c_str(), "like"));
    if (!like.name.empty()) nearest = like.name;
  }
  return nearest;
}

Result<> borrow(TaskFiles& files,
                const std::function<Result<TaskFiles>(std::string_view)>& beside) {
  return borrow_within(files, beside, kMostLikes);
}

Result<TaskFiles> read_task_files(const fs::path& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    const auto name = folder.filename().string();
    return fail_input(
        ErrorCode::NotFound, About{with_nearest(name, tasks_beside(folder))},
        fmt::format("there is no such task folder{}", suggestion(name, tasks_beside(folder))),
        folder.string());
  }
  TaskFiles files = KW_TRY(read_folder(folder));
  KW_TRY(borrow(files, [&](std::string_view name) -> Result<TaskFiles> {
    const fs::path other = folder / ".." / name;
    if (!fs::exists(other / "task.yaml", error)) return TaskFiles();
    return read_folder(other);
  }));
  return files;
}

Result<Definition> parse_task(const TaskFiles& files) {
  for (const auto* name : kNeeded)
    if (find_text(files, name) == nullptr)
      return fail_input(ErrorCode::Missing, About{name}, "the task lacks this file",
                        files.place_of(name));
  const std::vector<std::string> chain = chain_of(files);
  std::vector<Yaml> yamls;
  for (const std::string& path : chain) yamls.push_back(KW_TRY(parse_file(files, path)));
  const Yaml shapes_yaml = KW_TRY(parse_file(files, "shapes.yaml"));

  Complaints complaints;
  Definition definition = begin_definition(files, complaints);
  definition.file = files.place_of(chain.back());
  KW_TRY(read_chain(files, chain, yamls, definition, complaints));
  FileReport shapes_report(files.place_of("shapes.yaml"), complaints);
  // If task.yaml cannot be read, the dims that a workload must set are unknown, so shapes.yaml is
  // not read.
  if (yamls.front().kind == Yaml::Kind::Mapping)
    parse_shapes_yaml(shapes_report, shapes_yaml, definition);
  read_kernels(files, definition, complaints);
  check_init(files, definition, complaints);
  if (complaints.empty()) check_workloads(definition, complaints);
  if (!complaints.empty()) return std::unexpected(complaints.to_error());
  definition.task.sha256 = digest_of(files, chain);
  return definition;
}

}  // namespace kw::task
