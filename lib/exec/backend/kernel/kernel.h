/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_BACKEND_KERNEL_KERNEL_H
#define HSI_EXEC_BACKEND_KERNEL_KERNEL_H

#include <string.h>

#include <hybridsched/backend.h>

/*
 * The built-in kernels on square matrices, stored by column, of doubles or, if `single`, of floats.
 * A run of a kernel is a job: it is prepared, computed and verified. Verification multiplies a
 * random vector of signs, x: `want` by the inputs and `got` by the results, in O(n^2) each.
 *
 * After a stop, every operation below returns at once, so algorithms need not check for a stop.
 */

enum {
    HSI_KERNEL_MOST = 65536, /* largest n */
    HSI_KERNEL_PANEL = 32,   /* columns per block reflector */
    HSI_COPY_ROWS = 512      /* doubles per column of a copy: a page of 4096 bytes */
};

/* The pool of random numbers, doubles or floats, the same on every machine. */
typedef struct hsi_numbers {
    void  *at;
    size_t size, filled; /* elements */
} hsi_numbers;

#define HSI_COPY_MOST ((int64_t)1 << 36) /* largest number of bytes of a copy */

/* Memory that a worker keeps from task to task. Set the functions, and everything else to 0. */
typedef struct hsi_space {
    void *(*allocate)(size_t bytes, void *data); /* NULL: from the heap */
    void (*release)(void *memory, void *data);
    void       *data;
    hsi_numbers pool[2]; /* [0]: doubles, [1]: floats */
    void       *room;
    size_t      room_size;
} hsi_space;

void hsi_space_free(hsi_space *space);

typedef struct hsi_kernel hsi_kernel;

/* The part of its results that a job computes: a range of columns. */
typedef struct hsi_shape {
    int n;              /* number of rows of the results; order of the square inputs */
    int first, columns; /* columns; whole square results: 0, n */
} hsi_shape;

static inline hsi_shape hsi_square(int n)
{
    return (hsi_shape){.n = n, .columns = n};
}

/* A size in the kernel column: N, N/PARTS for one of several tasks that share the columns of the
 * result, or BYTES of a copy. */
typedef struct hsi_kernel_size {
    int n, columns;
    int parts; /* 1: the result is not divided */
} hsi_kernel_size;

/* Elements of matrices and vectors are floats if the kernel is `single`, else doubles. */
typedef struct hsi_job {
    const hsi_kernel *kernel;
    const hs_attempt *attempt;
    hsi_space        *space;
    int               n;
    int               first, columns; /* range of computed columns; `out` begins with the first */
    uint64_t          seed;    /* hash of the task's name */
    bool              stopped; /* cancelled, or failed */
    bool              no_memory;
    int               info;     /* LAPACK's error code; 0: success */
    const void       *in[2];    /* inputs that are only read, in the pool */
    const void       *from[2];  /* initial values of `out`, in the pool */
    double            diagonal; /* initial diagonal of out[0]; 0: that of from[0] */
    void             *out[2];   /* results, computed in place */
    void             *t;        /* n x HSI_KERNEL_PANEL: factors of block reflectors */
    void             *work;     /* scratch memory of the size of t */
    int              *pivots;
    void             *x, *want, *got; /* n elements of x; n per output of the others */
} hsi_job;

struct hsi_kernel {
    int inputs;  /* number of inputs that are only read: the first matrices of the pool */
    int outputs; /* number of matrices that are computed in place */
    int first;   /* number of the pool's matrix with the initial values of out[0]; out[1] is next */
    int single;
    bool dominant; /* the diagonal outweighs the rest of its row and column */
    bool divisible;  /* tasks may share the columns of the result */
    bool overwrites; /* the results have no initial values */
    void (*predict)(hsi_job *job);
    void (*compute)(hsi_job *job);
    void (*observe)(hsi_job *job);
};

/* An entry of the table of kernels, which lists kernels missing from this build, too. */
typedef struct hsi_kernel_entry {
    const char       *name, *alias; /* alias: a second name, or NULL */
    const char       *needs;        /* library that computes the kernel; NULL: none */
    const hsi_kernel *kernel;       /* NULL: not in this build */
} hsi_kernel_entry;

