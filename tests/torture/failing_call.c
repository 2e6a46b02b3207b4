/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * System calls fail by a seccomp filter, which asks this process about each call of the kind: the
 * filter covers threads and descendants, and needs no privilege. Allocations fail in the preloaded
 * library (failing_library.c).
 */
#define _GNU_SOURCE
#include "failing_call.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "failing_library.h"

enum { CALLS = 3, MOST_STEPS = 16 };

/* for headers older than the calls; a kernel without them makes the test skip itself */
#ifndef SECCOMP_USER_NOTIF_FLAG_CONTINUE
#define SECCOMP_USER_NOTIF_FLAG_CONTINUE (1UL << 0)
#endif
#ifndef SYS_clone3
#define SYS_clone3 435
#endif

/* System calls of a kind; -1: none. */
static const int calls_of[CALL_KINDS][CALLS] = {
    [CALL_NONE] = {-1, -1, -1},
    [CALL_ALLOCATION] = {-1, -1, -1},
    [CALL_DLOPEN] = {-1, -1, -1},
#ifdef SYS_open
    [CALL_OPEN] = {SYS_openat, SYS_open, -1},
#else
    [CALL_OPEN] = {SYS_openat, -1, -1},
#endif
    [CALL_READ] = {SYS_read, SYS_pread64, SYS_readv},
    [CALL_WRITE] = {SYS_write, SYS_pwrite64, SYS_writev},
    [CALL_SYNC] = {SYS_fsync, SYS_fdatasync, -1},
#ifdef SYS_rename
    [CALL_RENAME] = {SYS_rename, SYS_renameat, SYS_renameat2},
#else
    [CALL_RENAME] = {SYS_renameat, SYS_renameat2, -1},
#endif
    [CALL_FORK] = {SYS_clone, -1, -1},
    [CALL_THREAD] = {SYS_clone, -1, -1},
    [CALL_EXEC] = {SYS_execve, -1, -1},
};

_Noreturn static void skip(const char *what)
{
    fprintf(stderr, "torture_calls: %s: %s\n", what, strerror(errno));
    exit(77);
}

/* Install the filter in this process. The C library falls back from clone3, whose flags no filter
 * can read, to clone. Return the descriptor of the listener, or -1. */
static int install_filter(call_kind kind)
{
    struct sock_filter step[MOST_STEPS];
    unsigned short     size = 0;
    struct sock_fprog  program = {0, step};

    step[size++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (int i = 0; i < CALLS && calls_of[kind][i] >= 0; i++) {
        step[size++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
                                                    (unsigned)calls_of[kind][i], 0, 1);
        step[size++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
    }
    step[size++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1);
    step[size++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS);
    step[size++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    program.len = size;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return -1;
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
                        &program);
}

/* Buffer of a message that passes one descriptor or an error number. */
typedef union control {
    char           bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr aligned;
} control;

static void send_descriptor(int to, int fd)
{
    control        c = {{0}};
    char           byte = fd < 0 ? (char)errno : 0;
    struct iovec   data = {&byte, 1};
    struct msghdr  message = {.msg_iov = &data, .msg_iovlen = 1};
    struct cmsghdr head = {CMSG_LEN(sizeof fd), SOL_SOCKET, SCM_RIGHTS};

    if (fd >= 0) {
        message.msg_control = c.bytes;
        message.msg_controllen = sizeof c.bytes;
        memcpy(c.bytes, &head, sizeof head);
        memcpy(CMSG_DATA(CMSG_FIRSTHDR(&message)), &fd, sizeof fd);
    }
    if (sendmsg(to, &message, 0) != 1)
        _exit(99);
}

/* Return the descriptor, or -1 and errno if the message has none. */
static int receive_descriptor(int from)
{
    control       c = {{0}};
    char          byte;
    struct iovec  data = {&byte, 1};
    struct msghdr message = {.msg_iov = &data,
                             .msg_iovlen = 1,
                             .msg_control = c.bytes,
                             .msg_controllen = sizeof c.bytes};
    int           fd = -1;
    ssize_t       got;

    do
        got = recvmsg(from, &message, 0);
    while (got < 0 && errno == EINTR);
    if (got == 1 && CMSG_FIRSTHDR(&message))
        memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof fd);
    else if (got == 1)
        errno = byte;
    return fd;
}

static void redirect(const char *path, int to)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

    if (fd < 0 || dup2(fd, to) < 0)
        _exit(99);
    close(fd);
}

_Noreturn static void begin_tool(char *const argv[], const char *folder, const char *output,
                                 const char *errors, const failing_call *call, int report_to)
{
    int null = open("/dev/null", O_RDONLY);

    if (null < 0 || dup2(null, 0) < 0 || chdir(folder) != 0)
        _exit(99);
    redirect(output, 1);
    redirect(errors, 2);
    if (calls_of[call->kind][0] < 0) {
        if (call->kind != CALL_NONE)
            failing_library_preload(call);
    } else {
        int fd = install_filter(call->kind);

        send_descriptor(report_to, fd);
        if (fd < 0)
            _exit(99);
        close(fd);
    }
    close(report_to);
    execv(argv[0], argv);
    _exit(99);
}

enum { MOST_PATH = 4096 };

