// The bundle carrier: writes evaluations into a file for another machine.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>

#include "compile/compiler.h"
#include "evaluate/carrier.h"
#include "evaluate/machine_code.h"
#include "evaluate/prepare.h"
#include "platform/files.h"

namespace kw::evaluate {

struct BundleOptions {
  platform::Path file;  ///< File to write waiting evaluations to.
  /// Facts about the other machine, as far as they are known; at least target and architecture.
  DeviceFacts facts;
  int build_threads = 2;
  /// Reads the machine code of cuda candidates; nothing: there are no findings about it.
  std::optional<compile::Disassembler> disassembler{};
  /// The evaluation that was brought back for a key; nothing: none yet.
  std::function<Result<std::optional<Evaluation>>(const std::string& key)> recall;
  /// Called with every key that is written, so that only requested results are taken back.
  std::function<Result<>(const std::string& key)> expect;
};

/// Builds on this machine. next() gives an evaluation that was brought back. If there is none yet,
/// next() writes all waiting evaluations into the file and ends with an error (stop) that says how
/// to go on.
class BundleCarrier final : public Carrier {
 public:
  /// `compiler` must outlive the carrier.
  BundleCarrier(compile::Compiler& compiler, BundleOptions options)
      : compiler_(compiler), options_(std::move(options)) {}

  Result<DeviceFacts> open(const std::optional<DeviceFacts>& remembered) override;
  Result<> submit(EvaluationRequest request) override;
  Result<Evaluation> next() override;
  const DeviceFacts& facts() const { return options_.facts; }

 private:
  struct Waiting {
    std::string id;
    std::string key;
    EvaluationRequest request;
    Prepared prepared;
  };
  /// Writes the file; returns the number of evaluations in it.
  Result<std::size_t> write() const;

  compile::Compiler& compiler_;
  BundleOptions options_;
  std::deque<Waiting> waiting_;
};

}  // namespace kw::evaluate
