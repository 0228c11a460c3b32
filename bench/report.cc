// bench-report: reads values out of JSON, keeps measured figures and shows them.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "results.h"

namespace {

using namespace kw::bench;

int usage() {
  std::fprintf(
      stderr,
      "usage: bench-report get FILE POINTER...     values at JSON pointers, a line each\n"
      "       bench-report find FILE POINTER KEY=VALUE FIELD...\n"
      "                                            fields of the first matching element\n"
      "       bench-report each FILE POINTER KEY=VALUE FIELD...\n"
      "                                            fields of all of them, a line each\n"
      "       bench-report add RESULTS MACHINE.tsv PART FOLDER\n"
      "       bench-report table RESULTS PART      for a terminal\n"
      "       bench-report page RESULTS [FOLDER]   the page of that file, with links that\n"
      "                                            hold in FOLDER\n");
  return 2;
}

std::optional<nlohmann::json> read_json(const std::string& path) {
  std::ifstream in(path);
  auto object = nlohmann::json::parse(in, nullptr, false);
  if (object.is_discarded()) {
    std::fprintf(stderr, "bench-report: no JSON in %s\n", path.c_str());
    return std::nullopt;
  }
  return object;
}

std::string text_of(const nlohmann::json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

int get(const std::string& path, int count, char** pointers) {
  const auto object = read_json(path);
  if (!object) return 1;
  for (int i = 0; i < count; ++i) {
    const nlohmann::json::json_pointer pointer(pointers[i]);
    if (object->contains(pointer))
      std::printf("%s\n", text_of(object->at(pointer)).c_str());
    else
      std::printf("\n");
  }
  return 0;
}

/// Whether the JSON object has every KEY=VALUE of the words; values are compared as text.
bool matches(const nlohmann::json& element, int count, char** words) {
  for (int i = 0; i < count; ++i) {
    const std::string word = words[i];
    const auto equals = word.find('=');
    if (equals == std::string::npos) continue;
    const auto key = word.substr(0, equals);
    if (!element.contains(key) || text_of(element[key]) != word.substr(equals + 1)) return false;
  }
  return true;
}

/// Prints fields of the first matching element, one on each line. With `is_each`, prints one line
/// for each matching element.
int find(const std::string& path, const std::string& pointer, int count, char** words,
         bool is_each) {
  const auto object = read_json(path);
  if (!object) return 1;
  bool is_found = false;
  for (const auto& element :
       object->value(nlohmann::json::json_pointer(pointer), nlohmann::json::array())) {
    if (!matches(element, count, words)) continue;
    is_found = true;
    const char* between = "";
    for (int i = 0; i < count; ++i) {
      if (std::string(words[i]).find('=') != std::string::npos) continue;
      const std::string text = text_of(element.value(words[i], nlohmann::json()));
      std::printf("%s%s", between, text.c_str());
      between = is_each ? "\t" : "\n";
    }
    std::printf("\n");
    if (!is_each) return 0;
  }
  return is_found ? 0 : 1;
}

int add(const std::string& path, const std::string& machine, const std::string& name,
        const std::string& folder) {
  Results results;
  if (std::filesystem::exists(path)) {
    auto known = read_results(path);
    if (!known) return 1;
    results = std::move(*known);
  }
  const auto facts = read_lines(machine);
  auto part = read_part(name, folder);
  if (!facts || !part) return 1;
  results.machine = *facts;
  results.replace(std::move(*part));
  return write_results(results, path) ? 0 : 1;
}

int run(int argc, char** argv) {
  const std::string what = argc > 2 ? argv[1] : "";
  if (what == "get" && argc > 3) return get(argv[2], argc - 3, argv + 3);
  if ((what == "find" || what == "each") && argc > 5)
    return find(argv[2], argv[3], argc - 4, argv + 4, what == "each");
  if (what == "add" && argc == 6) return add(argv[2], argv[3], argv[4], argv[5]);
  if (what != "table" && what != "page") return usage();
  const auto results = read_results(argv[2]);
  if (!results) return 1;
  if (what == "page") {
    std::fputs(page_of(*results, argv[2], argc > 3 ? argv[3] : "docs").c_str(), stdout);
    return 0;
  }
  const Part* part = argc == 4 ? results->part(argv[3]) : nullptr;
  if (part == nullptr) return usage();
  std::fputs(table_of(*part).c_str(), stdout);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const nlohmann::json::exception& e) {  // the JSON pointer is malformed
    std::fprintf(stderr, "bench-report: %s\n", e.what());
    return 2;
  }
}
