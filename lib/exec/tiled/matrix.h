/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_TILED_MATRIX_H
#define HSI_EXEC_TILED_MATRIX_H

#include <hybridsched/exec.h>
#include <hybridsched/generate.h> /* hs_factorisation */

/*
 * The matrix that a graph of kernels factorises. Its square tiles are the data that rows name,
 * A-0-0, A-1-0 and so on, and each kernel is one step of a tiled Cholesky, LU (without exchanges of
 * rows) or QR factorisation. QR also has V-k-k and T-i-k: V-k-k copies the reflectors below the
 * diagonal of A-k-k for tasks that read them while other tasks write the triangle above; T-i-k are
 * block factors. All tiles are stored by column, without gaps.
 */
typedef enum hsi_step {
    HSI_NO_STEP,
    HSI_POTRF,
    HSI_SYRK,
    HSI_TRSM, /* Cholesky: B := B inv(L') */
    HSI_GEMM, /* Cholesky: C -= A B' */
    HSI_GETRF,
    HSI_TRSM_LEFT,  /* LU: B := inv(L) B */
    HSI_TRSM_RIGHT, /* LU: B := B inv(U) */
    HSI_GEMM_LU,    /* C -= A B */
    HSI_GEQRF,
    HSI_ORMQR,
    HSI_TPQRT,
    HSI_TPMQRT
} hsi_step;

enum { HSI_OPERANDS = 4 };

typedef struct hsi_operand {
    char           matrix; /* A, V or T */
    hs_access_mode mode;
    size_t         piece;
    uint32_t       version; /* number of the row that has written the piece last; HS_NONE: none */
    int            last;    /* no later row writes the piece */
} hsi_operand;

/* The step that the tasks of a row do, with its operands. */
typedef struct hsi_matrix_row {
    hsi_step    step;
    int         count;
    hsi_operand operand[HSI_OPERANDS];
} hsi_matrix_row;

typedef struct hsi_datum {
    char  matrix; /* A, V or T; 0: not a part of the matrix */
    int   row, column;
    void *at; /* elements in the matrix's precision */
} hsi_datum;

typedef struct hsi_matrix {
    hs_factorisation kind;
    int              tile, tiles; /* order of a tile; number of tiles in a row and in a column */
    double           tolerance;   /* limit of the relative error of the result; see describe() */
    bool             single;      /* true: the elements are floats; 0: doubles */
    uint64_t         seed;        /* seed of the generated elements */
    const double    *given;       /* input of the caller, by column; NULL: generated */
    double           scale;       /* largest absolute element of `given`; else 1 */
    bool             may_fail;    /* attempts may fail, so inputs must survive an attempt */
    bool             may_take;    /* tasks may be spoliated, so inputs must survive an aborted
                                     attempt */
    bool             verify;      /* the result is verified after a run */
    size_t           rows, pieces;
    hsi_matrix_row  *row;
    hsi_datum       *piece;
    char            *block; /* memory for all pieces, used until a copy replaces a piece */
    size_t           block_bytes;
    size_t          *place;            /* piece of A by row and column; SIZE_MAX: none */
    double          *feature;          /* Cholesky: HSI_FEATURES numbers for each row of the
                                          matrix; element (i, j) is the inner product of those of
                                          rows i and j, plus a constant on the diagonal */
    struct hsi_tiles    *shared;        /* the tiles on devices; NULL: no GPU works on the matrix */
    struct hsi_exchange *exchange;      /* messages of the ranks that share the work; NULL: none */
    unsigned            *rank_of;       /* with an exchange: rank of each row's task */
    bool                *is_own;        /* with an exchange: by piece, a task of this rank uses the
                                           input there, or writes the piece */
    bool                *is_used;       /* with an exchange: by piece, is_own, or the rank receives
                                           the piece during the run */
    bool                      collects; /* rank 0 gets all factors */
    hs_exec_factorisation     result;
} hsi_matrix;

enum { HSI_FEATURES = 8 };

/* Return whether rank 0 receives all tiles at the end of the run, for the factors or to verify Q. */
static inline bool hsi_matrix_collects(const hsi_matrix *matrix)
{
    return matrix->exchange &&
           (matrix->collects || (matrix->verify && matrix->kind == HS_QR));
}

/*
 * recognise.c. HS_OK and NULL: no kernel of the instance accesses data. HS_EDEPENDENT: kernels
 * access data, but do not factorise a whole matrix with each step once; *error says what is wrong.
 */
hs_status hsi_matrix_create(const hs_instance *in, uint64_t seed, hsi_matrix **out,
                            hs_error *error);
void      hsi_matrix_free(hsi_matrix *matrix);

