/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_IO_IMPORT_SPEEDUP_H
#define HSI_IO_IMPORT_SPEEDUP_H

#include "core/columns.h"
#include "support/vector.h"

/* Rules by which times on GPUs follow from those on CPUs: [PATTERN=]FACTOR|none, by commas. */
typedef struct hsi_speedup {
    hsi_vector rules; /* hsi_speedup_rule */
} hsi_speedup;

typedef struct hsi_speedup_rule {
    hsi_text pattern; /* `*` is any text; the first rule that fits holds */
    double   factor;  /* 0: none, which is no implementation on GPUs */
} hsi_speedup_rule;

/* The rules in `text`, which must stay; NULL: there are none. HS_EINVAL: *bad is no rule. */
hs_status hsi_speedup_parse(hsi_speedup *s, const char *text, hsi_text *bad);
void      hsi_speedup_free(hsi_speedup *s);

/* The factor of the rule that a name falls under, 0 for none; -1: under none of them. */
double hsi_speedup_of(const hsi_speedup *s, hsi_text name);

#endif
