/* SPDX-License-Identifier: BSD-3-Clause */
/* The conformance suite of modules for devices, over the fixture that the program is linked with.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "stage.h"

/* Return whether the module and a device are there; else say why not. This is another process,
 * since Check forks for each test, and drivers that are initialised do not survive that. */
static bool is_available(void)
{
    const char          *why = "";
    const hs_device_ops *ops;
    hs_error             error = {0};
    unsigned             count;
    int                  status = 0;
    pid_t                child = fork();

    if (child > 0)
        return waitpid(child, &status, 0) == child && status == 0;
    ops = fixture.module(&why);
    if (ops && ops->list(fixture.start(1, NULL), NULL, 0, &count, &error) == HS_OK)
        _exit(0);
    printf("skipped: %s: %s\n", fixture.name, ops ? error.why : why);
    fflush(stdout);
    _exit(1);
}

int main(void)
{
    Suite *suite;

    if (!is_available())
        return 77;
    suite = suite_create(fixture.name);
    suite_add_tcase(suite, basics_tcase());
    suite_add_tcase(suite, order_tcase());
    suite_add_tcase(suite, operations_tcase());
    suite_add_tcase(suite, segments_tcase());
    suite_add_tcase(suite, faults_tcase());
    return run_suite(suite);
}
