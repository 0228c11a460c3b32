// Reads and writes bundles of evaluations and their results.
// SPDX-License-Identifier: Apache-2.0
#include "worker/bundle.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "base/base64.h"
#include "base/hash.h"
#include "base/text.h"
#include "compile/cpu_compiler.h"
#include "device/known_devices.h"
#include "record/bounds.h"
#include "record/codec_impl.h"
#include "record/target.h"

KW_CODEC_IS_ELSEWHERE(kw::DeviceFacts);
KW_CODEC_IS_ELSEWHERE(kw::Evaluation);
KW_CODEC_IS_ELSEWHERE(kw::EvaluationRequest);
KW_INSTANTIATE_CODEC(kw::worker::Bundle);
KW_INSTANTIATE_CODEC(kw::worker::BundleResults);

namespace kw::worker {
namespace {

constexpr std::string_view kBundleKind = "kernelwright-bundle";
constexpr std::string_view kResultsKind = "kernelwright-results";
/// Largest file that is accepted, in bytes; objects, samples and sources of thousands of
/// evaluations take less.
constexpr std::size_t kMostBytes = std::size_t{1} << 30;

/// Moves the bytes of a unit's object into the bundle; the unit keeps the object's name.
Result<> carry(Bundle& bundle, BuildUnit& unit) {
  for (BuiltObject& object : unit.object) {
    if (!bundle.objects.contains(object.sha256))
      bundle.objects[object.sha256] = base64(KW_TRY(platform::read_file(object.path)));
    object.path.clear();
  }
  return {};
}

Result<> unpack(const Bundle& bundle, BuildUnit& unit, const platform::Path& folder) {
  for (BuiltObject& object : unit.object) {
    const auto found = bundle.objects.find(object.sha256);
    if (found == bundle.objects.end())
      return fail_input(ErrorCode::Missing, About{unit.role},
                        "the bundle lacks the object of " + unit.role);
    const platform::Path path = compile::object_path(folder, object);
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) {
      const std::string bytes = KW_TRY(from_base64(found->second));
      if (sha256(bytes).hex() != object.sha256)
        return fail_input(
            ErrorCode::Malformed, About{unit.role},
            "an object of the bundle is damaged: its hash is not the one that the bundle names: " +
                unit.role);
      KW_TRY(platform::write_file_atomic(path, bytes, false));
    }
    object.path = path.string();
  }
  return {};
}

std::unexpected<Error> unfit(const BuildUnit& unit, std::string wanted, std::string_view why) {
  return fail_input(ErrorCode::Unsupported, About{std::move(wanted)},
                    fmt::format("objects of this bundle ({}) {}", unit.role, why));
}

/// Fails if this machine cannot run the unit; the error is about what the machine would have to be.
Result<> check_unit_fits(const BuildUnit& unit, const Bundle& bundle, const DeviceFacts& facts) {
  if (!row_of(unit.target).needs_arch) {
    if (unit.arch == compile::kAnyProcessor || bundle.processor == bundle_processor()) return {};
    return unfit(unit, "processor", "were built for another kind of processor than this machine's");
  }
  const std::string here = facts.gpu.empty() ? std::string() : facts.gpu.front().arch;
  if (!here.empty() && device::runs_on(unit.arch, here)) return {};
  return unfit(unit, unit.arch,
               fmt::format("were built for {}, and this {} is {}; write the bundle with --arch {}",
                           unit.arch, facts.model, here, here));
}

std::string with_head(std::string_view kind, const std::string& body) {
  return fmt::format("{} {} {} {}\n{}", kind, kBundleVersion, sha256(body).hex(), body.size(),
                     body);
}

struct Body {
  std::string text;
  std::string sha256;
};

/// Reads a file of this kind and checks its header; gives the body.
Result<Body> read_body(const platform::Path& path, std::string_view kind) {
  const std::string where = path.string();
  auto read = platform::read_file(path, kMostBytes);
  if (!read) read.error().is_input = true;  // the user named the file
  const std::string text = KW_TRY(std::move(read));
  const std::size_t end = text.find('\n');
  const auto words = split(std::string_view(text).substr(0, std::min<std::size_t>(end, 200)), ' ');
  if (end == std::string::npos || words.empty() || words[0] != kind || words.size() != 4)
    return fail_input(ErrorCode::Malformed, About{std::string(kind)},
                      fmt::format("this is no {} file", kind), where);
  if (words[1] != std::to_string(kBundleVersion))
    return fail_input(ErrorCode::OtherBuild, About{sanitise(words[1], 20)},
                      fmt::format("the file is of version {}, this program reads version {}",
                                  sanitise(words[1], 20), kBundleVersion),
                      where);
  std::size_t bytes = 0;
  std::from_chars(words[3].data(), words[3].data() + words[3].size(), bytes);
  Body body{text.substr(end + 1), std::string(words[2])};
  if (body.text.size() < bytes)
    return fail_input(ErrorCode::Malformed, About{"end"},
                      "the file of the bundle or its results is cut off", where);
  if (body.text.size() != bytes || sha256(body.text).hex() != body.sha256)
    return fail_input(ErrorCode::Malformed, About{"checksum"},
                      "the file is damaged: it does not have the checksum that it names", where);
  return body;
}

/// The error as an input error about this file.
template <class T>
Result<T> in_file(Result<T> read, const platform::Path& path) {
  if (!read) {
    Error& error = read.error();
    if (!error.where.empty()) error.what = error.where + ": " + error.what;
    error.where = path.string();
    error.is_input = true;
  }
  return read;
}

}  // namespace

