/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "exec/backend/command/forked.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define UNDER_TSAN 1
#endif
#elif defined(__SANITIZE_THREAD__)
#define UNDER_TSAN 1
#endif

/* Avoid fork handlers of other libraries (OpenBLAS would end its threads), since the child does not
 * use these libraries. A thread sanitizer must see the fork. */
pid_t hsi_fork_without_handlers(void)
{
#if !defined(UNDER_TSAN) && defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 34)
    return _Fork();
#endif
#endif
    return fork();
}

static void close_from(int first)
{
    int fd;

#ifdef SYS_close_range
    if (syscall(SYS_close_range, (unsigned)first, ~0u, 0u) == 0)
        return;
#endif
    for (fd = first; fd < 65536; fd++)
        close(fd);
}

/* Close all descriptors but the socket: an end of a pipe or a lock held here would outlive its
 * owner. */
static bool take_descriptors(int socket)
{
    int null, fd;

    if (socket != HSI_FORKED_SOCKET && dup3(socket, HSI_FORKED_SOCKET, O_CLOEXEC) < 0)
        return false;
    close_from(HSI_FORKED_SOCKET + 1);
    null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (fd = 0; fd < HSI_FORKED_SOCKET; fd++) {
        if (dup2(null, fd) < 0)
            return false;
    }
    close(null);
    return true;
}

static void reset_signals(void)
{
    struct sigaction standard = {.sa_handler = SIG_DFL};
    int              number;

    for (number = 1; number < NSIG; number++)
        sigaction(number, &standard, NULL);
}

/* Return the index-th number behind the name in parentheses; 0: none. */
static uint64_t number_in_stat(const char *stat, int index)
{
    const char *at = strrchr(stat, ')');
    uint64_t    number = 0;

    for (; at && index >= 0; index--)
        at = strchr(at + 1, ' ');
    for (; at && at[1] >= '0' && at[1] <= '9'; at++)
        number = 10 * number + (uint64_t)(at[1] - '0');
    return number;
}

/* Replace the command line, in the copied memory where the program's arguments lie. The kernel
 * tells the address and writes through /proc/self/mem: valgrind would report a direct write. */
static void take_name(const char *name)
{
    enum { ARG_START = 45, ARG_END = 46 }; /* fields 48 and 49 of proc(5), counted from field 3 */
    char     stat[2048], text[4096] = "";
    int      fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
    ssize_t  got = fd < 0 ? -1 : read(fd, stat, sizeof stat - 1);
    uint64_t start, size;

    prctl(PR_SET_NAME, name);
    if (fd >= 0)
        close(fd);
    if (got <= 0)
        return;
    stat[got] = '\0';
    start = number_in_stat(stat, ARG_START);
    size = number_in_stat(stat, ARG_END) - start;
    fd = open("/proc/self/mem", O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    memcpy(text, name, strlen(name) + 1);
    for (got = 1; start && size > 0 && got > 0; start += (uint64_t)got, size -= (uint64_t)got) {
        got = pwrite(fd, text, size < sizeof text ? size : sizeof text, (off_t)start);
        memset(text, 0, strlen(text));
    }
    close(fd);
}

int hsi_forked_set_up(int socket)
{
    sigset_t child;

    reset_signals();
    setsid();
    if (!take_descriptors(socket))
        return -1;
    take_name("hsched-guard");
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    prctl(PR_SET_TIMERSLACK, 50000); /* a worker's slack may be 1 ns, and commands would inherit
                                        it */
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    return signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
}

int hsi_forked_list_children(pid_t *list, int most)
{
    int     fd = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC), count = 0;
    char    text[1024];
    ssize_t got, i;
    pid_t   pid = 0;

    if (fd < 0)
        return -1;
    while (count < most && (got = read(fd, text, sizeof text)) > 0) {
        for (i = 0; i < got && count < most; i++) {
            if (text[i] != ' ') { /* each number ends with a space */
                pid = 10 * pid + (text[i] - '0');
                continue;
            }
            list[count++] = pid;
            pid = 0;
        }
    }
    close(fd);
    return count;
}
