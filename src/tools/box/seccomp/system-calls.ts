/** What a program has to know of a kind of machine. */
export interface Architecture {
  /** AUDIT_ARCH_… of `linux/audit.h`: what the kernel says a call was made as. */
  readonly audit: number
  /** Which column of the table holds its numbers. */
  readonly column: 0 | 1
  /** The first number of a second set of calls (x32), which would pass by every number of the table. */
  readonly secondSet: number | null
}

/** By the names that Node and uname use. */
export const ARCHITECTURES: Readonly<Record<string, Architecture>> = {
  x64: { audit: 0xc000_003e, column: 0, secondSet: 0x4000_0000 },
  x86_64: { audit: 0xc000_003e, column: 0, secondSet: 0x4000_0000 },
  arm64: { audit: 0xc000_00b7, column: 1, secondSet: null },
  aarch64: { audit: 0xc000_00b7, column: 1, secondSet: null },
}

export type Numbers = readonly [x86_64: number, aarch64: number]

/** Refused with EPERM, whatever the arguments are. Numbers as in `asm/unistd_64.h` and `asm-generic/unistd.h`. */
// biome-ignore format: a kind of calls takes a block
export const REFUSED_CALLS = {
  // Other processes: to trace one is a way around this filter on old kernels, and a way into what it holds.
  ptrace: [101, 117], process_vm_readv: [310, 270], process_vm_writev: [311, 271], pidfd_getfd: [438, 438],
  // The keyring is shared beyond every namespace.
  keyctl: [250, 219], add_key: [248, 217], request_key: [249, 218],
  // A ring makes calls that no filter sees.
  io_uring_setup: [425, 425], io_uring_enter: [426, 426], io_uring_register: [427, 427],
  // Large parts of the kernel that commands do not need, and exploits do.
  bpf: [321, 280], perf_event_open: [298, 241], userfaultfd: [323, 282],
  // The mount table is the box.
  mount: [165, 40], umount2: [166, 39], pivot_root: [155, 41], fsopen: [430, 430], fsconfig: [431, 431], fsmount: [432, 432],
  fspick: [433, 433], move_mount: [429, 429], open_tree: [428, 428], open_tree_attr: [467, 467], mount_setattr: [442, 442],
  // Without a capability it fails anyway; with one, in a namespace of its own, it would hide what a path means.
  chroot: [161, 51],
  // A namespace of its own would bring every capability back.
  unshare: [272, 97], setns: [308, 268],
  // A handle opens a file past the mount table.
  open_by_handle_at: [304, 265], lookup_dcookie: [212, 18],
  // The machine.
  init_module: [175, 105], finit_module: [313, 273], delete_module: [176, 106], kexec_load: [246, 104],
  kexec_file_load: [320, 294], reboot: [169, 142], swapon: [167, 224], swapoff: [168, 225], acct: [163, 89], syslog: [103, 116],
  quotactl: [179, 60], quotactl_fd: [443, 443], nfsservctl: [180, 42], vhangup: [153, 58],
  settimeofday: [164, 170], clock_settime: [227, 112], adjtimex: [159, 171], clock_adjtime: [305, 266],
} as const satisfies Readonly<Record<string, Numbers>>

/** Its flags are in memory, which no filter reads. The C library takes `clone` if a kernel does not have it. */
export const CLONE3: Numbers = [435, 435]

/** Whether a call is refused depends on one argument, of which the kernel reads the lower 32 bits. */
export interface CheckedCall {
  readonly numbers: Numbers
  readonly argument: 0 | 1
  /** Refuses if any of these bits is set; refuses these values; or refuses all but these values. */
  readonly refuses:
    | { readonly bits: number }
    | { readonly values: readonly number[] }
    | { readonly allBut: readonly number[] }
}

export const CHECKED_CALLS = {
  // AF_UNIX, AF_INET, AF_INET6 and AF_NETLINK end at the namespaces of the box. AF_VSOCK and others do not know any.
  socket: { numbers: [41, 198], argument: 0, refuses: { allBut: [1, 2, 10, 16] } },
  // CLONE_NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET, NEWNS
  clone: { numbers: [56, 220], argument: 0, refuses: { bits: 0x7e02_0000 } },
  // TIOCSTI types into the terminal, TIOCLINUX pastes into it.
  ioctl: { numbers: [16, 29], argument: 1, refuses: { values: [0x5412, 0x541c] } },
  // PER_LINUX and PER_LINUX32, each with or without UNAME26, and the question which one it is.
  personality: { numbers: [135, 92], argument: 0, refuses: { allBut: [0, 8, 0x2_0000, 0x2_0008, 0xffff_ffff] } },
} as const satisfies Readonly<Record<string, CheckedCall>>
