// Binding the calling thread to a processor, and letting it go again.
// SPDX-License-Identifier: Apache-2.0
#include "device/vantage.h"

#include <sched.h>

#include <span>

namespace kw::device {
namespace {

std::vector<int> usable_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> processors;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return processors;
  for (int i = 0; i < CPU_SETSIZE; ++i)
    if (CPU_ISSET(i, &set)) processors.push_back(i);
  return processors;
}

// A help, not a need: a processor may have been taken away meanwhile.
void bind_to(std::span<const int> processors) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int processor : processors) CPU_SET(processor, &set);
  (void)::sched_setaffinity(0, sizeof set, &set);
}

}  // namespace

Vantage::Vantage() : all_(usable_processors()), rng_(Seed::from_os()) {}

int Vantage::next() {
  if (left_.empty()) {
    left_ = all_;
    rng_.shuffle(std::span(left_));
  }
  const int processor = left_.back();
  left_.pop_back();
  return processor;
}

Vantage::Stay::Stay(Vantage& vantage) : all_(vantage.all_) {
  if (all_.size() < 2) return;
  const int processor = vantage.next();
  bind_to(std::span(&processor, 1));
}

Vantage::Stay::~Stay() {
  if (all_.size() >= 2) bind_to(all_);
}

}  // namespace kw::device
