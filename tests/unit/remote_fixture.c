/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "remote_fixture.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "suite.h"

char         self[4096];
hs_exec_node nodes[NODES];
char         launch[NODES][5000];

static char folder[64];

void set_up(void)
{
    static const char *const name[NODES] = {"n1", "n2", "n3"};

    strcpy(folder, "/tmp/hs-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(chdir(folder), 0);
    signal(SIGPIPE, SIG_IGN);
    for (int i = 0; i < NODES; i++) {
        snprintf(launch[i], sizeof launch[i], "exec '%s' --node", self);
        nodes[i] = (hs_exec_node){name[i], launch[i]};
    }
}

void remove_folder(void)
{
    char command[128];

    snprintf(command, sizeof command, "cd / && rm -r '%s'", folder);
    ck_assert_int_eq(system(command), 0);
    ck_assert_int_eq(chdir("/"), 0);
}

hs_instance *read_text(const char *text)
{
    int          fd = memfd_create("text", MFD_CLOEXEC);
    hs_instance *in = NULL;
    hs_error     error = {0};

    ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    lseek(fd, 0, SEEK_SET);
    ck_assert_msg(hs_instance_read(fd, NULL, &in, &error) == HS_OK, "%s", error.why);
    close(fd);
    return in;
}

hs_exec_settings settings_of(const char *policy)
{
    hs_exec_settings s;

    hs_exec_settings_init(&s);
    s.decide.policy = hs_policy_find(policy);
    s.run.allow_commands = true;
    s.run.nodes = nodes;
    s.run.node_count = NODES;
    s.place.unbound = true;
    s.fail.grace = 0.01;
    return s;
}

hs_status run(const hs_instance *in, const hs_exec_settings *s, hs_exec_report *report,
              hs_error *error)
{
    hs_exec     *exec = NULL;
    hs_schedule *plan = NULL;
    hs_status    st;

    if (hs_policy_needs_plan(s->decide.policy))
        ck_assert_int_eq(hs_solve(hs_algorithm_find("heft"), in, NULL, &plan), HS_OK);
    st = hs_exec_create(in, plan, s, &exec, error);

    memset(report, 0, sizeof *report);
    hs_exec_report_init(report);
    if (st == HS_OK)
        st = hs_exec_run(exec, report, error);
    hs_exec_free(exec);
    hs_schedule_free(plan);
    return st;
}

size_t read_file(const char *path, char *text, size_t size)
{
    FILE  *in = fopen(path, "r");
    size_t length = in ? fread(text, 1, size - 1, in) : 0;

    if (in)
        fclose(in);
    text[length] = '\0';
    return length;
}

void pretend(const char *text)
{
    FILE *out = fopen("pretended", "w");

    fputs(text, out);
    fclose(out);
    snprintf(launch[0], sizeof launch[0], "exec cat pretended");
}

int serve_if_node(int argc, char **argv)
{
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);

    if (argc > 1 && strcmp(argv[1], "--node") == 0)
        return hs_exec_serve(STDIN_FILENO, STDOUT_FILENO, NULL) == HS_OK ? 0 : 1;
    return length < 0 ? 99 : -1;
}
