/* SPDX-License-Identifier: BSD-3-Clause */
/* The conformance suite of modules for devices, over the fixture that the program is linked with.
 */
#include "stage.h"

int main(void)
{
    const char *why = "";
    Suite      *suite;

    if (!fixture.module(&why)) {
        printf("skipped: %s: %s\n", fixture.name, why);
        return 77;
    }
    suite = suite_create(fixture.name);
    suite_add_tcase(suite, basics_tcase());
    suite_add_tcase(suite, order_tcase());
    suite_add_tcase(suite, operations_tcase());
    suite_add_tcase(suite, segments_tcase());
    suite_add_tcase(suite, faults_tcase());
    return run_suite(suite);
}