/* steps.c. HS_EDEPENDENT: a step is missing or duplicated, and the error names the step. HS_ENOMEM.
 */
hs_status hsi_matrix_check_steps(const hs_instance *in, const hsi_matrix *matrix, hs_error *error);

/* recognise.c: write a step as a row has it: the kernel and its data. */
void hsi_matrix_name_step(const hsi_matrix *matrix, hsi_step step, int k, int i, int j, size_t size,
                          char *text);

/* Return true if the row has a kernel of this library for CPUs that accesses data. */
bool hsi_matrix_has_row(const hs_instance *in, size_t number, const hs_task *row);

/* program.c: return the elements of a tile in memory; T-i-k has HSI_KERNEL_PANEL rows for any
 * order. */
size_t hsi_matrix_elements(const hsi_matrix *matrix);

/* Return the number of elements that a piece of A, V or T uses. */
size_t hsi_matrix_piece_elements(const hsi_matrix *matrix, char letter);

/*
 * fill.c: use `input` as the input, by column; Cholesky reads the triangle on and below the
 * diagonal. `input` must outlive the matrix. HS_EINVAL: the order differs, or an element is not
 * finite.
 */
hs_status hsi_matrix_set_input(hsi_matrix *matrix, const double *input, size_t order,
                               hs_error *error);

/* program.c: set the versions of all operands after all rows are recognised. HS_ENOMEM. */
hs_status hsi_matrix_set_versions(hsi_matrix *matrix);

/* fill.c: allocate memory for a piece, of hsi_matrix_elements(); NULL: memory is short. A copy may
 * become the piece; then release the memory that the piece had, inside the block or not. */
void *hsi_matrix_allocate(const hsi_matrix *matrix);
void  hsi_matrix_release(const hsi_matrix *matrix, void *at);
void  hsi_matrix_release_all(hsi_matrix *matrix);

/* fill.c: allocate memory for all pieces, unless they have it, and write the input to A.
 * HS_ENOMEM. */
hs_status hsi_matrix_fill(hsi_matrix *matrix);

/* Write a tile of the input as doubles, rounded to the matrix's precision. */
void hsi_matrix_write_input_tile(const hsi_matrix *matrix, int row, int column, double *tile);

/* Write the result of the run by column: Cholesky's L, LU's L and U, QR's R. */
void hsi_matrix_write_factors(const hsi_matrix *matrix, double *out);

/* check.c: compare the result of the run with the input, and fill matrix->result; with an exchange
 * collective. HS_ENOMEM, HS_EIO. */
hs_status hsi_matrix_verify_factors(hsi_matrix *matrix, hs_error *error);

/*
 * ranks.c: divide the tiles and rows among the ranks, and create matrix->exchange. HS_EDEPENDENT: a
 * row is no step, or the instance has dependencies besides those of the data. HS_ENOMEM.
 */
hs_status hsi_matrix_divide(hsi_matrix *matrix, const hs_instance *in, const hs_mpi *mpi,
                            hs_error *error);

/* Return the rank of tile (row, column): the ranks form a grid of P x Q, P the largest divisor of
 * their number that is at most its root. */
unsigned hsi_matrix_rank_of_tile(unsigned ranks, int row, int column);

/* ranks.c: after a run, send the newest versions of A, or of all pieces, to rank 0. Collective. */
hs_status hsi_matrix_collect(const hsi_matrix *matrix, bool all_pieces, hs_error *error);

/* recognise.c: refuse a matrix whose pieces, or those of this rank, exceed the memory. */
hs_status hsi_matrix_check_memory(const hsi_matrix *matrix, hs_error *error);

/* host.c: the kernels on CPUs and emulated GPUs: a copy of the table has the hsi_matrix as its data.
 */
extern const hs_backend hsi_backend_tiled;

static inline size_t hsi_matrix_element_bytes(const hsi_matrix *matrix)
{
    return matrix->single ? sizeof(float) : sizeof(double);
}

/* Return the limit of the error of an element, relative to the largest element. Rounding errors of
 * doubles are far below it; for floats it equals the limit for the whole matrix. */
static inline double hsi_matrix_element_tolerance(const hsi_matrix *matrix)
{
    return matrix->single ? matrix->tolerance : 1e-6;
}

/* Return an element of a piece as a double. */
static inline double hsi_matrix_get(const hsi_matrix *matrix, const void *piece, size_t index)
{
    return matrix->single ? (double)((const float *)piece)[index] : ((const double *)piece)[index];
}

static inline void *hsi_matrix_tile(const hsi_matrix *matrix, int row, int column)
{
    return matrix->piece[matrix->place[(size_t)row * (size_t)matrix->tiles + (size_t)column]].at;
}

#endif
