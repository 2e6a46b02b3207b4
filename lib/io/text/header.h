/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_IO_TEXT_HEADER_H
#define HSI_IO_TEXT_HEADER_H

#include "io/text/csv.h"

/* What the '#' lines of a file say that all kinds of files have. */
struct hsi_header {
    const char *kind; /* "instance", "plan": what is expected */
    unsigned    cpus, gpus;
    int         has_cpus, has_gpus, has_unit, has_version;
    hs_unit     unit;
    unsigned    lines; /* met so far */
};

void hsi_header_init(struct hsi_header *header, const char *kind);

/**
 * Read '#' lines up to the next that is not cpus, gpus, unit or the version:
 * HS_OK, *found = 1, and csv->fields[0] and [1] are its key and value. *found = 0
 * where the lines end.
 */
hs_status hsi_header_next(struct hsi_header *header, struct hsi_csv *csv, int *found);

/**
 * Take the workers from `options` where they say so; refuse a file whose workers are not known. The
 * CSV header is the record last read.
 */
hs_status hsi_header_workers(struct hsi_header *header, struct hsi_csv *csv,
                             const hs_read_options *options);

/** `options`, or the defaults where they are NULL or older; HS_EINVAL if they make no sense. */
hs_status hsi_read_options_resolve(hs_read_options *full, const hs_read_options *options);

/** The unit of that name; -1 if it is none. */
int hsi_unit_find(const struct hsi_field *field);

#endif
