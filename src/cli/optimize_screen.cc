// The first screen of kw optimize --help, and the groups in which --help-all shows the other flags.
// SPDX-License-Identifier: Apache-2.0
#include "cli/optimize_flags.h"

namespace kw::cli {

std::vector<HelpGroup> optimize_screen() {
  return {
      {"Task",
       {{"TASK", "", "folder, shipped task, synthetic:SEED or recorded:RUN"},
        {"--target", "cuda", "what kernels are written for; default cpu"},
        {"--baseline", "NAME", "what to beat; default: the fastest"}},
       {"--arch"}},
      {"Budget",
       {{"--time", "5m", "most time; default 90s, with a model 15m"},
        {"--attempts", "N", "most attempts"},
        {"--usd", "2", "most that models may cost; --tokens, --calls likewise"},
        {"--goal", "8x", "stop when reached: 2.5ms, 8x or 0.9roof; repeatable"}},
       {"--tokens", "--calls", "--patience", "--rounds"}},
      {"Model",
       {{"--model", "openai:NAME", "who writes; or anthropic:NAME, manual:DIR; repeatable"},
        {"--base-url", "URL", "where such models are, if not at the vendor"},
        {"--hint", "WORDS", "what is worth trying; --constraint: what must hold"}},
       {"--constraint", "--from-scratch", "--feedback", "--no-knowledge", "--ensemble",
        "--max-tokens", "--prompt-tokens", "--temperature", "--effort", "--model-timeout",
        "--requests-per-minute", "--tokens-per-minute", "--cache-replies", "--embed"}},
      {"Search",
       {{"--strategy", "NAME", "default greedy, with a model refine (docs/strategies.md)"},
        {"--tuner", "NAME", "how knobs are searched; default auto"},
        {"--mode", "specialised", "then one build for each timed shape, too"}},
       {"--preset", "--judge", "--guide", "--repairs", "--writes", "--shortlist", "--reward",
        "--seed", "--outstanding", "--profile", "--no-profile", "--no-memory", "--freeze-memory",
        "--freeze-graph"}},
      {"Output",
       {{"--save-attempts", "DIR", "keep every source as a file"},
        {"--json", "", "one JSON object instead of words"}},
       {"--label", "--carrier", "--results"}},
  };
}

}  // namespace kw::cli
