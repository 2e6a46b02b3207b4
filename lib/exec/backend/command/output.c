/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "exec/backend/command/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int hsi_command_log_open(const char *file, char why[HS_WHY])
{
    int fd = open(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_APPEND | O_CLOEXEC, 0666);

    if (fd < 0)
        snprintf(why, HS_WHY, "cannot write %.300s: %m", file);
    return fd;
}

static int open_stream(hsi_command_stream *s, const char *file, int by_line, char *why)
{
    int ends[2], fd = -1;

    s->file = file;
    s->write = s->read = s->copy = -1;
    if (file) {
        fd = hsi_command_log_open(file, why);
        if (fd < 0)
            return -1;
        *(by_line ? &s->copy : &s->write) = fd;
        if (!by_line)
            return 0;
    }
    if (pipe2(ends, O_CLOEXEC) < 0) {
        snprintf(why, HS_WHY, "no pipe for its output: %m");
        return -1;
    }
    fcntl(ends[0], F_SETFL, O_NONBLOCK); /* the read end only: writes of the command must wait */
    s->read = ends[0];
    s->write = ends[1];
    return 0;
}

int hsi_command_output_open(hsi_command_output *output, const hs_attempt *attempt)
{
    const char *file[HSI_COMMAND_STREAMS] = {attempt->log, attempt->error_log};
    int         i, by_line = attempt->line_printed != NULL;

    output->attempt = attempt;
    output->count = 0;
    for (i = 0; i < (by_line || attempt->error_log ? 2 : 1); i++) {
        hsi_command_stream *s = &output->stream[output->count++];

        s->error = 0;
        s->length = s->begun = 0;
        if (open_stream(s, file[i], by_line, attempt->why) == 0)
            continue;
        hsi_command_output_close(output);
        return -1;
    }
    return 0;
}

void hsi_command_output_child_fds(const hsi_command_output *output,
                                  int                       child_fds[HSI_COMMAND_STREAMS])
{
    child_fds[0] = output->stream[0].write;
    child_fds[1] = output->stream[output->count - 1].write;
}

static void give(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

void hsi_command_output_close_child_fds(hsi_command_output *output)
{
    for (int i = 0; i < output->count; i++)
        give(&output->stream[i].write);
}

/* Append to `kept`, which holds the last bytes of the output. */
static void keep(hsi_command_stream *stream, const char *bytes, size_t count)
{
    size_t room = sizeof stream->kept - 1, old;

    if (count > room) {
        bytes += count - room;
        count = room;
    }
    old = stream->length < room - count ? stream->length : room - count;
    memmove(stream->kept, stream->kept + stream->length - old, old);
    memcpy(stream->kept + old, bytes, count);
    stream->length = old + count;
}

/* Write all bytes to `copy`; close `copy` on an error. */
static void copy(hsi_command_stream *stream, const char *bytes, size_t count)
{
    while (count > 0 && stream->copy >= 0) {
        ssize_t put = write(stream->copy, bytes, count);

        if (put >= 0) {
            bytes += put;
            count -= (size_t)put;
        } else if (errno != EINTR) {
            stream->error = errno;
            give(&stream->copy);
        }
    }
}

static void pass_line(const hsi_command_output *output, hsi_command_stream *stream)
{
    if (stream->begun > 0)
        output->attempt->line_printed(output->attempt, stream != output->stream, stream->line,
                                      stream->begun);
    stream->begun = 0;
}

/* Pass bytes on line by line; a line longer than the buffer is passed in pieces. */
static void pass_lines(const hsi_command_output *output, hsi_command_stream *stream,
                       const char *bytes, size_t count)
{
    while (count > 0) {
        size_t      room = sizeof stream->line - stream->begun;
        size_t      part = count < room ? count : room;
        const char *end = memchr(bytes, '\n', part);

        if (end)
            part = (size_t)(end - bytes) + 1;
        memcpy(stream->line + stream->begun, bytes, part);
        stream->begun += part;
        bytes += part;
        count -= part;
        if (end || stream->begun == sizeof stream->line)
            pass_line(output, stream);
    }
}

void hsi_command_stream_read_available(const hsi_command_output *output, hsi_command_stream *stream)
{
    enum { CHUNKS = 64 }; /* limit for a writer that never stops; a pipe holds less */
    char    buffer[16384];
    ssize_t got;
    int     i;

    for (i = 0; i < CHUNKS && stream->read >= 0; i++) {
        got = read(stream->read, buffer, sizeof buffer);
        if (got > 0) {
            keep(stream, buffer, (size_t)got);
            copy(stream, buffer, (size_t)got);
            if (output->attempt->line_printed)
                pass_lines(output, stream, buffer, (size_t)got);
        } else if (got < 0 && errno == EINTR) {
            continue;
        } else if (got < 0 && errno == EAGAIN) {
            return;
        } else {
            give(&stream->read);
        }
    }
}

int hsi_command_output_finish(hsi_command_output *output)
{
    int i, result = 0;

    for (i = 0; i < output->count; i++) {
        hsi_command_stream *s = &output->stream[i];

        hsi_command_stream_read_available(output, s);
        pass_line(output, s);
        if (!s->error)
            continue;
        errno = s->error;
        snprintf(output->attempt->why, HS_WHY, "cannot write %.300s: %m", s->file);
        result = -1;
    }
    return result;
}

static void keep_end_of_file(hsi_command_stream *stream)
{
    int     fd = open(stream->file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    off_t   size;
    ssize_t got;
    char    buffer[sizeof stream->kept - 1];

    if (fd < 0)
        return;
    size = lseek(fd, 0, SEEK_END);
    if (size > 0) {
        off_t from = size > (off_t)sizeof buffer ? size - (off_t)sizeof buffer : 0;

        got = pread(fd, buffer, sizeof buffer, from);
        if (got > 0)
            keep(stream, buffer, (size_t)got);
    }
    close(fd);
}

static const char *last_line(hsi_command_stream *stream)
{
    char  *kept = stream->kept, *line;
    size_t end, i;

    if (stream->file && stream->length == 0)
        keep_end_of_file(stream);
    for (end = stream->length; end > 0 && (unsigned char)kept[end - 1] <= ' '; end--)
        ;
    kept[end] = '\0';
    for (line = kept + end; line > kept && line[-1] != '\n'; line--)
        ;
    for (i = 0; line[i] != '\0'; i++)
        if (line[i] == '\t') /* hs_printable() replaces other control characters later */
            line[i] = ' ';
    return line + strspn(line, " ");
}

const char *hsi_command_output_last_line(hsi_command_output *output)
{
    const char *line = "";

    for (int i = output->count; i > 0 && line[0] == '\0'; i--)
        line = last_line(&output->stream[i - 1]);
    return line;
}

void hsi_command_output_close(hsi_command_output *output)
{
    hsi_command_output_close_child_fds(output);
    for (int i = 0; i < output->count; i++) {
        give(&output->stream[i].read);
        give(&output->stream[i].copy);
    }
}
