/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_PROPERTY_CERTIFICATE_TEXT_H
#define TESTS_PROPERTY_CERTIFICATE_TEXT_H

#include "brute_force.h"
#include "dice.h"

/* The text of a certificate. The functions below write certificates to a file in memory, verify the
 * file with the checker's own code, and read or change its text. */

typedef struct certificate_text {
    char   at[1 << 20];
    size_t size;
} certificate_text;

/* Open and close the file in memory and the message streams: the fixture around the tests. */
void certificate_fixture_open(void);
void certificate_files_close(void);

/* Return the checker's exit code for the certificate in the file; `quiet` discards its messages. */
int certificate_verify(const sample *s, const hs_schedule *plan, bool quiet);

void certificate_write_file(const sample *s, const hs_certificate *c);

/* Check that a certificate claims at most the computed value and is accepted by the checker. */
void certificate_check_valid(const sample *s, const hs_schedule *plan, const hs_certificate *c);

/* Check that the bound has an accepted certificate of its value, up to rounding. */
void certificate_check_bound(const sample *s, const hs_schedule *plan, const hs_bound *bound);

void certificate_text_read(const sample *s, certificate_text *t);

/* Write the text to the file, with a correct checksum. */
void certificate_text_write(const sample *s, const certificate_text *t);

/* Apply one or two random changes to a valid certificate and check that the checker refuses the
 * result or that the claimed value is at most the optimum. */
void certificate_check_changed(const sample *s, const hs_schedule *plan,
                               const certificate_text *good, const optimum *best, dice *d);

#endif
