/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_CERTIFICATE_READ_H
#define TOOLS_CERTIFICATE_READ_H

#include <gmp.h>
#include <stddef.h>
#include <stdint.h>

typedef enum proof_kind {
    PROOF_NONE, PROOF_TASK, PROOF_MULTIPLIERS, PROOF_CONFIGURATION
} proof_kind;

/** The tasks with these times, and the multiplier of each. */
typedef struct certified_kind {
    double   time[2];
    int64_t  multiplier;
    uint64_t count; /* for the checker */
} certified_kind;

/** A certificate as hsched-formats(5) defines it. */
typedef struct certificate {
    char            bound[32];
    mpq_t           value;
    char            value_text[32];
    uint64_t        digest;
    proof_kind      proof;
    mpq_t           multiplier[2]; /* CPU, GPU */
    long            grid;
    int64_t         capacity, most[2];
    size_t          kinds;
    certified_kind *kind;
} certificate;

/** 0, or an exit code after a message. The caller frees in any case. */
int  certificate_read(const char *path, certificate *c);
void certificate_free(certificate *c);

#endif
