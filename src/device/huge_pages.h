// HugePages: whether asking the kernel for huge pages pays at the moment.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>

namespace kw::device {

/// An account of the processor time that huge pages cost and save. A free huge page takes 0.1 to
/// 0.25 ms; one that the kernel has to search for, or that a virtual machine has to get from its
/// host, takes 5 ms. Small pages for the same 2 MiB take 0.7 ms, and 0.5 ms more when they are
/// given back (measured on an AMD EPYC in a virtual machine, Linux 6.18). So slow huge pages may
/// cost as much as quick ones have saved, plus a part of the cost of small pages meanwhile: memory
/// that is renewed again and again soon gets huge pages, and a machine without free ones pays
/// little for asking. Safe to use from several threads.
class HugePages {
 public:
  /// `spared_ns`: what a quick huge page saves. `most_credit_ns`: most that slow ones may cost in a
  /// row. `most_share`: largest part of the cost of small pages that may be spent on asking again,
  /// at most 1.
  HugePages(std::int64_t spared_ns, std::int64_t most_credit_ns, double most_share)
      : spared_ns_(spared_ns),
        most_credit_ns_(most_credit_ns),
        most_share_(most_share),
        share_(most_share) {}
  bool are_affordable() const;
  /// Records that asking for a huge page took so much processor time.
  void took(std::int64_t ns);
  /// Records that populating memory in small pages took so much processor time.
  void went_without(std::int64_t ns);

 private:
  static constexpr std::int64_t kFirstCreditNs = 15'000'000;

  std::int64_t spared_ns_;
  std::int64_t most_credit_ns_;
  double most_share_;
  mutable std::mutex mutex_;
  std::int64_t credit_ns_ = kFirstCreditNs;
  int slow_ = 0;   ///< Slow huge pages since the credit was last used up.
  int quick_ = 0;  ///< Quick huge pages since the credit was last used up.
  /// Part of the cost of small pages that is credited now for asking again.
  double share_;
};

}  // namespace kw::device
