// Looks around on a machine and in a workspace.
// SPDX-License-Identifier: Apache-2.0
#include "session/standpoint.h"

#include <cstdlib>
#include <filesystem>
#include <utility>

#include "compile/cpu_compiler.h"
#include "llm/providers.h"
#include "record/target.h"
#include "session/judging/local_judge.h"
#include "session/judging/toolchain.h"

namespace kw::session {

Standpoint look_around(const Options& options) {
  Standpoint here;
  compile::CpuCompilerSettings settings;
  settings.objects = cache_folder() / "objects";
  if (const auto compiler = compile::CpuCompiler::create(settings); !compiler)
    here.why_no_cpu = describe(compiler.error());
  for (const Target target : all_targets()) {
    if (!row_of(target).has_own_memory) continue;
    const auto facts = evaluate::PipeCarrier::look(target);
    if (!facts) continue;
    here.gpu = facts->model;
    here.gpu_target = name_of(target);
    here.why_no_cuda = toolchains()[target].why_missing();
  }
  for (const llm::ProviderInfo& info : llm::providers()) {
    const char* value = *info.key_name == '\0' ? nullptr : std::getenv(info.key_name);
    if (!here.key.empty() || value == nullptr || *value == '\0') continue;
    here.key = info.key_name;
    here.model_form = llm::form_of(info);
  }
  // A workspace without runs is no error; a store that cannot be read is treated as one without
  // runs.
  if (const auto store = store::RunStore::open_to_read(options.workspace); store)
    if (auto runs = store->list(); runs) here.runs = std::move(*runs);
  const platform::Path own = platform::Path(options.workspace) / "tasks";
  std::error_code ignored;
  if (const auto names = platform::list_dir(own); names)
    for (const std::string& name : *names)
      if (std::filesystem::exists(own / name / "task.yaml", ignored))
        here.own_tasks.push_back((own / name).lexically_normal().string());
  return here;
}

}  // namespace kw::session
