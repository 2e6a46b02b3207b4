# HS_CHECK_HARDENING
# Add --disable-hardening. Without this option, set HS_HARDEN_CFLAGS, HS_HARDEN_LDFLAGS (of all links)
# and HS_PIE_LDFLAGS (of programs) to the flags that the compiler and the linker accept, and
# HS_HARDENING to the names of the protections that a compiled program then has. tests/hardening.sh
# looks for these protections in the built programs and libraries.
AC_DEFUN([HS_CHECK_HARDENING], [
  AC_SUBST([HS_HARDENING])
  AC_SUBST([HS_HARDEN_CFLAGS])
  AC_SUBST([HS_HARDEN_LDFLAGS])
  AC_SUBST([HS_PIE_LDFLAGS])
  AC_ARG_ENABLE([hardening],
    [AS_HELP_STRING([--disable-hardening],
      [build without FORTIFY_SOURCE, stack protector, RELRO and PIE])])
  AS_IF([test "x$enable_hardening" != xno], [
    # FORTIFY_SOURCE needs optimisation, replaces functions that sanitizers observe, and may be a
    # default of the compiler or of CPPFLAGS.
    AS_CASE([" $CC $CPPFLAGS $CFLAGS "], [*-fsanitize=*], [], [
      HS_ADD_PROTECTION([fortify], [], [], [
#include <string.h>
#if !defined _FORTIFY_SOURCE || _FORTIFY_SOURCE < 1 || !defined __OPTIMIZE__
#error "not fortified"
#endif
], [HS_ADD_PROTECTION([fortify], [-D_FORTIFY_SOURCE=2], [], [
#include <string.h>
#ifndef __OPTIMIZE__
#error "not fortified"
#endif
])])])
    HS_ADD_PROTECTION([stack-protector], [-fstack-protector-strong], [], [
#if !defined __SSP_STRONG__ && !defined __SSP_ALL__
#error "no stack protector"
#endif
])
    HS_ADD_PROTECTION([relro], [], [-Wl,-z,relro,-z,now], [])
    HS_ADD_PROTECTION([pie], [], [], [
#ifndef __PIE__
#error "no PIE"
#endif
], [HS_ADD_PROTECTION([pie], [-fPIE], [-pie], [
#ifndef __PIE__
#error "no PIE"
#endif
])])
  ])
  HS_HARDENING=`AS_ECHO(["$HS_HARDENING"]) | sed 's/^ //'`
])

# HS_ADD_PROTECTION(NAME, CFLAGS, LDFLAGS, SOURCE, [OTHERWISE])
# If a program that begins with SOURCE links with the flags, keep them and add NAME to HS_HARDENING.
AC_DEFUN([HS_ADD_PROTECTION], [
  AC_MSG_CHECKING([for $1[]m4_ifval([$2$3], [ with $2[]m4_ifval([$3], [ $3])])])
  hs_saved_CFLAGS=$CFLAGS
  hs_saved_LDFLAGS=$LDFLAGS
  CFLAGS="$CFLAGS -Werror $2"
  LDFLAGS="$LDFLAGS $3"
  AC_LINK_IFELSE([AC_LANG_PROGRAM([[$4]])], [hs_hardened=yes], [hs_hardened=no])
  CFLAGS=$hs_saved_CFLAGS
  LDFLAGS=$hs_saved_LDFLAGS
  AC_MSG_RESULT([$hs_hardened])
  AS_IF([test $hs_hardened = yes], [
    HS_HARDENING="$HS_HARDENING $1"
    HS_HARDEN_CFLAGS="$HS_HARDEN_CFLAGS $2"
    m4_if([$1], [pie], [HS_PIE_LDFLAGS="$3"], [HS_HARDEN_LDFLAGS="$HS_HARDEN_LDFLAGS $3"])
  ], [$5])
])
