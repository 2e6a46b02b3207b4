/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_DATA_MATRIX_H
#define HSI_EXEC_DATA_MATRIX_H

#include <hybridsched/exec.h>
#include <hybridsched/generate.h> /* hs_factorisation */

/*
 * The matrix that a graph of kernels factorises: its square tiles are the data that rows name,
 * A-0-0, A-1-0 and so on, and each kernel is one step of a tiled Cholesky, LU (without
 * exchanges of rows) or QR factorisation. QR has V-k-k (reflectors below the diagonal
 * of A-k-k, for those who read them while others write the triangle above) and T-i-k (their
 * block factors). All tiles are by column, without gaps.
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
    uint32_t       version; /* times that it was written before, in the order of the rows */
    int            last;    /* and it is never written again */
} hsi_operand;

/* What the tasks of a row do. */
typedef struct hsi_matrix_row {
    hsi_step    step;
    int         count;
    hsi_operand operand[HSI_OPERANDS];
} hsi_matrix_row;

typedef struct hsi_datum {
    char    matrix; /* 0: nothing of the matrix */
    int     row, column;
    double *at;
} hsi_datum;

typedef struct hsi_matrix {
    hs_factorisation kind;
    int              tile, tiles; /* order of a tile, and tiles in a row and in a column */
    uint64_t         seed;        /* of its elements */
    const double    *given;       /* instead, the caller's: by column; NULL: none */
    double           scale;       /* of what is given, the largest element; else 1 */
    int              may_fail;    /* attempts may: their input has to survive them */
    int              may_take;    /* likewise, a worker may take a task that another type runs */
    int              records;     /* copies are recorded */
    size_t           rows, pieces;
    hsi_matrix_row  *row;
    hsi_datum       *piece;
    char            *block; /* all pieces lie in it at first, one after the other */
    size_t           block_bytes;
    size_t          *place;            /* by row and column: the piece of A; SIZE_MAX: none */
    double          *feature;          /* Cholesky: of each row of the matrix, HSI_FEATURES */
    const struct hsi_sharing *sharing; /* GPUs work on it too; NULL: none does */
    struct hsi_memory        *memory;
    hs_exec_factorisation     result;
} hsi_matrix;

enum { HSI_FEATURES = 8 };

/*
 * recognise.c. HS_OK and NULL: no kernel of the instance works on data. HS_EDEPENDENT: they do,
 * but it is no factorisation of a whole matrix, each step once; `why` says what is in the way.
 */
hs_status hsi_matrix_create(const hs_instance *in, uint64_t seed, hsi_matrix **out,
                            char why[HS_WHY]);
void      hsi_matrix_free(hsi_matrix *matrix);

/* steps.c: HS_EDEPENDENT: a step is missing, or there twice; `why` names it. HS_ENOMEM */
hs_status hsi_matrix_steps(const hs_instance *in, const hsi_matrix *matrix, char why[HS_WHY]);

/* recognise.c: a step as a row has it: the kernel and its data. */
void hsi_matrix_name_step(const hsi_matrix *matrix, hsi_step step, int k, int i, int j, size_t size,
                          char *text);

/* Is it the row's kernel that would run on CPUs, and one that works on the data the row names? */
int hsi_matrix_concerns(const hs_instance *in, size_t number, const hs_task *row);

/* program.c: elements of a tile in memory; T-i-k has HSI_KERNEL_PANEL rows whatever its order. */
size_t hsi_matrix_elements(const hsi_matrix *matrix);

/* Those of them that a piece of A, V or T has. */
size_t hsi_matrix_piece_elements(const hsi_matrix *matrix, char letter);

/*
 * fill.c: from now on this is the input, by column; Cholesky's is what is on and below the
 * diagonal. It must outlive the matrix. HS_EINVAL: of another order, or an element is no number.
 */
hs_status hsi_matrix_give(hsi_matrix *matrix, const double *given, size_t order, char why[HS_WHY]);

/* program.c: the operands' versions, when all rows are recognised. HS_ENOMEM */
hs_status hsi_matrix_order(hsi_matrix *matrix);

/* fill.c: memory for one piece more, of hsi_matrix_elements(); NULL: there is none. Copies become
 * pieces, and what these were is given back for them, in the block or not. */
double *hsi_matrix_allocate(const hsi_matrix *matrix);
void    hsi_matrix_release(const hsi_matrix *matrix, double *at);
void    hsi_matrix_release_all(hsi_matrix *matrix);

/* fill.c: memory for all pieces, unless they have it, with the input in those of A. HS_ENOMEM */
hs_status hsi_matrix_fill(hsi_matrix *matrix);

/* A tile of the input again. */
void hsi_matrix_input(const hsi_matrix *matrix, int row, int column, double *tile);

/* What the run has made of it, by column: Cholesky's L, LU's L and U, QR's R. */
void hsi_matrix_factors(const hsi_matrix *matrix, double *out);

/* check.c: what the run has made of it against the input, into matrix->result. HS_ENOMEM */
hs_status hsi_matrix_check(hsi_matrix *matrix);

static inline double *hsi_matrix_tile(const hsi_matrix *matrix, int row, int column)
{
    return matrix->piece[matrix->place[(size_t)row * (size_t)matrix->tiles + (size_t)column]].at;
}

#endif
