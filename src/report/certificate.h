// Reads certificates from any source: which kernel a certificate is about, and which speedup it
// claims.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "record/evaluation.h"
#include "record/terms.h"

namespace kw::report {

/// Size of the largest certificate that is read. A certificate contains some thousand samples,
/// which take one or two megabytes.
inline constexpr std::size_t kMostCertificateBytes = std::size_t{64} << 20;

/// The part of a certificate that says which kernel is claimed to be faster than which baseline,
/// and by how much.
struct Certificate {
  std::string task;         ///< The task's name, checked to lead to no path outside its folder.
  std::string task_sha256;  ///< Empty in certificates of kw specialise.
  Target target = kDefaultTarget;
  std::string kernel;         ///< Name of the candidate.
  std::string source_sha256;  ///< Hash of the kernel's file beside the certificate.
  std::string baseline;       ///< Name of the opponent.
  Speedup claim;              ///< Speedup over `baseline`; is_faster is true.
  std::string machine;        ///< Model of the processor or GPU; may be empty.
};

/// Parses the text of a certificate.json from a run or from kw specialise. Errors are caused by the
/// input and name the place: the text is not JSON or nested too deeply, a key is missing or has the
/// wrong type, a name or hash is malformed, a number is impossible, or the claim is no win.
Result<Certificate> read_certificate(std::string_view text, const std::string& origin);

}  // namespace kw::report
