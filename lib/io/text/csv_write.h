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

/** ",priority,kernel..." as far as the instance has them, into the header and into a row. */
void hsi_put_optional_names(hsi_output *out, const hs_instance *in);
void hsi_put_optional_fields(hsi_output *out, const hs_instance *in, size_t row);

/** HS_EINVAL if there is text in the instance that could not be read back. */
hs_status hsi_check_writable(const hs_instance *in);

/** Is it UTF-8 without line ends? */
int hsi_is_line(const char *text);

/** Is it UTF-8 without line ends and blanks, and not empty? */
int hsi_is_word(const char *text);

#endif
