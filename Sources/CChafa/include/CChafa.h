/// The door to libchafa, which draws a picture as characters of two colours each: bound with dlopen
/// at first need, through declarations of our own of its stable interface (libchafa.so.0, from
/// version 1.8 on).
#ifndef SOTTO_CCHAFA_H
#define SOTTO_CCHAFA_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

typedef enum sotto_chafa_colors {
  sotto_chafa_direct = 0,
  /// The 256 without the first sixteen, which are the user's.
  sotto_chafa_indexed = 2,
  sotto_chafa_sixteen = 3,
  sotto_chafa_eight = 6,
  /// No colours: only characters.
  sotto_chafa_none = 5,
} sotto_chafa_colors;

typedef enum sotto_chafa_symbols {
  sotto_chafa_ascii,
  /// Blocks and halves of them, which every font has.
  sotto_chafa_halves,
  /// Sixths of a block as well.
  sotto_chafa_sextants,
} sotto_chafa_symbols;

typedef struct sotto_chafa_cell {
  uint32_t scalar;
  /// Direct: 0xRRGGBB; else the number of the colour; -1 for the terminal's own.
  int32_t foreground;
  int32_t background;
} sotto_chafa_cell;

/// True where the library is installed. From any thread, as the next.
bool sotto_chafa_load(void);

/// Draws `width` by `height` pixels (RGBA, not premultiplied) into `columns` times `rows` cells, row
/// by row. False where the library is not installed or has no memory.
bool sotto_chafa_draw(
  const uint8_t *pixels, int width, int height, int columns, int rows, sotto_chafa_colors colors,
  sotto_chafa_symbols symbols, sotto_chafa_cell *cells);

#pragma GCC visibility pop

#endif
