// Opening: our own input for files, so that any name is only a name and nothing else can be
// opened from inside one; http(s) through FFmpeg with a list of protocols.

#include "bound.h"

#ifdef SOTTO_HAVE_FFMPEG

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FILE_BUFFER 32768

// Demuxers for sound and for films with sound. Not there: pictures, subtitles, playlists (hls,
// dash, concat), devices, module music, text art, and raw kinds that any bytes would match.
static const char demuxers[] =
  "3dostr,aa,aac,aax,ac3,adx,aea,aiff,amr,ape,apm,aptx,asf,ast,au,avi,avr,caf,dsf,dts,dtshd,eac3,"
  "epaf,flac,flv,live_flv,hca,iff,ircam,iss,loas,lxf,matroska,webm,mlp,mmf,mov,mp4,m4a,3gp,mp3,"
  "mpc,mpc8,mpeg,mpegts,mxf,nistsphere,nsp,nut,ogg,oma,paf,pvf,qcp,rf64,rm,rso,sbc,shn,sln,smjpeg,"
  "sol,sox,spdif,svag,tak,truehd,tta,vag,voc,vqf,w64,wav,wsd,wtv,wv,wve,xwma";

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

void sotto_ff_arm(sotto_ff_reader *reader) {
  reader->deadline = reader->patience ? now() + reader->patience : 0;
  if (reader->limit && (!reader->deadline || reader->limit < reader->deadline))
    reader->deadline = reader->limit;
}

void sotto_ff_opened(sotto_ff_reader *reader) { reader->limit = 0; }

/// Called by FFmpeg, often, while it waits.
static int interrupted(void *opaque) {
  sotto_ff_reader *reader = opaque;
  if (reader->flag && atomic_load_explicit(&reader->flag->raised, memory_order_relaxed)) return 1;
  if (reader->deadline && now() > reader->deadline) {
    reader->timed_out = true;
    return 1;
  }
  return 0;
}

sotto_ff_flag *sotto_ff_flag_new(void) { return calloc(1, sizeof(sotto_ff_flag)); }
void sotto_ff_flag_set(sotto_ff_flag *flag, bool raised) { atomic_store(&flag->raised, raised); }
void sotto_ff_flag_free(sotto_ff_flag *flag) { free(flag); }

sotto_ff_reader *sotto_ff_new(const sotto_ff_flag *flag) {
  sotto_ff_reader *reader = calloc(1, sizeof *reader);
  if (!reader) return NULL;
  reader->flag = flag;
  reader->descriptor = -1;
  reader->packet = sotto_av.av_packet_alloc();
  reader->frame = sotto_av.av_frame_alloc();
  if (!reader->packet || !reader->frame) {
    sotto_ff_free(reader);
    return NULL;
  }
  return reader;
}

void sotto_ff_free(sotto_ff_reader *reader) {
  if (!reader) return;
  sotto_ff_free_decoder(reader);
  for (int slot = 0; slot < SOTTO_FF_SLOTS; slot++) sotto_av.av_packet_free(&reader->kept[slot]);
  sotto_av.av_packet_free(&reader->packet);
  sotto_av.av_frame_free(&reader->frame);
  if (reader->format) sotto_av.avformat_close_input(&reader->format);
  if (reader->io && reader->network) {
    sotto_av.avio_closep(&reader->io);
  } else if (reader->io) {
    sotto_av.av_freep(&reader->io->buffer);
    sotto_av.avio_context_free(&reader->io);
  }
  if (reader->descriptor >= 0) close(reader->descriptor);
  free(reader);
}

static int read_file(void *opaque, uint8_t *bytes, int size) {
  sotto_ff_reader *reader = opaque;
  if (interrupted(reader)) return AVERROR_EXIT;
  ssize_t count;
  do count = read(reader->descriptor, bytes, size);
  while (count < 0 && errno == EINTR);
  if (count < 0) return AVERROR(errno);
  return count ? (int)count : AVERROR_EOF;
}

static int64_t seek_file(void *opaque, int64_t offset, int whence) {
  sotto_ff_reader *reader = opaque;
  if (whence & AVSEEK_SIZE) {
    struct stat facts;
    return fstat(reader->descriptor, &facts) ? AVERROR(errno) : facts.st_size;
  }
  int64_t position = lseek(reader->descriptor, offset, whence & ~AVSEEK_FORCE);
  return position < 0 ? AVERROR(errno) : position;
}

