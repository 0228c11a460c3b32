// Binds the calling thread to a processor, and releases it.
// SPDX-License-Identifier: Apache-2.0
#include "device/vantage.h"

#include <span>

#include "platform/processors.h"

namespace kw::device {

Vantage::Vantage() : all_(platform::usable_processors()), rng_(Seed::from_os()) {}

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
  platform::run_on(std::span(&processor, 1));
}

Vantage::Stay::~Stay() {
  if (all_.size() >= 2) platform::run_on(all_);
}

}  // namespace kw::device
