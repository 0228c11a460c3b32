// Keeps the workspace's graph of techniques.
// SPDX-License-Identifier: Apache-2.0
#include "session/graphs.h"

#include "engine/graphs.h"
#include "memory/playbook_graph.h"
#include "session/tasks.h"

namespace kw::session {

namespace {

Result<TechniqueGraph> graph_in(const Options& options, Target target,
                                const store::RunStore& store) {
  const auto data = KW_TRY(open_data(options));
  return engine::workspace_graph(store, target, memory::playbook_graph(data, target));
}

}  // namespace

Result<TechniqueGraph> technique_graph(const Options& options, Target target) {
  return graph_in(options, target, KW_TRY(store::RunStore::open_to_read(options.workspace)));
}

Result<TechniqueGraph> graph_to_export(const Options& options, Target target) {
  return graph_in(options, target, KW_TRY(store::RunStore::open(options.workspace)));
}

Result<> note_exported_graph(const Options& options, Target target, const std::string& text) {
  auto store = KW_TRY(store::RunStore::open(options.workspace));
  return engine::note_graph_file(store, target, text);
}

Result<TechniqueGraph> import_graph(const Options& options, Target target, const std::string& text,
                                    const std::string& where) {
  const auto read = parse_technique_graph(text);
  if (!read)
    return fail_input(read.error().code, About{read.error().about}, describe(read.error()), where);
  auto store = KW_TRY(store::RunStore::open(options.workspace));
  if (KW_TRY(engine::knows_graph_file(store, target, text)))
    return fail_input(
        ErrorCode::Exists, About{"graph"},
        "this file was imported before: its counts are in the workspace's graph of techniques "
        "already and would count twice",
        where);
  auto graph = KW_TRY(engine::change_graph(
      store, target, memory::playbook_graph(KW_TRY(open_data(options)), target),
      [&](TechniqueGraph& whole) { whole.merge(*read); }));
  KW_TRY(engine::note_graph_file(store, target, text));
  return graph;
}

}  // namespace kw::session
