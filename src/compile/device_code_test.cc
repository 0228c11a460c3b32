// Tests of names found in the PTX of cubins made by hand, and of cubins from a real compiler where
// there is one.
// SPDX-License-Identifier: Apache-2.0
#include "compile/device_code.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "base/error_for_test.h"
#include "compile/cuda_unit_for_test.h"
#include "compile/device_timer.h"

namespace kw::compile {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

/// A cubin that holds only the given PTX.
std::string cubin_of(std::string_view ptx, const std::string& section = ".nv_debug_ptx_txt") {
  std::string file(sizeof(Elf64_Ehdr), '\0');
  const std::string names = std::string(1, '\0') + section + std::string(1, '\0');
  Elf64_Shdr sections[3]{};
  sections[1].sh_type = SHT_STRTAB;
  sections[1].sh_offset = file.size();
  sections[1].sh_size = names.size();
  file += names;
  sections[2].sh_type = SHT_PROGBITS;
  sections[2].sh_name = 1;
  sections[2].sh_offset = file.size();
  sections[2].sh_size = ptx.size();
  file += ptx;
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_machine = 190;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 3;
  header.e_shstrndx = 1;
  header.e_shoff = file.size();
  std::memcpy(file.data(), &header, sizeof header);
  return file.append(reinterpret_cast<const char*>(sections), sizeof sections);
}

std::vector<std::string> registers(std::string_view ptx, std::string_view mark = "") {
  const auto code = read_device_code(cubin_of(ptx), mark);
  return code ? code->registers : std::vector<std::string>{"unreadable"};
}

TEST(DeviceCode, SeesSpecialRegistersAsWholeWords) {
  EXPECT_THAT(registers("mov.u64 %rd1, %clock64;"), ElementsAre("%clock64"));
  EXPECT_THAT(registers(std::string_view("a\0mov.u32 %r1,%clock;\0mov.u32 %r2, %pm3;", 43)),
              ElementsAre("%clock", "%pm3"));
  EXPECT_THAT(registers("{mov.u64 t,%globaltimer_lo;}"), ElementsAre("%globaltimer_lo"));
  EXPECT_THAT(registers("/* // */ mov.u64 %rd1, %globaltimer;"), ElementsAre("%globaltimer"));
  EXPECT_THAT(registers(".reg .b32 %clockwise; mov.u32 %clock_, %tid.x; mov.b32 %pmax, 1;"),
              IsEmpty());
}

TEST(DeviceCode, PassesOverTheLibrarysOwnTimerAlone) {
  const std::string mark = "kw_wait_0123";
  EXPECT_THAT(registers("mov.u64 %rd7, %globaltimer; // kw_wait_0123", mark), IsEmpty());
  for (const char* line :
       {"mov.u64 %rd7, %globaltimer;", "mov.u64 %rd7, %globaltimer; // kw_wait_9",
        "mov.u64 %rd7, %globaltimer; mov.u64 a, b; // kw_wait_0123",
        "mov.u64 a, %globaltimer; mov.u64 %rd7, %globaltimer; // kw_wait_0123",
        "mov.u64 %rd7, %clock64; // kw_wait_0123"})
    EXPECT_EQ(registers(line, mark).size(), 1u) << line;
  EXPECT_EQ(registers("mov.u64 %rd7, %globaltimer; // ", "").size(), 1u);
}

TEST(DeviceCode, RefusesACubinOfWhichNothingCanBeSaid) {
  EXPECT_THAT(read_device_code(cubin_of("", ".text"), ""),
              IsErrorAbout(ErrorCode::Malformed, "PTX"));
  EXPECT_THAT(read_device_code("no ELF", ""), IsErrorAbout(ErrorCode::Malformed, "ELF header"));
}

TEST(DeviceTimer, MarksDifferWithEveryFile) {
  const auto mark = library_timer_mark(cuda_unit("a"));
  EXPECT_EQ(mark, library_timer_mark(cuda_unit("a")));
  EXPECT_NE(mark, library_timer_mark(cuda_unit("b")));
  EXPECT_NE(mark, library_timer_mark(cuda_unit("a", {{"iface.h", "int x;"}})));
}

using RealDeviceCode = CudaCompilerTest;

TEST_F(RealDeviceCode, TellsALibrarysWaitFromAClock) {
  const auto seen = [&](const std::string& body) {
    const BuildUnit unit = cuda_unit(
        "#include <cuda/barrier>\n#define JOIN(p, q) p##q\n"
        "extern \"C\" __global__ void k(unsigned long long* t) {\n"
        "  __shared__ cuda::barrier<cuda::thread_scope_block> all;\n"
        "  if (threadIdx.x == 0) init(&all, blockDim.x);\n"
        "  __syncthreads();\n" +
        body + "}\n");
    const CompileResult result = build(unit);
    if (!result.ok()) return std::vector<std::string>{result.evidence};
    const auto code =
        read_device_code(*platform::read_file(result.object.at(0).path), library_timer_mark(unit));
    if (!code) {
      ADD_FAILURE() << describe(code.error());
      return std::vector<std::string>();
    }
    std::vector<std::string> all = code->registers;
    for (const std::string& name : code->imported)
      if (!name.starts_with(".nv.")) all.push_back(name);
    return all;
  };
  EXPECT_THAT(seen("all.arrive_and_wait();"), IsEmpty());
  EXPECT_THAT(seen("*t = JOIN(clo, ck64)();"), ElementsAre("%clock64"));
  EXPECT_THAT(seen("asm volatile(\"mov.u64 %0, %%glo\" \"baltimer;\" : \"=l\"(*t));"),
              ElementsAre("%globaltimer"));
  EXPECT_THAT(seen("all.arrive_and_wait(); *t = "
                   "cuda::std::chrono::system_clock::now().time_since_epoch().count();"),
              ElementsAre("%globaltimer"));
  EXPECT_THAT(seen("*t = (unsigned long long)JOIN(mal, loc)(8);"), Contains("malloc"));
}

}  // namespace
}  // namespace kw::compile
