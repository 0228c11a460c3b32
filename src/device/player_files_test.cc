// Tests of which files of the system CPU players see, and that these stay in memory.
// SPDX-License-Identifier: Apache-2.0
#include "device/player_files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>

namespace kw::device {
namespace {

using platform::Path;

bool names(const std::vector<Path>& paths, std::string_view start) {
  return std::any_of(paths.begin(), paths.end(),
                     [&](const Path& path) { return path.filename().string().starts_with(start); });
}

TEST(PlayerFiles, ReadTheLoadersTrace) {
  const auto paths = paths_of_trace(
      "\tlinux-vdso.so.1 (0x00007ffc)\n"
      "\tlibm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x00007f01)\n"
      "\tlibnone.so.1 => not found\n"
      "\t/lib64/ld-linux-x86-64.so.2 (0x00007f02)\n");
  EXPECT_EQ(paths,
            (std::vector<Path>{"/lib/x86_64-linux-gnu/libm.so.6", "/lib64/ld-linux-x86-64.so.2"}));
}

TEST(PlayerFiles, AreTheLoaderAndTheLibrariesOfKernels) {
  const auto files = PlayerFiles::open(*platform::executable_dir() / "kw-player-cpu");
  ASSERT_TRUE(files.has_value()) << describe(files.error());
  for (const char* start : {"ld-linux", "libc.so", "libm.so", "libgcc_s.so", "libstdc++.so",
                            "libgomp.so", "ld.so.cache"})
    EXPECT_TRUE(names(files->paths(), start)) << start;
  EXPECT_LT(files->paths().size(), 30U);
}

TEST(PlayerFiles, CannotBeDroppedFromMemory) {
  const auto files = PlayerFiles::open(*platform::executable_dir() / "kw-player-cpu");
  ASSERT_TRUE(files.has_value()) << describe(files.error());
  for (const Path& path : files->paths()) {
    const platform::Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat info{};
    ASSERT_EQ(::fstat(file.get(), &info), 0) << path;
    const auto size = static_cast<std::size_t>(info.st_size);
    ASSERT_EQ(::posix_fadvise(file.get(), 0, 0, POSIX_FADV_DONTNEED), 0);
    void* at = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.get(), 0);
    ASSERT_NE(at, MAP_FAILED);
    std::vector<unsigned char> resident((size + 4095) / 4096);
    ASSERT_EQ(::mincore(at, size, resident.data()), 0);
    EXPECT_EQ(std::count_if(resident.begin(), resident.end(), [](auto r) { return (r & 1) == 0; }),
              0)
        << path;
    ::munmap(at, size);
  }
}

}  // namespace
}  // namespace kw::device
