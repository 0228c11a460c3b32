// Reads, writes and summarises measured figures.
// SPDX-License-Identifier: Apache-2.0
#include "results.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

namespace kw::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kBusyShare = 0.05;

double quantile(std::vector<double> sorted, double q) {
  std::sort(sorted.begin(), sorted.end());
  const double at = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], at - static_cast<double>(below));
}

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> fields(1);
  for (const char c : line)
    if (c == '\t')
      fields.emplace_back();
    else
      fields.back() += c;
  return fields;
}

Json json_of(const Lines& lines) {
  Json object = Json::object();
  for (const auto& [name, value] : lines) object[name] = value;
  return object;
}

Lines lines_of(const Json& object) {
  Lines lines;
  for (const auto& [name, value] : object.items()) lines.emplace_back(name, value);
  return lines;
}

Json json_of(const Figure& f) {
  Json object{{"id", f.id}, {"title", f.title}, {"unit", f.unit}, {"statistic", f.statistic}};
  if (f.bound != "none") object[f.bound] = f.limit;
  if (!f.samples.empty())
    object.update({{"value", f.value()}, {"low", f.low()}, {"high", f.high()}});
  object.update({{"anchor", f.anchor}, {"method", f.method}, {"samples", f.samples}});
  return object;
}

Figure figure_of(const Json& object) {
  Figure f;
  f.id = object.at("id");
  f.title = object.at("title");
  f.unit = object.at("unit");
  f.statistic = object.at("statistic");
  f.bound = "none";
  for (const char* bound : {"at_most", "at_least"})
    if (object.contains(bound)) {
      f.bound = bound;
      f.limit = object.at(bound);
    }
  f.anchor = object.at("anchor");
  f.method = object.at("method");
  f.samples = object.at("samples").get<std::vector<double>>();
  return f;
}

}  // namespace

double Figure::value() const {
  if (statistic == "median") return quantile(samples, 0.5);
  double sum = 0;
  for (const double x : samples) sum += x;
  return sum / static_cast<double>(samples.size());
}
double Figure::low() const { return quantile(samples, 0.1); }
double Figure::high() const { return quantile(samples, 0.9); }

std::optional<bool> Figure::is_reached() const {
  if (samples.empty() || bound == "none") return std::nullopt;
  return bound == "at_most" ? value() <= limit : value() >= limit;
}

const std::string* Part::fact(const std::string& wanted) const {
  for (const auto& [fact_name, value] : facts)
    if (fact_name == wanted) return &value;
  return nullptr;
}

bool Part::is_busy() const {
  for (const char* name : {"busy_before", "busy_after"}) {
    const std::string* share = fact(name);
    if (share == nullptr || share->empty() || std::atof(share->c_str()) > kBusyShare) return true;
  }
  return false;
}

const Part* Results::part(const std::string& name) const {
  for (const Part& p : parts)
    if (p.name == name) return &p;
  return nullptr;
}

void Results::replace(Part part) {
  for (Part& p : parts)
    if (p.name == part.name) {
      p = std::move(part);
      return;
    }
  parts.push_back(std::move(part));
}

std::optional<Results> read_results(const std::string& path) {
  try {
    std::ifstream in(path);
    const Json object = Json::parse(in);
    Results results;
    results.machine = lines_of(object.at("machine"));
    for (const Json& p : object.at("parts")) {
      Part part;
      part.name = p.at("name");
      part.facts = lines_of(p.at("facts"));
      part.notes = p.at("notes").get<std::vector<std::string>>();
      for (const Json& f : p.at("figures")) part.figures.push_back(figure_of(f));
      results.parts.push_back(std::move(part));
    }
    return results;
  } catch (const Json::exception& e) {
    std::fprintf(stderr, "bench-report: %s: %s\n", path.c_str(), e.what());
    return std::nullopt;
  }
}

// Each figure has one line, so that a changed figure is one changed line.
bool write_results(const Results& results, const std::string& path) {
  std::ofstream out(path);
  out << "{\n\"format\": 1,\n\"machine\": " << json_of(results.machine).dump() << ",\n\"parts\": [";
  const char* between = "\n";
  for (const Part& p : results.parts) {
    out << between << "{\"name\": " << Json(p.name).dump()
        << ",\n \"facts\": " << json_of(p.facts).dump() << ",\n \"notes\": " << Json(p.notes).dump()
        << ",\n \"figures\": [";
    const char* comma = "\n  ";
    for (const Figure& f : p.figures) {
      out << comma << json_of(f).dump();
      comma = ",\n  ";
    }
    out << "]}";
    between = ",\n";
  }
  out << "]\n}\n";
  return out.flush().good();
}

std::optional<Lines> read_lines(const std::string& path) {
  std::ifstream in(path);
  if (!in) {
    std::fprintf(stderr, "bench-report: cannot read %s\n", path.c_str());
    return std::nullopt;
  }
  Lines lines;
  for (std::string line; std::getline(in, line);) {
    const auto tab = line.find('\t');
    if (tab != std::string::npos) lines.emplace_back(line.substr(0, tab), line.substr(tab + 1));
  }
  return lines;
}

std::optional<Part> read_part(const std::string& name, const std::string& folder) {
  Part part;
  part.name = name;
  const auto facts = read_lines(folder + "/facts.tsv");
  const auto samples = read_lines(folder + "/samples.tsv");
  std::ifstream figures(folder + "/figures.tsv"), notes(folder + "/notes.txt");
  if (!facts || !samples || !figures) return std::nullopt;
  part.facts = *facts;
  for (std::string line; std::getline(notes, line);) part.notes.push_back(line);
  for (std::string line; std::getline(figures, line);) {
    const auto field = split(line);
    if (field.size() != 8) {
      std::fprintf(stderr, "bench-report: a figure has 8 fields, not: %s\n", line.c_str());
      return std::nullopt;
    }
    part.figures.push_back({field[0],
                            field[1],
                            field[2],
                            field[3],
                            std::atof(field[4].c_str()),
                            field[5] == "-" ? "" : field[5],
                            field[6],
                            field[7],
                            {}});
  }
  for (const auto& [id, value] : *samples) {
    const auto figure = std::find_if(part.figures.begin(), part.figures.end(),
                                     [&id](const Figure& f) { return f.id == id; });
    if (figure == part.figures.end()) {
      std::fprintf(stderr, "bench-report: a sample of %s, which is no figure\n", id.c_str());
      return std::nullopt;
    }
    char* end = nullptr;
    const double number = std::strtod(value.c_str(), &end);
    if (end == value.c_str() || *end != 0)
      part.notes.push_back("a sample of " + id + " is left out, which is no number: " + value);
    else
      figure->samples.push_back(number);
  }
  return part;
}

}  // namespace kw::bench
