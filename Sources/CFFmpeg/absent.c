// The door where FFmpeg's headers were missing at build time: sotto_ff_load is false, so that
// nothing else here is ever called with a reader.

#include "bound.h"

#ifndef SOTTO_HAVE_FFMPEG

#include <errno.h>
#include <stdlib.h>

bool sotto_ff_compiled(void) { return false; }
bool sotto_ff_load(void) { return false; }
const char *sotto_ff_missing(void) { return ""; }
int sotto_ff_format_major(void) { return 0; }
int sotto_ff_codec_major(void) { return 0; }
const char *sotto_ff_version(void) { return ""; }
sotto_ff_flag *sotto_ff_flag_new(void) { return NULL; }
void sotto_ff_flag_set(sotto_ff_flag *flag, bool raised) { (void)flag, (void)raised; }
void sotto_ff_flag_free(sotto_ff_flag *flag) { (void)flag; }
sotto_ff_reader *sotto_ff_new(const sotto_ff_flag *flag) { return (void)flag, NULL; }
int sotto_ff_open_file(sotto_ff_reader *r, int d, bool e) {
  return (void)r, (void)d, (void)e, -ENOSYS;
}
int sotto_ff_open_url(sotto_ff_reader *r, const char *u, double s, double o) {
  return (void)r, (void)u, (void)s, (void)o, -ENOSYS;
}
void sotto_ff_opened(sotto_ff_reader *r) { (void)r; }
void sotto_ff_free(sotto_ff_reader *r) { (void)r; }
int sotto_ff_fault(int code, bool is_open) {
  return (void)code, (void)is_open, SOTTO_FF_FAULT_UNSUPPORTED;
}
void sotto_ff_describe(int code, char *text, size_t size) {
  (void)code;
  if (size) text[0] = 0;
}
void sotto_ff_get_facts(sotto_ff_reader *r, sotto_ff_facts *f) { (void)r, (void)f; }
int sotto_ff_channel(sotto_ff_reader *r, int index) { return (void)r, (void)index, 63; }
bool sotto_ff_tag(sotto_ff_reader *r, bool s, int i, const char **n, const char **v) {
  return (void)r, (void)s, (void)i, (void)n, (void)v, false;
}
double sotto_ff_chapter(sotto_ff_reader *r, int i, const char **t) {
  return (void)r, (void)i, (void)t, 0;
}
bool sotto_ff_picture(sotto_ff_reader *r, const uint8_t **b, size_t *s, const char **t) {
  return (void)r, (void)b, (void)s, (void)t, false;
}
int sotto_ff_next(sotto_ff_reader *r, sotto_ff_packet *p) { return (void)r, (void)p, -ENOSYS; }
size_t sotto_ff_packet_bytes(sotto_ff_reader *r, const uint8_t **b) {
  return (void)r, (void)b, 0;
}
size_t sotto_ff_extra_bytes(sotto_ff_reader *r, const uint8_t **b) {
  return (void)r, (void)b, 0;
}
int sotto_ff_seek_time(sotto_ff_reader *r, int64_t t) { return (void)r, (void)t, -ENOSYS; }
int sotto_ff_seek_byte(sotto_ff_reader *r, int64_t p) { return (void)r, (void)p, -ENOSYS; }
bool sotto_ff_seeks_bytes(sotto_ff_reader *r) { return (void)r, false; }
int sotto_ff_reopen(sotto_ff_reader *r) { return (void)r, -ENOSYS; }
void sotto_ff_prefer(sotto_ff_reader *r, const char *name) { (void)r, (void)name; }
int sotto_ff_restart(sotto_ff_reader *r) { return (void)r, -ENOSYS; }
void sotto_ff_flush(sotto_ff_reader *r) { (void)r; }
int sotto_ff_send(sotto_ff_reader *r, bool end) { return (void)r, (void)end, -ENOSYS; }
void sotto_ff_keep(sotto_ff_reader *r, int slot) { (void)r, (void)slot; }
void sotto_ff_recall(sotto_ff_reader *r, int slot) { (void)r, (void)slot; }
int sotto_ff_receive(sotto_ff_reader *r, sotto_ff_block *b) { return (void)r, (void)b, -ENOSYS; }
void sotto_ff_copy(sotto_ff_reader *r, int32_t f, int32_t n, int32_t c, float *o) {
  (void)r, (void)f, (void)n, (void)c, (void)o;
}

#endif
