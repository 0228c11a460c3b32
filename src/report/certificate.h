// Certificates from any source: which kernel a certificate is about, and what it claims.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "record/evaluation.h"
#include "record/terms.h"

namespace kw::report {

/// A larger text is refused. A certificate holds some thousand samples, which take one or two
/// megabytes.
inline constexpr std::size_t kMostCertificateBytes = std::size_t{64} << 20;

/// The part of a certificate that says which kernel is claimed to be faster than which baseline.
struct Certificate {
  std::string task;         ///< A plain name, which leads to no path outside its folder.
  std::string task_sha256;  ///< Empty in certificates of kw specialise.
  Target target = Target::Cpu;
  std::string kernel;         ///< Name of the candidate.
  std::string source_sha256;  ///< Hash of the kernel's file beside the certificate.
  std::string baseline;       ///< Name of the opponent.
  Speedup claim;              ///< Speedup over `baseline`; is_faster is true.
  std::string machine;        ///< Model of the processor or GPU; may be empty.
};

/// Reads certificate.json of a run or of kw specialise. Errors are the input's and name the place:
/// the text is no JSON or is nested too deeply, a key is missing or has another type, a name or
/// hash is malformed, a figure is impossible, or the claim is no win.
Result<Certificate> read_certificate(std::string_view text, const std::string& origin);

}  // namespace kw::report
