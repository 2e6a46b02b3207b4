/* SPDX-License-Identifier: BSD-3-Clause */
/* The conformance suite of modules for devices, over the fixture that the program is linked with.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "open_devices.h"

enum { FAILED = 1, SKIPPED = 77 };

/* Return 0 if the module and a device are there; else say why not, and return the exit status of
 * the program. This is another process, since Check forks for each test, and drivers that are
 * initialised do not survive that. */
static int look_for_device(void)
{
    const char          *why = "";
    const hs_device_ops *ops;
    hs_error             error = {0};
    unsigned             count;
    hs_status            st = HS_OK;
    int                  status = 0;
    pid_t                child = fork();

    if (child > 0)
        return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status)
                                                                        : FAILED;
    ops = fixture.module(&why);
    if (ops)
        st = ops->list(fixture.start(1, NULL), NULL, 0, &count, &error);
    if (ops && st == HS_OK)
        _exit(0);
    status = ops && st == HS_ERESOURCE && !fixture.required ? SKIPPED : FAILED;
    printf("%s: %s: %s\n", status == SKIPPED ? "skipped" : "failed", fixture.name,
           ops ? error.why : why);
    fflush(stdout);
    _exit(status);
}

int main(void)
{
    Suite *suite;
    int    status = look_for_device();

    if (status != 0)
        return status;
    suite = suite_create(fixture.name);
    suite_add_tcase(suite, basics_tcase());
    suite_add_tcase(suite, order_tcase());
    suite_add_tcase(suite, operations_tcase());
    suite_add_tcase(suite, segments_tcase());
    suite_add_tcase(suite, faults_tcase());
    return run_suite(suite);
}
