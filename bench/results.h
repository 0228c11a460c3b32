// Measured figures, as bench/run collects and bench/results/ stores them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kw::bench {

/// Pairs of name and value in the order in which they were written.
using Lines = std::vector<std::pair<std::string, std::string>>;

/// One measured figure with all of its samples.
struct Figure {
  std::string id;         ///< Part and name of the figure: "part.name".
  std::string unit;       ///< ns | s | bytes | ratio | count | bytes_per_s | flops_per_s
  std::string statistic;  ///< median | share (of samples that are 1)
  std::string bound;      ///< at_most | at_least | none
  double limit = 0;
  std::string anchor;  ///< Id of the figure to compare with; empty: none.
  std::string title;
  std::string method;
  std::vector<double> samples;

  double value() const;  ///< The statistic over the samples. Precondition: there are samples.
  double low() const;    ///< The 0.1 quantile of the samples.
  double high() const;   ///< The 0.9 quantile of the samples.
  /// Whether the figure keeps its limit; nothing if it has no limit or no samples.
  std::optional<bool> is_reached() const;
};

struct Part {
  std::string name;
  Lines facts;  ///< When, at which commit, how busy the machine was.
  std::vector<std::string> notes;
  std::vector<Figure> figures;

  const std::string* fact(const std::string& name) const;
  /// Whether other programs used more than 0.05 of the processors before or after the measurement.
  bool is_busy() const;
};

struct Results {
  Lines machine;
  std::vector<Part> parts;

  const Part* part(const std::string& name) const;
  void replace(Part part);
};

/// Reads a file of results. If the file is missing or malformed, returns nothing and prints a
/// message to standard error.
std::optional<Results> read_results(const std::string& path);
bool write_results(const Results& results, const std::string& path);

/// Reads the files that bench/run left in a folder: facts.tsv, notes.txt, figures.tsv, samples.tsv.
std::optional<Part> read_part(const std::string& name, const std::string& folder);
/// Reads lines of the form: name, tab, value.
std::optional<Lines> read_lines(const std::string& path);

/// The part's figures as plain text for a terminal.
std::string table_of(const Part& part);
/// All parts as a Markdown page. `folder` is the folder of the page, so that its links work. The
/// current directory must be the root of the repository.
std::string page_of(const Results& results, const std::string& path, const std::string& folder);

}  // namespace kw::bench
