/*
 * A disk with faults, for processes that are started with LD_PRELOAD. Only files whose path begins with DISK_FILES count.
 *
 * DISK_FAULTS="fsync:-wal:2:5 pwrite:.db:1+:28"  operation, end of the path, the how manieth ("+": and all behind it), errno
 * DISK_UNSYNCED=FILE  appends to FILE how each write is undone, and which files were made safe since (see power-cut.ts)
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define MOST_FAULTS 8

enum kind { WRITTEN = 1, SYNCED = 2 };

struct record {
  uint32_t kind, bytes;
  uint64_t inode, offset, size;
};

static struct fault {
  char operation[16], ending[64];
  long nth;
  int stays, number;
  long seen;
} faults[MOST_FAULTS];
static int fault_count, log_file = -1, is_ready;
static const char *files;

static void get_ready(void) {
  if (is_ready) return;
  is_ready = 1;
  files = getenv("DISK_FILES");
  const char *log = getenv("DISK_UNSYNCED");
  if (log) log_file = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  const char *told = getenv("DISK_FAULTS");
  char *words = told ? strdup(told) : NULL, *rest = words;
  for (char *word; words && (word = strsep(&rest, " ")) && fault_count < MOST_FAULTS;) {
    struct fault *fault = &faults[fault_count];
    char nth[16];
    if (sscanf(word, "%15[^:]:%63[^:]:%15[^:]:%d", fault->operation, fault->ending, nth, &fault->number) != 4) continue;
    fault->nth = atol(nth);
    fault->stays = strchr(nth, '+') != NULL;
    fault_count += 1;
  }
}

/* The path of an open file that counts; NULL for any other. */
static const char *path_of(int file, char *path) {
  get_ready();
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = files ? readlink(link, path, PATH_MAX - 1) : -1;
  if (length < 0) return NULL;
  path[length] = 0;
  return strncmp(path, files, strlen(files)) == 0 ? path : NULL;
}

static int ends_with(const char *path, const char *ending) {
  size_t length = strlen(path), of = strlen(ending);
  return length >= of && strcmp(path + length - of, ending) == 0;
}

/* True if it is to fail: errno says why. */
static int fails(const char *operation, const char *path) {
  for (int n = 0; path && n < fault_count; n++) {
    struct fault *fault = &faults[n];
    if (strcmp(fault->operation, operation) != 0 || !ends_with(path, fault->ending)) continue;
    fault->seen += 1;
    if (fault->seen != fault->nth && !(fault->stays && fault->seen > fault->nth)) continue;
    errno = fault->number;
    return 1;
  }
  return 0;
}

static void tell(struct record record, const void *before) {
  struct iovec parts[] = {{&record, sizeof record}, {(void *)before, record.bytes}};
  if (syscall(SYS_writev, log_file, parts, 2) != (long)(sizeof record + record.bytes)) abort();
}

/* What is in the file now, where bytes are to be written or cut off. */
static void note(int file, const char *path, off_t offset, size_t length) {
  struct stat found;
  if (!path || log_file < 0 || ends_with(path, "-shm") || fstat(file, &found) != 0 || !S_ISREG(found.st_mode)) return;
  char own[PATH_MAX], *before = malloc(length + 1);
  snprintf(own, sizeof own, "/proc/self/fd/%d", file);
  int reader = (int)syscall(SYS_openat, AT_FDCWD, own, O_RDONLY | O_CLOEXEC);
  long bytes = syscall(SYS_pread64, reader, before, length, offset);
  syscall(SYS_close, reader);
  tell((struct record){WRITTEN, bytes > 0 ? bytes : 0, found.st_ino, offset, found.st_size}, before);
  free(before);
}

static int synced(int file, const char *path, int result) {
  struct stat found;
  if (result == 0 && path && log_file >= 0 && fstat(file, &found) == 0)
    tell((struct record){SYNCED, 0, found.st_ino, 0, 0}, "");
  return result;
}

ssize_t pwrite64(int file, const void *bytes, size_t length, off64_t offset) {
  char room[PATH_MAX];
  const char *path = path_of(file, room);
  if (fails("pwrite", path)) return -1;
  note(file, path, offset, length);
  return REAL(pwrite64)(file, bytes, length, offset);
}

ssize_t write(int file, const void *bytes, size_t length) {
  char room[PATH_MAX];
  const char *path = path_of(file, room);
  if (fails("write", path)) return -1;
  if (path) note(file, path, lseek(file, 0, fcntl(file, F_GETFL) & O_APPEND ? SEEK_END : SEEK_CUR), length);
  return REAL(write)(file, bytes, length);
}

ssize_t pread64(int file, void *bytes, size_t length, off64_t offset) {
  char room[PATH_MAX];
  get_ready();
  return fault_count > 0 && fails("pread", path_of(file, room)) ? -1 : REAL(pread64)(file, bytes, length, offset);
}

int ftruncate64(int file, off64_t length) {
  char room[PATH_MAX];
  const char *path = path_of(file, room);
  if (fails("ftruncate", path)) return -1;
  struct stat found;
  if (path && fstat(file, &found) == 0)
    note(file, path, length, found.st_size > length ? found.st_size - length : 0);
  return REAL(ftruncate64)(file, length);
}

int fsync(int file) {
  char room[PATH_MAX];
  const char *path = path_of(file, room);
  return fails("fsync", path) ? -1 : synced(file, path, REAL(fsync)(file));
}

int fdatasync(int file) {
  char room[PATH_MAX];
  const char *path = path_of(file, room);
  return fails("fsync", path) ? -1 : synced(file, path, REAL(fdatasync)(file));
}

int link(const char *from, const char *to) {
  get_ready();
  int counts = files && strncmp(from, files, strlen(files)) == 0;
  return fails("link", counts ? from : NULL) ? -1 : REAL(link)(from, to);
}
