// Static screening of sources and built objects: advice first, never the only line of defence.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "record/candidate.h"
#include "record/target.h"
#include "record/task.h"
#include "record/verdict.h"

namespace kw::referee {

struct Screening {
  /// The verdict (screen, rejected), or nothing if the text or object was accepted.
  std::optional<Verdict> verdict;
  /// Reasons for a rejection, with the place in the source; or notes on an accepted text.
  std::vector<Finding> findings;
  /// Words that may show in the source what an object is rejected for, likeliest first.
  std::vector<std::string> shown_by{};
};

/// A rejection for what was found. The finding has the place of the evidence.
Screening refuse(Evidence seen, std::string frame = {});
/// The rejection of an object, with the words that may show the reason in the source.
Screening refuse_object(Evidence seen, std::vector<std::string> shown_by);

/// Checks the candidate's claims against the task's restrictions: libraries and compiler options.
Screening screen_claims(const Candidate& candidate, const Task& task);

/// Which rules the text of a source is screened by, beside those for all.
struct TextRules {
  bool assembly = false;   ///< Assembly for a processor may not read files or open sections.
  bool ptx = false;        ///< Inline PTX may not declare symbols.
  bool host_code = false;  ///< Code for the host has no place in the source.
};

/// How the sources and objects of one target are screened.
struct Screener {
  TextRules text;
  /// Screens the object that was built from a unit of the candidate.
  Screening (*object)(std::string_view bytes, const Candidate& candidate, const BuildUnit& unit);
};
ByTarget<Screener>& screeners();

/// Screens the source's text for what the built object does not show: files read at compile time
/// (#include of absolute or parent paths, #embed, .incbin), which the compiler's jail would hide
/// anyway, and for what the target's TextRules name. Comments, the content of
/// literals outside of assembly, and code behind `#if 0` or behind a macro that nothing defines are
/// ignored. `name` is the file name in reported places.
Screening screen_text(std::string_view text, std::string_view name, Target target = kDefaultTarget);

/// Screens what the source does to its knobs and to the macros derived from knobs, which the
/// compiler's command line defines. Rejects a #define or #undef of such a macro, since all settings
/// of the knob would be the same code, except behind #ifndef of the name or with the value that the
/// source is pinned to. Rejects knobs that have the name of an argument of the task, of the task's
/// function or of something that headers declare. `name` is the file name in reported places.
Screening screen_macros(const Candidate& candidate, std::string_view name, const Task& task);

/// Screens the built object of target cpu. Rejects imports that are not on the list of what kernels
/// use, functions of the system that the object defines anew, libraries that the candidate does not
/// claim, code that runs when the object is loaded other than initialisers of its C++ objects
/// (which are known by the names that compilers give them, _GLOBAL__sub_I_…), memory both writable
/// and executable, instructions that read clocks or counters or call the kernel, and functions
/// built with arithmetic options that the candidate does not claim.
Screening screen_object(std::string_view object, const Candidate& candidate,
                        const std::vector<CodeMark>& marks = {});

/// Screens the built object of target cuda. Rejects special registers that tell the time or count,
/// and calls of the device's runtime: output, the heap, launches. `mark`:
/// compile::library_timer_mark().
Screening screen_device_object(std::string_view cubin, std::string_view mark);

/// Adds the place in the source that a rejected object's evidence speaks of, if one of the words in
/// Screening::shown_by stands there.
void point_out(Screening& screening, std::string_view text, std::string_view name);

}  // namespace kw::referee
