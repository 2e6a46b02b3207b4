/* SPDX-License-Identifier: BSD-3-Clause */
#include "io/import/word_table.h"

#include <stdlib.h>

#include "support/hash.h"

/* Return the hash seed. It differs from run to run, so no file can be made to collide. */
static uint64_t seed_of(const hsi_words *words)
{
    return hsi_hash_mix((uintptr_t)words->slot ^ (uintptr_t)words, 0x8ebc6af09c88c6e3u);
}

static bool is_same(hsi_text a, hsi_text b)
{
    return a.length == b.length && (a.length == 0 || memcmp(a.at, b.at, a.length) == 0);
}

/* Return the slot of a word, or the free slot for it. */
static size_t slot_of(const hsi_words *words, hsi_text word)
{
    size_t mask = words->slots - 1;
    size_t i = hsi_hash(word.at, word.length, seed_of(words)) & mask;

    while (words->slot[i] && !is_same(words->word[words->slot[i] - 1], word))
        i = (i + 1) & mask;
    return i;
}

size_t hsi_words_find(const hsi_words *words, hsi_text word)
{
    size_t slot;

    if (words->count == 0)
        return HSI_NO_WORD;
    slot = slot_of(words, word);
    return words->slot[slot] ? words->slot[slot] - 1 : HSI_NO_WORD;
}

/* Make room for another word, in a table that is at most half full. */
static hs_status grow(hsi_words *words)
{
    size_t    room = words->room ? 2 * words->room : 64;
    hsi_text *word = realloc(words->word, room * sizeof *word);
    uint32_t *slot;

    if (!word)
        return HS_ENOMEM;
    words->word = word;
    slot = calloc(2 * room, sizeof *slot);
    if (!slot)
        return HS_ENOMEM;
    free(words->slot);
    words->slot = slot;
    words->slots = 2 * room;
    words->room = room;
    for (size_t i = 0; i < words->count; i++)
        slot[slot_of(words, word[i])] = (uint32_t)i + 1;
    return HS_OK;
}

hs_status hsi_words_find_or_add(hsi_words *words, hsi_text word, size_t *number)
{
    size_t slot;

    *number = hsi_words_find(words, word);
    if (*number != HSI_NO_WORD)
        return HS_OK;
    if (words->count == HS_MAX_TASKS)
        return HS_ETOOBIG;
    if (words->count == words->room) {
        hs_status st = grow(words);

        if (st != HS_OK)
            return st;
    }
    slot = slot_of(words, word);
    *number = words->count++;
    words->word[*number] = word;
    words->slot[slot] = (uint32_t)*number + 1;
    return HS_OK;
}

void hsi_words_free(hsi_words *words)
{
    free(words->word);
    free(words->slot);
    *words = (hsi_words){0};
}