/* Return the entry with a name of `length` bytes, or NULL; and the entry at an index, or NULL past
 * the last. */
const hsi_kernel_entry *hsi_kernel_find(const char *name, size_t length);
const hsi_kernel_entry *hsi_kernel_at(size_t index);

/* Return true if tasks of the row run their kernel on workers of the type, false if they run a
 * command or are emulated. */
bool hsi_row_runs_kernel(const hs_backend_options *options, const hs_task *row, hs_type type);

/* Read the size behind the colon of the kernel column: return false for an invalid size. */
bool hsi_kernel_read_size(const hsi_kernel_entry *entry, const char *text, hsi_kernel_size *size);

/*
 * Return the part that a task computes of its results, and set the seed. Of tasks that share a
 * result, task ROW#K computes part K, and all have the seed of the name ROW.
 */
hsi_shape hsi_kernel_shape_of_task(const hsi_kernel_size *size, const hs_instance *instance,
                                   uint32_t task, uint64_t *seed);

/* Return the largest part of a task. */
hsi_shape hsi_kernel_largest_shape(const hsi_kernel_size *size);

/* Return the bytes of memory that a worker needs for a job of the kernel. */
double hsi_kernel_bytes(const hsi_kernel *kernel, hsi_shape shape);

/* Prepare a job with data chosen by `seed`. Without memory, the job is stopped and `no_memory` is
 * set. */
void hsi_job_begin(hsi_job *job, const hsi_kernel *kernel, hsi_shape shape, uint64_t seed,
                   const hs_attempt *attempt, hsi_space *space);

/* Prepare a job without memory for results; `in`, `from` and `diagonal` describe the data. For
 * kernels that another device computes. */
void hsi_job_locate(hsi_job *job, const hsi_kernel *kernel, hsi_shape shape, uint64_t seed,
                    const hs_attempt *attempt, hsi_space *space);

/* Return the seed of a task's name: a hash that is the same on every machine. */
uint64_t hsi_job_seed(const char *name);

/* Compute `want`, the results, and the residual, in this order. A job that needs no verification
 * calls hsi_job_compute() alone. */
void   hsi_job_predict_product(hsi_job *job);
void   hsi_job_compute(hsi_job *job);
double hsi_job_residual(hsi_job *job); /* at most HSI_RESIDUAL_MOST if the results are right */

/*
 * Verify results that another device has computed. After hsi_job_locate(), take memory for the
 * job's vectors alone, and compute `want` from the pool, which is constant. The caller sets `out`,
 * and `t` or `pivots` if the kernel computes them, before hsi_job_residual().
 */
size_t hsi_job_vector_bytes(int n);
void   hsi_job_allocate_vectors(hsi_job *job);
void   hsi_job_predict_product_from_pool(hsi_job *job);

/* The largest accepted |want - got| / (epsilon sqrt(n) (|want| + expected |want|)). */
#define HSI_RESIDUAL_MOST 16.0

/* Return the outcome of an attempt with this residual; if it failed, write the reason. */
hs_outcome hsi_job_outcome_by_residual(double residual, const char *kernel, long long size,
                                       hs_attempt *attempt);

/* Write why the size in a kernel column is invalid. Return HS_EINVAL. */
hs_status hsi_kernel_describe_bad_size(const char *text, const hsi_kernel_entry *entry,
                                       hs_error *error);

/* Return an element of a sequence of random numbers, the same on every machine. */
uint64_t hsi_draw(uint64_t index);

bool hsi_job_is_stopped(hsi_job *job);
void hsi_job_set_info(hsi_job *job, int info);

/* Return the length of the pieces into which `length` is cut: at most `most`, and a multiple of 8
 * for all pieces but the last. */
int hsi_piece_length(int length, int most);

static inline int hsi_smaller(int a, int b)
{
    return a < b ? a : b;
}

static inline int hsi_larger(int a, int b)
{
    return a > b ? a : b;
}

/* Return the row at which a matrix of n rows is halved, a multiple of 8. */
static inline int hsi_half(int n)
{
    return (n / 2 + 7) / 8 * 8;
}

