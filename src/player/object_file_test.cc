// Tests of reading an object before it is loaded, and of what is refused.
// SPDX-License-Identifier: Apache-2.0
#include "player/object_file.h"

#include <elf.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <string>

namespace kw::player {
namespace {

/// A shared object of one page: code, a dynamic section that names two libraries, and their names.
struct Image {
  Elf64_Ehdr head{};
  Elf64_Phdr segments[3]{};
  Elf64_Dyn dynamic[4]{};
  char strings[32] = "\0libm.so.6\0libgomp.so.1";

  Image() {
    std::memcpy(head.e_ident, ELFMAG, SELFMAG);
    head.e_ident[EI_CLASS] = ELFCLASS64;
    head.e_type = ET_DYN;
    head.e_phoff = offsetof(Image, segments);
    head.e_phentsize = sizeof(Elf64_Phdr);
    head.e_phnum = 3;
    segments[0].p_type = segments[1].p_type = PT_LOAD;
    segments[0].p_flags = PF_R;
    segments[0].p_vaddr = 0x1000;
    segments[0].p_filesz = sizeof *this;
    segments[1].p_flags = PF_R | PF_X;
    segments[1].p_offset = 0x2040;
    segments[2].p_type = PT_DYNAMIC;
    segments[2].p_offset = offsetof(Image, dynamic);
    segments[2].p_filesz = sizeof dynamic;
    dynamic[0] = {.d_tag = DT_NEEDED, .d_un = {.d_val = 1}};
    dynamic[1] = {.d_tag = DT_NEEDED, .d_un = {.d_val = 11}};
    dynamic[2] = {.d_tag = DT_STRTAB, .d_un = {.d_ptr = 0x1000 + offsetof(Image, strings)}};
    dynamic[3].d_tag = DT_NULL;
  }
};

std::string read_bytes(ObjectFile& object, const void* bytes, std::size_t size) {
  const int file = ::memfd_create("object", MFD_CLOEXEC);
  EXPECT_EQ(::write(file, bytes, size), static_cast<ssize_t>(size));
  const char* why = object.read(file);
  ::close(file);
  return why == nullptr ? "" : why;
}

std::string read_image(ObjectFile& object, const Image& image) {
  return read_bytes(object, &image, sizeof image);
}

TEST(ObjectFile, SaysWhatIsNamedAndWhereCodeLies) {
  ObjectFile object;
  EXPECT_EQ(read_image(object, Image()), "");
  ASSERT_EQ(object.library_count, 2U);
  EXPECT_STREQ(object.libraries[0], "libm.so.6");
  EXPECT_STREQ(object.libraries[1], "libgomp.so.1");
  ASSERT_EQ(object.code().size(), 1U);
  EXPECT_EQ(object.code()[0].offset, 0x2000U);
  EXPECT_EQ(object.code()[0].bytes, 0x1000U);
}

// The loader maps the first segment as long as the whole object, so data would become code.
TEST(ObjectFile, RefusesCodeThatDoesNotLieApart) {
  ObjectFile object;
  Image image;
  image.segments[0].p_flags |= PF_X;
  EXPECT_EQ(read_image(object, image), "the object's code and data share one segment");
}

TEST(ObjectFile, RefusesMemoryThatIsWritableAndExecutable) {
  ObjectFile object;
  Image image;
  image.segments[1].p_flags |= PF_W;
  EXPECT_NE(read_image(object, image), "");
  image = Image();
  image.segments[0].p_type = PT_GNU_STACK;
  image.segments[0].p_flags = PF_R | PF_W | PF_X;
  EXPECT_EQ(read_image(object, image), "the object asks for an executable stack");
}

TEST(ObjectFile, RefusesWhatNoLinkerMakes) {
  ObjectFile object;
  Image image;
  image.dynamic[0].d_un.d_val = sizeof image;  // an offset behind the end
  EXPECT_NE(read_image(object, image), "");
  image = Image();
  image.head.e_phnum = 4000;
  EXPECT_NE(read_image(object, image), "");
  image = Image();
  image.segments[2].p_type = PT_NULL;
  EXPECT_EQ(read_image(object, image), "the object has no dynamic section");
  image = Image();
  for (std::size_t bytes = 0; bytes < sizeof(Elf64_Ehdr) + sizeof image.segments; bytes += 7)
    EXPECT_NE(read_bytes(object, &image, bytes), "") << bytes;
}

}  // namespace
}  // namespace kw::player
