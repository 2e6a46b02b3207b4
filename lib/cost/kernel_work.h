/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_COST_KERNEL_WORK_H
#define HSI_COST_KERNEL_WORK_H

#include <stdbool.h>
#include <stddef.h>

/* Work and matrices of a built-in kernel as multiples of powers of its size n. */
typedef struct hsi_kernel_work {
    const char *name;  /* without the letter of the precision, e.g. "gemm" */
    const char *alias; /* second name; NULL: none */
    double      cubic, square; /* operations: cubic n^3 + square n^2 */
    int         read, written; /* matrices of n x n */
} hsi_kernel_work;

/* A kernel's name as in the kernel column: NAME[:SIZE[/PARTS]]. */
typedef struct hsi_kernel_name {
    const hsi_kernel_work *work; /* NULL: not a built-in kernel */
    size_t                 length; /* length of NAME; the whole text for plugins */
    double                 size;   /* 0: no number behind the colon */
    double                 parts;  /* tasks that share the columns of the result; 1: one task */
    double                 element; /* bytes of a number: 8, or 4 in single precision */
} hsi_kernel_name;

/* Split the text of the kernel column. */
hsi_kernel_name hsi_kernel_name_split(const char *text);

/* Return whether a name is that of a built-in kernel, without a size. */
bool hsi_is_kernel_name(const char *name);

#endif
