/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_IO_TEXT_CSV_WRITE_H
#define HSI_IO_TEXT_CSV_WRITE_H

#include "core/instance_store.h"
#include "io/text/output.h"

/* Functions shared by the writers of instances and plans. */

/** Write a text field, quoted if reading requires it or the text contains '#'. */
void hsi_put_text(hsi_output *out, const char *at, size_t length);

/** Write `# key value`, or `# key` if the value is empty. */
void hsi_put_note(hsi_output *out, const char *key, const char *value);

/** Write the first lines of an instance: version, workers, unit, notes, links and data. */
void hsi_put_instance_lines(hsi_output *out, const hs_instance *in, const char *kind);

/* The columns of the task table in the order of the file, and memory to write them. */
typedef struct hsi_cell_list {
    int        count, column[HSI_COLUMNS];
    hsi_vector text;   /* buffer for the cell of a list column */
    bool       failed; /* whether an allocation for a list cell failed */
} hsi_cell_list;

/**
 * Free the buffer of `list` and close `out`. HS_ENOMEM: a cell was lost; HS_EIO: errno says why.
 */
hs_status hsi_close_csv(hsi_cell_list *list, hsi_output *out);

/**
 * Select from the first `end` columns: `id` first, then required columns and those the instance
 * has.
 */
void hsi_select_columns(hsi_cell_list *list, const hsi_store *store, int end);

/** Write the names of the columns, or the cells of a row: separated by commas, with a line end. */
void hsi_put_column_names(hsi_output *out, const hsi_cell_list *list);
void hsi_put_row(hsi_output *out, const hs_instance *in, hsi_cell_list *list, size_t row);

/** Append the cell of a row in a list column to `text`; return -1 without memory. */
int hsi_append_list_cell(hsi_vector *text, const hs_instance *in, int column, size_t row);

/** Append a name in a list, with backslashes before separators; return -1 without memory. */
int hsi_append_name(hsi_vector *text, const char *name, size_t length);

/** Return HS_EINVAL and fill *error (may be NULL) if a reader would refuse or misread the instance.
 */
hs_status hsi_check_writable(const hs_instance *in, hs_error *error);

/** Return whether the text is UTF-8 without line ends. */
bool hsi_is_single_line(const char *text);

/** Return whether the text is UTF-8 without line ends and blanks, and not empty. */
bool hsi_is_word(const char *text);

#endif
