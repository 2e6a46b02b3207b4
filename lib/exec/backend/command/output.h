/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_BACKEND_COMMAND_OUTPUT_H
#define HSI_EXEC_BACKEND_COMMAND_OUTPUT_H

#include <hybridsched/backend.h>

/*
 * The output of one command. Its two streams are separate if the attempt has a file for each or a
 * function for lines, else joined. A stream goes straight into its file; without a file, or with a
 * function for lines, into a pipe that is read all the time, for any amount of output.
 */
typedef struct hsi_command_stream {
    const char *file;   /* path; NULL: none */
    int         write;  /* the command's end; -1: closed in this process */
    int         read;   /* read end of the pipe; -1: no pipe, or closed */
    int         copy;   /* file that gets a copy of the pipe's data; -1: none */
    int         error;  /* errno of writes to `copy` */
    size_t      length; /* length of `kept`, which is the end of the output */
    char        kept[1024];
    size_t      begun; /* length of `line`, which has no newline yet */
    char        line[8192];
} hsi_command_stream;

enum { HSI_COMMAND_STREAMS = 2 };

typedef struct hsi_command_output {
    const hs_attempt  *attempt;
    int                count;
    hsi_command_stream stream[HSI_COMMAND_STREAMS];
} hsi_command_output;

/* Create the file of an output; refuse existing files, so that files of other users in the folder
 * stay unchanged. Return -1 with the reason in `why` on failure. */
int hsi_command_log_open(const char *file, char why[HS_WHY]);

/* Open files and pipes. Return 0, or -1 with the reason in attempt->why. */
int hsi_command_output_open(hsi_command_output *output, const hs_attempt *attempt);

/* Return the descriptors for the command's stdout and stderr. */
void hsi_command_output_child_fds(const hsi_command_output *output,
                                  int                       child_fds[HSI_COMMAND_STREAMS]);

/* Close the command's ends in this process, after the command got them. */
void hsi_command_output_close_child_fds(hsi_command_output *output);

/* Read the available data without waiting. */
void hsi_command_stream_read_available(const hsi_command_output *output,
                                       hsi_command_stream       *stream);

/* Read the rest after the end of the command. Return 0, or -1 with the reason in attempt->why: a
 * file could not be written. */
int hsi_command_output_finish(hsi_command_output *output);

/* Return the last line that is not blank, preferably of stderr, as a part of a message; "": none.
 * The line is valid until `output` changes. */
const char *hsi_command_output_last_line(hsi_command_output *output);

void hsi_command_output_close(hsi_command_output *output);

#endif
