// Certificates as anybody may hand them over: what one claims, and of which kernel.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "record/evaluation.h"
#include "record/terms.h"

namespace kw::report {

/// Larger ones are no certificates: one holds some thousand samples, in a megabyte or two.
inline constexpr std::size_t kMostCertificateBytes = std::size_t{64} << 20;

/// What of a certificate says which kernel is claimed to be faster than what.
struct Certificate {
  std::string task;         ///< A plain name: no path can be made of it that leaves its folder.
  std::string task_sha256;  ///< Empty: of kw specialise, which notes none.
  Target target = Target::Cpu;
  std::string kernel;         ///< Name of the candidate.
  std::string source_sha256;  ///< Of the file beside the certificate.
  std::string baseline;       ///< Name of the opponent.
  Speedup claim;              ///< Over it; a win by its own words.
  std::string machine;        ///< Model in words; may be empty.
};

/// Reads certificate.json of a run or of kw specialise. Errors (of the input) name the place: no
/// JSON, nested deeply, a key that is missing or of another kind, a name or hash that is none, a
/// figure that cannot be, or a claim that is no win.
Result<Certificate> read_certificate(std::string_view text, const std::string& origin);

}  // namespace kw::report