/// No file may name another one to be opened.
static int open_nothing(
  AVFormatContext *format, AVIOContext **io, const char *url, int flags, AVDictionary **options) {
  (void)format, (void)io, (void)url, (void)flags, (void)options;
  return AVERROR(EPERM);
}

/// Takes the stream that sounds, if there is one. The others cost nothing: their packets are left
/// out while reading.
static bool choose_stream(sotto_ff_reader *reader) {
  int best = sotto_av.av_find_best_stream(reader->format, AVMEDIA_TYPE_AUDIO, -1, -1, NULL, 0);
  if (best < 0) return false;
  reader->stream = best;
  for (unsigned i = 0; i < reader->format->nb_streams; i++)
    if ((int)i != reader->stream) reader->format->streams[i]->discard = AVDISCARD_ALL;
  return true;
}

/// The demuxer of a file whose first bytes leave no doubt, or null. Asking every demuxer instead
/// touches 3 MB of their code.
static const AVInputFormat *known_format(sotto_ff_reader *reader) {
  static const struct {
    int offset;
    const char *bytes;
    int count;
    const char *name;
  } kinds[] = {
    {4, "ftyp", 4, "mp4"}, {0, "OggS", 4, "ogg"}, {0, "\x1A\x45\xDF\xA3", 4, "matroska"},
    {0, "wvpk", 4, "wv"}, {0, "MAC ", 4, "ape"}, {0, "TTA1", 4, "tta"}, {0, "tBaK", 4, "tak"},
    {0, "MPCK", 4, "mpc8"}, {0, "MP+", 3, "mpc"}, {0, "DSD ", 4, "dsf"}, {0, "FRM8", 4, "iff"},
    {0, "\x30\x26\xB2\x75\x8E\x66\xCF\x11", 8, "asf"}, {0, "fLaC", 4, "flac"},
    {0, "FLV\1", 4, "flv"}, {0, "caff", 4, "caf"},
  };
  char head[16];
  if (reader->network || pread(reader->descriptor, head, sizeof head, 0) != sizeof head)
    return NULL;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (!memcmp(head + kinds[i].offset, kinds[i].bytes, (size_t)kinds[i].count))
      return sotto_av.av_find_input_format(kinds[i].name);
  return NULL;
}

static int open_input(sotto_ff_reader *reader) {
  reader->format = sotto_av.avformat_alloc_context();
  if (!reader->format) return AVERROR(ENOMEM);
  reader->format->pb = reader->io;
  reader->format->io_open = open_nothing;
  reader->format->interrupt_callback = (AVIOInterruptCB){interrupted, reader};
  reader->format->flags |= AVFMT_FLAG_CUSTOM_IO;
  reader->format->max_probe_packets = 500;
  reader->format->max_streams = 100;
  AVDictionary *options = NULL;
  sotto_av.av_dict_set(&options, "format_whitelist", demuxers, 0);
  sotto_av.av_dict_set(&options, "protocol_whitelist", "http,https,tcp,tls,httpproxy", 0);
  if (reader->ignore_edits) sotto_av.av_dict_set(&options, "ignore_editlist", "1", 0);
  sotto_ff_arm(reader);
  int code = sotto_av.avformat_open_input(
    &reader->format, NULL, known_format(reader), &options);
  sotto_av.av_dict_free(&options);
  if (code < 0) {
    reader->format = NULL;
    // "Not on the list" is what FFmpeg says with EINVAL.
    return code == AVERROR(EINVAL) ? AVERROR_INVALIDDATA : code;
  }
  // Films: only the sound is looked at, where the container already tells which stream that is.
  choose_stream(reader);
  sotto_ff_arm(reader);
  code = sotto_av.avformat_find_stream_info(reader->format, NULL);
  if (code < 0) return code;
  if (!choose_stream(reader)) return AVERROR_STREAM_NOT_FOUND;
  reader->format->streams[reader->stream]->discard = AVDISCARD_DEFAULT;
  if (reader->format->streams[reader->stream]->codecpar->sample_rate <= 0 ||
    reader->format->streams[reader->stream]->codecpar->ch_layout.nb_channels <= 0)
    return AVERROR_INVALIDDATA;
  sotto_ff_prepare_parser(reader);
  return 0;
}

