/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_EXEC_COMMAND_LINE_H
#define TOOLS_EXEC_COMMAND_LINE_H

#include "common/options.h"
#include "exec/earlier_run.h"
#include "exec/nodes.h"

/* The arguments of the options; the target of exec_tool. */
typedef struct command_line {
    exec_request    request;
    hs_read_settings reading;
    const char     *path[EXEC_FILES]; /* path of each output file; NULL: not requested */
    const char     *policy;
    int             devices;          /* whether to list the GPUs and run nothing */
    int             no_verify;
    const char     *compare;          /* path of an earlier report; NULL: none */
    exec_earlier        earlier;              /* report named by --compare */
    int               batch;          /* an index into the words of --batch; 0: none */
    int               node;           /* whether to be a node of another hsched-exec */
    const char       *nodes;          /* argument of --nodes; NULL: none */
    const char       *launch;         /* argument of --launch; NULL: none */
    exec_nodes        node_list;      /* the nodes of --nodes */
    int                 mpi;            /* whether to be a rank of MPI */
    hs_mpi             *ranks;          /* the open handle of --mpi; NULL: none */
    int               gather;         /* whether to gather the results of shares */
    const char       *journal;        /* argument of --journal; NULL: none */
    char             *own_journal;    /* journal of the share; NULL: none */
    exec_journal_list journals;       /* other journals, read by --resume */
} command_line;

/** The options of hsched-exec. */
extern const tool_spec exec_tool;

#endif
