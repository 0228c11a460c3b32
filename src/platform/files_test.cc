// Tests of files (caps, atomic replacement, errors that name the path), shared memory, and the fake
// disk.
// SPDX-License-Identifier: Apache-2.0
#include "platform/files.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "base/error_for_test.h"
#include "platform/disk.h"
#include "platform/memory_disk_for_test.h"
#include "platform/test_support.h"

namespace kw::platform {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Files : public ::testing::Test {
 protected:
  TempDir folder_ = need(TempDir::create());
  Path file_ = folder_.path() / "file";
};

TEST_F(Files, WritesAndReadsBack) {
  const std::string bytes("a\0b\n", 4);
  ASSERT_TRUE(write_file_atomic(file_, bytes));
  EXPECT_EQ(need(read_file(file_)), bytes);
  ASSERT_TRUE(write_file_atomic(file_, "", false));
  EXPECT_EQ(need(read_file(file_)), "");
  EXPECT_THAT(need(list_dir(folder_.path())), ElementsAre("file"));
}

TEST_F(Files, CapsWhatItReads) {
  std::ofstream(file_) << "12345";
  EXPECT_EQ(need(read_file(file_, 5)), "12345");
  const auto large = read_file(file_, 4);
  EXPECT_THAT(large, IsError(ErrorCode::TooLarge));
  EXPECT_THAT(large, IsErrorAt(file_.string()));
}

TEST_F(Files, ReadsFilesWhoseSizeIsNotTold) {
  if (!std::filesystem::exists("/proc/self/stat")) {
    std::printf("SKIPPED: no /proc here\n");
    GTEST_SKIP();
  }
  EXPECT_THAT(need(read_file("/proc/self/stat")), HasSubstr(std::to_string(::getpid())));
  EXPECT_FALSE(read_file("/proc/self/stat", 3));
}

TEST_F(Files, RefusesWhatIsNoFile) {
  EXPECT_THAT(read_file(folder_.path()), IsErrorAbout(ErrorCode::Io, ""));
  ASSERT_EQ(::mkfifo(file_.c_str(), 0600), 0);
  EXPECT_THAT(read_file(file_), IsErrorAbout(ErrorCode::Io, "no regular file"));
  const auto missing = read_file(folder_.path() / "none");
  EXPECT_THAT(missing, IsError(ErrorCode::NotFound));
  EXPECT_THAT(missing, IsErrorAt((folder_.path() / "none").string()));
}

TEST_F(Files, AFailedWriteLeavesTheOldBytes) {
  ASSERT_TRUE(make_dirs(file_ / "in" / "the" / "way"));
  EXPECT_FALSE(write_file_atomic(file_, "x"));
  EXPECT_THAT(need(list_dir(folder_.path())), ElementsAre("file"));
  EXPECT_FALSE(write_file_atomic(folder_.path() / "no" / "folder", "x"));
}

TEST_F(Files, AWriterShowsItsFileWholeOrNotAtAll) {
  ASSERT_TRUE(write_file_atomic(file_, "old"));
  const std::string piece(5000, 'x');
  {
    FileWriter writer = need(FileWriter::create(file_));
    for (int i = 0; i < 10; ++i) writer.write(piece);
    EXPECT_EQ(need(read_file(file_)), "old");
  }
  EXPECT_EQ(need(read_file(file_)), "old") << "never committed";
  FileWriter writer = need(FileWriter::create(file_));
  writer.write("new");
  for (int i = 0; i < 10; ++i) writer.write(piece);
  ASSERT_TRUE(writer.commit());
  EXPECT_EQ(need(read_file(file_)).size(), 50'003u);
  EXPECT_THAT(need(list_dir(folder_.path())), ElementsAre("file"));
}

TEST_F(Files, AWriterWritesThroughLinksAndDevices) {
  const Path link = folder_.path() / "link";
  ASSERT_TRUE(write_file_atomic(file_, "a longer old text"));
  std::filesystem::create_symlink(file_, link);
  ASSERT_TRUE(write_user_file(link, "new"));
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(need(read_file(file_)), "new");

  const Path full = folder_.path() / "full";
  if (::mknod(full.c_str(), S_IFCHR | 0600, makedev(1, 7)) == 0 &&
      ::access(full.c_str(), W_OK) == 0) {
    EXPECT_FALSE(write_user_file(full, "x")) << "a full disk";
    EXPECT_FALSE(write_file_atomic(full, "x"));
    EXPECT_TRUE(std::filesystem::is_character_file(full));
  }
  std::filesystem::create_symlink("/dev/full", folder_.path() / "to full");
  EXPECT_FALSE(write_user_file(folder_.path() / "to full", "x"));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
  std::filesystem::create_symlink("/dev/null", folder_.path() / "to null");
  EXPECT_TRUE(write_user_file(folder_.path() / "to null", "x"));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));

