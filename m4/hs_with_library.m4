# HS_WITH_LIBRARY(name, VAR, HEADER, FUNCTION, LIBS, WHAT, [PATTERN])
# Define the option --with-NAME[=yes|no|DIR], by default auto; configure fails if an explicit yes or
# DIR finds no library. Set hs_with_NAME, VAR_CFLAGS, VAR_LIBS, the macro HAVE_VAR and the conditional
# HAVE_VAR. With a PATTERN, programs load the library at run time: HS_VAR_FILE becomes the shared
# library's name, which contains PATTERN, or its path in DIR; a static library alone counts as missing.
AC_DEFUN([HS_WITH_LIBRARY], [
  AC_ARG_WITH([$1], [AS_HELP_STRING([--with-$1@<:@=DIR@:>@], [$6 @<:@auto@:>@])],
    [], [with_$1=auto])
  hs_with_$1=no
  AS_IF([test "x$with_$1" != xno], [
    AS_CASE(["$with_$1"],
      [auto|yes], [$2_CFLAGS= $2_LIBS="$5"],
      [AS_IF([test ! -f "$with_$1/include/$3"],
         [AC_MSG_ERROR([--with-$1=$with_$1: there is no $with_$1/include/$3])])
       $2_CFLAGS="-I$with_$1/include" $2_LIBS="-L$with_$1/lib $5"])
    hs_saved_CPPFLAGS=$CPPFLAGS; CPPFLAGS="$CPPFLAGS $$2_CFLAGS"
    hs_saved_LIBS=$LIBS; LIBS="$$2_LIBS $LIBS"
    AC_MSG_CHECKING([for $6])
    AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <$3>
        int (*volatile hs_function)(void);]], [[hs_function = (int (*)(void)) $4;]])],
      [hs_with_$1=yes
       m4_ifval([$7], [
         hs_file=`$OBJDUMP -p conftest$ac_exeext | sed -n 's/^ *NEEDED *\(.*$7.*\)/\1/p' | head -n 1`
         AS_IF([test "x$hs_file" = x], [hs_with_$1=no])
         AS_IF([test -f "$with_$1/lib/$hs_file"], [hs_file=$with_$1/lib/$hs_file])])])
    AC_MSG_RESULT([$hs_with_$1])
    CPPFLAGS=$hs_saved_CPPFLAGS
    LIBS=$hs_saved_LIBS
    AS_IF([test "$hs_with_$1" = no && test "x$with_$1" != xauto],
      [AC_MSG_ERROR([--with-$1 was given, but <$3> with $4 was not found])])
  ])
  AS_IF([test "$hs_with_$1" = yes],
    [AC_DEFINE([HAVE_$2], [1], [$6])
     m4_ifval([$7], [AC_DEFINE_UNQUOTED([HS_$2_FILE], ["$hs_file"], [$6: the file to load])])],
    [$2_CFLAGS= $2_LIBS=])
  AC_SUBST([$2_CFLAGS])
  AC_SUBST([$2_LIBS])
  AM_CONDITIONAL([HAVE_$2], [test "$hs_with_$1" = yes])
])

# HS_STATIC_LIBS(VAR, CANDIDATES)
# Set VAR_STATIC_LIBS to those CANDIDATES that exist as static libraries: possible dependencies of the
# library VAR_LIBS, which has no pkg-config file.
AC_DEFUN([HS_STATIC_LIBS], [
  $1_STATIC_LIBS=
  AS_IF([test "x$$1_LIBS" != x], [
    AC_MSG_CHECKING([what static linking needs beside $$1_LIBS])
    hs_saved_LIBS=$LIBS
    for hs_lib in $2; do
      LIBS="-static $hs_lib $hs_saved_LIBS"
      AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])], [$1_STATIC_LIBS="$$1_STATIC_LIBS $hs_lib"])
    done
    LIBS=$hs_saved_LIBS
    AC_MSG_RESULT([${$1_STATIC_LIBS:-nothing}])
  ])
  AC_SUBST([$1_STATIC_LIBS])
])

# The unit tests' library; without it `make check` runs the rest.
AC_DEFUN([HS_WITH_CHECK], [
  AC_ARG_WITH([check], [AS_HELP_STRING([--with-check], [Check, for the unit tests @<:@auto@:>@])],
    [], [with_check=auto])
  hs_with_check=no
  AS_IF([test "x$with_check" != xno],
    [PKG_CHECK_MODULES([CHECK], [check >= 0.11], [hs_with_check=yes], [hs_with_check=no])])
  AS_IF([test "$hs_with_check" = no && test "x$with_check" != xno && test "x$with_check" != xauto],
    [AC_MSG_ERROR([--with-check was given, but Check was not found])])
  AM_CONDITIONAL([HAVE_CHECK], [test "$hs_with_check" = yes])
])
