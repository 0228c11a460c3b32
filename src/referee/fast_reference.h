// The task's fast reference at one workload of a GPU.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "base/result.h"
#include "referee/bench_site.h"
#include "referee/known.h"
#include "referee/truth.h"

namespace kw::referee {

/// Computes truths on the device itself, with a process and buffers that it keeps from one input
/// set to the next. It is believed once it has agreed with the task's reference: on small workloads
/// (trust()), and at this workload too where the host can compute its truth (prove()).
class FastReference {
 public:
  /// `site` is borrowed.
  explicit FastReference(BenchSite& site) : site_(site) {}

  /// To be called once the fast reference has agreed with the host's truths: it may then serve
  /// input sets of single pairs at this workload too.
  void trust() { is_agreed_ = true; }
  /// Trusts this reference if the other one, of the same task, was told to be trusted.
  void trust_like(const FastReference& other) { is_agreed_ = other.is_agreed_; }
  /// Whether input sets of single pairs get their truths from it.
  bool is_trusted() const {
    return site_.is_fast || (is_agreed_ && site_.trusted.fast.check().has_value());
  }
  /// Whether nothing is left to be compared with the host's truth at this workload.
  bool is_proven() const { return site_.is_fast || is_compared_; }
  /// Compares it with the host's truth of the warm-up set. An error, which names the task, if they
  /// differ by more than float64 rounding.
  Result<> prove(const Known& warm);

  /// Computes the truth of an input set; `recycled` as in TruthSeries::compute.
  Result<TruthMaker::Truth> compute(int set, TruthMaker::Truth recycled = {});
  /// A truth whose memory compute() may take; empty if there is none.
  TruthMaker::Truth take_spare();
  /// Keeps the memory of a truth that nobody needs any more.
  void keep_spare(TruthMaker::Truth truth) { spare_.push_back(std::move(truth)); }

  /// Whether the memory that compute() works in is allocated, or will not be needed.
  bool is_ready() const { return series_ != nullptr || !is_trusted(); }
  /// Frees what only preparing needs: its process and buffers, and the memory of forgotten sets.
  void rest();
  /// Calls rest() at the end of an evaluation, unless the buffers are small enough to keep for the
  /// next evaluation.
  void rest_if_large();

  /// Time of its call in ns, as last noted; 0: unknown.
  double ns() const { return ns_; }
  void note_ns(double ns) { ns_ = ns; }

 private:
  BenchSite& site_;
  bool is_agreed_ = false;
  /// True once it was compared with the host's truth of this workload.
  bool is_compared_ = false;
  double ns_ = 0;
  std::vector<TruthMaker::Truth> spare_;
  std::unique_ptr<TruthSeries> series_;
};

/// An error, which names the task, if its fast reference gave another truth than its reference.
/// `fast` is the fast reference's truth at the site's workload for the input set of `known`.
Result<> hold_fast_to(const BenchSite& site, const TruthMaker::Truth& fast, const Known& known);

}  // namespace kw::referee
