/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_IO_IMPORT_WORD_TABLE_H
#define HSI_IO_IMPORT_WORD_TABLE_H

#include "core/columns.h"

/* A set of words numbered in the order of entry: an open hash table. All zero is empty. */
typedef struct hsi_words {
    hsi_text *word; /* word of each number; texts are not copied */
    uint32_t *slot; /* number (+ 1) of the word in each hash slot; 0: free */
    size_t    count, room;
    size_t    slots; /* number of hash slots: a power of two, or 0 */
} hsi_words;

#define HSI_NO_WORD SIZE_MAX

/* Return the number of a word; HSI_NO_WORD: unknown. */
size_t hsi_words_find(const hsi_words *words, hsi_text word);

/*
 * Return the number of a word, entered if it is new. HS_ENOMEM; HS_ETOOBIG: more than HS_MAX_TASKS.
 */
hs_status hsi_words_find_or_add(hsi_words *words, hsi_text word, size_t *number);

void hsi_words_free(hsi_words *words);

#endif
