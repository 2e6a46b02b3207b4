/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_BACKEND_KERNEL_KERNEL_H
#define HSI_EXEC_BACKEND_KERNEL_KERNEL_H

#include <string.h>

#include <hybridsched/backend.h>

/*
 * The built-in kernels on square matrices, by column, of doubles or, `single`, of floats. A run of
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

/* Random numbers, the same everywhere: doubles or floats. */
typedef struct hsi_numbers {
    void  *at;
    size_t size, filled; /* elements */
} hsi_numbers;

/* Kept from task to task; all zero, but for the functions, is empty. */
typedef struct hsi_space {
    void *(*allocate)(size_t bytes, void *data); /* NULL: from the heap */
    void (*release)(void *memory, void *data);
    void       *data;
    hsi_numbers pool[2]; /* of doubles; of floats */
    void       *room;
    size_t      room_size;
} hsi_space;

void hsi_space_free(hsi_space *space);

typedef struct hsi_kernel hsi_kernel;

/* Matrices and vectors are of floats where the kernel is `single`, else of doubles. */
typedef struct hsi_job {
    const hsi_kernel *kernel;
    const hs_attempt *attempt;
    hsi_space        *space;
    int               n;
    uint64_t          seed;    /* of the task's name */
    int               stopped; /* cancelled, or failed */
    int               no_memory;
    int               info;     /* what LAPACK says has gone wrong; 0: nothing */
    const void       *in[2];    /* inputs that are only read, in the pool */
    const void       *from[2];  /* what is in `out` at first, in the pool */
    double            diagonal; /* of out[0] at first; 0: as it is */
    void             *out[2];   /* what is computed, in place */
    void             *t;        /* n x HSI_KERNEL_PANEL: factors of block reflectors */
    void             *work;     /* as large */
    int              *pivots;
    void             *x, *want, *got; /* n; and n for each of `out` */
} hsi_job;

