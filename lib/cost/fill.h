/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_COST_FILL_H
#define HSI_COST_FILL_H

#include <hybridsched/cost.h>

/* Copy the workers, the unit and the notes of an instance to a builder. */
hs_status hsi_copy_header(hs_builder *b, const hs_instance *in);

/* Return a copy of the sources of the times, two for each row; NULL: out of memory. */
unsigned char *hsi_copy_sources(const hs_instance *in);

/* Return which of a row's two times, on a CPU and on a GPU, have a guess as their source. */
hs_guess hsi_guess_of(const unsigned char source[2]);

/* Set key, size, work and bytes from the text of the kernel column, where they are 0 or empty. */
void hsi_kernel_features(const char *text, hs_features *features);

/* Get the features of a row on a type, as hs_feature_index_get() does, from the row's task. */
void hsi_features_of_row(const hs_feature_index *index, size_t row, const hs_task *task,
                         hs_type type, hs_features *features);

#endif
