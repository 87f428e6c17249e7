// How long an MP3 is: as the decoder counts it, where the encoder's tag tells it whole.
#pragma once

#include <taglib/mpegfile.h>
#include <taglib/mpegheader.h>
#include <taglib/mpegproperties.h>
#include <taglib/xingheader.h>
#include <taglib/apefooter.h>
#include <taglib/apetag.h>

#include "Result.h"

namespace sotto {

inline uint32_t big(const TagLib::ByteVector &bytes, unsigned at, unsigned count) {
  uint32_t value = 0;
  for (unsigned i = 0; i < count && at + i < bytes.size(); i++)
    value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

/// What LAME's part of the tag says of samples before and behind the music.
inline bool encoderDelay(const TagLib::ByteVector &frame, int64_t &delay, int64_t &padding) {
  int at = frame.find("Xing");
  if (at < 0) at = frame.find("Info");
  if (at < 0) return false;
  unsigned place = static_cast<unsigned>(at);
  const uint32_t flags = big(frame, place + 4, 4);
  place += 8 + (flags & 1 ? 4 : 0) + (flags & 2 ? 4 : 0) + (flags & 4 ? 100 : 0) +
           (flags & 8 ? 4 : 0);
  if (place + 24 > frame.size()) return false;
  const unsigned char first = static_cast<unsigned char>(frame[place]);
  if (first < 0x20 || first >= 0x7F) return false;
  const uint32_t pair = big(frame, place + 21, 3);
  delay = pair >> 12;
  padding = pair & 0xFFF;
  return true;
}

inline void measure(TagLib::MPEG::File &file, Result &result) {
  using namespace TagLib;
  const MPEG::Properties *facts = file.audioProperties();
  Offset end = file.length();
  if (file.hasID3v1Tag()) end -= 128;
  if (file.hasAPETag() && file.APETag()->footer())
    end -= file.APETag()->footer()->completeTagSize();
  const Offset first = file.firstFrameOffset();
  const MPEG::XingHeader *tag = facts->xingHeader();
  if (tag && tag->isValid() && tag->totalFrames() > 0) {
    const MPEG::Header head(&file, first, false);
    if (!head.isValid() || head.sampleRate() <= 0) {
      result.is_sure = false;
      return;
    }
    int64_t samples = static_cast<int64_t>(tag->totalFrames()) * head.samplesPerFrame();
    int64_t delay = 0;
    int64_t padding = 0;
    file.seek(first);
    if (encoderDelay(file.readBlock(256), delay, padding) && delay + 529 < samples &&
        delay + padding < samples)
      samples = std::min(samples - delay - padding, samples - delay - 529);
    result.milliseconds = samples * 1000 / head.sampleRate();
    // A file that was cut off, or has grown, is counted.
    result.is_sure = first + static_cast<Offset>(tag->totalSize()) == end;
    return;
  }
  // Without a tag the length follows from the rate, where that is one and the same.
  const MPEG::Header head(&file, first, false);
  for (int part = 1; part < 5; part++) {
    const Offset offset = file.nextFrameOffset(first + (end - first) / 5 * part);
    if (offset < 0) {
      result.is_sure = false;
      return;
    }
    const MPEG::Header other(&file, offset, false);
    if (!other.isValid() || other.bitrate() != head.bitrate()) {
      result.is_sure = false;
      return;
    }
  }
}

}  // namespace sotto
