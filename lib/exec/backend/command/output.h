/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_BACKEND_COMMAND_OUTPUT_H
#define HSI_EXEC_BACKEND_COMMAND_OUTPUT_H

#include <hybridsched/backend.h>

/*
 * Where the output of one command goes: its two streams apart if the attempt has a file for each
 * or wants to be told lines, else both in one. A stream goes straight into its file; without one,
 * or where lines are to be told, into a pipe that is read all the time, however much there is.
 */
typedef struct hsi_command_stream {
    const char *file;   /* NULL: none */
    int         write;  /* the command's end; -1: closed here */
    int         read;   /* ours of a pipe; -1: a file, or over */
    int         copy;   /* what comes through the pipe goes here, too; -1: nowhere */
    int         error;  /* errno of that */
    size_t      length; /* of the end that is kept */
    char        kept[1024];
    size_t      begun; /* of a line that has not ended yet */
    char        line[8192];
} hsi_command_stream;

enum { HSI_COMMAND_STREAMS = 2 };

typedef struct hsi_command_output {
    const hs_attempt  *attempt;
    int                count;
    hsi_command_stream stream[HSI_COMMAND_STREAMS];
} hsi_command_output;

/* 0, or -1 and attempt->why. */
int hsi_command_output_open(hsi_command_output *output, const hs_attempt *attempt);

/* What becomes the command's stdout and stderr. */
void hsi_command_output_ends(const hsi_command_output *output, int ends[HSI_COMMAND_STREAMS]);

/* The command has them now. */
void hsi_command_output_given(hsi_command_output *output);

/* Take what there is, without waiting. */
void hsi_command_stream_read(const hsi_command_output *output, hsi_command_stream *stream);

/* The command is over: take the rest. 0, or -1 and attempt->why: not all of it could be kept. */
int hsi_command_output_finish(hsi_command_output *output);

/* The last line that has anything in it, of stderr if there is one, as a message can hold it; ""
 * if there is none. */
const char *hsi_command_output_last_line(hsi_command_output *output);

void hsi_command_output_close(hsi_command_output *output);

#endif
