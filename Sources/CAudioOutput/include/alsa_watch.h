/// The control interface of ALSA's cards: which jacks are in, and which cards there are. Included
/// by CAudioOutput.h.
#ifndef SOTTO_ALSA_WATCH_H
#define SOTTO_ALSA_WATCH_H

#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

/// A control that tells whether something is plugged in. Its name ends in " Jack".
typedef struct sotto_jack {
  char name[64];
  int index;  ///< of several controls with one name
  bool is_in;
} sotto_jack;

/// The jacks of a card as they are and as they change. Used by one thread at a time. Nothing in it
/// runs by itself: whoever waits for the descriptor reads.
typedef struct sotto_jack_watch sotto_jack_watch;

/// Opens a control interface ("hw:0"), subscribes to its events and reads the jacks.
///
/// Returns NULL with `failure` filled with a negative errno.
sotto_jack_watch *sotto_jack_watch_open(const char *name, int *failure);
/// Readable when something changed, or the card is gone. -1: nothing will ever be told.
int sotto_jack_watch_descriptor(const sotto_jack_watch *watch);
/// Takes what was told, without waiting, and reads the jacks again. False when the card is gone.
bool sotto_jack_watch_read(sotto_jack_watch *watch);
/// As of the last read, in the order of the card.
const sotto_jack *sotto_jack_watch_jacks(const sotto_jack_watch *watch, size_t *count);
void sotto_jack_watch_close(sotto_jack_watch *watch);

/// A sound card with something to play on.
typedef struct sotto_card {
  int number;     ///< as in "hw:0"; another card may get it later
  char id[32];    ///< as in "hw:Audio"; the same after the card was away
  char name[96];  ///< for people
} sotto_card;

/// The cards that play, at most `most`; how many there are.
size_t sotto_alsa_cards(sotto_card *cards, size_t most);
/// The number of a card by its number or id, -1 where there is none.
int sotto_alsa_card_number(const char *card);

#pragma GCC visibility pop

#endif
