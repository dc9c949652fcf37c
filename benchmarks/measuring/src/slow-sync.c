/*
 * Makes every sync of a file take longer, as on a slow disk. Preloaded into the process that is measured (LD_PRELOAD).
 * SLOW_SYNC_US is the time to add, in microseconds; the sync itself still happens.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

typedef int (*sync_function)(int);

static int sync_slowly(const char *name, int file) {
  const char *added = getenv("SLOW_SYNC_US");
  long micros = added == NULL ? 0 : atol(added);
  struct timespec pause = {micros / 1000000, (micros % 1000000) * 1000};
  if (micros > 0) nanosleep(&pause, NULL);
  return ((sync_function)dlsym(RTLD_NEXT, name))(file);
}

int fsync(int file) { return sync_slowly("fsync", file); }

int fdatasync(int file) { return sync_slowly("fdatasync", file); }
