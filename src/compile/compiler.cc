// Builds several units in parallel.
// SPDX-License-Identifier: Apache-2.0
#include "compile/compiler.h"

#include <algorithm>
#include <atomic>
#include <thread>

namespace kw::compile {

std::vector<Result<CompileResult>> build_all(Compiler& compiler, std::span<const BuildUnit> units,
                                             int threads) {
  std::vector<Result<CompileResult>> results(units.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < units.size(); i = next++)
      results[i] = compiler.build(units[i]);
  };
  const std::size_t wanted = std::min(units.size(), static_cast<std::size_t>(std::max(threads, 1)));
  std::vector<std::thread> helpers;
  for (std::size_t i = 1; i < wanted; ++i) helpers.emplace_back(work);
  work();
  for (std::thread& helper : helpers) helper.join();
  return results;
}

}  // namespace kw::compile