/* Set `path` to that of a descriptor of a process, or to an empty text. */
static void find_path(unsigned process, unsigned long long fd, char path[MOST_PATH])
{
    char    link[64];
    ssize_t length;

    snprintf(link, sizeof link, "/proc/%u/fd/%llu", process, fd);
    length = readlink(link, path, MOST_PATH - 1);
    path[length > 0 ? length : 0] = '\0';
}

/* Return whether a descriptor of a process is a file, and not its standard error. */
static bool is_file(unsigned process, unsigned long long fd)
{
    char path[MOST_PATH];

    if (fd == 2)
        return false;
    find_path(process, fd, path);
    return path[0] == '/' && strncmp(path, "/dev/", 5) != 0 && strncmp(path, "/proc/", 6) != 0;
}

static bool is_below(const char *path, const char *folder)
{
    return strncmp(path, folder, strlen(folder)) == 0 && path[strlen(folder)] == '/';
}

static bool reads_file_of(const char *folder, const struct seccomp_notif *asked)
{
    char path[MOST_PATH];

    find_path(asked->pid, asked->data.args[0], path);
    return is_below(path, folder);
}

/* Return whether the call opens a file by a relative path, or by one below the folder. */
static bool opens_file_of(const char *folder, const struct seccomp_notif *asked)
{
    char         path[MOST_PATH] = "";
    uint64_t     at = asked->data.args[asked->data.nr == SYS_openat];
    struct iovec to = {path, sizeof path - 1}, from = {(void *)(uintptr_t)at, sizeof path - 1};
    ssize_t      got;

    do { /* the text may end just before a page that cannot be read */
        got = process_vm_readv((pid_t)asked->pid, &to, 1, &from, 1, 0);
        from.iov_len /= 2;
    } while (got < 0 && errno == EFAULT && from.iov_len > 0);
    return got > 0 && path[0] && (path[0] != '/' || is_below(path, folder));
}

static bool is_counted(call_kind kind, const char *folder, const struct seccomp_notif *asked)
{
    switch (kind) {
    case CALL_OPEN:
        return opens_file_of(folder, asked);
    case CALL_READ:
        return reads_file_of(folder, asked);
    case CALL_WRITE:
        return is_file(asked->pid, asked->data.args[0]);
    case CALL_FORK:
        return !(asked->data.args[0] & CLONE_THREAD);
    case CALL_THREAD:
        return (asked->data.args[0] & CLONE_THREAD) != 0;
    default:
        return true;
    }
}

/* Answer one question of the filter. `made`: number of counted calls so far; the execve of the tool
 * itself comes first. Return false if the kernel does not know the answer: Linux before 5.5. */
static bool answer(int listener, const failing_call *call, const char *folder,
                   unsigned long *made)
{
    struct seccomp_notif      asked = {0};
    struct seccomp_notif_resp reply = {.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};

    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &asked) != 0)
        return true; /* the caller was killed */
    reply.id = asked.id;
    if (is_counted(call->kind, folder, &asked) &&
        ++*made == call->at + (call->kind == CALL_EXEC)) {
        reply.flags = 0;
        reply.error = -call->error;
    }
    return ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &reply) == 0 || errno != EINVAL;
}

/* End the tool, which waits for an answer, and skip the test. */
_Noreturn static void give_up(int listener, pid_t tool)
{
    kill(tool, SIGKILL);
    close(listener);
    while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
        continue;
    errno = EINVAL;
    skip("this kernel cannot continue a call that a seccomp filter asks about");
}

/* Answer until no process is left; `tool` gets its status. */
static void attend(int listener, const failing_call *call, const char *folder, pid_t tool,
                   call_outcome *outcome)
{
    unsigned long made = 0;
    struct pollfd listening = {.fd = listener, .events = POLLIN};

    for (;;) {
        int   status;
        pid_t ended = waitpid(-1, &status, listener < 0 ? 0 : WNOHANG);

        if (ended < 0 && errno == ECHILD)
            break;
        if (ended == tool)
            outcome->status = status;
        if (ended > 0 || listener < 0)
            continue;
        if (poll(&listening, 1, 1) == 1 && listening.revents & POLLIN) {
            if (!answer(listener, call, folder, &made))
                give_up(listener, tool);
        } else if (listening.revents & POLLHUP) {
            listening.fd = -1;
        }
    }
    outcome->made = made - (made > 0 && call->kind == CALL_EXEC);
}

call_outcome run_with_failing_call(char *const argv[], const char *folder, const char *output,
                                   const char *errors, const failing_call *call)
{
    call_outcome outcome = {.status = -1};
    bool         is_filtered = calls_of[call->kind][0] >= 0;
    int          channel[2], listener = -1;
    pid_t        tool;

    if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0 ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel) != 0)
        skip("cannot watch processes");
    failing_library_begin();
    tool = fork();
    if (tool < 0)
        skip("fork");
    if (tool == 0)
        begin_tool(argv, folder, output, errors, call, channel[1]);
    close(channel[1]);
    if (is_filtered) {
        listener = receive_descriptor(channel[0]);
        if (listener < 0)
            skip("no seccomp filters here");
    }
    close(channel[0]);
    attend(listener, call, folder, tool, &outcome);
    if (listener >= 0)
        close(listener);
    else
        outcome.made = failing_library_calls();
    outcome.reached = call->at > 0 && outcome.made >= call->at;
    return outcome;
}
