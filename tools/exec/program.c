/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec: the program that a shell command starts with. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "exec/exec.h"

/* Words of /bin/sh that need not be in a folder of PATH. */
static const char *const own[] = {
    "!",     ".",      ":",    "[",     "alias", "break", "case", "cd",   "command", "continue",
    "echo",  "eval",   "exec", "exit",  "export", "false", "for",  "hash", "if",      "kill",
    "local", "printf", "pwd",  "read",  "readonly", "return", "set", "shift", "test", "time",
    "times", "trap",   "true", "type",  "ulimit", "umask", "unset", "until", "wait",  "while"};

static int is_own(const char *word)
{
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(word, own[i]) == 0)
            return 1;
    return 0;
}

static int is_program(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

static int is_in_path(const char *word)
{
    const char *folders = getenv("PATH"), *rest = folders ? folders : "/usr/bin:/bin";
    char        path[4096];

    for (;; rest++) {
        int length = (int)strcspn(rest, ":");

        if ((size_t)snprintf(path, sizeof path, "%.*s%s%s", length, rest, length ? "/" : "",
                             word) < sizeof path &&
            is_program(path))
            return 1;
        rest += length;
        if (!*rest)
            return 0;
    }
}

/* Is it NAME=VALUE, of nothing that the shell would have to look at? */
static int is_assignment(const char *word, size_t length)
{
    const char *equals = memchr(word, '=', length);

    return equals && equals > word &&
           strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") ==
               (size_t)(equals - word);
}

int exec_program_is_missing(const char *command, char word[EXEC_PROGRAM])
{
    static const char blanks[] = " \t\n", odd[] = "$`\"'\\*?[]{}()<>|&;#~!%^";
    size_t            length;

    for (;; command += length) {
        command += strspn(command, blanks);
        length = strcspn(command, " \t\n;|&<>()");
        if (length == 0 || length >= EXEC_PROGRAM)
            return 0;
        memcpy(word, command, length);
        word[length] = '\0';
        if (strpbrk(word, odd))
            return 0;
        if (!is_assignment(word, length))
            break;
    }
    if (is_own(word))
        return 0;
    return strchr(word, '/') ? !is_program(word) : !is_in_path(word);
}
