#include "CChafa.h"

#include "CBinding.h"

#include <pthread.h>
#include <stddef.h>

typedef struct map map;
typedef struct config config;
typedef struct canvas canvas;

static struct {
  map *(*map_new)(void);
  void (*map_unref)(map *map);
  void (*map_add)(map *map, unsigned tags);
  config *(*config_new)(void);
  void (*config_unref)(config *config);
  void (*set_geometry)(config *config, int columns, int rows);
  void (*set_mode)(config *config, unsigned mode);
  void (*set_map)(config *config, const map *map);
  void (*set_work)(config *config, float factor);
  canvas *(*canvas_new)(const config *config);
  void (*canvas_unref)(canvas *canvas);
  void (*draw)(canvas *canvas, unsigned type, const uint8_t *pixels, int width, int height, int row);
  uint32_t (*scalar)(canvas *canvas, int column, int row);
  void (*colors)(canvas *canvas, int column, int row, int *foreground, int *background);
  void (*numbers)(canvas *canvas, int column, int row, int *foreground, int *background);
} library;
static bool loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  const sotto_binding functions[] = {
      {"chafa_symbol_map_new", &library.map_new},
      {"chafa_symbol_map_unref", &library.map_unref},
      {"chafa_symbol_map_add_by_tags", &library.map_add},
      {"chafa_canvas_config_new", &library.config_new},
      {"chafa_canvas_config_unref", &library.config_unref},
      {"chafa_canvas_config_set_geometry", &library.set_geometry},
      {"chafa_canvas_config_set_canvas_mode", &library.set_mode},
      {"chafa_canvas_config_set_symbol_map", &library.set_map},
      {"chafa_canvas_config_set_work_factor", &library.set_work},
      {"chafa_canvas_new", &library.canvas_new},
      {"chafa_canvas_unref", &library.canvas_unref},
      {"chafa_canvas_draw_all_pixels", &library.draw},
      {"chafa_canvas_get_char_at", &library.scalar},
      {"chafa_canvas_get_colors_at", &library.colors},
      {"chafa_canvas_get_raw_colors_at", &library.numbers},
  };
  loaded = sotto_bind("libchafa.so.0", functions, sizeof functions / sizeof *functions);
}

bool sotto_chafa_load(void) {
  pthread_once(&once, load);
  return loaded;
}

// CHAFA_SYMBOL_TAG_…
enum { space = 1, solid = 2, half = 3 << 8, quad = 1 << 7, ascii = 1 << 14, sextant = 1 << 22 };

bool sotto_chafa_draw(
  const uint8_t *pixels, int width, int height, int columns, int rows, sotto_chafa_colors colors,
  sotto_chafa_symbols symbols, sotto_chafa_cell *cells) {
  if (!sotto_chafa_load() || width < 1 || height < 1 || columns < 1 || rows < 1) return false;
  map *map = library.map_new();
  config *config = library.config_new();
  if (map == NULL || config == NULL) return false;
  unsigned tags = space;
  if (symbols == sotto_chafa_ascii) tags |= ascii;
  if (symbols >= sotto_chafa_halves) tags |= solid | half;
  if (symbols == sotto_chafa_sextants) tags |= quad | sextant;
  library.map_add(map, tags);
  library.set_geometry(config, columns, rows);
  library.set_mode(config, (unsigned)colors);
  library.set_map(config, map);
  library.set_work(config, 0.5f);
  canvas *canvas = library.canvas_new(config);
  // CHAFA_PIXEL_RGBA8_UNASSOCIATED
  library.draw(canvas, 4, pixels, width, height, width * 4);
  for (int row = 0; row < rows; row++) {
    for (int column = 0; column < columns; column++) {
      sotto_chafa_cell *cell = &cells[row * columns + column];
      cell->scalar = library.scalar(canvas, column, row);
      if (colors == sotto_chafa_direct) {
        library.colors(canvas, column, row, &cell->foreground, &cell->background);
      } else {
        library.numbers(canvas, column, row, &cell->foreground, &cell->background);
      }
    }
  }
  library.canvas_unref(canvas);
  library.config_unref(config);
  library.map_unref(map);
  return true;
}
