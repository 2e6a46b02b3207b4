/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_BACKEND_KERNEL_KERNEL_H
#define HSI_EXEC_BACKEND_KERNEL_KERNEL_H

#include <hybridsched/backend.h>

/*
 * The built-in kernels on square matrices, by column, of doubles (sgemm: of floats). A run of
 * one is a job: it is prepared, then computed, then verified. What a kernel computes is
 * verified with a random vector of signs, x: `want` is what comes of x by the
 * inputs, `got` what comes of it by the results, each in a time of n^2.
 *
 * A job that is told to stop does nothing more: every operation below is
 * then empty, so that the algorithms need not look.
 */

enum {
    HSI_KERNEL_MOST = 65536, /* largest n */
    HSI_KERNEL_PANEL = 32    /* columns that are orthogonalised at once */
};

/* Kept from task to task; all zero, but for the functions, is empty. */
typedef struct hsi_space {
    void *(*allocate)(size_t bytes, void *data); /* NULL: from the heap */
    void (*release)(void *memory, void *data);
    void   *data;
    double *pool; /* random numbers, the same everywhere */
    size_t  pool_size, pool_filled;
    float  *single; /* the same as floats */
    size_t  single_size, single_filled;
    void   *room;
    size_t  room_size;
} hsi_space;

void hsi_space_free(hsi_space *space);

typedef struct hsi_kernel hsi_kernel;

typedef struct hsi_job {
    const hsi_kernel *kernel;
    const hs_attempt *attempt;
    hsi_space        *space;
    int               n;
    uint64_t          seed;    /* of the task's name */
    int               stopped; /* cancelled, or failed */
    int               no_memory;
    int               info;  /* what LAPACK says has gone wrong; 0: nothing */
    const double     *in[2]; /* inputs that are only read, in the pool */
    const float      *in_single[2];
    int               located; /* only where its data are is wanted: see hsi_job_locate() */
    int               copies;  /* so far, and where from: what is in `out` at first */
    const double     *from[2];
    const float      *from_single;
    double            diagonal; /* of out[0] at first; 0: as it is */
    double           *out[2];   /* what is computed, in place */
    float            *out_single;
    double           *t;    /* n x HSI_KERNEL_PANEL: factors of block reflectors */
    double           *work; /* as large */
    int              *pivots;
    double           *x, *want, *got; /* n, 2n, 2n */
    int               length;         /* of want and got */
} hsi_job;

struct hsi_kernel {
    int    inputs, outputs;
    double epsilon; /* of its arithmetic */
    void (*prepare)(hsi_job *job);
    void (*predict)(hsi_job *job);
    void (*compute)(hsi_job *job);
    void (*observe)(hsi_job *job);
};

/* What there is by name, built or not. */
typedef struct hsi_kernel_entry {
    const char       *name, *alias; /* alias: a name it goes by too, or NULL */
    const char       *needs;        /* the library it is made of */
    const hsi_kernel *kernel;       /* NULL: not in this build */
} hsi_kernel_entry;

/* `length` bytes of a name; NULL if there is none. And one after the other, NULL past the last. */
const hsi_kernel_entry *hsi_kernel_find(const char *name, size_t length);
const hsi_kernel_entry *hsi_kernel_at(size_t index);

/* Is the row's kernel what runs on that type? Not under a command, nor where it is emulated. */
int hsi_kernel_is_meant(const hs_backend_options *options, const hs_task *row, hs_type type);

/* A copy on the heap of a body that was read, of `size` bytes: it begins with an hs_body. */
hs_status hsi_body_keep(const void *read, size_t size, hs_body **out, char why[HS_WHY]);

/* Bytes that a worker needs for it. */
double hsi_kernel_bytes(const hsi_kernel *kernel, int n);

/* Make a job ready: `seed` says what data it gets. It may be stopped at once. */
void hsi_job_begin(hsi_job *job, const hsi_kernel *kernel, int n, uint64_t seed,
                   const hs_attempt *attempt, hsi_space *space);