  const Path pipe = folder_.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(write_file_atomic(pipe, "x"), IsErrorAbout(ErrorCode::Io, "no regular file"));
  const Fd reader(::open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  ASSERT_TRUE(write_user_file(pipe, "through"));
  char text[16] = {};
  EXPECT_EQ(::read(reader.get(), text, sizeof text), 7);
  EXPECT_STREQ(text, "through");
}

TEST_F(Files, AWriterTellsItsTroubleAtTheEnd) {
  EXPECT_FALSE(FileWriter::create(folder_.path() / "no" / "file"));
  ASSERT_TRUE(make_dirs(file_ / "in" / "the" / "way"));
  FileWriter writer = need(FileWriter::create(file_));
  writer.write("x");
  const auto committed = writer.commit();
  EXPECT_THAT(committed, IsError(ErrorCode::Io));
  EXPECT_THAT(committed, IsErrorAt(file_.string()));
  EXPECT_THAT(need(list_dir(folder_.path())), ElementsAre("file"));
}

TEST_F(Files, AFullDiskStopsTheRun) {
  const int fd = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  ASSERT_GE(fd, 0);
  ASSERT_EQ(::write(fd, "x", 1), -1);
  const Error full = fail_errno("write", "x", errno).error();
  EXPECT_THAT(full, IsError(ErrorCode::NoSpace));
  EXPECT_EQ(full.advice, Advice::Stop);
  ::close(fd);
  EXPECT_EQ(fail_errno("write", "x", EBUSY).error().advice, Advice::Retry);
  EXPECT_EQ(fail_errno("write", "x", EROFS).error().advice, Advice::Stop);
  EXPECT_EQ(fail_errno("write", "x", EACCES).error().advice, Advice::Stop);
  EXPECT_EQ(fail_errno("read", "x", ENOENT).error().advice, Advice::GiveUp);
}

TEST_F(Files, MakesAndRemovesTrees) {
  ASSERT_TRUE(make_dirs(folder_.path() / "a" / "b"));
  ASSERT_TRUE(make_dirs(folder_.path() / "a" / "b"));
  std::ofstream(folder_.path() / "a" / "b" / "c") << "x";
  ASSERT_EQ(::symlink("/etc", (folder_.path() / "a" / "link").c_str()), 0);
  ASSERT_TRUE(remove_tree(folder_.path() / "a"));
  ASSERT_TRUE(remove_tree(folder_.path() / "a"));
  EXPECT_THAT(need(list_dir(folder_.path())), IsEmpty());
  EXPECT_TRUE(std::filesystem::exists("/etc"));
  EXPECT_FALSE(list_dir("/nowhere"));
}

TEST_F(Files, TemporaryFoldersVanish) {
  Path path;
  {
    TempDir temporary = need(TempDir::create("t", folder_.path()));
    TempDir moved = std::move(temporary);
    path = moved.path();
    EXPECT_TRUE(std::filesystem::exists(path));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  path = need(TempDir::create("t", folder_.path())).keep();
  EXPECT_TRUE(std::filesystem::exists(path));
}

TEST_F(Files, FindsPrograms) {
  EXPECT_TRUE(need(find_program("sh")).is_absolute());
  EXPECT_EQ(need(find_program("/bin/sh")), "/bin/sh");
  EXPECT_FALSE(find_program("/etc"));
  EXPECT_FALSE(find_program("/etc/passwd"));
  EXPECT_TRUE(std::filesystem::exists(need(executable_dir()) / "kw-jail"));
  EXPECT_GT(need(free_disk_bytes("/tmp")), 0u);
  EXPECT_FALSE(free_disk_bytes("/nowhere"));
}

TEST_F(Files, SealedMemoryStaysAsItIs) {
  const Fd fd = need(make_memfd("test", 4096));
  void* page = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  ASSERT_NE(page, MAP_FAILED);
  EXPECT_FALSE(seal_memfd(fd, true)) << "a writable mapping exists";
  EXPECT_TRUE(seal_memfd(fd, false));
  EXPECT_EQ(::ftruncate(fd.get(), 0), -1);
  ::munmap(page, 4096);
  const Fd text = need(memfd_with("text", "abc"));
  EXPECT_EQ(::pwrite(text.get(), "x", 1, 0), -1);
}

TEST(Fd, OwnsItsDescriptor) {
  Fd a(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const int number = a.get();
  Fd b = std::move(a);
  EXPECT_FALSE(a);
  EXPECT_EQ(b.get(), number);
  b.reset();
  EXPECT_EQ(::fcntl(number, F_GETFD), -1);
}

TEST(MemoryDisk, BehavesLikeTheRealOne) {
  const TempDir folder = need(TempDir::create());
  MemoryDisk memory;
  for (Disk* disk : {static_cast<Disk*>(&memory), &real_disk()}) {
    const Path root = folder.path() / "root";
    EXPECT_FALSE(disk->write(root / "a", "x"));
    ASSERT_TRUE(disk->make_dirs(root / "sub"));
    ASSERT_TRUE(disk->make_dirs(root / "sub"));
    ASSERT_TRUE(disk->write(root / "a", "one"));
    ASSERT_TRUE(disk->write(root / "sub" / "b", "two"));
    EXPECT_FALSE(disk->write(root / "sub", "a folder"));
    EXPECT_EQ(need(disk->read(root / "a")), "one");
    EXPECT_FALSE(disk->read(root / "a", 2));
    EXPECT_FALSE(disk->read(root / "c"));
    EXPECT_TRUE(need(disk->exists(root / "sub" / "b")));
    EXPECT_FALSE(need(disk->exists(root / "c")));
  }
}

TEST(MemoryDisk, FailsOnDemand) {
  MemoryDisk disk;
  ASSERT_TRUE(disk.make_dirs("/w"));
  disk.set_capacity(10);
  ASSERT_TRUE(disk.write("/w/a", "12345"));
  const auto full = disk.write("/w/a", "123456");
  ASSERT_FALSE(full);
  EXPECT_THAT(full, IsError(ErrorCode::NoSpace));
  EXPECT_EQ(full.error().advice, Advice::Stop);
  EXPECT_EQ(need(disk.read("/w/a")), "12345");
  disk.fail_change(1, EIO);
  EXPECT_TRUE(disk.write("/w/b", "1"));
  EXPECT_FALSE(disk.write("/w/c", "1"));
  EXPECT_TRUE(disk.write("/w/c", "1"));
  disk.set_read_only(true);
  EXPECT_THAT(disk.write("/w/a", "1"), IsError(ErrorCode::NotPermitted));
  EXPECT_EQ(disk.changes(), 7);
}

}  // namespace
}  // namespace kw::platform
