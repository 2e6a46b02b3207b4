/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_IO_TEXT_FILE_HEADER_H
#define HSI_IO_TEXT_FILE_HEADER_H

#include "io/text/csv.h"

/* The '#' lines of instances and plans alike: version, cpus, gpus and unit. */
struct hsi_header {
    const char *kind; /* expected kind: "instance", "plan" */
    unsigned    cpus, gpus;
    unsigned    own_cpus, own_gpus; /* with nodes: the numbers in the file, not of the settings */
    int         has_cpus, has_gpus, has_unit, has_version;
    hs_unit     unit;
    unsigned    lines; /* number of '#' lines read so far */
};

void hsi_header_init(struct hsi_header *header, const char *kind);

/**
 * Read '#' lines up to the next line besides cpus, gpus, unit and the version: HS_OK, *found = 1,
 * and csv->fields[0] and [1] are its key and value. *found = 0 after the last line.
 */
hs_status hsi_header_next_line(struct hsi_header *header, struct hsi_csv *csv, int *found);

/**
 * Override the workers by `settings`; refuse a file without worker counts. The CSV header must be
 * the record last read.
 */
hs_status hsi_header_resolve_workers(struct hsi_header *header, struct hsi_csv *csv,
                                     const hs_read_settings *settings);

/**
 * Copy `settings` to `full`, with defaults for NULL or missing members; HS_EINVAL for invalid
 * values.
 */
hs_status hsi_read_settings_resolve(hs_read_settings *full, const hs_read_settings *settings);

/** Return the unit with this name; -1: none. */
int hsi_unit_find(const struct hsi_field *field);

#endif
