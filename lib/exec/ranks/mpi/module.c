/* SPDX-License-Identifier: BSD-3-Clause */
/* The module for MPI: the only code that includes mpi.h. Open MPI, MPICH or another MPI 3. */
#include "config.h"

#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "exec/ranks/ranks.h"

typedef struct mpi_state {
    MPI_Comm     comm;    /* a copy of MPI_COMM_WORLD, whose errors are returned */
    bool         ours;    /* open() has initialised MPI */
    MPI_Request *request; /* messages under way */
    uint32_t    *id;      /* ids of the messages */
    int         *done;    /* room for the indices of completed messages */
    int          count, room;
} mpi_state;

/* Write the reason of an error of MPI. Return false. */
static bool explain(const char *call, int code, char why[HS_WHY])
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int  length = 0;

    MPI_Error_string(code, text, &length);
    snprintf(why, HS_WHY, "%s: %.300s", call, text);
    return false;
}

static bool init(mpi_state *s, char why[HS_WHY])
{
    int there = 0, level = 0, code;

    MPI_Initialized(&there);
    s->ours = !there;
    code =
        there ? MPI_Query_thread(&level) : MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level);
    if (code != MPI_SUCCESS)
        return explain("MPI_Init_thread", code, why);
    if (level >= MPI_THREAD_FUNNELED)
        return true;
    snprintf(why, HS_WHY, "this MPI does not allow threads (MPI_THREAD_FUNNELED)");
    return false;
}

static bool describe(const mpi_state *s, unsigned *rank, unsigned *ranks, int *most_tag,
                     char why[HS_WHY])
{
    int *bound = NULL, known = 0, number, count, code;

    code = MPI_Comm_rank(s->comm, &number);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_size(s->comm, &count);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_get_attr(s->comm, MPI_TAG_UB, &bound, &known);
    if (code != MPI_SUCCESS)
        return explain("MPI_Comm_rank", code, why);
    *rank = (unsigned)number;
    *ranks = (unsigned)count;
    *most_tag = known ? *bound : 32767;
    return true;
}

static bool open_mpi(void **state, unsigned *rank, unsigned *ranks, int *most_tag, char why[HS_WHY])
{
    mpi_state *s = calloc(1, sizeof *s);
    int        code;

    if (!s)
        return snprintf(why, HS_WHY, "out of memory") < 0;
    if (!init(s, why)) {
        free(s);
        return false;
    }
    code = MPI_Comm_dup(MPI_COMM_WORLD, &s->comm);
    if (code != MPI_SUCCESS) {
        free(s);
        return explain("MPI_Comm_dup", code, why);
    }
    MPI_Comm_set_errhandler(s->comm, MPI_ERRORS_RETURN);
    if (!describe(s, rank, ranks, most_tag, why)) {
        free(s);
        return false;
    }
    *state = s;
    return true;
}

static void close_mpi(void *state)
{
    mpi_state *s = state;

    MPI_Comm_free(&s->comm);
    if (s->ours)
        MPI_Finalize();
    free(s->request);
    free(s->id);
    free(s->done);
    free(s);
}

static void abort_mpi(void *state, int code)
{
    const mpi_state *s = state;

    MPI_Abort(s->comm, code);
}

/* Make room for one more message. */
static bool make_room(mpi_state *s, char why[HS_WHY])
{
    int          room = s->room ? 2 * s->room : 64;
    MPI_Request *request;
    uint32_t    *id;
    int         *done;

    if (s->count < s->room)
        return true;
    request = room < INT_MAX / 2 ? realloc(s->request, (size_t)room * sizeof *request) : NULL;
    s->request = request ? request : s->request;
    id = request ? realloc(s->id, (size_t)room * sizeof *id) : NULL;
    s->id = id ? id : s->id;
    done = id ? realloc(s->done, (size_t)room * sizeof *done) : NULL;
    s->done = done ? done : s->done;
    if (!done)
        return snprintf(why, HS_WHY, "out of memory for messages") < 0;
    s->room = room;
    return true;
}

