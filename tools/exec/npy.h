/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_EXEC_NPY_H
#define TOOLS_EXEC_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* NumPy's files of one array (.npy, versions 1 to 3), restricted to matrices of doubles. */

typedef struct npy {
    size_t start; /* offset of the elements in the file */
    size_t rows, columns;
    bool   by_column;
} npy;

enum { NPY_HEADER_MOST = 4112 }; /* largest accepted value of `start` */
enum { NPY_WHY = 256 };

/** Return whether the bytes begin a .npy file. */
bool npy_is(const unsigned char *bytes, size_t size);

/** Read the header. Return true; or false with the defect or the unsupported property in `why`. */
bool npy_read(const unsigned char *bytes, size_t size, npy *out, char why[NPY_WHY]);

/** Write the header of a square matrix by column. */
void npy_write(FILE *out, size_t order);

#endif
