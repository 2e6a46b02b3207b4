/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec: find the program that a shell command starts with. */
#include <stdlib.h>
#include <string.h>

#include "common/files.h"
#include "exec/exec.h"
#include "exec/shell_program.h"

/* Built-in words of /bin/sh, which need no file in PATH. */
static const char *const own[] = {
    "!",     ".",      ":",    "[",     "alias", "break", "case", "cd",   "command", "continue",
    "echo",  "eval",   "exec", "exit",  "export", "false", "for",  "hash", "if",      "kill",
    "local", "printf", "pwd",  "read",  "readonly", "return", "set", "shift", "test", "time",
    "times", "trap",   "true", "type",  "ulimit", "umask", "unset", "until", "wait",  "while"};

static bool is_own(const char *word)
{
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(word, own[i]) == 0)
            return true;
    return false;
}

/*
 * Return whether the word is NAME=VALUE. The caller has excluded characters special to the shell.
 */
static bool is_assignment(const char *word, size_t length)
{
    const char *equals = memchr(word, '=', length);

    return equals && equals > word &&
           strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") ==
               (size_t)(equals - word);
}

size_t program_find(const char *command, const char **name)
{
    static const char blanks[] = " \t\n", odd[] = "$`\"'\\*?[]{}()<>|&;#~!%^";
    char              word[EXEC_PROGRAM];
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
    *name = command;
    return is_own(word) ? 0 : length;
}

bool exec_program_is_missing(const char *command, char word[EXEC_PROGRAM])
{
    const char *name;
    size_t      length = program_find(command, &name);

    if (length == 0)
        return false;
    memcpy(word, name, length);
    word[length] = '\0';
    return strchr(word, '/') ? !files_is_program(word) : !files_in_path(word);
}
