/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_RANKS_RANKS_H
#define HSI_EXEC_RANKS_RANKS_H

#include <hybridsched/exec.h>

#define HSI_MPI_MODULE_SYMBOL "hs_mpi_module"
enum { HSI_MPI_ABI = 1 };

/*
 * What the dispatcher needs of MPI. The module hybridsched-mpi.so has the table over an installed
 * MPI, and tests have tables of their own. All calls come from the thread that called open(). A
 * function that returns false has set `why`.
 */
typedef struct hsi_mpi_ops {
    unsigned abi;

    /* Initialise MPI, unless the application has done so, and set *state, the number of this rank,
     * the number of ranks and the largest tag. */
    bool (*open)(void **state, unsigned *rank, unsigned *ranks, int *most_tag, char why[HS_WHY]);
    void (*close)(void *state); /* collective; finalises MPI if open() has initialised it */
    void (*abort)(void *state, int code); /* end all ranks; does not return with a real MPI */

    /* Begin to send or to receive. `at` must stay unchanged until test() reports the id. Messages
     * with one tag arrive in the order of the calls of send(). */
    bool (*send)(void *state, const void *at, size_t bytes, unsigned to, int tag, uint32_t id,
                 char why[HS_WHY]);
    bool (*receive)(void *state, void *at, size_t bytes, unsigned from, int tag, uint32_t id,
                    char why[HS_WHY]);

    /* Call ended() for each message that is complete. Returns at once. */
    bool (*test)(void *state, void (*ended)(void *data, uint32_t id), void *data, char why[HS_WHY]);

    /* Collective: set all[] to the `bytes` bytes of each rank. Sleeps while other ranks are late.
     */
    bool (*share)(void *state, const void *mine, void *all, size_t bytes, char why[HS_WHY]);
} hsi_mpi_ops;

typedef const hsi_mpi_ops *hsi_mpi_module_function(unsigned abi);

struct hs_mpi {
    const hsi_mpi_ops *ops;
    void              *state;
    unsigned           rank, ranks;
    int                most_tag;
    unsigned before, beside; /* ranks on this host with the same processors: those of lower
                                numbers, and all */
};

/* Find `before` and `beside` once the other fields are set. Collective. HS_ENOMEM, HS_EIO. */
hs_status hsi_mpi_find_neighbours(hs_mpi *mpi, hs_error *error);

/* Collective: set all[] to the `bytes` bytes of each rank, by rank. HS_EIO with *error. */
hs_status hsi_mpi_share(const hs_mpi *mpi, const void *mine, void *all, size_t bytes,
                        hs_error *error);

#endif
