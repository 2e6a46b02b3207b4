/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
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
    progress_watch(in->fd);
    return EXIT_OK;
}

void input_close(input *in)
{
    progress_watch(-1);
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
        message_plain("%s:%llu:%llu: %s", in->name, (unsigned long long)error->line,
                      (unsigned long long)error->column, error->why);
    else
        message_plain("%s: %s", in->name, error->why[0] ? error->why : hs_status_text(status));
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
