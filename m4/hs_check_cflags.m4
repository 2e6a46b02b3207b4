# HS_CHECK_CFLAGS(VARIABLE, FLAGS)
# Append to VARIABLE each of FLAGS that the compiler accepts, and substitute VARIABLE.
AC_DEFUN([HS_CHECK_CFLAGS], [
  AC_SUBST([$1])
  for hs_flag in $2; do
    AC_MSG_CHECKING([whether $CC takes $hs_flag])
    hs_saved_CFLAGS=$CFLAGS
    CFLAGS="$CFLAGS -Werror $hs_flag"
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM()],
      [AC_MSG_RESULT([yes]); $1="[$]$1 $hs_flag"],
      [AC_MSG_RESULT([no])])
    CFLAGS=$hs_saved_CFLAGS
  done
])
