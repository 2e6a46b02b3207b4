/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/message.h"
#include "common/progress.h"

int input_open(const char *path, input *in)
{
    if (strcmp(path, "-") == 0) {
        *in = (input){STDIN_FILENO, "<stdin>"};
    } else {
        *in = (input){open(path, O_RDONLY | O_CLOEXEC), path};
        if (in->fd < 0) {
            message("cannot read '%s': %s", path, strerror(errno));
            return EXIT_USAGE;
        }
    }
    progress_measure_reading(in->fd);
    return EXIT_OK;
}

void input_close(input *in)
{
    progress_measure_reading(-1);
    if (in->fd > STDERR_FILENO)
        close(in->fd);
    in->fd = -1;
}

int input_status(const input *in, hs_status status, const hs_error *error)
{
    if (status == HS_OK)
        return EXIT_OK;
    if (status == HS_EIO) {
        message("cannot read '%s': %s", in->name, strerror(errno));
        return EXIT_USAGE;
    }
    if (status == HS_ENOMEM)
        return message_status(status, in->name);
    if (error->line)
        message_without_tool("%s:%llu:%llu: %s", in->name, (unsigned long long)error->line,
                             (unsigned long long)error->column, error->why);
    else
        message_without_tool("%s: %s", in->name,
                             error->why[0] ? error->why : hs_status_text(status));
    return exit_code(status);
}

int input_instance(const char *path, const hs_read_settings *options, hs_instance **out)
{
    hs_error      error = {0};
    input         in;
    int           code = input_open(path, &in);

    if (code)
        return code;
    code = input_status(&in, hs_instance_read(in.fd, options, out, &error), &error);
    input_close(&in);
    return code;
}

/* Return room for the whole of a regular file and one byte, or for twice as many bytes as now. */
static size_t more_room(const input *in, size_t room, size_t most)
{
    struct stat st;

    if (room > 0)
        return 2 * room;
    if (fstat(in->fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0)
        return ((size_t)st.st_size < most ? (size_t)st.st_size : most) + 2;
    return 1 << 16;
}

int input_read_all(const input *in, size_t most, char **text, size_t *length)
{
    size_t  room = 0;
    ssize_t got = 1;
    char   *larger;

    *text = NULL;
    for (*length = 0; got > 0 && *length <= most;) {
        if (*length + 1 >= room) {
            larger = realloc(*text, room = more_room(in, room, most));
            if (!larger)
                break;
            *text = larger;
        }
        got = read(in->fd, *text + *length, room - 1 - *length);
        if (got < 0 && errno == EINTR)
            got = 1;
        else if (got > 0)
            *length += (size_t)got;
    }
    if (got == 0 || *length > most) {
        (*text)[*length] = '\0';
        return EXIT_OK;
    }
    free(*text);
    *text = NULL;
    return input_status(in, got < 0 ? HS_EIO : HS_ENOMEM, NULL);
}
