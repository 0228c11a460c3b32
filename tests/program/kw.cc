// Starts the program under test.
// SPDX-License-Identifier: Apache-2.0
#include "kw.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "base/text.h"
#include "platform/locks.h"

namespace kw::program {
namespace {

platform::TempDir make_dir() {
  auto dir = platform::TempDir::create("kw-program");
  if (!dir) {
    ADD_FAILURE() << describe(dir.error());
    std::abort();
  }
  return std::move(*dir);
}

std::string program_of(Whose whose) {
  const char* suite = whose == Whose::Suite ? std::getenv("KW_SUITE_KW") : nullptr;
  return suite != nullptr && *suite != 0 ? suite : std::string(KW_BINARY_DIR) + "/bin/kw";
}

/// The path of a `kw`, and when it and the programs beside it that judge kernels were built.
std::string stamp_of(const platform::Path& program) {
  std::string stamp = program.string();
  const platform::Path folder = program.parent_path();
  for (const platform::Path& one : {program, folder / "kw-worker", folder / "kw-player-cpu"}) {
    std::error_code missing;
    const auto built = std::filesystem::last_write_time(one, missing);
    stamp += missing ? " none" : " " + std::to_string(built.time_since_epoch().count());
  }
  return stamp;
}

/// Judges a kernel of the easy task, so that the workspace learns facts about the machine and the
/// baselines, and keeps the workspace's database as `kept`. Keeps nothing if no kernel can be
/// judged; tests that need one report that.
void learn(const platform::Path& kept) {
  const Workspace first(Whose::Suite);
  write_easy_task(first, "twice");
  first.write("right.cpp", kFasterKernel);
  if (first.kw({"judge", "right.cpp", "--task", "twice"}).code > 1) return;
  std::filesystem::copy(first.path() / "runs", kept, std::filesystem::copy_options::recursive);
}

}  // namespace

const char* const kGoodTaskYaml =
    "name: twice\n"
    "family: elementwise\n"
    "summary: y is 2 x\n"
    "dims: [n]\n"
    "scalars:\n"
    "  n: { dtype: i32 }\n"
    "tensors:\n"
    "  x: { dtype: f32, shape: [n], role: in }\n"
    "  y: { dtype: f32, shape: [n], role: out }\n"
    "signature: [n, x, y]\n"
    "gate: { kind: relative, c: 4, scale: 1 }\n"
    "work:\n"
    "  floor: { bytes: \"8 * n\", flops: n }\n"
    "  nominal: { read_bytes: \"4 * n\", write_bytes: \"4 * n\", flops: n, items: n }\n";

const char* const kFasterKernel =
    "void twice(int n, const float* x, float* y) {\n"
    "  for (int i = 0; i < n; ++i) {\n"
    "    float sum = 0;\n"
    "    for (int k = 0; k < 8; ++k) sum += x[i] * 0.25f;\n"
    "    y[i] = sum;\n"
    "  }\n"
    "}\n";

nlohmann::json Ran::json() const {
  auto parsed = nlohmann::json::parse(out, nullptr, false);
  EXPECT_TRUE(parsed.is_object()) << "standard output: " << out << "\nstandard error: " << err;
  return parsed.is_object() ? parsed : nlohmann::json();
}

Ran ended(const Result<platform::Exit>& exit) {
  if (!exit) {
    ADD_FAILURE() << describe(exit.error());
    return {};
  }
  EXPECT_FALSE(exit->timed_out) << exit->err;
  return {exit->code, exit->signal, exit->out, exit->err};
}

bool wait_until(const std::function<bool()>& is_so) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (!is_so()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

bool lacks_jail(const Ran& ran) {
  const char* required = std::getenv("KW_REQUIRE_JAIL");
  const auto says = [&](const char* words) { return ran.err.find(words) != std::string::npos; };
  return ran.code == 3 && (says("jail level") || says("no jail works")) &&
         (required == nullptr || std::string_view(required) != "1");
}

Workspace::Workspace(Whose whose) : dir_(make_dir()), program_(program_of(whose)) {}

platform::SpawnOptions Workspace::options(const Words& env) const {
  platform::SpawnOptions options;
  options.cwd = path();
  options.output_cap = std::size_t{16} << 20;
  options.env = {"HOME=" + path().string(),
                 "XDG_CACHE_HOME=" + std::string(KW_BINARY_DIR) + "/program"};
  for (const char* name : {"PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"})
    if (const auto entry = platform::env_of_ours(name)) options.env.push_back(*entry);
  options.env.insert(options.env.end(), env.begin(), env.end());
  return options;
}

Ran Workspace::kw(const Words& arguments, const Words& env) const {
  Words words{program_};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return ended(platform::run(words, options(env), kPatience));
}

std::string Workspace::refusal(Words command, const Words& more) const {
  command.insert(command.end(), more.begin(), more.end());
  const Ran ran = kw(command);
  EXPECT_EQ(ran.code, 2) << ran.out << ran.err;
  return ran.err;
}

Ran Workspace::shell(const std::string& script) const {
  return ended(platform::run({"sh", "-c", script}, options({"KW=" + program_}), kPatience));
}

platform::Process Workspace::spawn(const Words& words, const Words& env) const {
  auto process = platform::spawn(words, options(env));
  if (!process) {
    ADD_FAILURE() << describe(process.error());
    std::abort();
  }
  return std::move(*process);
}

platform::Process Workspace::start(const Words& arguments) const {
  Words words{program_};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return spawn(words, {});
}

platform::Process Workspace::start_audible(const Words& arguments, const std::string& err,
                                           const Words& env) const {
  Words words{"sh", "-c", "exec \"$KW\" \"$@\" 2>\"$ERR\"", "sh"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  Words all{"KW=" + program_, "ERR=" + err};
  all.insert(all.end(), env.begin(), env.end());
  return spawn(words, all);
}

nlohmann::json Workspace::run() const {
  const Ran ran = kw({"runs", "--json"});
  // The database may be unreadable while it is being created.
  const auto listed = nlohmann::json::parse(ran.out, nullptr, false);
  if (ran.code != 0 || !listed.is_object() || listed["runs"].empty()) return nullptr;
  return listed["runs"][0];
}

void Workspace::write(const std::string& file, const std::string& text) const {
  const platform::Path place = path() / file;
  ASSERT_TRUE(platform::make_dirs(place.parent_path()));
  ASSERT_TRUE(platform::write_file_atomic(place, text, false));
}

std::string Workspace::read(const std::string& file) const {
  const auto text = platform::read_file(path() / file);
  return text ? *text : std::string();
}

void write_good_task(const Workspace& workspace, const std::string& folder) {
  workspace.write(folder + "/task.yaml", kGoodTaskYaml);
  workspace.write(folder + "/shapes.yaml",
                  "show: [ { name: small, n: 1000 } ]\n"
                  "check: [ { name: prime, n: 4099 } ]\n"
                  "time: [ { name: large, n: 1048576 } ]\n");
  workspace.write(folder + "/spec.md", "y is 2 x.\n");
  workspace.write(folder + "/reference.cpp",
                  "template <class Real>\n"
                  "void reference(int n, const Real* x, Real* y) {\n"
                  "  for (int i = 0; i < n; ++i) y[i] = 2 * x[i];\n"
                  "}\n");
}

void write_easy_task(const Workspace& workspace, const std::string& folder) {
  write_good_task(workspace, folder);
  std::string yaml = kGoodTaskYaml;
  yaml.replace(yaml.find("c: 4"), 4, "c: 400");
  workspace.write(folder + "/task.yaml", yaml);
  workspace.write(folder + "/shapes.yaml",
                  "show: [ { name: small, n: 1000 } ]\n"
                  "check: [ { name: prime, n: 4099 } ]\n"
                  "time: [ { name: large, n: 524288 } ]\n");
  workspace.write(folder + "/reference.cpp",
                  "template <class Real>\n"
                  "void reference(int n, const Real* x, Real* y) {\n"
                  "  for (int i = 0; i < n; ++i) {\n"
                  "    Real sum = 0;\n"
                  "    for (int k = 0; k < 32; ++k) sum += x[i] * Real(0.0625);\n"
                  "    y[i] = sum;\n"
                  "  }\n"
                  "}\n");
}

platform::Path made_once(const std::string& name,
                         const std::function<void(const platform::Path&)>& make) {
  const platform::Path place = platform::Path(KW_BINARY_DIR) / "program" / name;
  const platform::Path kept = place / "kept";
  EXPECT_TRUE(platform::make_dirs(place));
  // Tests are separate processes: the first one makes it, the others wait for the lock.
  const auto lock = platform::FileLock::acquire(place / "lock", "a test", kPatience);
  EXPECT_TRUE(lock) << describe(lock.error());
  const platform::Path program = program_of(Whose::Suite);
  const std::string stamp = stamp_of(program);
  const auto made_by = platform::read_file(place / "program");
  if (made_by && *made_by == stamp && std::filesystem::exists(kept)) return kept;
  std::filesystem::remove_all(kept);
  make(kept);
  EXPECT_TRUE(platform::write_file_atomic(place / "program", stamp, false));
  return kept;
}

void write_known_task(const Workspace& workspace) {
  write_easy_task(workspace, "twice");
  const platform::Path known = made_once("known", learn);
  if (std::filesystem::exists(known))
    std::filesystem::copy(known, workspace.path() / "runs",
                          std::filesystem::copy_options::recursive);
}

Ran write_won_run(const Workspace& workspace) {
  write_easy_task(workspace, "twice");
  Ran ran;
  ran.code = 0;
  const platform::Path won = made_once("won_run", [&](const platform::Path& kept) {
    const Workspace first(Whose::Suite);
    write_known_task(first);
    first.write("twice/candidates/001_right.cpp", kFasterKernel);
    ran = first.kw({"optimize", "twice", "--attempts", "1", "--baseline", "reference"});
    if (ran.code == 0)
      std::filesystem::copy(first.path() / "runs", kept, std::filesystem::copy_options::recursive);
  });
  if (ran.code == 0)
    std::filesystem::copy(won, workspace.path() / "runs", std::filesystem::copy_options::recursive);
  return ran;
}

std::vector<std::string> writing_strategies(const Workspace& w) {
  const std::string error = w.kw({"optimize", "twice", "--strategy", "none"}).err;
  const std::string_view mark = "there are: ";
  std::vector<std::string> names;
  const auto at = error.find(mark);
  EXPECT_NE(at, std::string::npos) << error;
  if (at == std::string::npos) return names;
  const std::string list = error.substr(at + mark.size());
  for (const std::string_view name : split(trim(list), ','))
    if (trim(name) != "greedy" && trim(name) != "random") names.emplace_back(trim(name));
  return names;
}

}  // namespace kw::program