/*
 * The same without memory for results, and nothing is copied: `in` and `from` say where in
 * the pool the data are.
 */
void hsi_job_locate(hsi_job *job, const hsi_kernel *kernel, int n, uint64_t seed,
                    const hs_attempt *attempt, hsi_space *space);

/* What data the attempt's task gets: a number of its name, the same everywhere. */
uint64_t hsi_job_seed(const hs_instance *instance, uint32_t task);

/* Then, in this order; without the first and the last nothing is verified. */
void   hsi_job_predict(hsi_job *job);
void   hsi_job_compute(hsi_job *job);
double hsi_job_residual(hsi_job *job); /* at most HSI_RESIDUAL_MOST if all is right */

/* Of |want - got| over epsilon sqrt(n) (|want| + what |want| is expected to be). */
#define HSI_RESIDUAL_MOST 16.0

int  hsi_job_stopped(hsi_job *job);
void hsi_job_info(hsi_job *job, int info);

/* Pieces of a length, none above `most`, all but the last a multiple of 8. */
int hsi_piece(int length, int most);

/* Elements of the pool that jobs of size n are taken from. */
size_t hsi_pool_elements(int n);
int    hsi_kernel_is_single(const hsi_kernel *kernel);

/* One thread for whoever calls: BLAS's own would be in the way of other workers. */
void hsi_blas_one_thread(void);

/* Numbers of the pool from a place that the job's seed decides, another for each `which`. */
const double *hsi_pool(hsi_job *job, int which);
const float  *hsi_pool_single(hsi_job *job, int which);

void hsi_copy(hsi_job *job, const double *from, double *to);
void hsi_copy_single(hsi_job *job, const float *from, float *to);
void hsi_diagonal(hsi_job *job, double value); /* of out[0] */

/* All are CBLAS's, less what is always the same. */
void hsi_gemm(hsi_job *job, int transpose_b, int m, int n, int k, const double *a, int lda,
              const double *b, int ldb, double *c, int ldc);                   /* C -= A op(B) */
void hsi_sgemm(hsi_job *job, int n, const float *a, const float *b, float *c); /* C -= A B' */
void hsi_syrk(hsi_job *job, int n, int k, const double *a, int lda, double *c,
              int ldc); /* lower C -= A A' */
void hsi_trsm_right(hsi_job *job, int unit, int m, int n, const double *l, int ldl, double *b,
                    int ldb); /* B := B inv(L') */
void hsi_trsm_left(hsi_job *job, int m, int n, const double *l, int ldl, double *b,
                   int ldb); /* B := inv(L) B, L unit */

/* With vectors, for verification. */
void hsi_gemv(hsi_job *job, int transpose, int m, int n, double alpha, const double *a, int lda,
              const double *x, double *y); /* y += alpha op(A) x */
void hsi_symv(hsi_job *job, int n, double alpha, const double *a, int lda, const double *x,
              double *y); /* y += alpha A x, A lower */

typedef enum hsi_triangle {
    HSI_LOWER,
    HSI_LOWER_UNIT,
    HSI_LOWER_UNIT_TRANSPOSED,
    HSI_LOWER_TRANSPOSED,
    HSI_UPPER
} hsi_triangle;
void hsi_trmv(hsi_job *job, hsi_triangle how, int n, const double *a, int lda,
              double *x); /* x := op(A) x */

extern const hsi_kernel hsi_kernel_dgemm, hsi_kernel_sgemm, hsi_kernel_dsyrk, hsi_kernel_dtrsm;
extern const hsi_kernel hsi_kernel_dpotrf, hsi_kernel_dgetrf;
extern const hsi_kernel hsi_kernel_dgeqrf, hsi_kernel_dormqr, hsi_kernel_dtpqrt, hsi_kernel_dtpmqrt;

#endif
