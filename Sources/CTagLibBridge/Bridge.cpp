#include "CTagLibBridge.h"

#include "CTagLib.h"

#if __has_include(<taglib/taglib.h>)

#include <taglib/aifffile.h>
#include <taglib/apefile.h>
#include <taglib/apetag.h>
#include <taglib/asffile.h>
#include <taglib/attachedpictureframe.h>
#include <taglib/chapterframe.h>
#include <taglib/flacfile.h>
#include <taglib/id3v1tag.h>
#include <taglib/id3v2tag.h>
#include <taglib/mp4file.h>
#include <taglib/mpcfile.h>
#include <taglib/oggflacfile.h>
#include <taglib/opusfile.h>
#include <taglib/popularimeterframe.h>
#include <taglib/speexfile.h>
#include <taglib/tdebuglistener.h>
#include <taglib/trueaudiofile.h>
#include <taglib/vorbisfile.h>
#include <taglib/wavfile.h>
#include <taglib/wavpackfile.h>
#include <taglib/xiphcomment.h>

#include <algorithm>

#include "Stream.h"

#include "MPEG.h"
#include "Result.h"

using namespace TagLib;

namespace sotto {
namespace {

// What is common to all formats.

template <typename Properties>
bool facts(const Properties *properties, Result &result) {
  if (!properties || properties->sampleRate() <= 0) return false;
  result.milliseconds = properties->lengthInMilliseconds();
  result.rate = properties->sampleRate();
  result.channels = properties->channels();
  result.bit_rate = 
      properties->bitrate() > 0 ? std::min(properties->bitrate(), 2'000'000) * 1000 : 0;
  return result.milliseconds > 0;
}

void name(Result &result, const char *container, const char *codec) {
  result.container = container;
  result.codec = codec;
}

// Tags.

void id3v2(ID3v2::Tag *tag, Result &result) {
  if (!tag) return;
  result.add(tag->properties());
  const ID3v2::FrameListMap &frames = tag->frameListMap();
  if (!frames["APIC"].isEmpty()) result.has_picture = true;
  if (!frames["USLT"].isEmpty() || !frames["SYLT"].isEmpty()) result.has_lyrics = true;
  for (const auto *frame : frames["POPM"]) {
    const auto *rating = dynamic_cast<const ID3v2::PopularimeterFrame *>(frame);
    if (rating && rating->rating() > 0) result.rating = rating->rating();
  }
  for (const auto *frame : frames["CHAP"]) {
    const auto *chapter = dynamic_cast<const ID3v2::ChapterFrame *>(frame);
    if (!chapter) continue;
    const ID3v2::FrameList &titles = chapter->embeddedFrameList("TIT2");
    result.chapter(
        chapter->startTime(), titles.isEmpty() ? String() : titles.front()->toString());
  }
}

void ape(APE::Tag *tag, Result &result) {
  if (!tag) return;
  result.add(tag->properties());
  for (const auto &pair : tag->itemListMap())
    if (pair.first.upper().startsWith("COVER ART")) result.has_picture = true;
}

void xiph(Ogg::XiphComment *tag, Result &result) {
  if (!tag) return;
  result.add(tag->properties());
  if (!tag->pictureList().isEmpty() || tag->contains("COVERART")) result.has_picture = true;
}

// Formats.

bool mpeg(Stream &stream, Result &result) {
#if TAGLIB_MAJOR_VERSION >= 2
  MPEG::File file(&stream);
#else
  MPEG::File file(&stream, ID3v2::FrameFactory::instance());
#endif
  const MPEG::Properties *properties = file.audioProperties();
  if (!file.isValid() || !facts(properties, result) || properties->layer() != 3) return false;
  name(result, "MP3", "MP3");
  measure(file, result);
  if (file.hasID3v2Tag()) id3v2(file.ID3v2Tag(), result);
  if (file.hasAPETag()) ape(file.APETag(), result);
  if (file.hasID3v1Tag()) result.add(file.ID3v1Tag()->properties());
  return true;
}

bool flac(Stream &stream, Result &result) {
#if TAGLIB_MAJOR_VERSION >= 2
  FLAC::File file(&stream);
#else
  FLAC::File file(&stream, ID3v2::FrameFactory::instance());
#endif
  if (!file.isValid() || !facts(file.audioProperties(), result)) return false;
  name(result, "FLAC", "FLAC");
  result.bits = file.audioProperties()->bitsPerSample();
  if (file.hasXiphComment()) xiph(file.xiphComment(), result);
  if (file.hasID3v2Tag()) id3v2(file.ID3v2Tag(), result);
  if (file.hasID3v1Tag()) result.add(file.ID3v1Tag()->properties());
  if (!file.pictureList().isEmpty()) result.has_picture = true;
  return true;
}

template <typename File>
bool ogg(Stream &stream, Result &result, const char *codec) {
  File file(&stream);
  if (!file.isValid() || !facts(file.audioProperties(), result)) return false;
  name(result, "Ogg", codec);
  xiph(file.tag(), result);
  return true;
}

bool oggFLAC(Stream &stream, Result &result) {
  if (!ogg<Ogg::FLAC::File>(stream, result, "FLAC")) return false;
  stream.seek(0, IOStream::Beginning);
  Ogg::FLAC::File file(&stream);
  result.bits = file.audioProperties()->bitsPerSample();
  return true;
}

bool mp4(Stream &stream, Result &result) {
  MP4::File file(&stream);
  const MP4::Properties *properties = file.audioProperties();
  if (!file.isValid() || !facts(properties, result) || properties->isEncrypted()) return false;
  switch (properties->codec()) {
    case MP4::Properties::AAC: name(result, "MP4", "AAC"); break;
    case MP4::Properties::ALAC:
      name(result, "MP4", "ALAC");
      result.bits = properties->bitsPerSample();
      break;
    default: return false;
  }
  const MP4::Tag *tag = file.tag();
  if (!tag) return true;
  result.add(tag->properties());
  for (const auto &pair : tag->itemMap()) {
    if (pair.first == "covr") result.has_picture = true;
    if (!pair.first.startsWith("----:")) continue;
    const String own = pair.first.substr(pair.first.rfind(":") + 1);
    if (result.knows(own)) continue;
    for (const auto &value : pair.second.toStringList()) result.add(own, value);
  }
  return true;
}

bool asf(Stream &stream, Result &result) {
  ASF::File file(&stream);
  const ASF::Properties *properties = file.audioProperties();
  if (!file.isValid() || !facts(properties, result) || properties->isEncrypted()) return false;
  switch (properties->codec()) {
    case ASF::Properties::WMA1: name(result, "ASF", "WMA 1"); break;
    case ASF::Properties::WMA2: name(result, "ASF", "WMA 2"); break;
    case ASF::Properties::WMA9Pro: name(result, "ASF", "WMA Pro"); break;
    case ASF::Properties::WMA9Lossless:
      name(result, "ASF", "WMA Lossless");
      result.bits = properties->bitsPerSample();
      break;
    default: return false;
  }
  ASF::Tag *tag = file.tag();
  if (!tag) return true;
  result.add(tag->properties());
  for (const auto &pair : static_cast<const ASF::Tag *>(tag)->attributeListMap()) {
    if (pair.first == "WM/Picture") result.has_picture = true;
    // The first artist stands in an object of its own, which TagLib tells apart from the others.
    const bool is_artist = pair.first == "Author";
    if (!is_artist && result.knows(pair.first)) continue;
    const String key = is_artist ? String("ARTIST") : pair.first;
    for (const auto &value : pair.second) {
      if (value.type() == ASF::Attribute::UnicodeType) result.add(key, value.toString());
      if (value.type() == ASF::Attribute::DWordType)
        result.add(key, String::number(static_cast<int>(value.toUInt())));
    }
  }
  return true;
}

bool monkeys(Stream &stream, Result &result) {
  APE::File file(&stream);
  if (!file.isValid() || !facts(file.audioProperties(), result)) return false;
  name(result, "Monkey's Audio", "Monkey's Audio");
  result.bits = file.audioProperties()->bitsPerSample();
  if (file.hasAPETag()) ape(file.APETag(), result);
  if (file.hasID3v1Tag()) result.add(file.ID3v1Tag()->properties());
  return true;
}

bool wavpack(Stream &stream, Result &result) {
  WavPack::File file(&stream);
  if (!file.isValid() || !facts(file.audioProperties(), result)) return false;
  name(result, "WavPack", "WavPack");
  result.bits = file.audioProperties()->bitsPerSample();
  if (file.hasAPETag()) ape(file.APETag(), result);
  if (file.hasID3v1Tag()) result.add(file.ID3v1Tag()->properties());
  return true;
}

bool musepack(Stream &stream, Result &result) {
  MPC::File file(&stream);
  if (!file.isValid() || !facts(file.audioProperties(), result)) return false;
  const bool isOld = file.audioProperties()->mpcVersion() < 8;
  name(result, "Musepack", isOld ? "Musepack SV7" : "Musepack SV8");
  if (file.hasAPETag()) ape(file.APETag(), result);
  if (file.hasID3v1Tag()) result.add(file.ID3v1Tag()->properties());
  return true;
}

bool trueAudio(Stream &stream, Result &result) {
  TrueAudio::File file(&stream);
  if (!file.isValid() || !facts(file.audioProperties(), result)) return false;
  name(result, "TTA", "TTA");
  result.bits = file.audioProperties()->bitsPerSample();
  if (file.hasID3v2Tag()) id3v2(file.ID3v2Tag(), result);
  if (file.hasID3v1Tag()) result.add(file.ID3v1Tag()->properties());
  return true;
}

bool wave(Stream &stream, Result &result) {
  RIFF::WAV::File file(&stream);
  if (!file.isValid() || !facts(file.audioProperties(), result)) return false;
  const int format = file.audioProperties()->format();
  if (format != 1 && format != 3) return false;
  name(result, "WAV", format == 3 ? "PCM float" : "PCM");
  result.bits = file.audioProperties()->bitsPerSample();
  if (file.hasID3v2Tag()) id3v2(file.ID3v2Tag(), result);
  if (file.hasInfoTag()) result.add(file.InfoTag()->properties());
  return true;
}

bool aiff(Stream &stream, Result &result) {
  RIFF::AIFF::File file(&stream);
  if (!file.isValid() || !facts(file.audioProperties(), result)) return false;
  const RIFF::AIFF::Properties *properties = file.audioProperties();
  if (properties->isAiffC() && properties->compressionType() != "NONE" &&
      properties->compressionType() != "sowt")
    return false;
  name(result, properties->isAiffC() ? "AIFC" : "AIFF", "PCM");
  result.bits = properties->bitsPerSample();
  if (file.hasID3v2Tag()) id3v2(file.tag(), result);
  return true;
}

// Which one it is, by its bytes.

bool is(const ByteVector &head, unsigned at, const char *mark, unsigned size) {
  return head.size() >= at + size && head.mid(at, size) == ByteVector(mark, size);
}

bool read(Stream &stream, Result &result) {
  ByteVector head = stream.readBlock(128);
  Offset behind = 0;
  // Other formats too may have an ID3v2 tag in front.
  if (is(head, 0, "ID3", 3) && head.size() >= 10) {
    Offset size = 0;
    for (unsigned i = 6; i < 10; i++) size = size << 7 | (head[i] & 0x7F);
    behind = size + 10;
    stream.seek(behind, IOStream::Beginning);
    head = stream.readBlock(128);
  }
  stream.seek(0, IOStream::Beginning);
  if (is(head, 0, "fLaC", 4)) return flac(stream, result);
  if (is(head, 0, "TTA1", 4)) return trueAudio(stream, result);
  if (is(head, 0, "MAC ", 4)) return monkeys(stream, result);
  if (is(head, 0, "MP+", 3) || is(head, 0, "MPCK", 4)) return musepack(stream, result);
  if (behind > 0) return mpeg(stream, result);
  if (is(head, 0, "OggS", 4) && head.size() > 27) {
    const unsigned first = 27 + static_cast<unsigned char>(head[26]);
    if (is(head, first, "\1vorbis", 7)) return ogg<Ogg::Vorbis::File>(stream, result, "Vorbis");
    if (is(head, first, "OpusHead", 8)) return ogg<Ogg::Opus::File>(stream, result, "Opus");
    if (is(head, first, "Speex   ", 8)) return ogg<Ogg::Speex::File>(stream, result, "Speex");
    if (is(head, first, "\177FLAC", 5)) return oggFLAC(stream, result);
    return false;
  }
  if (is(head, 4, "ftyp", 4)) return mp4(stream, result);
  if (is(head, 0, "wvpk", 4)) return wavpack(stream, result);
  if (is(head, 0, "RIFF", 4) && is(head, 8, "WAVE", 4)) return wave(stream, result);
  if (is(head, 0, "FORM", 4) && (is(head, 8, "AIFF", 4) || is(head, 8, "AIFC", 4)))
    return aiff(stream, result);
  if (is(head, 0, "\x30\x26\xB2\x75\x8E\x66\xCF\x11", 8)) return asf(stream, result);
  // MPEG audio of layer 3; ADTS and the other layers are FFmpeg's.
  if (head.size() >= 4 && head[0] == '\xFF' && (head[1] & 0xE6) == 0xE2)
    return mpeg(stream, result);
  return false;
}

/// What TagLib says of damaged files is nobody's.
class Quiet final : public DebugListener {
  void printMessage(const String &) override {}
};

const sotto_taglib_file *take(int descriptor) {
  try {
    auto result = new Result;
    try {
      Stream stream(descriptor);
      if (read(stream, *result)) return result->finished();
    } catch (...) {
    }
    delete result;
  } catch (...) {
  }
  return nullptr;
}

void release(const sotto_taglib_file *file) { delete static_cast<const Result *>(file); }

#define SOTTO_TEXT(x) #x
#define SOTTO_NUMBER(x) SOTTO_TEXT(x)

const sotto_taglib table = {
    SOTTO_TAGLIB_INTERFACE,
    SOTTO_NUMBER(TAGLIB_MAJOR_VERSION) "." SOTTO_NUMBER(TAGLIB_MINOR_VERSION),
    take,
    release,
};

}  // namespace
}  // namespace sotto

const sotto_taglib *sotto_taglib_table(void) {
  static sotto::Quiet quiet;
  TagLib::setDebugListener(&quiet);
  return &sotto::table;
}

#else

const struct sotto_taglib *sotto_taglib_table(void) { return nullptr; }

#endif
