// The bundle carrier: evaluations wait in a file for a machine that is elsewhere.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>

#include "compile/compiler.h"
#include "evaluate/carrier.h"
#include "evaluate/machine_code.h"
#include "platform/files.h"
#include "worker/prepare.h"

namespace kw::evaluate {

struct BundleOptions {
  platform::Path file;  ///< Where what waits is written.
  DeviceFacts facts;    ///< Of the machine elsewhere, as far as they are known; target and arch.
  int build_threads = 2;
  /// As PipeOptions.
  std::optional<compile::Disassembler> disassembler{};
  /// The evaluation that was brought back for a key; nothing: none yet.
  std::function<Result<std::optional<Evaluation>>(const std::string& key)> recall;
  /// Told of every key that is written, so that only what was asked for is taken back.
  std::function<Result<>(const std::string& key)> expect;
};

/// Builds on this side. next() gives what was brought back; where that is not there yet it writes
/// everything that waits into the file and ends with an error (stop) that says how to go on.
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
    worker::Prepared prepared;
  };
  /// The number of evaluations written.
  Result<std::size_t> write() const;

  compile::Compiler& compiler_;
  BundleOptions options_;
  std::deque<Waiting> waiting_;
};

}  // namespace kw::evaluate
