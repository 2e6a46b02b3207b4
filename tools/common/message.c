/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/message.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <hybridsched/io.h>

#include "common/progress.h"

/* room for two ids and more; longer messages are cut */
enum { MESSAGE_SIZE = 4 * HS_MAX_ID };

static const char *name = "hybridsched";

/* destination of this thread's messages; NULL: standard error */
static _Thread_local FILE *held;

int exit_code(hs_status status)
{
    switch (status) {
    case HS_OK:
        return EXIT_OK;
    case HS_EINVAL:
    case HS_ETIME:
    case HS_EWORKER:
    case HS_EOVERFLOW:
    case HS_EDUPLICATE:
    case HS_ESYNTAX:
    case HS_ETOOBIG:
    case HS_EREFUSED:
    case HS_EGRAPH:
    case HS_EDEPENDENT:
    case HS_EKIND:
    case HS_EAVAILABLE:
    case HS_EUNKNOWN:
        return EXIT_USAGE;
    case HS_ENOMEM:
    case HS_EIO:
    case HS_EUNSUPPORTED:
    case HS_ERESOURCE:
    case HS_EFULL:
        return EXIT_RESOURCE;
    case HS_ESCHEDULE:
    case HS_ESOLVER:
    case HS_ECANCELED:
    case HS_EFAILED:
        return EXIT_WORK;
    }
    return EXIT_WORK;
}

void message_begin(const char *tool_name)
{
    name = tool_name;
}

const char *message_tool(void)
{
    return name;
}

static void print(const char *prefix, const char *format, va_list args)
{
    FILE *to = held ? held : stderr;
    char  text[MESSAGE_SIZE], shown[MESSAGE_SIZE];

    vsnprintf(text, sizeof text, format, args);
    hs_printable(text, shown, sizeof shown);
    if (!held)
        progress_hide();
    fprintf(to, "%s%s%s\n", prefix ? prefix : "", prefix ? ": " : "", shown); /* as one piece */
}

void message_redirect(FILE *to)
{
    held = to;
}

void message_print_held(const char *text, size_t length)
{
    if (length == 0)
        return;
    progress_hide();
    fwrite(text, 1, length, stderr);
}

void message(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    print(name, format, args);
    va_end(args);
}

void message_without_tool(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    print(NULL, format, args);
    va_end(args);
}

_Noreturn void usage_error(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    print(name, format, args);
    va_end(args);
    fprintf(stderr, "try '%s --help'\n", name);
    exit(EXIT_USAGE);
}

int message_status(hs_status status, const char *what)
{
    message("%s: %s", what, hs_status_text(status));
    return exit_code(status);
}
