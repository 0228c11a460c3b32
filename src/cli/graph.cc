// kw graph: shows, exports and imports the workspace's graph of techniques.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "cli/commands.h"
#include "cli/errors.h"
#include "cli/graph_build.h"
#include "cli/target_flags.h"
#include "platform/files.h"
#include "report/graph_svg.h"
#include "session/graphs.h"

namespace kw::cli {
namespace {

struct GraphFlags {
  TargetFlags target;
  std::string file;
  GraphBuildFlags build;
};

std::string words_of_edge(const TechniqueEdge& edge) {
  const StepCount& count = edge.count;
  std::string words = fmt::format("{} → {}: ", edge.from, edge.to);
  if (count.tried == 0) return words + fmt::format("not tried; {} examples", edge.examples.size());
  return words + fmt::format("tried {:.0f} times, worked {:.0f}, mean gain {:.3g}x; {} examples",
                             count.tried, count.worked,
                             std::exp(count.gain / std::max(1.0, count.worked)),
                             edge.examples.size());
}

/// Prints how many techniques and steps a graph holds, after the name of a file or of a target.
void say_size(const Global& global, const std::string& where, const TechniqueGraph& graph) {
  const std::size_t techniques = graph.nodes().size() - 1, steps = graph.edges().size();
  if (global.json)
    std::printf(
        "%s\n",
        dump_json({{"where", where}, {"techniques", techniques}, {"steps", steps}}).c_str());
  else
    fmt::print("{}: {} techniques, {} steps\n", where, techniques, steps);
}

Result<int> show_graph(const Global& global, const GraphFlags& flags) {
  const Target target = KW_TRY(flags.target.aim()).target;
  const TechniqueGraph graph = KW_TRY(session::technique_graph(global, target));
  if (global.json) {
    std::printf("%s\n", to_json(graph).c_str());
    return kDone;
  }
  std::vector<TechniqueEdge> edges = graph.edges();
  std::ranges::stable_sort(edges, [](const TechniqueEdge& a, const TechniqueEdge& b) {
    return a.count.weight() > b.count.weight();
  });
  fmt::print("{}: {} techniques, {} steps, the most promising first\n", name_of(target),
             graph.nodes().size() - 1, edges.size());
  for (const TechniqueEdge& edge : edges) fmt::print("  {}\n", words_of_edge(edge));
  return kDone;
}

Result<int> export_graph(const Global& global, const GraphFlags& flags) {
  const Target target = KW_TRY(flags.target.aim()).target;
  const TechniqueGraph graph = KW_TRY(session::graph_to_export(global, target));
  const std::string title = fmt::format("Techniques for {}", name_of(target));
  const bool is_drawing = flags.file.ends_with(".svg");
  const std::string text = is_drawing ? report::graph_svg(graph, title) : to_json(graph) + "\n";
  KW_TRY(platform::write_user_file(flags.file, text));
  KW_TRY(session::note_exported_graph(global, target, text));
  say_size(global, flags.file, graph);
  return kDone;
}

/// Imports a graph of techniques. Counts of both graphs are added, so a file is taken only once,
/// and a graph that this workspace exported is refused.
Result<int> import_graph(const Global& global, const GraphFlags& flags) {
  const Target target = KW_TRY(flags.target.aim()).target;
  constexpr std::size_t kMostBytes = std::size_t{256} << 20;
  const std::string text = KW_TRY(as_input(platform::read_file(flags.file, kMostBytes)));
  const TechniqueGraph graph = KW_TRY(session::import_graph(global, target, text, flags.file));
  say_size(global, std::string(name_of(target)), graph);
  return kDone;
}

}  // namespace

Command graph_command() {
  auto flags = std::make_shared<GraphFlags>();
  const auto child = [flags](const std::string& name, const std::string& summary, bool has_file,
                             auto act) {
    Command command;
    command.name = name;
    command.summary = summary;
    command.declare = [flags, has_file](Flags& f) {
      if (has_file)
        f.positional("file", flags->file,
                     "JSON, as docs/formats.md has it; export to NAME.svg draws it");
      flags->target.declare(f, false);
    };
    command.run = [flags, act](const Global& global) {
      return end_command(global, act(global, *flags));
    };
    return command;
  };
  Command build =
      child("build", "Build the graph of techniques from recorded runs and the playbook's kernels",
            false, [](const Global& global, const GraphFlags& f) {
              return build_graph(global, f.target, f.build);
            });
  build.declare = [flags, declare = build.declare](Flags& f) {
    declare(f);
    flags->build.declare(f);
  };
  // Without a subcommand, kw graph shows the graph of techniques.
  Command command =
      child("graph", "The graph of techniques, which runs use and extend", false, show_graph);
  command.children = {
      std::move(build),
      child("show", "Show the steps of the graph of techniques, the most promising first", false,
            show_graph),
      child("export", "Write the graph of techniques to a file", true, export_graph),
      child("import", "Add another workspace's graph of techniques to this one's", true,
            import_graph)};
  return command;
}

}  // namespace kw::cli
