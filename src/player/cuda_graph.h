// GraphBuilder: turns one plan into a CUDA graph, or queues its steps one by one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "player/cuda_holdings.h"

namespace kw::player::cuda {

/// Turns a plan into a graph: checks each launch against its kernel, then captures.
class GraphBuilder {
 public:
  /// `held` and `plan` must outlive the object.
  GraphBuilder(Holdings& held, Bound& plan) : held_(held), plan_(plan) {}
  ~GraphBuilder();
  GraphBuilder(const GraphBuilder&) = delete;
  GraphBuilder& operator=(const GraphBuilder&) = delete;
  /// Leaves an instantiated and uploaded graph in the plan.
  Outcome build();
  /// Checks as build() does, then queues the steps in order on the GPU's stream. `before` and
  /// `after` are called around each step and may queue something.
  using AtStep = std::function<Outcome(std::size_t)>;
  Outcome run_apart(const AtStep& before, const AtStep& after);

 private:
  struct Kernel {
    Function function = nullptr;
    std::vector<std::size_t> offsets;  ///< Offsets of the kernel's parameters.
    std::vector<std::size_t> sizes;
    std::uint32_t shared_bytes = 0;  ///< Most dynamic shared memory of any launch in the plan.
  };

  /// Does all checks and preparations that need no stream.
  Outcome examine();
  Outcome find_kernels();
  Outcome describe(Kernel& kernel, std::string_view name);
  Outcome check_launch(const WireStep& step, const Kernel& kernel);
  Outcome encode_maps();
  Outcome capture();
  Outcome add(std::size_t index);
  Outcome add_launch(const WireStep& step, Stream stream);
  Outcome add_memory(const WireStep& step, Stream stream);
  Outcome fill_parameters(const WireStep& step, const Kernel& kernel,
                          std::vector<std::byte>& storage);
  /// The stream of a branch, made part of the capture on first use.
  Outcome stream_of(std::uint32_t branch, Stream& out);
  Outcome record(Stream stream, Event& out);
  Outcome join_branches();
  Address address_of(const WirePlace& place) const;
  std::string name_of(const WireStep& step) const;
  Outcome refuse(const WireStep& step, std::string words) const;

  Holdings& held_;
  Bound& plan_;
  std::map<std::string, Kernel, std::less<>> kernels_;
  std::vector<TensorMap> maps_;
  std::map<std::uint32_t, Stream> streams_;  ///< Streams of the branches above 0.
  std::vector<Event> events_;                ///< All events that were created, for destruction.
  /// Events recorded behind the steps that other branches wait for, by index of the step.
  std::map<std::size_t, Event> ends_;
  std::vector<bool> is_awaited_;
  Event start_ = nullptr;
};

}  // namespace kw::player::cuda
