// Measured figures, as bench/run collects them and as bench/results/ keeps them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kw::bench {

/// Name and value in the order in which they were written.
using Lines = std::vector<std::pair<std::string, std::string>>;

/// One figure with every sample of it.
struct Figure {
  std::string id;         ///< part.name
  std::string unit;       ///< ns | s | bytes | ratio | count | bytes_per_s | flops_per_s
  std::string statistic;  ///< median | share (of samples that are 1)
  std::string bound;      ///< at_most | at_least | none
  double limit = 0;
  std::string anchor;  ///< Id of the figure to read it beside; empty: none.
  std::string title;
  std::string method;
  std::vector<double> samples;

  double value() const;  ///< The statistic; precondition: samples.
  double low() const;    ///< 0.1 quantile.
  double high() const;   ///< 0.9 quantile.
  /// Nothing where none was asked or nothing measured.
  std::optional<bool> is_reached() const;
};

struct Part {
  std::string name;
  Lines facts;  ///< When, at which commit, how busy the machine was.
  std::vector<std::string> notes;
  std::vector<Figure> figures;

  const std::string* fact(const std::string& name) const;
  /// True if others used the processors before or after: above 0.05 of them.
  bool is_busy() const;
};

struct Results {
  Lines machine;
  std::vector<Part> parts;

  const Part* part(const std::string& name) const;
  void replace(Part part);
};

/// Nothing, with a message on standard error, where the file is missing or malformed.
std::optional<Results> read_results(const std::string& path);
bool write_results(const Results& results, const std::string& path);

/// What bench/run left in a folder: facts.tsv, notes.txt, figures.tsv, samples.tsv.
std::optional<Part> read_part(const std::string& name, const std::string& folder);
/// Lines of name, tab, value.
std::optional<Lines> read_lines(const std::string& path);

/// The part as plain text for a terminal.
std::string table_of(const Part& part);
/// docs/performance.md; `folder` is where the page will stand, so that its link to the file at
/// `path` works.
std::string page_of(const Results& results, const std::string& path, const std::string& folder);

}  // namespace kw::bench
