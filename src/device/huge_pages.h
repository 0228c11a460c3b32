// Whether asking the kernel for huge pages pays at the moment.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>

namespace kw::device {

/// An account of what huge pages cost and spare. A free huge page at hand takes 0.1 to 0.25 ms of
/// processor time; one that the kernel has to search for, or that a virtual machine has to get back
/// from its host, takes 5 ms. Small pages for the same 2 MiB take 0.7 ms, and 0.5 ms more when they
/// are given back (measured on an AMD EPYC in a virtual machine, Linux 6.18). So slow huge pages
/// may cost what quick ones have spared, and part of what small pages have cost meanwhile: memory
/// that is renewed again and again gets huge pages before long, and a machine that has none pays
/// little for asking. Safe to use from several threads.
class HugePages {
 public:
  /// `spared_ns`: what a quick one spares. `most_credit_ns`: what slow ones may cost at once.
  /// `most_share`: of what small pages cost, the part that asking again may cost, at most 1.
  HugePages(std::int64_t spared_ns, std::int64_t most_credit_ns, double most_share)
      : spared_ns_(spared_ns),
        most_credit_ns_(most_credit_ns),
        most_share_(most_share),
        share_(most_share) {}
  bool are_affordable() const;
  /// A huge page was asked for, which took so much processor time.
  void took(std::int64_t ns);
  /// Memory was populated in small pages, which took so much processor time.
  void went_without(std::int64_t ns);

 private:
  static constexpr std::int64_t kFirstCreditNs = 15'000'000;

  std::int64_t spared_ns_;
  std::int64_t most_credit_ns_;
  double most_share_;
  mutable std::mutex mutex_;
  std::int64_t credit_ns_ = kFirstCreditNs;
  int slow_ = 0;   ///< Slow ones since the credit was last used up.
  int quick_ = 0;  ///< Quick ones since then.
  double share_;   ///< Of what small pages cost, at present: credit for asking again.
};

}  // namespace kw::device
