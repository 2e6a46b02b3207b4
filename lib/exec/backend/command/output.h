/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_BACKEND_COMMAND_OUTPUT_H
#define HSI_EXEC_BACKEND_COMMAND_OUTPUT_H

#include <hybridsched/backend.h>

/*
 * Where the output of one command goes: into a file; or without one into a pipe that
 * is read all the time and of which only the end is kept, however much there is.
 */
typedef struct hsi_command_output {
    const char *file;   /* NULL: the pipe */
    int         write;  /* the command's end; -1: closed here */
    int         read;   /* ours; -1: a file, or over */
    size_t      length; /* of what is kept */
    char        kept[1024];
} hsi_command_output;

/* 0, or -1 and `why`. */
int hsi_command_output_open(hsi_command_output *output, const char *file, char why[HS_WHY]);

/* The command has it now. */
void hsi_command_output_given(hsi_command_output *output);

/* Take what there is, without waiting. */
void hsi_command_output_read(hsi_command_output *output);

/* The last line that has anything in it, as a message can hold it; "" if there is none. */
const char *hsi_command_output_last_line(hsi_command_output *output);

void hsi_command_output_close(hsi_command_output *output);

#endif
