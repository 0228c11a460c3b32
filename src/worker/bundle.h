// Bundles: evaluations to be made on another machine, in one file, and their results.
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

/// Increase when the meaning of a file changes; other versions are refused.
inline constexpr int kBundleVersion = 1;

struct BundledEvaluation {
  std::string key;  ///< Value of bundle_key() for the request.
  /// The request with its units built; their objects have neither path nor bytes.
  EvaluationRequest request;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("key", s.key), v("request", s.request);
  }
};

struct Bundle {
  Target target = kDefaultTarget;
  std::string processor;  ///< Processor that cpu objects were built for; others cannot run them.
  std::vector<BuildUnit> equipment;
  std::vector<BundledEvaluation> evaluations;
  /// Bytes of the objects as base64, each once, by SHA-256.
  std::map<std::string, std::string> objects;

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
  DeviceFacts facts;   ///< Device that judged, with its ceilings.
  std::vector<BundledAnswer> answers;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("bundle", s.bundle), v("facts", s.facts), v("answers", s.answers);
  }
};

/// A key that is equal for requests which ask for the same judgement: it covers everything but id,
/// seed, noise floors and the places of objects. Units must be built.
std::string bundle_key(EvaluationRequest request);

/// Adds a built request, and the bytes of its objects, each object once.
Result<> add(Bundle& bundle, std::string key, EvaluationRequest request);
Result<> add_equipment(Bundle& bundle, std::vector<BuildUnit> units);

/// Writes the objects of a bundle into `folder` and their paths into its units. Error: an object is
/// missing, or its content is not what its name says.
Result<> unpack(Bundle& bundle, const platform::Path& folder);

/// Writes the file anew, atomically. Its first line is "kernelwright-bundle VERSION SHA256 BYTES",
/// its body JSON. Returns the body's hash.
Result<std::string> write_bundle(const platform::Path& path, const Bundle& bundle);
Result<> write_results(const platform::Path& path, const BundleResults& results);

struct ReadBundle {
  Bundle bundle;
  std::string sha256;  ///< Hash of the bundle's body.
};
/// Reads and checks a file. Errors (of the input) say what is wrong: another kind of file, another
/// version, cut off, or damaged.
Result<ReadBundle> read_bundle(const platform::Path& path);
Result<BundleResults> read_results(const platform::Path& path);

/// The processor that this machine's cpu objects are built for.
std::string bundle_processor();

/// Error (of the input): this machine, whose device is `facts`, cannot run what the bundle was
/// built for.
Result<> check_fit(const Bundle& bundle, const DeviceFacts& facts);

/// Judges the evaluations of `bundle` that `out` does not answer yet, and writes `out` anew after
/// each, so that the work goes on after a kill and a restart. Reports on standard error. Returns
/// the exit code of kw-worker.
int judge_bundle(const platform::Path& bundle, const platform::Path& out);

}  // namespace kw::worker
