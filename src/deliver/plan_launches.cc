// Writes the launches of a launch plan as C++: the kernel and its grid.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "deliver/argument_writer.h"
#include "deliver/plan_writer.h"
#include "task/plan_resolver.h"

namespace kw::deliver {

using namespace kw::task;  // the nodes of a plan

Result<std::string> PlanWriter::kernel_number(const KernelName& kernel) {
  PlanScope knobs(false);
  const auto refuse = [&](const PlanTrouble& trouble) {
    return fail_input(ErrorCode::BadInput, About{kernel.name}, trouble.words.text,
                      names_.at_line());
  };
  for (const auto& [name, value] : names_.macros())
    if (const auto defined = knobs.define(0, name, value); !defined) return refuse(defined.error());
  const auto text = kernel_text(kernel, knobs);
  if (!text) return refuse(text.error());
  const auto found = std::ranges::find(kernels_, *text);
  const auto index = found - kernels_.begin();
  if (found == kernels_.end()) kernels_.push_back(*text);
  return fmt::format("{} /* {} */", index, kernel.name);
}

Result<> PlanWriter::visit(const LaunchNode& node) {
  out_.line("{");
  out_.indent();
  out_.line("Arguments a;");
  KW_TRY(ArgumentWriter(d_, names_, out_).write(node.arguments));
  out_.line("Extras more;");
  if (node.shared) out_.line(fmt::format("more.shared = {};", KW_TRY(names_.number(*node.shared))));
  if (!node.cluster.empty())
    out_.line(fmt::format("more.has_cluster = true, more.cluster = {};",
                          KW_TRY(names_.three(node.cluster))));
  if (node.carveout)
    out_.line(fmt::format("more.carveout = k.share({});", KW_TRY(names_.number(*node.carveout))));
  if (node.is_cooperative) out_.line("more.is_cooperative = true;");
  if (node.is_programmatic) out_.line("more.is_programmatic = true;");
  out_.line(fmt::format("k.launch({}, {}, {}, more, a);", KW_TRY(kernel_number(node.kernel)),
                        KW_TRY(names_.three(node.grid)), KW_TRY(names_.three(node.block))));
  out_.outdent();
  out_.line("}");
  out_.line("if (k.failed()) return;");
  return {};
}

}  // namespace kw::deliver