/// Opens, or leaves the reader closed: without a format.
static int open_format(sotto_ff_reader *reader) {
  reader->stream = -1;
  int code = open_input(reader);
  if (code < 0) {
    reader->stream = -1;
    if (reader->format) sotto_av.avformat_close_input(&reader->format);
  }
  return code;
}

int sotto_ff_open_file(sotto_ff_reader *reader, int descriptor, bool ignore_edits) {
  reader->descriptor = descriptor;
  reader->ignore_edits = ignore_edits;
  unsigned char *buffer = sotto_av.av_malloc(FILE_BUFFER);
  if (!buffer) return AVERROR(ENOMEM);
  reader->io = sotto_av.avio_alloc_context(
    buffer, FILE_BUFFER, 0, reader, read_file, NULL, seek_file);
  if (!reader->io) {
    sotto_av.av_free(buffer);
    return AVERROR(ENOMEM);
  }
  return open_format(reader);
}

int sotto_ff_open_url(
  sotto_ff_reader *reader, const char *url, double seconds, double opening) {
  reader->network = true;
  reader->patience = (int64_t)(seconds * 1e9);
  reader->limit = now() + (int64_t)(opening * 1e9);
  AVIOInterruptCB callback = {interrupted, reader};
  AVDictionary *options = NULL;
  sotto_av.av_dict_set(&options, "protocol_whitelist", "http,https,tcp,tls,httpproxy", 0);
  // A file whose connection breaks is taken up again where it was; a refused connection is an
  // error at once. A stream without a length that ends has ended: to ask again would repeat it.
  sotto_av.av_dict_set(&options, "reconnect", "1", 0);
  sotto_av.av_dict_set(&options, "reconnect_delay_max", "4", 0);
  sotto_ff_arm(reader);
  int code = sotto_av.avio_open2(&reader->io, url, AVIO_FLAG_READ, &callback, &options);
  sotto_av.av_dict_free(&options);
  if (code < 0) return reader->timed_out ? AVERROR(ETIMEDOUT) : code;
  code = open_format(reader);
  return code < 0 && reader->timed_out ? AVERROR(ETIMEDOUT) : code;
}

int sotto_ff_reopen(sotto_ff_reader *reader) {
  // A seek that would have done has failed: it may have been stopped.
  bool is_stopped = interrupted(reader);
  if (reader->timed_out) return AVERROR(ETIMEDOUT);
  if (is_stopped) return AVERROR_EXIT;
  if (reader->network) return AVERROR(ESPIPE);
  sotto_ff_free_decoder(reader);
  // All of it may be missing, after opening anew has failed before.
  if (reader->format) sotto_av.avformat_close_input(&reader->format);
  reader->stream = -1;
  if (reader->io) {
    sotto_av.av_freep(&reader->io->buffer);
    sotto_av.avio_context_free(&reader->io);
  }
  if (lseek(reader->descriptor, 0, SEEK_SET) < 0) return AVERROR(errno);
  return sotto_ff_open_file(reader, reader->descriptor, reader->ignore_edits);
}

int sotto_ff_fault(int code, bool is_open) {
  switch (code) {
  case AVERROR_INVALIDDATA:
  case AVERROR_STREAM_NOT_FOUND:
  case AVERROR_DEMUXER_NOT_FOUND:
  case AVERROR_EOF: return is_open ? SOTTO_FF_FAULT_CORRUPT : SOTTO_FF_FAULT_NOT_AUDIO;
  case AVERROR_PATCHWELCOME:
  case AVERROR(ENOSYS):
  case AVERROR_DECODER_NOT_FOUND: return SOTTO_FF_FAULT_UNSUPPORTED;
  case AVERROR_HTTP_NOT_FOUND: return SOTTO_FF_FAULT_NOT_FOUND;
  case AVERROR_HTTP_FORBIDDEN:
  case AVERROR_HTTP_UNAUTHORIZED: return SOTTO_FF_FAULT_PERMISSION;
  case AVERROR_PROTOCOL_NOT_FOUND: return SOTTO_FF_FAULT_PROTOCOL;
  case AVERROR(ETIMEDOUT): return SOTTO_FF_FAULT_TIMEOUT;
  case AVERROR_EXIT: return SOTTO_FF_FAULT_ABORTED;
  default: return SOTTO_FF_FAULT_OTHER;
  }
}

void sotto_ff_describe(int code, char *text, size_t size) {
  if (sotto_av.av_strerror(code, text, size) < 0 && size) text[0] = 0;
}

#endif
