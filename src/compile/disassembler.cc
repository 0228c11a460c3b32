// One run of the disassembler in a jail, and storing its result.
// SPDX-License-Identifier: Apache-2.0
#include "compile/disassembler.h"

#include <chrono>
#include <utility>

#include "base/text.h"
#include "platform/jail.h"
#include "platform/subprocess.h"
#include "record/codec_impl.h"

namespace kw::compile {
namespace {

using platform::Path;

/// Version of the stored form. Increase it when the parser reads more, so that older files are
/// written again.
constexpr int kVersion = 1;
constexpr std::chrono::seconds kTimeout(20);
/// Most bytes of disassembly that are read. For comparison: that of a kernel with CuTe has 2 MB.
constexpr std::size_t kMostText = std::size_t{64} << 20;
constexpr std::size_t kMostObject = std::size_t{64} << 20;
constexpr std::size_t kMostKept = std::size_t{4} << 20;

struct KeptCode {
  int version = 0;
  std::string object_sha256;
  std::vector<KernelCode> kernels;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("version", s.version), v("object_sha256", s.object_sha256), v("kernels", s.kernels);
  }
};

Path kept_path(const BuiltObject& object) { return object.path + ".code.json"; }

std::optional<std::vector<KernelCode>> kept_facts(const BuiltObject& object) {
  const auto text = platform::read_file(kept_path(object), kMostKept);
  if (!text) return std::nullopt;
  auto kept = decode<KeptCode>(*text);
  if (!kept || kept->version != kVersion || kept->object_sha256 != object.sha256)
    return std::nullopt;
  return std::move(kept->kernels);
}

Result<std::string> disassemble(const Disassembler& disassembler, const BuiltObject& object) {
  const auto folder = KW_TRY(platform::TempDir::create("kw-disassemble"));
  const std::string bytes = KW_TRY(platform::read_file(object.path, kMostObject));
  // The cubin is copied, since the jail's user may not be allowed to read the cache's folders.
  const Path copy = folder.path() / "unit.cubin";
  KW_TRY(platform::write_file_atomic(copy, bytes, /*durable=*/false));
  std::error_code ignored;
  std::filesystem::permissions(copy, std::filesystem::perms(0644), ignored);

  const Path real = std::filesystem::canonical(disassembler.program, ignored);
  const Path program = ignored ? disassembler.program : real;
  platform::JailSpec jail;
  jail.level = disassembler.jail;
  // The jail shows the program's whole folder, since cuobjdump starts the nvdisasm that lies beside
  // it.
  jail.readable = {program.parent_path()};
  jail.writable = {folder.path()};
  jail.allow_new_processes = true;
  jail.max_processes = 8;
  jail.address_space_bytes = std::uint64_t{4} << 30;
  jail.file_bytes = kMostText;
  jail.tmp_bytes = kMostText;
  jail.cpu_seconds = 20;
  jail.env = {"PATH=" + program.parent_path().string() + ":/usr/bin:/bin", "LC_ALL=C",
              "TMPDIR=" + folder.path().string()};
  jail.output_cap = kMostText;
  jail.kill_past_cap = true;
  jail.cwd = folder.path();
  const bool is_nvdisasm = program.filename() == "nvdisasm";
  const std::vector<std::string> words = {program.string(), is_nvdisasm ? "-c" : "-sass",
                                          copy.string()};
  const platform::Exit exit = KW_TRY(platform::run_jailed(jail, words, kTimeout));
  if (exit.ok() && !exit.output_truncated) return exit.out;
  std::string why =
      exit.timed_out ? "the disassembler exceeded its time limit" : platform::describe(exit);
  ErrorCode code = exit.timed_out ? ErrorCode::TimedOut : ErrorCode::Failed;
  if (exit.output_truncated) {
    code = ErrorCode::TooLarge;
    why = "the disassembler printed more than the limit of " + format_bytes(kMostText);
  }
  if (const auto said = trim(exit.err); !said.empty())
    why += ": " + sanitise(split_lines(said).front(), 200);
  const std::string name = program.filename().string();
  const std::string about = code == ErrorCode::Failed ? why : name;
  return fail(code, About{about}, name + " could not disassemble the kernel: " + why, "",
              Advice::GiveUp);
}

}  // namespace

Result<std::vector<KernelCode>> read_machine_code(const Disassembler& disassembler,
                                                  const BuiltObject& object) {
  if (object.format != "cubin" || object.path.empty())
    return fail(ErrorCode::Missing, About{"cubin"},
                "there is no cubin whose machine code could be read", "", Advice::GiveUp);
  if (auto known = kept_facts(object)) return std::move(*known);
  if (disassembler.program.empty())
    return fail(ErrorCode::MissingProgram, About{"nvdisasm"},
                "neither nvdisasm nor cuobjdump is installed (pip install nvidia-cuda-nvdisasm, or "
                "a CUDA toolkit that CUDA_PATH names)",
                "", Advice::GiveUp);
  const std::string text = KW_TRY(disassemble(disassembler, object));
  KeptCode kept{kVersion, object.sha256, parse_sass(text)};
  if (kept.kernels.empty())
    return fail(ErrorCode::Malformed, About{disassembler.program.filename().string()},
                disassembler.program.filename().string() + " printed no machine code", "",
                Advice::GiveUp);
  // The stored file only saves a later run of the disassembler, so failing to write it is no error.
  (void)platform::write_file_atomic(kept_path(object), kw::encode(kept), /*durable=*/false);
  return std::move(kept.kernels);
}

}  // namespace kw::compile

KW_INSTANTIATE_CODEC(kw::compile::KeptCode);
