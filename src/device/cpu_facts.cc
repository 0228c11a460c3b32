// Reads facts about this machine from /proc, sysfs and the processor itself.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "base/hash.h"
#include "base/text.h"
#include "device/cpu.h"
#include "platform/processors.h"

namespace kw::device {
namespace {

constexpr const char* kCpuFolder = "/sys/devices/system/cpu";

/// First value of `key : value` in /proc/cpuinfo; empty if there is none.
std::string cpuinfo_value(std::string_view text, std::string_view key) {
  for (const std::string_view line : split_lines(text)) {
    const auto colon = line.find(':');
    if (colon != std::string_view::npos && trim(line.substr(0, colon)) == key)
      return std::string(trim(line.substr(colon + 1)));
  }
  return {};
}

/// Content of a small file, trimmed; empty if it cannot be read. Files of sysfs and proc report no
/// size.
std::string small_file(const std::string& path) {
  const auto text = platform::read_file(path);
  return text.has_value() ? std::string(trim(*text)) : std::string();
}

/// Instruction sets that matter for code generation and the roofline, weakest first.
std::vector<std::string> instruction_sets() {
  std::vector<std::string> sets;
#if defined(__x86_64__)
  __builtin_cpu_init();
  const auto add = [&](const char* name, bool has) {
    if (has) sets.emplace_back(name);
  };
  add("sse2", true);
  add("sse4.2", __builtin_cpu_supports("sse4.2"));
  add("avx", __builtin_cpu_supports("avx"));
  add("avx2", __builtin_cpu_supports("avx2"));
  add("fma", __builtin_cpu_supports("fma"));
  add("avx512f", __builtin_cpu_supports("avx512f"));
  add("avx512bw", __builtin_cpu_supports("avx512bw"));
  add("avx512vl", __builtin_cpu_supports("avx512vl"));
  add("avx512dq", __builtin_cpu_supports("avx512dq"));
  add("avx512cd", __builtin_cpu_supports("avx512cd"));
  add("avx512ifma", __builtin_cpu_supports("avx512ifma"));
  add("avx512vbmi", __builtin_cpu_supports("avx512vbmi"));
  add("avx512vbmi2", __builtin_cpu_supports("avx512vbmi2"));
  add("avx512vnni", __builtin_cpu_supports("avx512vnni"));
  add("avx512bitalg", __builtin_cpu_supports("avx512bitalg"));
  add("avx512vpopcntdq", __builtin_cpu_supports("avx512vpopcntdq"));
  add("avx512bf16", __builtin_cpu_supports("avx512bf16"));
  add("gfni", __builtin_cpu_supports("gfni"));
  add("bmi2", __builtin_cpu_supports("bmi2"));
#elif defined(__aarch64__)
  sets.emplace_back("neon");
#endif
  return sets;
}

/// Maker, family and model number, since virtual machines hide the name of the product.
std::string generation_in(std::string_view cpuinfo) {
  const std::string maker = cpuinfo_value(cpuinfo, "vendor_id");
  const std::string family = cpuinfo_value(cpuinfo, "cpu family");
  if (maker.empty() || family.empty()) return {};
  return fmt::format("{}, family {}, model {}", maker, family, cpuinfo_value(cpuinfo, "model"));
}

/// Reads a size such as "32K", "1024K" or "32M".
std::int64_t parse_cache_size(std::string_view text) {
  std::int64_t value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end.ec != std::errc()) return 0;
  const std::string_view unit(end.ptr,
                              static_cast<std::size_t>(text.data() + text.size() - end.ptr));
  return unit == "K" ? value << 10 : unit == "M" ? value << 20 : value;
}

/// Number of cores in a list such as "0-3,8".
int count_list(std::string_view list) {
  int count = 0;
  for (const std::string_view part : split(list, ',')) {
    int first = 0;
    const auto end = std::from_chars(part.data(), part.data() + part.size(), first);
    if (end.ec != std::errc()) continue;
    int last = first;
    if (end.ptr != part.data() + part.size() && *end.ptr == '-')
      std::from_chars(end.ptr + 1, part.data() + part.size(), last);
    count += last - first + 1;
  }
  return count;
}

std::vector<Cache> caches_from_sysfs(int core) {
  std::vector<Cache> caches;
  for (int i = 0; i < 8; ++i) {
    const auto folder = fmt::format("{}/cpu{}/cache/index{}/", kCpuFolder, core, i);
    const auto level = small_file(folder + "level");
    if (level.empty()) break;
    if (small_file(folder + "type") == "Instruction") continue;
    Cache cache;
    cache.level = level[0] - '0';
    cache.bytes = parse_cache_size(small_file(folder + "size"));
    cache.shared_by = std::max(1, count_list(small_file(folder + "shared_cpu_list")));
    if (cache.bytes > 0) caches.push_back(cache);
  }
  return caches;
}

/// Logical cores of a physical one, as /proc/cpuinfo counts them; 1 where it does not.
int threads_per_core(std::string_view cpuinfo) {
  const auto number = [&](std::string_view key) {
    const std::string text = cpuinfo_value(cpuinfo, key);
    int value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
  };
  const int siblings = number("siblings"), cores = number("cpu cores");
  return cores > 0 ? std::max(1, siblings / cores) : 1;
}

/// Caches where sysfs is hidden: sizes that the C library read from the processor. Logical cores of
/// a physical one share L1 and L2, and all cores are taken to share L3.
std::vector<Cache> caches_from_libc(int cores, int threads) {
  std::vector<Cache> caches;
  const auto add = [&](int level, int name, int shared_by) {
    const long bytes = ::sysconf(name);
    if (bytes > 0) caches.push_back({level, bytes, shared_by});
  };
  add(1, _SC_LEVEL1_DCACHE_SIZE, threads);
  add(2, _SC_LEVEL2_CACHE_SIZE, threads);
  add(3, _SC_LEVEL3_CACHE_SIZE, cores);
  return caches;
}

}  // namespace

Result<DeviceFacts> read_cpu_facts() {
  DeviceFacts facts;
  facts.target = Target::Cpu;
  std::vector<int> cores = platform::usable_processors();
  if (cores.empty()) cores.push_back(0);
  facts.cores = static_cast<int>(cores.size());
  const std::string cpuinfo = small_file("/proc/cpuinfo");
  facts.model = cpuinfo_value(cpuinfo, "model name");
  facts.generation = generation_in(cpuinfo);
  if (facts.model.empty()) facts.model = "unknown processor";
  facts.isa = instruction_sets();
  facts.caches = caches_from_sysfs(cores.front());
  if (facts.caches.empty()) facts.caches = caches_from_libc(facts.cores, threads_per_core(cpuinfo));
  facts.memory_bytes =
      static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE);

  utsname system{};
  if (::uname(&system) == 0) facts.kernel = fmt::format("{} {}", system.sysname, system.release);
  // The id leaves out the cores that we may use: two processes with different affinity share one
  // memory, and so must share one lease.
  std::string machine = small_file("/etc/machine-id");
  if (machine.empty()) machine = system.nodename;
  facts.id = "cpu-" + sha256(machine + "\n" + facts.model).hex().substr(0, 12);
  return facts;
}

}  // namespace kw::device
