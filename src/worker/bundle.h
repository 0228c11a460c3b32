// Bundles: pending evaluations in one file for a machine that is elsewhere, and what came of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "platform/files.h"
#include "record/device.h"
#include "record/evaluation.h"

namespace kw::worker {

/// Raised whenever a file changes its meaning; other versions are refused.
inline constexpr int kBundleVersion = 1;

struct BundledEvaluation {
  std::string key;            ///< bundle_key() of the request.
  EvaluationRequest request;  ///< Units built; their objects have neither path nor bytes.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("key", s.key), v("request", s.request);
  }
};

struct Bundle {
  Target target = Target::Cpu;
  std::string processor;  ///< What cpu objects were built for; others cannot run them.
  std::vector<BuildUnit> equipment;
  std::vector<BundledEvaluation> evaluations;
  std::map<std::string, std::string> objects;  ///< By SHA-256: bytes as base64, each once.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("target", s.target), v("processor", s.processor), v("equipment", s.equipment),
        v("evaluations", s.evaluations), v("objects", s.objects);
  }
};

struct BundledAnswer {
  std::string key;
  Evaluation evaluation;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("key", s.key), v("evaluation", s.evaluation);
  }
};

struct BundleResults {
  std::string bundle;  ///< SHA-256 of the bundle's body.
  DeviceFacts facts;   ///< Where it was judged, ceilings included.
  std::vector<BundledAnswer> answers;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("bundle", s.bundle), v("facts", s.facts), v("answers", s.answers);
  }
};

/// Equal for requests that ask for the same judgement: all but id, seed, noise floors and where
/// objects lie. Units must be built.
std::string bundle_key(EvaluationRequest request);

/// Takes over a built request and the bytes of its objects, each object once.
Result<> add(Bundle& bundle, std::string key, EvaluationRequest request);
Result<> add_equipment(Bundle& bundle, std::vector<BuildUnit> units);

/// Puts the objects of a bundle into `folder` and their paths into its units. Error: an object that
/// is missing or is not what its name says.
Result<> unpack(Bundle& bundle, const platform::Path& folder);

/// Replaces the file as a whole. Its first line is "kernelwright-bundle VERSION SHA256 BYTES", the
/// body JSON. Returns the body's hash.
Result<std::string> write_bundle(const platform::Path& path, const Bundle& bundle);
Result<> write_results(const platform::Path& path, const BundleResults& results);

struct ReadBundle {
  Bundle bundle;
  std::string sha256;  ///< Of its body.
};
/// Errors (of the input) say what is wrong: no such kind of file, another version, cut off,
/// damaged.
Result<ReadBundle> read_bundle(const platform::Path& path);
Result<BundleResults> read_results(const platform::Path& path);

/// What this machine's cpu objects are built for.
std::string bundle_processor();

/// Error (of the input): this machine, whose device is `facts`, cannot run what the bundle was
/// built for.
Result<> check_fit(const Bundle& bundle, const DeviceFacts& facts);

/// Judges what `out` does not answer yet, writing `out` anew after each: killed and started again
/// it goes on. Says on standard error what it does. Returns the exit code of kw-worker.
int judge_bundle(const platform::Path& bundle, const platform::Path& out);

}  // namespace kw::worker
