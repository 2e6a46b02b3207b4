/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_IO_TEXT_CSV_WRITE_H
#define HSI_IO_TEXT_CSV_WRITE_H

#include "core/store.h"
#include "io/text/output.h"

/* What the writers of instances and plans share. */

/** A text field; in quotes if the text would not come back without, or has a '#'. */
void hsi_put_text(hsi_output *out, const char *at, size_t length);

/** `# key value`, or `# key` if the value is empty. */
void hsi_put_note(hsi_output *out, const char *key, const char *value);

/** The lines that an instance begins with: version, workers, unit, notes. */
void hsi_put_instance_lines(hsi_output *out, const hs_instance *in, const char *kind);

/* The columns of the task table that a file has, in its order. */
typedef struct hsi_cell_list {
    int        count, column[HSI_COLUMNS];
    hsi_vector text;   /* for lists, while they are put together */
    int        failed; /* memory was too short for one */
} hsi_cell_list;

/** Closes both; HS_ENOMEM, HS_EIO. */
hs_status hsi_close_cells(hsi_cell_list *list, hsi_output *out);

/** Of the first `end`: `id` first, then the required ones and what the instance has. */
void hsi_list_cells(hsi_cell_list *list, const hsi_store *store, int end);

/** Their names, and what a row has in them: commas between, a line end behind. */
void hsi_put_names(hsi_output *out, const hsi_cell_list *list);
void hsi_put_cells(hsi_output *out, const hs_instance *in, hsi_cell_list *list, size_t row);

/** What a row has in a column that is a list, behind what is there; -1: memory is short. */
int hsi_append_list(hsi_vector *text, const hs_instance *in, int column, size_t row);

/** A name in such a list, with a backslash before what ends names. */
int hsi_append_name(hsi_vector *text, const char *name, size_t length);

/** HS_EINVAL if there is something in the instance that could not be read back. */
hs_status hsi_check_writable(const hs_instance *in);

/** Is it UTF-8 without line ends? */
int hsi_is_line(const char *text);

/** Is it UTF-8 without line ends and blanks, and not empty? */
int hsi_is_word(const char *text);

#endif
