// A file as TagLib reads it: by position from a descriptor that is ours, through a small window, so
// that a file costs two or three reads. Never a map: a file that shrinks while it is mapped kills
// the process.
#pragma once

#include <taglib/tiostream.h>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "Nesting.h"

namespace sotto {

#if TAGLIB_MAJOR_VERSION >= 2
using Offset = TagLib::offset_t;
using Size = size_t;
#else
using Offset = long;
using Size = unsigned long;
#endif

/// Thrown through TagLib when a file asks for more than any honest one.
struct TooMuch {};

class Stream final : public TagLib::IOStream {
 public:
  explicit Stream(int descriptor) : descriptor_(descriptor), window_(windowSize) {
    struct stat facts;
    if (fstat(descriptor, &facts) == 0) length_ = facts.st_size;
  }

  TagLib::FileName name() const override { return ""; }

  TagLib::ByteVector readBlock(Size wanted) override {
    if (nesting_.isDeep(__builtin_frame_address(0))) throw TooMuch();
    if (position_ < 0 || position_ >= length_) return TagLib::ByteVector();
    Size count = std::min(wanted, static_cast<Size>(length_ - position_));
    budget_ -= static_cast<Offset>(count) + callCost;
    if (count > longestBlock || budget_ < 0) throw TooMuch();
    TagLib::ByteVector bytes(static_cast<unsigned>(count), 0);
    Size done = copy(bytes.data(), count);
    bytes.resize(static_cast<unsigned>(done));
    position_ += static_cast<Offset>(done);
    if (nesting_.isDeep(bytes.data(), done)) throw TooMuch();
    return bytes;
  }

  void seek(Offset offset, Position from) override {
    if (nesting_.isDeep(__builtin_frame_address(0))) throw TooMuch();
    budget_ -= callCost;
    if (budget_ < 0) throw TooMuch();
    switch (from) {
      case Beginning: position_ = offset; break;
      case Current: position_ += offset; break;
      case End: position_ = length_ + offset; break;
    }
  }

  Offset tell() const override { return position_; }
  Offset length() override { return length_; }
  bool readOnly() const override { return true; }
  bool isOpen() const override { return true; }

  void writeBlock(const TagLib::ByteVector &) override {}
#if TAGLIB_MAJOR_VERSION >= 2
  void insert(const TagLib::ByteVector &, Offset, Size) override {}
  void removeBlock(Offset, Size) override {}
#else
  void insert(const TagLib::ByteVector &, Size, Size) override {}
  void removeBlock(Size, Size) override {}
#endif
  void truncate(Offset) override {}

 private:
  static constexpr Size windowSize = 16 << 10;
  /// Pictures of tens of megabytes are not read.
  static constexpr Size longestBlock = 64 << 20;
  /// What all blocks of one file may hold together, each call counted as some bytes.
  static constexpr Offset allowance = 256 << 20;
  static constexpr Offset callCost = 256;

  int descriptor_;
  Offset length_ = 0;
  Offset position_ = 0;
  Offset budget_ = allowance;
  Nesting nesting_{__builtin_frame_address(0)};
  std::vector<char> window_;
  Offset start_ = 0;
  Size filled_ = 0;

  Size copy(char *to, Size count) {
    if (position_ < start_ || position_ + count > start_ + filled_) {
      if (count > windowSize) return read(to, count, position_);
      start_ = position_;
      filled_ = read(window_.data(), windowSize, start_);
    }
    Size skip = static_cast<Size>(position_ - start_);
    Size there = skip < filled_ ? std::min(count, filled_ - skip) : 0;
    std::copy_n(window_.data() + skip, there, to);
    return there;
  }

  Size read(char *to, Size count, Offset offset) {
    Size done = 0;
    while (done < count) {
      ssize_t result = pread(descriptor_, to + done, count - done, offset + done);
      if (result < 0 && errno == EINTR) continue;
      if (result <= 0) break;
      done += static_cast<Size>(result);
    }
    return done;
  }
};

}  // namespace sotto