/* Return the index of an element of a matrix with leading dimension `ld`. */
static inline size_t hsi_element_index(int ld, int row, int column)
{
    return (size_t)column * (size_t)ld + (size_t)row;
}

/* Return the number of elements of the pool for jobs of the shape, and the bytes of an element. */
size_t               hsi_pool_elements(hsi_shape shape);
static inline size_t hsi_kernel_element_bytes(const hsi_kernel *kernel)
{
    return kernel->single ? sizeof(float) : sizeof(double);
}

/* Return the address `elements` elements after `a`; return the address of a matrix element. */
static inline void *hsi_element_address(const hsi_job *job, const void *a, size_t elements)
{
    return (void *)((uintptr_t)a + elements * hsi_kernel_element_bytes(job->kernel));
}

static inline void *hsi_element_address_at(const hsi_job *job, const void *a, int ld, int row,
                                           int column)
{
    return hsi_element_address(job, a, hsi_element_index(ld, row, column));
}

static inline double hsi_element_get(const hsi_job *job, const void *a, int index)
{
    return job->kernel->single ? (double)((const float *)a)[index] : ((const double *)a)[index];
}

static inline void hsi_element_set(const hsi_job *job, void *a, int index, double value)
{
    if (job->kernel->single)
        ((float *)a)[index] = (float)value;
    else
        ((double *)a)[index] = value;
}

static inline void hsi_copy_vector(const hsi_job *job, void *to, const void *from, int n)
{
    memcpy(to, from, hsi_kernel_element_bytes(job->kernel) * (size_t)n);
}

/*
 * Load OpenBLAS and LAPACKE, unless they are loaded; call it before the functions below. Both use
 * one thread, since further threads would use the cores of other workers. Return HS_ERESOURCE and
 * the reason in *error if they cannot be loaded.
 */
hs_status hsi_blas_open(hs_error *error);

/* Make OpenBLAS use one thread in the calling thread: the setting belongs to the process in some
 * builds of OpenBLAS, and to the thread in others. */
void hsi_blas_one_thread(void);

/*
 * Make OpenBLAS map its buffers, HSI_BLAS_BUFFER bytes each, for `threads` threads now. Return
 * HS_ENOMEM if the limit of address space leaves no room: a later call of OpenBLAS without room for
 * its buffer would never return.
 */
enum { HSI_BLAS_BUFFER = 128 << 20 };
hs_status hsi_blas_reserve(unsigned threads);
unsigned  hsi_blas_reserved(void); /* number of buffers mapped by earlier calls */

/* Operations of CBLAS with fixed values for constant arguments, in tiles. */
void hsi_gemm(hsi_job *job, bool transpose_b, int m, int n, int k, const void *a, int lda,
              const void *b, int ldb, void *c, int ldc); /* C -= A op(B) */
void hsi_syrk(hsi_job *job, int n, int k, const void *a, int lda, void *c,
              int ldc); /* lower C -= A A' */
void hsi_trsm_right(hsi_job *job, bool unit, int m, int n, const void *l, int ldl, void *b,
                    int ldb); /* B := B inv(L') */
void hsi_trsm_left(hsi_job *job, int m, int n, const void *l, int ldl, void *b,
                   int ldb); /* B := inv(L) B, L unit */
void hsi_trsm_upper(hsi_job *job, int m, int n, const void *u, int ldu, void *b,
                    int ldb); /* B := B inv(U) */

/* Steps on shared tiles: LU without row exchanges, and Q with an earlier task's T in job->t. */
void hsi_getrf_in_place(hsi_job *job, int n, void *a, int lda);
void hsi_ormqr_given(hsi_job *job);
void hsi_tpmqrt_given(hsi_job *job);

/* Operations on vectors, for verification. */
void hsi_gemv(hsi_job *job, bool transpose, int m, int n, double alpha, const void *a, int lda,
              const void *x, void *y); /* y += alpha op(A) x */
void hsi_symv(hsi_job *job, int n, double alpha, const void *a, int lda, const void *x,
              void *y); /* y += alpha A x, A lower */

/* Compute `want` as the initial outputs times x, and `got` as the results times x. */
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
extern const hsi_kernel hsi_kernel_copy;

#endif
