/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "exec/backend/command/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int hsi_command_output_open(hsi_command_output *output, const char *file, char why[HS_WHY])
{
    int ends[2] = {-1, -1};

    *output = (hsi_command_output){.file = file, .write = -1, .read = -1};
    if (file) {
        /* in a folder of others' too, nothing of theirs is written to */
        output->write =
            open(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_APPEND | O_CLOEXEC, 0666);
        if (output->write >= 0)
            return 0;
        snprintf(why, HS_WHY, "cannot write %.300s: %m", file);
        return -1;
    }
    if (pipe2(ends, O_CLOEXEC) < 0) {
        snprintf(why, HS_WHY, "no pipe for its output: %m");
        return -1;
    }
    fcntl(ends[0], F_SETFL, O_NONBLOCK); /* this end alone: the command's is to wait */
    output->read = ends[0];
    output->write = ends[1];
    return 0;
}

void hsi_command_output_given(hsi_command_output *output)
{
    if (output->write >= 0)
        close(output->write);
    output->write = -1;
}

/* Keep the end of what was kept and these. */
static void keep(hsi_command_output *output, const char *bytes, size_t count)
{
    size_t room = sizeof output->kept - 1, old;

    if (count > room) {
        bytes += count - room;
        count = room;
    }
    old = output->length < room - count ? output->length : room - count;
    memmove(output->kept, output->kept + output->length - old, old);
    memcpy(output->kept + old, bytes, count);
    output->length = old + count;
}

void hsi_command_output_read(hsi_command_output *output)
{
    enum { CHUNKS = 64 }; /* of a writer that never stops; a pipe holds less */
    char    buffer[16384];
    ssize_t got;
    int     i;

    for (i = 0; i < CHUNKS && output->read >= 0; i++) {
        got = read(output->read, buffer, sizeof buffer);
        if (got > 0) {
            keep(output, buffer, (size_t)got);
        } else if (got < 0 && errno == EINTR) {
            continue;
        } else if (got < 0 && errno == EAGAIN) {
            return;
        } else {
            close(output->read);
            output->read = -1;
        }
    }
}

static void keep_end_of_file(hsi_command_output *output)
{
    int     fd = open(output->file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    off_t   size;
    ssize_t got;
    char    buffer[sizeof output->kept - 1];

    if (fd < 0)
        return;
    size = lseek(fd, 0, SEEK_END);
    if (size > 0) {
        off_t from = size > (off_t)sizeof buffer ? size - (off_t)sizeof buffer : 0;

        got = pread(fd, buffer, sizeof buffer, from);
        if (got > 0)
            keep(output, buffer, (size_t)got);
    }
    close(fd);
}

const char *hsi_command_output_last_line(hsi_command_output *output)
{
    char  *kept = output->kept, *line;
    size_t end, i;

    if (output->file)
        keep_end_of_file(output);
    else
        hsi_command_output_read(output);
    for (end = output->length; end > 0 && (unsigned char)kept[end - 1] <= ' '; end--)
        ;
    kept[end] = '\0';
    for (line = kept + end; line > kept && line[-1] != '\n'; line--)
        ;
    for (i = 0; line[i] != '\0'; i++)
        if (line[i] == '\t') /* what else is odd in it becomes \xHH later */
            line[i] = ' ';
    return line + strspn(line, " ");
}

void hsi_command_output_close(hsi_command_output *output)
{
    hsi_command_output_given(output);
    if (output->read >= 0)
        close(output->read);
    output->read = -1;
}
