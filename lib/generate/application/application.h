/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_GENERATE_APPLICATION_APPLICATION_H
#define HSI_GENERATE_APPLICATION_APPLICATION_H

#include <hybridsched/generate.h>

/* The measured kernels, each at one size. */
typedef enum hsi_measured {
    HSI_VECTOR_ADD,    /* 50,000 elements */
    HSI_VECTOR_SCALE,  /* 50,000 elements */
    HSI_PRODUCT,       /* two 1024 x 1024 matrices */
    HSI_OUTER_PRODUCT, /* a 1024 x 1 and a 1 x 1024 matrix */
    HSI_MATRIX_ADD     /* two 1024 x 1024 matrices */
} hsi_measured;

/*
 * Writer of an application's graph. The first failure stays in `status`, and later calls have no
 * effect.
 */
typedef struct hsi_kernel_graph {
    hs_builder *builder;
    hs_status   status;
    hs_problem  problem;
    const char *name; /* name of this copy, the prefix of its ids */
    size_t      rows;
} hsi_kernel_graph;

struct hs_application {
    const char *name;
    const char *summary;
    void (*write)(hsi_kernel_graph *g);
};

/* Select one of three numbers by the size of the problem. */
double hsi_by_problem_size(const hsi_kernel_graph *g, double small, double medium, double large);

/* Add a row of `count` kernels with `work` times the measured work; returns the row. */
size_t hsi_kernel(hsi_kernel_graph *g, const char *id, hsi_measured kind, double work,
                  uint32_t count);

/* Add a handle of `count` doubles; and an access of a row to a handle. */
size_t hsi_application_add_array(hsi_kernel_graph *g, const char *name, double count);
void hsi_application_add_access(hsi_kernel_graph *g, size_t row, size_t data, hs_access_mode mode);

/* Make `later` a successor of all copies of `earlier`. */
void hsi_application_add_edge(hsi_kernel_graph *g, size_t later, size_t earlier, double bytes);

extern const hs_application hsi_case_study, hsi_xgemm, hsi_cg, hsi_tile_cholesky, hsi_increment,
    hsi_va, hsi_pi, hsi_fblock;

#endif
