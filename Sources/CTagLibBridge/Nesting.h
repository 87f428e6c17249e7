// How deep TagLib would call itself. It follows boxes within boxes and frames within frames without
// end, so that a file of a few hundred kilobytes would be the end of the stack.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace sotto {

/// Looks at where the reads come from, and at what they bring: nothing that TagLib parses has not
/// been read, whatever the format and wherever its tag lies.
class Nesting {
 public:
  /// - Parameter frame: of a function that has called TagLib's.
  explicit Nesting(const void *frame) : base_(reinterpret_cast<uintptr_t>(frame)) {}

  /// True where the calls between, each of which reads something (a box of MP4), need more of the
  /// stack than those of an honest file, which need a few kilobytes.
  bool isDeep(const void *frame) const {
    const uintptr_t here = reinterpret_cast<uintptr_t>(frame);
    return (here < base_ ? base_ - here : here - base_) > mostStack;
  }

  /// True where a block that was read holds chapters (frames of ID3v2) within chapters within
  /// chapters: these are parsed without another read.
  bool isDeep(const char *bytes, size_t size) {
    if (size > 5 && std::memcmp(bytes, "ID3", 3) == 0 && (bytes[5] & 0x80)) isStuffed_ = true;
    /// Where the frames end in which this place may lie.
    std::vector<size_t> ends;
    size_t count = 0;
    bool isChanged = isStuffed_;
    for (size_t at = 0; at + headSize < size; at++) {
      const void *next = std::memchr(bytes + at, 'C', size - headSize - at);
      if (!next) break;
      at = static_cast<size_t>(static_cast<const char *>(next) - bytes);
      if (std::memcmp(bytes + at, "CHAP", 4) != 0 && std::memcmp(bytes + at, "CTOC", 4) != 0)
        continue;
      // The size is one of two numbers; the longer one counts where it fits. One that is longer than
      // what is left is none: "CHAPTER 1" is a title.
      size_t plain = 0;
      size_t safe = 0;
      for (size_t i = at + 4; i < at + 8; i++) {
        plain = plain << 8 | static_cast<unsigned char>(bytes[i]);
        safe = safe << 7 | (bytes[i] & 0x7F);
      }
      const size_t left = size - at;
      const size_t length = plain <= left ? plain : safe;
      if (length == 0 || length > left) continue;
      const auto flags = static_cast<unsigned char>(bytes[at + 9]);
      // What is packed in a chapter is not seen from here. Nobody packs chapters.
      if (flags & (packed3 | packed4)) return true;
      if (flags & stuffed4) isChanged = true;
      // With stuffing bytes within, the sizes are those of something shorter.
      if (++count > mostDepth && isChanged) return true;
      size_t open = 0;
      for (size_t end : ends)
        if (end > at) ends[open++] = end;
      ends.resize(open);
      ends.push_back(at + headSize + length);
      if (ends.size() > mostDepth) return true;
    }
    return false;
  }

 private:
  static constexpr uintptr_t mostStack = 96 << 10;
  static constexpr size_t mostDepth = 32;
  static constexpr size_t headSize = 10;
  /// Flags of a frame, in versions 2.3 and 2.4.
  static constexpr unsigned char packed3 = 0x80;
  static constexpr unsigned char packed4 = 0x08;
  static constexpr unsigned char stuffed4 = 0x02;

  const uintptr_t base_;
  bool isStuffed_ = false;
};

}  // namespace sotto
