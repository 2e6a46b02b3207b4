/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CORE_CERTIFICATE_H
#define HSI_CORE_CERTIFICATE_H

#include <hybridsched/certificate.h>

/* How a bound T is proved; the arguments stand in hsched-formats(5). */
typedef enum hsi_proof_kind {
    HSI_PROOF_NONE,         /* T is 0 */
    HSI_PROOF_TASK,         /* a task takes T or longer everywhere */
    HSI_PROOF_MULTIPLIERS,  /* of the area LP's two constraints */
    HSI_PROOF_CONFIGURATION /* of the tasks, and knapsacks */
} hsi_proof_kind;

/* Tasks with these times, and the multiplier of each of them. */
typedef struct hsi_certified_kind {
    double  cpu, gpu;
    int64_t multiplier;
} hsi_certified_kind;

struct hs_certificate {
    const char         *bound; /* static */
    double              value;
    uint64_t            digest;
    hsi_proof_kind      proof;
    double              multiplier[2]; /* by type */
    int                 grid;
    int64_t             capacity, most[2];
    size_t              kinds;
    hsi_certified_kind *kind;
};

#endif
