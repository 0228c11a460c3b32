// Checks whether this machine can judge kernels for processors (target cpu).
// SPDX-License-Identifier: Apache-2.0
#include "session/doctor_checks.h"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <thread>

#include "base/text.h"
#include "compile/cpu_compiler.h"
#include "platform/jail.h"
#include "platform/locks.h"
#include "platform/processors.h"
#include "session/doctor_gpu.h"
#include "session/judging/local_judge.h"
#include "session/judging/toolchain.h"

namespace kw::session {
namespace {

using std::chrono::milliseconds;

/// Free disk space in bytes that counts as enough: objects, artifacts and a run of thousands of
/// attempts need far less.
constexpr std::uint64_t kEnoughDisk = std::uint64_t{1} << 30;
/// Share of the usable cores that other programs may use before measurements suffer.
constexpr double kQuiet = 0.1;

std::string small_file(const platform::Path& path) {
  const auto text = platform::read_file(path);
  return text ? std::string(trim(*text)) : std::string();
}

bool is_there(const platform::Path& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

CheckUp check_compiler() {
  CheckUp check{"compiler", Health::Good, "", "", ""};
  compile::CpuCompilerSettings settings;
  settings.objects = cache_folder() / "objects";
  const auto compiler = compile::CpuCompiler::create(settings);
  if (compiler) {
    check.found = (*compiler)->version();
    return check;
  }
  return {"compiler", Health::Broken, describe(compiler.error()), "nothing can be compiled",
          std::string(kCompilerFix)};
}

/// Looks for a program that is useful but not required.
CheckUp check_program(const std::string& name, const std::string& cost, const std::string& fix) {
  const auto path = platform::find_program(name);
  if (path) return {name, Health::Good, path->string(), "", ""};
  return {name, Health::NotNeeded, "not found", cost, fix};
}

std::string limit_words(platform::ProcessLimit limit) {
  switch (limit) {
    case platform::ProcessLimit::Exact:
      return "the number of processes is limited exactly";
    case platform::ProcessLimit::Shared:
      return "the limit on processes counts this user's other processes, too";
    case platform::ProcessLimit::Unbounded:
      break;
  }
  return "the number of processes is not limited; a fork bomb ends at the time limit";
}

std::vector<CheckUp> check_jail() {
  const platform::JailProbe& probe = platform::probe_jail();
  std::vector<CheckUp> checks;
  const std::string uid = fmt::format("runs as uid {}{}", probe.uid,
                                      probe.drops_uid ? ", its own" : ", the same as this program");
  if (probe.ns.available)
    checks.push_back(
        {"jail namespace", Health::Good,
         fmt::format("{}; {}; {}", probe.ns.confines, uid, limit_words(probe.process_limit_ns)), "",
         ""});
  else
    checks.push_back({"jail namespace", probe.landlock.available ? Health::Poor : Health::Broken,
                      probe.ns.why_not,
                      probe.landlock.available
                          ? "candidates are held by Landlock instead, which has " +
                                std::string(platform::what_it_lacks(JailLevel::Landlock))
                          : "no candidate is judged, unless --jail none is given",
                      std::string(platform::how_to_mend(JailLevel::Namespace))});
  if (probe.landlock.available)
    checks.push_back(
        {"jail landlock", Health::Good,
         fmt::format("{}; {}", probe.landlock.confines, limit_words(probe.process_limit_landlock)),
         "", ""});
  else
    checks.push_back({"jail landlock", probe.ns.available ? Health::NotNeeded : Health::Broken,
                      probe.landlock.why_not,
                      "there is no weaker jail to use where namespaces are forbidden",
                      std::string(platform::how_to_mend(JailLevel::Landlock))});
  return checks;
}

CheckUp check_user_namespaces() {
  const std::string clone = small_file("/proc/sys/kernel/unprivileged_userns_clone");
  const std::string apparmor = small_file("/proc/sys/kernel/apparmor_restrict_unprivileged_userns");
  const std::string most = small_file("/proc/sys/user/max_user_namespaces");
  if (clone == "0" || most == "0")
    return {"user namespaces", Health::Poor, "forbidden by the kernel's settings",
            "a user other than root cannot use the jail of level namespace",
            clone == "0" ? "sysctl kernel.unprivileged_userns_clone=1"
                         : "sysctl user.max_user_namespaces=10000"};
  if (apparmor == "1")
    return {"user namespaces", Health::Poor, "restricted by AppArmor",
            "a user other than root cannot use the jail of level namespace",
            "sysctl kernel.apparmor_restrict_unprivileged_userns=0, or a profile for bwrap"};
  return {"user namespaces", Health::Good, "not forbidden by the kernel's settings", "", ""};
}

CheckUp check_openblas() {
  if (has_openblas()) return {"OpenBLAS", Health::Good, "found", "", ""};
  return {"OpenBLAS", Health::NotNeeded, "not found",
          "matmul is compared with the reference and its parallel form only",
          "apt install libopenblas-dev"};
}

/// The nearest folder above the path, or the path itself, that exists.
platform::Path existing_part(platform::Path path) {
  std::error_code ignored;
  path = std::filesystem::absolute(path, ignored);
  while (!is_there(path) && path.has_parent_path() && path != path.parent_path())
    path = path.parent_path();
  return path;
}

CheckUp check_folder(const std::string& what, const platform::Path& folder,
                     const std::string& fix) {
  const platform::Path there = existing_part(folder);
  const auto free = platform::free_disk_bytes(there);
  if (::access(there.c_str(), W_OK) != 0)
    return {what, Health::Broken, folder.string() + " cannot be written",
            "nothing can be stored in this folder", fix};
  if (!free) return {what, Health::Poor, describe(free.error()), "", fix};
  const std::string found = fmt::format("{}, {} free", folder.string(), format_bytes(*free));
  if (*free < kEnoughDisk)
    return {what, Health::Poor, found, "a full disk stops a run; nothing stored is lost",
            "free some space, or " + fix};
  return {what, Health::Good, found, "", ""};
}

CheckUp check_store(const Options& options) {
  const platform::Path file = platform::Path(options.workspace) / "runs" / "kernelwright.sqlite";
  if (!is_there(file)) return {"store", Health::Good, "none yet; the first run creates it", "", ""};
  const auto store = store::RunStore::open(options.workspace);
  if (!store)
    return {"store", Health::Broken, describe(store.error()), "runs can neither be kept nor read",
            "give another --workspace, or use the version of kw that wrote this one"};
  std::string found = fmt::format("{}, schema {}", file.string(), store::kSchemaVersion);
  if (!store->notice().empty()) found += ", " + store->notice();
  return {"store", Health::Good, found, "", ""};
}

CheckUp check_leases() {
  const auto folder = platform::lease_dir();
  if (folder) return {"lease folder", Health::Good, folder->string(), "", ""};
  return {"lease folder", Health::Broken, describe(folder.error()),
          "two programs could measure at the same time and disturb each other",
          "make /run/lock or /tmp writable for everyone"};
}

CheckUp check_clock() {
  const std::string source =
      small_file("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  timespec tick{};
  ::clock_getres(CLOCK_MONOTONIC, &tick);
  const std::string found =
      fmt::format("{}, resolution {} ns", source.empty() ? "source unknown" : source, tick.tv_nsec);
  const bool is_slow = source == "hpet" || source == "acpi_pm" || source == "jiffies";
  if (tick.tv_nsec > 1000 || is_slow)
    return {"clock", Health::Poor, found,
            "reading this clock costs microseconds, so times of short kernels are imprecise",
            "boot with the time-stamp counter (tsc) as clock source"};
  return {"clock", Health::Good, found, "", ""};
}

int usable_cores() { return std::max(1, static_cast<int>(platform::usable_processors().size())); }

CheckUp check_cores() {
  const int cores = usable_cores();
  const long all = ::sysconf(_SC_NPROCESSORS_ONLN);
  return {"cores", Health::Good,
          fmt::format("{} usable{}", cores,
                      cores < all ? fmt::format(" of {} (affinity)", all) : std::string()),
          "", ""};
}

CheckUp check_quota() {
  const std::string quota = small_file("/sys/fs/cgroup/cpu.max");
  const auto parts = split(quota, ' ');
  double allowed = 0;
  double period = 0;
  const bool is_limited =
      parts.size() == 2 &&
      std::from_chars(parts[0].data(), parts[0].data() + parts[0].size(), allowed).ec ==
          std::errc() &&
      std::from_chars(parts[1].data(), parts[1].data() + parts[1].size(), period).ec ==
          std::errc() &&
      period > 0;
  if (!is_limited) return {"cpu quota", Health::Good, "none", "", ""};
  const double cores = allowed / period;
  const std::string found = fmt::format("{:.1f} cores' worth of time", cores);
  if (cores + 0.01 < usable_cores())
    return {"cpu quota", Health::Poor, found,
            "the container's CPU quota slows kernels down while they are timed",
            "raise the container's cpu limit, or pin it to fewer cores"};
  return {"cpu quota", Health::Good, found, "", ""};
}

/// Busy and total time of all processors since the start, in ticks; zeros where /proc is missing.
std::pair<double, double> processor_ticks() {
  const std::string text = small_file("/proc/stat");
  const auto lines = split_lines(text);
  if (lines.empty()) return {0, 0};
  double total = 0;
  double idle = 0;
  int field = -1;
  for (const std::string_view word : split(lines.front(), ' ')) {
    double value = 0;
    if (std::from_chars(word.data(), word.data() + word.size(), value).ec != std::errc()) continue;
    ++field;
    if (field > 7) break;  // guest time is part of user time already
    total += value;
    if (field == 3 || field == 4) idle += value;
  }
  return {total - idle, total};
}

CheckUp check_load() {
  const auto before = processor_ticks();
  std::this_thread::sleep_for(milliseconds(200));
  const auto after = processor_ticks();
  const double total = after.second - before.second;
  if (total <= 0)
    return {"load now", Health::Poor, "/proc/stat cannot be read",
            "the machine's load is not known", "mount /proc"};
  const double busy = (after.first - before.first) / total;
  const std::string found = fmt::format("{:.2f} of all cores busy", busy);
  if (busy > kQuiet)
    return {"load now", Health::Poor, found,
            "other programs' load makes timings noisier and intervals wider",
            "measure when the machine is quiet"};
  return {"load now", Health::Good, found, "", ""};
}

CheckUp check_worker() {
  const auto folder = platform::executable_dir();
  if (!folder) return {"programs", Health::Broken, describe(folder.error()), "", ""};
  for (const char* name : {"kw-worker", "kw-player-cpu", "kw-jail"})
    if (!is_there(*folder / name))
      return {"programs", Health::Broken, fmt::format("{} is missing beside kw", name),
              "nothing can be judged", std::string(kProgramsFix)};
  return {"programs", Health::Good, folder->string(), "", ""};
}

CheckUp check_perf() {
  const std::string level = small_file("/proc/sys/kernel/perf_event_paranoid");
  if (level.empty())
    return {"perf counters", Health::NotNeeded, "not in this kernel",
            "hardware counters, which profiles on cpu do not use yet", ""};
  return {"perf counters", Health::Good, "perf_event_paranoid " + level, "", ""};
}

CheckUp check_kernel() {
  utsname name{};
  ::uname(&name);
  return {"system", Health::Good, fmt::format("{} {} {}", name.sysname, name.release, name.machine),
          "", ""};
}

}  // namespace

std::vector<CheckUp> examine(const Options& options) {
  std::vector<CheckUp> checks{check_kernel(), check_worker(), check_compiler()};
  for (CheckUp& check : check_jail()) checks.push_back(std::move(check));
  checks.push_back(check_user_namespaces());
  checks.push_back(check_leases());
  checks.push_back(check_folder("workspace", options.workspace, "use another --workspace"));
  checks.push_back(check_folder("cache", cache_folder(), std::string(kCacheFix)));
  checks.push_back(check_store(options));
  checks.push_back(check_cores());
  checks.push_back(check_quota());
  checks.push_back(check_load());
  checks.push_back(check_clock());
  checks.push_back(check_openblas());
  checks.push_back(
      check_program("ccache", "rebuilding this program takes longer", "apt install ccache"));
  checks.push_back(check_perf());
  for (CheckUp& check : examine_gpu()) checks.push_back(std::move(check));
  return checks;
}

}  // namespace kw::session
