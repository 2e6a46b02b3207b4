/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_PROPERTY_CERTIFICATE_TEXT_H
#define TESTS_PROPERTY_CERTIFICATE_TEXT_H

#include "brute_force.h"
#include "dice.h"

/* Certificates in a file of no disk, which the checker's own code verifies, and their text. */

typedef struct certificate_text {
    char   at[1 << 20];
    size_t size;
} certificate_text;

/* Around all tests. */
void certificate_files_open(void);
void certificate_files_close(void);

/* The checker's exit code for what the file holds. */
int certificate_verify(const sample *s, const hs_schedule *plan, int quiet);

void certificate_put(const sample *s, const hs_certificate *c);

/* It proves no more than was computed, and is verified. */
void certificate_check_made(const sample *s, const hs_schedule *plan, const hs_certificate *c);

/* Each bound is certified as it is computed, but for the last bits. */
void certificate_check_bound(const sample *s, const hs_schedule *plan, const hs_bound *bound);

void certificate_text_read(const sample *s, certificate_text *t);

/* With a checksum that fits. */
void certificate_text_write(const sample *s, const certificate_text *t);

/* Changed at random, it is refused or true: nobody is to be made believe what is not. */
void certificate_check_changed(const sample *s, const hs_schedule *plan,
                               const certificate_text *good, const optimum *best, dice *d);

#endif
