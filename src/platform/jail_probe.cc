// Finds which jail levels hold on this machine by running a self-check in each.
// SPDX-License-Identifier: Apache-2.0
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdio>

#include "base/defence.h"
#include "platform/confine.h"
#include "platform/jail.h"
#include "platform/jail_launch.h"
#include "platform/jail_selfcheck.h"

namespace kw::platform {
namespace {

/// A file that exists everywhere, is readable by everyone, and is shown in no jail.
constexpr const char* kOutside = "/etc/passwd";
constexpr std::chrono::seconds kPatience{10};

bool kernel_is_at_least(int major, int minor) {
  utsname name{};
  int have_major = 0;
  int have_minor = 0;
  if (::uname(&name) != 0) return false;
  if (std::sscanf(name.release, "%d.%d", &have_major, &have_minor) != 2) return false;
  return have_major > major || (have_major == major && have_minor >= minor);
}

bool can_change_uid() {
  if (::geteuid() != 0) return false;
  const auto program = kw_jail_path();
  if (!program) return false;
  const auto exit = run({*program, "change-uid", std::to_string(kFirstJailUid)}, {}, kPatience);
  return exit && exit->ok();
}

std::string leaks_in_words(int leaks) {
  std::string text;
  const auto add = [&](int bit, const char* words) {
    if ((leaks & bit) != 0) text += (text.empty() ? "" : ", ") + std::string(words);
  };
  add(kLeakSocket, "a jailed program can create sockets");
  add(kLeakFile, "a jailed program can read files outside the jail");
  add(kLeakUid, "a jailed program keeps the user id of its caller");
  return text;
}

struct Check {
  JailFinding finding;
  ProcessLimit limit = ProcessLimit::Unbounded;
};

std::string bubblewrap_version() {
  const auto program = find_bubblewrap();
  if (!program) return "bubblewrap";
  const auto exit = run({program->string(), "--version"}, {}, kPatience);
  if (!exit || !exit->ok()) return "bubblewrap";
  return exit->out.substr(0, exit->out.find('\n'));
}

Check check_level(JailLevel level, const JailRights& rights) {
  Check result;
  const auto program = kw_jail_path();
  if (!program) {
    result.finding.why_not = describe(program.error());
    return result;
  }
  JailSpec spec;
  spec.level = level;
  // The attempt to start a process must meet the limit, not the filter.
  spec.allow_new_processes = true;
  auto process = launch_as(
      spec, rights, {*program, "self-check", kOutside, rights.drops_uid ? "drops" : "keeps"});
  auto exit = process ? process->wait(kPatience) : std::unexpected(process.error());
  if (!exit) {
    result.finding.why_not = exit.error().what;
    return result;
  }
  const int leaks = exit->code & ~kLeakProcess;
  if (exit->code < 0 || exit->code > (kLeakSocket | kLeakFile | kLeakProcess | kLeakUid)) {
    result.finding.why_not = "the jail's self-check ended with " + describe(*exit);
  } else if (leaks != 0 && is_on(Defence::SystemCalls) && is_on(Defence::JailFiles)) {
    result.finding.why_not = "the jail does not confine its program: " + leaks_in_words(leaks);
  } else {
    result.finding.available = true;
    if ((exit->code & kLeakProcess) == 0) result.limit = process_limit_of(level, rights);
  }
  return result;
}

const Check& checked(JailLevel level) {
  static const Check always{.finding = {.available = true, .why_not = "", .confines = "rlimits"}};
  if (level == JailLevel::None) return always;
  if (level == JailLevel::Landlock) {
    static const Check landlock = check_level(JailLevel::Landlock, our_rights());
    return landlock;
  }
  static const Check ns = check_level(JailLevel::Namespace, our_rights());
  return ns;
}

JailProbe run_probe() {
  const JailRights& rights = our_rights();
  JailProbe probe;
  const Check& ns = checked(JailLevel::Namespace);
  const Check& landlock = checked(JailLevel::Landlock);
  probe.ns = ns.finding;
  probe.landlock = landlock.finding;
  const std::string too = std::string(", seccomp, rlimits") + (rights.drops_uid ? ", own uid" : "");
  if (ns.finding.available) probe.ns.confines = bubblewrap_version() + too;
  if (landlock.finding.available) probe.landlock.confines = describe_landlock(landlock_abi()) + too;
  probe.process_limit_ns = ns.limit;
  probe.process_limit_landlock = landlock.limit;
  probe.drops_uid = rights.drops_uid;
  probe.uid = rights.drops_uid ? kFirstJailUid : ::getuid();
  return probe;
}

}  // namespace

const JailRights& our_rights() {
  static const JailRights rights{.drops_uid = can_change_uid(),
                                 .counts_by_namespace = kernel_is_at_least(5, 14)};
  return rights;
}

const JailFinding& JailProbe::at(JailLevel level) const {
  if (level == JailLevel::Namespace) return ns;
  return level == JailLevel::Landlock ? landlock : probe_level(level);
}

const JailFinding& probe_level(JailLevel level) { return checked(level).finding; }

JailLevel JailProbe::best() const {
  if (ns.available) return JailLevel::Namespace;
  return landlock.available ? JailLevel::Landlock : JailLevel::None;
}

const JailProbe& probe_jail() {
  static const JailProbe probe = run_probe();
  return probe;
}

}  // namespace kw::platform
