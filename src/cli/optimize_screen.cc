// The first screen of kw optimize --help, and the groups in which --help-all shows the other flags.
// SPDX-License-Identifier: Apache-2.0
#include "cli/model_flags.h"
#include "cli/optimize_flags.h"
#include "record/target.h"

namespace kw::cli {

std::vector<HelpGroup> optimize_screen() {
  return {
      {"Task",
       {{"TASK", "", "folder, shipped task, synthetic:SEED or recorded:RUN"},
        {"--target", "cuda",
         target_names(" or ") + ", what kernels are written for; default " +
             std::string(name_of(kDefaultTarget))},
        {"--baseline", "NAME", "baseline to beat; default: the fastest"}},
       {"--arch"}},
      {"Budget",
       {{"--time", "5m", "time limit; default 90s, with a model 15m"},
        {"--attempts", "N", "limit on attempts"},
        {"--usd", "2", "most dollars that models may cost; also --tokens, --calls"},
        {"--goal", "8x", "end when reached: 2.5ms, 8x or 0.9roof; repeatable"}},
       {"--tokens", "--calls", "--patience", "--rounds"}},
      {"Model",
       {model_entry("model that writes", "; repeatable"),
        {"--base-url", "URL", "address of the models' server, if not the vendor's"},
        {"--hint", "WORDS", "hint for the model; --constraint: what must hold"}},
       {"--constraint", "--from-scratch", "--feedback", "--no-knowledge", "--ensemble",
        "--max-tokens", "--prompt-tokens", "--temperature", "--effort", "--model-timeout",
        "--requests-per-minute", "--tokens-per-minute", "--cache-replies", "--embed"}},
      {"Search",
       {{"--strategy", "NAME", "default greedy, with a model refine (docs/strategies.md)"},
        {"--tuner", "NAME", "how knobs are searched; default auto"},
        {"--mode", "specialised", "also build the kernel for each timed shape"}},
       {"--preset", "--judge", "--guide", "--repairs", "--writes", "--shortlist", "--reward",
        "--seed", "--outstanding", "--profile", "--no-profile", "--no-memory", "--freeze-memory",
        "--freeze-graph"}},
      {"Output",
       {{"--save-attempts", "DIR", "folder in which every source is kept"},
        {"--json", "", "print one JSON object instead of text"}},
       {"--label", "--carrier", "--results"}},
  };
}

}  // namespace kw::cli
