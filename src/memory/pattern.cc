// Texts about mismatch patterns, for the model or person that writes the next kernel.
// SPDX-License-Identifier: Apache-2.0
#include "memory/pattern.h"

namespace kw::memory {

MismatchPattern pattern_of(const std::vector<Finding>& findings) {
  for (const Finding& finding : findings)
    if (finding.pattern != MismatchPattern::None) return finding.pattern;
  return MismatchPattern::None;
}

const PatternAdvice& advice_on(MismatchPattern pattern) {
  static const std::vector<PatternAdvice> advice = {
      {"", "", {}},
      {"isolated elements were wrong",
       "Keep point updates (source injection, scatter) as they are specified: to the same "
       "elements, in the same step, once each, and after the update of every element they touch, "
       "whatever order of loops, tiles or steps is chosen.",
       {"source", "inject", "corner", "scatter", "halo cop", "point", "bin"}},
      {"the tail of a dimension was wrong",
       "Handle what is left over where a tile, a vector or an unroll factor does not divide a "
       "dimension: last rows, last columns, sizes smaller than one tile.",
       {"tail", "divide", "multiple", "remainder", "last", "padd", "pitch"}},
      {"elements at a fixed period were wrong",
       "Each lane, unrolled copy and tile must do its own element: check what repeats with the "
       "period of the wrong ones.",
       {"lane", "tile", "unroll", "stride"}},
      {"the border was wrong",
       "Treat halo and boundary as they are specified: read what lies there, write only what is "
       "to be written, and give a tile's own borders the neighbours that they need.",
       {"halo", "border", "boundary", "edge", "padd"}},
      {"rows and columns were exchanged",
       "Keep the layout: the last dimension has unit stride; check each index against iface.h.",
       {"row", "column", "stride", "layout", "pitch", "transpos"}},
      {"results were shifted by one",
       "Check first indices, offsets of halos and ends of ranges: a result was one off.",
       {"offset", "index", "halo", "first", "inclusive", "exclusive"}},
      {"results were off by a constant factor",
       "Check constants: scale, sign and factors must be those of the reference.",
       {"factor", "scale", "literal", "constant", "sign"}},
      {"results were NaN or infinite",
       "Start accumulators from defined values and guard divisions, logarithms and exponentials "
       "as the reference does.",
       {"zero", "overflow", "nan", "infin", "maximum"}},
      {"elements were never written",
       "Write every element of each output in every call: outputs come filled with noise.",
       {"output", "written", "write", "every"}},
      {"elements stayed zero",
       "Write every element of each output, also where work is split among threads or skipped.",
       {"output", "written", "write", "every"}}};
  static_assert(EnumNames<MismatchPattern>::names.size() == 11);
  return advice.at(static_cast<std::size_t>(pattern));
}

}  // namespace kw::memory
