/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_IO_IMPORT_SPEEDUP_H
#define HSI_IO_IMPORT_SPEEDUP_H

#include "core/columns.h"
#include "support/vector.h"

/* Rules for GPU times from CPU times: [PATTERN=]FACTOR|none, separated by commas. */
typedef struct hsi_speedup {
    hsi_vector rules; /* hsi_speedup_rule */
} hsi_speedup;

typedef struct hsi_speedup_rule {
    hsi_text pattern; /* pattern for task names; `*` matches any text */
    double   factor;  /* CPU time / GPU time; 0: no GPU implementation */
} hsi_speedup_rule;

/* Parse rules; `text` must outlive `s`. NULL: no rules. HS_EINVAL: *bad is the invalid rule. */
hs_status hsi_speedup_parse(hsi_speedup *s, const char *text, hsi_text *bad);
void      hsi_speedup_free(hsi_speedup *s);

/* Return the factor of the first rule whose pattern matches the name; -1: no rule matches. */
double hsi_speedup_of(const hsi_speedup *s, hsi_text name);

#endif