static bool fits(size_t bytes, char why[HS_WHY])
{
    return bytes <= INT_MAX ||
           snprintf(why, HS_WHY, "a message of %zu bytes is too long", bytes) < 0;
}

static bool send_message(void *state, const void *at, size_t bytes, unsigned to, int tag,
                         uint32_t id, char why[HS_WHY])
{
    mpi_state *s = state;
    int        code;

    if (!fits(bytes, why) || !make_room(s, why))
        return false;
    code = MPI_Isend(at, (int)bytes, MPI_BYTE, (int)to, tag, s->comm, &s->request[s->count]);
    s->id[s->count++] = id;
    return code == MPI_SUCCESS || explain("MPI_Isend", code, why);
}

static bool receive_message(void *state, void *at, size_t bytes, unsigned from, int tag,
                            uint32_t id, char why[HS_WHY])
{
    mpi_state *s = state;
    int        code;

    if (!fits(bytes, why) || !make_room(s, why))
        return false;
    code = MPI_Irecv(at, (int)bytes, MPI_BYTE, (int)from, tag, s->comm, &s->request[s->count]);
    s->id[s->count++] = id;
    return code == MPI_SUCCESS || explain("MPI_Irecv", code, why);
}

/* Remove the completed messages from the list. */
static void compact(mpi_state *s)
{
    int kept = 0;

    for (int i = 0; i < s->count; i++)
        if (s->request[i] != MPI_REQUEST_NULL) {
            s->request[kept] = s->request[i];
            s->id[kept++] = s->id[i];
        }
    s->count = kept;
}

/* ended() may begin further messages, so the list is complete before the first call. */
static bool test_messages(void *state, void (*ended)(void *data, uint32_t id), void *data,
                          char why[HS_WHY])
{
    mpi_state *s = state;
    uint32_t  *id;
    int        count = 0, code, i;

    if (s->count == 0)
        return true;
    code = MPI_Testsome(s->count, s->request, &count, s->done, MPI_STATUSES_IGNORE);
    if (code != MPI_SUCCESS)
        return explain("MPI_Testsome", code, why);
    if (count <= 0) /* MPI_UNDEFINED: no message is under way */
        return true;
    id = malloc((size_t)count * sizeof *id);
    if (!id)
        return snprintf(why, HS_WHY, "out of memory for messages") < 0;
    for (i = 0; i < count; i++)
        id[i] = s->id[s->done[i]];
    compact(s);
    for (i = 0; i < count; i++)
        ended(data, id[i]);
    free(id);
    return true;
}

/* Wait for a request without using a core. */
static bool wait_for(MPI_Request *request, const char *call, char why[HS_WHY])
{
    struct timespec pause = {0, 10000};
    int             done = 0, code;

    while ((code = MPI_Test(request, &done, MPI_STATUS_IGNORE)) == MPI_SUCCESS && !done) {
        nanosleep(&pause, NULL);
        if (pause.tv_nsec < 1000000)
            pause.tv_nsec += pause.tv_nsec / 4;
    }
    return code == MPI_SUCCESS || explain(call, code, why);
}

static bool share(void *state, const void *mine, void *all, size_t bytes, char why[HS_WHY])
{
    const mpi_state *s = state;
    MPI_Request      request;
    int              code;

    if (!fits(bytes, why))
        return false;
    code = MPI_Iallgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, s->comm, &request);
    if (code != MPI_SUCCESS)
        return explain("MPI_Iallgather", code, why);
    return wait_for(&request, "MPI_Iallgather", why);
}

static const hsi_mpi_ops table = {
    .abi = HSI_MPI_ABI,
    .open = open_mpi,
    .close = close_mpi,
    .abort = abort_mpi,
    .send = send_message,
    .receive = receive_message,
    .test = test_messages,
    .share = share,
};

HS_API hsi_mpi_module_function hs_mpi_module;

const hsi_mpi_ops *hs_mpi_module(unsigned abi)
{
    return abi == HSI_MPI_ABI ? &table : NULL;
}