struct hsi_kernel {
    int inputs;  /* that are only read: the pool's first */
    int outputs; /* that are computed in place ... */
    int first;   /* ... from what the pool has under this number, and the next */
    int single;
    int dominant; /* the diagonal outweighs the rest of its row and column */
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

/* Bytes that a worker needs for it. */
double hsi_kernel_bytes(const hsi_kernel *kernel, int n);

/* Make a job ready: `seed` says what data it gets. It may be stopped at once. */
void hsi_job_begin(hsi_job *job, const hsi_kernel *kernel, int n, uint64_t seed,
                   const hs_attempt *attempt, hsi_space *space);

/* The same without memory for results: `in`, `from` and `diagonal` say what the data are. */
void hsi_job_locate(hsi_job *job, const hsi_kernel *kernel, int n, uint64_t seed,
                    const hs_attempt *attempt, hsi_space *space);

/* What data the attempt's task gets: a number of its name, the same everywhere. */
uint64_t hsi_job_seed(const hs_instance *instance, uint32_t task);

/* Then, in this order; without the first and the last nothing is verified. */
void   hsi_job_predict(hsi_job *job);
void   hsi_job_compute(hsi_job *job);
double hsi_job_residual(hsi_job *job); /* at most HSI_RESIDUAL_MOST if all is right */

/*
 * To verify results that another device has computed, of a job that was located: take memory for
 * the job's vectors alone, and compute `want` from the pool, which is not changed. The caller sets
 * `out`, and `t` or `pivots` if the kernel makes them, before hsi_job_residual().
 */
size_t hsi_job_vector_bytes(int n);
void   hsi_job_take_vectors(hsi_job *job);
void   hsi_job_predict_pool(hsi_job *job);

/* Of |want - got| over epsilon sqrt(n) (|want| + what |want| is expected to be). */
#define HSI_RESIDUAL_MOST 16.0

/* What becomes of an attempt with that residual. */
hs_outcome hsi_job_judge(double residual, const char *kernel, int n, hs_attempt *attempt);

/* A size that is none, or too large. */
hs_status hsi_kernel_refuse_size(const char *text, const hsi_kernel_entry *entry, char why[HS_WHY]);

/* An element of a sequence of random numbers, the same everywhere. */
uint64_t hsi_draw(uint64_t index);

int  hsi_job_stopped(hsi_job *job);
void hsi_job_info(hsi_job *job, int info);

/* Pieces of a length, none above `most`, all but the last a multiple of 8. */
int hsi_piece(int length, int most);

static inline int hsi_smaller(int a, int b)
{
    return a < b ? a : b;
}

static inline int hsi_larger(int a, int b)
{
    return a > b ? a : b;
}

/* Where a matrix of n rows, more than a tile, is halved. */
static inline int hsi_half(int n)
{
    return (n / 2 + 7) / 8 * 8;
}

/* Elements in front of the given one, where columns are `ld` apart. */
static inline size_t hsi_at(int ld, int row, int column)
{
    return (size_t)column * (size_t)ld + (size_t)row;
}

/* Elements of the pool that jobs of size n are taken from, and bytes of each. */
size_t               hsi_numbers_count(int n);
static inline size_t hsi_kernel_element(const hsi_kernel *kernel)
{
    return kernel->single ? sizeof(float) : sizeof(double);
}

/* What stands so many elements behind `a`; and an element of a matrix. */
static inline void *hsi_past(const hsi_job *job, const void *a, size_t elements)
{
    return (void *)((uintptr_t)a + elements * hsi_kernel_element(job->kernel));
}

static inline void *hsi_block(const hsi_job *job, const void *a, int ld, int row, int column)
{
    return hsi_past(job, a, hsi_at(ld, row, column));
}

static inline double hsi_get(const hsi_job *job, const void *a, int index)
{
    return job->kernel->single ? (double)((const float *)a)[index] : ((const double *)a)[index];
}

static inline void hsi_set(const hsi_job *job, void *a, int index, double value)
{
    if (job->kernel->single)
        ((float *)a)[index] = (float)value;
    else
        ((double *)a)[index] = value;
}

static inline void hsi_copy_vector(const hsi_job *job, void *to, const void *from, int n)
{
    memcpy(to, from, hsi_kernel_element(job->kernel) * (size_t)n);
}

/*
 * Load OpenBLAS and LAPACKE, unless they are loaded, before the first function below is called;
 * they use one thread, as more would be in the way of other workers. HS_ERESOURCE: they cannot be
 * loaded, and `why` says why.
 */
hs_status hsi_blas_open(char why[HS_WHY]);

/* Set one thread for the calling thread: the setting is the process's in some builds of OpenBLAS,
 * the thread's in others. */
void hsi_blas_one_thread(void);

/*
 * Have OpenBLAS map the buffers, HSI_BLAS_BUFFER bytes each, for that many threads now, where the
 * limit of address space leaves room for them: a call that finds no room for its buffer never
 * returns. HS_ENOMEM
 */
enum { HSI_BLAS_BUFFER = 128 << 20 };
hs_status hsi_blas_reserve(unsigned threads);
unsigned  hsi_blas_reserved(void); /* buffers that were mapped by earlier calls */

/* All are CBLAS's, less what is always the same. */
void hsi_gemm(hsi_job *job, int transpose_b, int m, int n, int k, const void *a, int lda,
              const void *b, int ldb, void *c, int ldc); /* C -= A op(B) */
void hsi_syrk(hsi_job *job, int n, int k, const void *a, int lda, void *c,
              int ldc); /* lower C -= A A' */
void hsi_trsm_right(hsi_job *job, int unit, int m, int n, const void *l, int ldl, void *b,
                    int ldb); /* B := B inv(L') */
void hsi_trsm_left(hsi_job *job, int m, int n, const void *l, int ldl, void *b,
                   int ldb); /* B := inv(L) B, L unit */
void hsi_trsm_upper(hsi_job *job, int m, int n, const void *u, int ldu, void *b,
                    int ldb); /* B := B inv(U) */

/* Steps on tiles that others made: without exchanges of rows, and with the T that is in job->t. */
void hsi_getrf_in_place(hsi_job *job, int n, void *a, int lda);
void hsi_ormqr_given(hsi_job *job);
void hsi_tpmqrt_given(hsi_job *job);

/* With vectors, for verification. */
void hsi_gemv(hsi_job *job, int transpose, int m, int n, double alpha, const void *a, int lda,
              const void *x, void *y); /* y += alpha op(A) x */
void hsi_symv(hsi_job *job, int n, double alpha, const void *a, int lda, const void *x,
              void *y); /* y += alpha A x, A lower */

/* The results, or what is there before them, times x, is what is expected, or what there is. */
void hsi_predict_product(hsi_job *job);
void hsi_observe_product(hsi_job *job);

typedef enum hsi_triangle {
    HSI_LOWER,
    HSI_LOWER_UNIT,
    HSI_LOWER_UNIT_TRANSPOSED,
    HSI_LOWER_TRANSPOSED,
    HSI_UPPER
} hsi_triangle;
void hsi_trmv(hsi_job *job, hsi_triangle how, int n, const void *a, int lda,
              void *x); /* x := op(A) x */

/* A kernel in both precisions, such as hsi_kernel_dgemm and hsi_kernel_sgemm. */
#define HSI_KERNEL_DECLARE(name) extern const hsi_kernel hsi_kernel_d##name, hsi_kernel_s##name
#define HSI_KERNEL(name, ...)                                                                      \
    const hsi_kernel hsi_kernel_d##name = {__VA_ARGS__};                                           \
    const hsi_kernel hsi_kernel_s##name = {.single = 1, __VA_ARGS__}
HSI_KERNEL_DECLARE(gemm);
HSI_KERNEL_DECLARE(syrk);
HSI_KERNEL_DECLARE(trsm);
HSI_KERNEL_DECLARE(potrf);
HSI_KERNEL_DECLARE(getrf);
HSI_KERNEL_DECLARE(geqrf);
HSI_KERNEL_DECLARE(ormqr);
HSI_KERNEL_DECLARE(tpqrt);
HSI_KERNEL_DECLARE(tpmqrt);

#endif