std::string bundle_key(EvaluationRequest request) {
  request.id.clear();
  request.seed = 0;
  request.measure.noise_floors.clear();
  request.measure.wall_ns = 0;
  request.known_objects.clear();
  for (BuildUnit& unit : request.units)
    for (BuiltObject& object : unit.object) object.path.clear(), object.log.clear();
  return sha256(encode(request)).hex();
}

Result<> add(Bundle& bundle, std::string key, EvaluationRequest request) {
  for (BuildUnit& unit : request.units) KW_TRY(carry(bundle, unit));
  bundle.evaluations.push_back({std::move(key), std::move(request)});
  return {};
}

Result<> add_equipment(Bundle& bundle, std::vector<BuildUnit> units) {
  for (BuildUnit& unit : units) KW_TRY(carry(bundle, unit));
  bundle.equipment = std::move(units);
  return {};
}

Result<> unpack(Bundle& bundle, const platform::Path& folder) {
  for (BuildUnit& unit : bundle.equipment) KW_TRY(unpack(bundle, unit, folder));
  for (BundledEvaluation& evaluation : bundle.evaluations)
    for (BuildUnit& unit : evaluation.request.units) KW_TRY(unpack(bundle, unit, folder));
  return {};
}

Result<std::string> write_bundle(const platform::Path& path, const Bundle& bundle) {
  const std::string body = encode(bundle);
  KW_TRY(platform::write_file_atomic(path, with_head(kBundleKind, body)));
  return sha256(body).hex();
}

Result<> write_results(const platform::Path& path, const BundleResults& results) {
  return platform::write_file_atomic(path, with_head(kResultsKind, encode(results)));
}

Result<ReadBundle> read_bundle(const platform::Path& path) {
  const Body body = KW_TRY(read_body(path, kBundleKind));
  ReadBundle read{KW_TRY(in_file(decode<Bundle>(body.text), path)), body.sha256};
  if (read.bundle.evaluations.empty())
    return fail(ErrorCode::Missing, About{"evaluations"}, "the bundle holds no evaluation",
                path.string());
  for (const BuildUnit& unit : read.bundle.equipment) KW_TRY(in_file(check_unit(unit), path));
  for (const BundledEvaluation& e : read.bundle.evaluations)
    KW_TRY(in_file(check_request(e.request), path));
  return read;
}

Result<BundleResults> read_results(const platform::Path& path) {
  auto results =
      KW_TRY(in_file(decode<BundleResults>(KW_TRY(read_body(path, kResultsKind)).text), path));
  KW_TRY(in_file(check_facts(results.facts), path));
  for (const BundledAnswer& answer : results.answers)
    KW_TRY(in_file(check_evaluation(answer.evaluation), path));
  return results;
}

std::string bundle_processor() {
  const auto cpuinfo = platform::read_file("/proc/cpuinfo");
  return cpuinfo ? compile::processor_identity(*cpuinfo) : std::string();
}

Result<> check_fit(const Bundle& bundle, const DeviceFacts& facts) {
  std::vector<const BuildUnit*> units;
  for (const BuildUnit& unit : bundle.equipment) units.push_back(&unit);
  for (const BundledEvaluation& e : bundle.evaluations)
    for (const BuildUnit& unit : e.request.units) units.push_back(&unit);
  for (const BuildUnit* unit : units) KW_TRY(check_unit_fits(*unit, bundle, facts));
  return {};
}

}  // namespace kw::worker
