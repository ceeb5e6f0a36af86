import { execFileSync, spawnSync } from 'node:child_process'
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { seccompProgram } from './seccomp-program.ts'
import { CHECKED_CALLS, CLONE3, REFUSED_CALLS } from './system-calls.ts'

const [ALLOWED, KILLED, EPERM, ENOSYS] = [0x7fff_0000, 0x8000_0000, 0x0005_0001, 0x0005_0026]
const MACHINES = [
  ['x64', 0xc000_003e, 0],
  ['arm64', 0xc000_00b7, 1],
] as const

/** What the kernel answers to a call, by its own rules for such programs. */
function answerOf(arch: string, audit: number, number: number, ...args: number[]): number {
  const bytes = seccompProgram(arch) as Uint8Array
  const program = new DataView(bytes.buffer)
  const data = new DataView(new ArrayBuffer(64))
  data.setUint32(0, number, true)
  data.setUint32(4, audit, true)
  for (const [index, value] of args.entries()) data.setBigUint64(16 + 8 * index, BigInt(value), true)
  let loaded = 0
  for (let at = 0; ; at += 1) {
    const [code, value] = [program.getUint16(8 * at, true), program.getUint32(8 * at + 4, true)]
    if (code === 0x06) return value
    if (code === 0x20) loaded = data.getUint32(value, true)
    else at += program.getUint8(8 * at + (meets(code, loaded, value) ? 2 : 3))
  }
}

function meets(code: number, loaded: number, value: number): boolean {
  if (code === 0x15) return loaded === value
  if (code === 0x35) return loaded >= value
  if (code === 0x45) return (loaded & value) !== 0
  throw new Error(`instruction ${code}`)
}

describe.each(MACHINES)('on %s', (arch, audit, column) => {
  test.each(Object.entries(REFUSED_CALLS))('%s is refused', (_, numbers) => {
    expect(answerOf(arch, audit, numbers[column])).toBe(EPERM)
  })

  test('every other number below 500 is allowed', () => {
    const known = [...Object.values(REFUSED_CALLS), CHECKED_CALLS.socket.numbers, CLONE3].map(
      numbers => numbers[column] as number,
    )
    const others = Array.from({ length: 500 }, (_, number) => number).filter(number => !known.includes(number))
    const refused = others.filter(number => answerOf(arch, audit, number) !== ALLOWED)
    expect(refused).toEqual([])
  })

  test('clone makes processes and threads, and no namespaces', () => {
    const clone = CHECKED_CALLS.clone.numbers[column]
    const thread = 0x3d_0f00
    for (const flags of [17, thread, 0x4111, 0x120_0011]) expect(answerOf(arch, audit, clone, flags)).toBe(ALLOWED)
    for (const space of [0x2_0000, 0x200_0000, 0x400_0000, 0x800_0000, 0x1000_0000, 0x2000_0000, 0x4000_0000])
      expect(answerOf(arch, audit, clone, space + 17), space.toString(16)).toBe(EPERM)
    expect(answerOf(arch, audit, clone, 0x1_1000_0011)).toBe(EPERM)
  })

  test('sockets are those of families that end at namespaces', () => {
    const socket = CHECKED_CALLS.socket.numbers[column]
    for (const family of [1, 2, 10, 16]) expect(answerOf(arch, audit, socket, family)).toBe(ALLOWED)
    for (const family of [0, 15, 17, 21, 30, 31, 38, 40, 42, 44])
      expect(answerOf(arch, audit, socket, family)).toBe(EPERM)
  })

  test('clone3 is missing, so that the C library takes clone', () => {
    expect(answerOf(arch, audit, CLONE3[column])).toBe(ENOSYS)
  })

  test('ioctl does not type into the terminal, also with other upper bits', () => {
    const ioctl = CHECKED_CALLS.ioctl.numbers[column]
    for (const request of [0x5412, 0x541c, 0x1_0000_5412]) expect(answerOf(arch, audit, ioctl, 0, request)).toBe(EPERM)
    for (const request of [0x5401, 0x5413, 0x541b, 0])
      expect(answerOf(arch, audit, ioctl, 0x5412, request)).toBe(ALLOWED)
  })

  test('personality takes the harmless values', () => {
    const personality = CHECKED_CALLS.personality.numbers[column]
    for (const value of [0, 8, 0x2_0000, 0x2_0008, 0xffff_ffff])
      expect(answerOf(arch, audit, personality, value)).toBe(ALLOWED)
    for (const value of [1, 0x4_0000, 0x40_0000, 0x2_0001])
      expect(answerOf(arch, audit, personality, value)).toBe(EPERM)
  })

  test('a call of another architecture kills its process', () => {
    for (const other of [0x4000_0003, 0xc000_003e, 0xc000_00b7, 0x4000_0028, 0].filter(each => each !== audit))
      expect(answerOf(arch, other, 1)).toBe(KILLED)
  })
})

test('no number of x32 passes on x64', () => {
  for (const number of [0, 1, 101, 512, 547].map(each => 0x4000_0000 + each))
    expect(answerOf('x64', 0xc000_003e, number)).toBe(ENOSYS)
  expect(answerOf('x64', 0xc000_003e, 0xffff_ffff)).toBe(ENOSYS)
})

test('a machine is known by both of its names, and others are not', () => {
  expect(seccompProgram('x86_64')).toEqual(seccompProgram('x64'))
  expect(seccompProgram('aarch64')).toEqual(seccompProgram('arm64'))
  for (const arch of ['', 'ia32', 'arm', 'riscv64', 'constructor', '__proto__']) expect(seccompProgram(arch)).toBeNull()
})

const HEADERS = ['/usr/include/x86_64-linux-gnu/asm/unistd_64.h', '/usr/include/asm-generic/unistd.h']

test.skipIf(!HEADERS.every(path => existsSync(path)))('the numbers are those of the headers of the kernel', () => {
  const checked = Object.entries(CHECKED_CALLS).map(([name, { numbers }]) => [name, numbers] as const)
  const all = [...Object.entries(REFUSED_CALLS), ...checked, ['clone3', CLONE3] as const]
  for (const [column, path] of HEADERS.entries()) {
    const text = readFileSync(path, 'utf8')
    for (const [name, numbers] of all) {
      const found = new RegExp(`#define __NR_${name}\\s+(\\d+)`).exec(text)?.[1]
      // A header may be older than the call, or leave the number to another macro.
      if (found !== undefined) expect([name, numbers[column]]).toEqual([name, Number(found)])
    }
  }
})

const directory = mkdtempSync(join(tmpdir(), 'filter-'))
afterAll(() => rmSync(directory, { recursive: true }))

const BOX = [
  '--ro-bind',
  '/',
  '/',
  '--dev',
  '/dev',
  '--proc',
  '/proc',
  '--unshare-user',
  '--unshare-pid',
  '--new-session',
]
const hasBox = spawnSync('bwrap', [...BOX, 'true']).status === 0 && existsSync('/usr/bin/perl')
const program = seccompProgram(process.arch)

function filterFile(): string {
  const path = join(directory, 'program')
  writeFileSync(path, program as Uint8Array)
  return path
}

/** Runs a command in a box, with the filter or without it. */
function inBox(argv: readonly string[], options: { filtered: boolean; powers?: boolean; more?: readonly string[] }) {
  const filter = openSync(filterFile(), 'r')
  const powers = options.powers ? ['--cap-add', 'ALL'] : ['--cap-drop', 'ALL']
  const args = [...BOX, ...powers, ...(options.more ?? []), ...(options.filtered ? ['--seccomp', '3'] : []), ...argv]
  const done = spawnSync('bwrap', args, { stdio: ['ignore', 'pipe', 'pipe', filter], encoding: 'utf8' })
  closeSync(filter)
  return done
}

/** Calls that fail in their own way without a filter: arguments that no call takes. */
const BAD = '-1, -1, -1, -1, -1, -1'
const SPECIAL: Readonly<Record<string, string>> = {
  clone: '0x20200, 0, 0, 0, 0',
  ioctl: '-1, 0x5412, 0',
  personality: '0x40000',
  unshare: '0',
  clone3: '0, 0',
  keyctl: '0, -3, 0',
}
/** Without a filter these may fail with EPERM, too: a kernel can demand the root of the machine for them. */
const FOR_ROOT = [
  'bpf',
  'perf_event_open',
  'userfaultfd',
  'init_module',
  'finit_module',
  'delete_module',
  'kexec_load',
].concat(['kexec_file_load', 'swapon', 'swapoff', 'acct', 'syslog', 'vhangup', 'lookup_dcookie'])

function errorsOf(filtered: boolean): Record<string, number> {
  const column = process.arch === 'x64' ? 0 : 1
  const checked = Object.entries(CHECKED_CALLS).map(([name, { numbers }]) => [name, numbers] as const)
  const lines = [...Object.entries(REFUSED_CALLS), ...checked, ['clone3', CLONE3] as const].map(
    ([name, numbers]) =>
      `$! = 0; my $r = syscall(${numbers[column]}, ${SPECIAL[name] ?? BAD}); print "${name} ", ($r == -1 ? $! + 0 : 0), "\\n";`,
  )
  const done = inBox(['perl', '-e', lines.map(line => `{ ${line} }`).join('\n')], { filtered, powers: true })
  expect(done.stderr).toBe('')
  return Object.fromEntries(
    done.stdout
      .trim()
      .split('\n')
      .map(line => [line.split(' ')[0], Number(line.split(' ')[1])]),
  )
}

describe.skipIf(!hasBox || program === null)('in a real box', () => {
  test('each call is refused with EPERM, and would get further without the filter', () => {
    const [bare, filtered] = [errorsOf(false), errorsOf(true)]
    const names = [...Object.keys(REFUSED_CALLS), ...Object.keys(CHECKED_CALLS)]
    expect(Object.keys(filtered).toSorted()).toEqual([...names, 'clone3'].toSorted())
    expect(names.filter(name => filtered[name] !== 1)).toEqual([])
    expect(filtered['clone3']).toBe(38)
    expect(bare['clone3']).not.toBe(38)
    const without = names.filter(name => !FOR_ROOT.includes(name))
    expect(without.filter(name => bare[name] === 1)).toEqual([])
  })

  test('no namespace can be made, and one could be without the filter', () => {
    const argv = ['unshare', '-U', 'true']
    expect(inBox(argv, { filtered: false }).status).toBe(0)
    expect(inBox(argv, { filtered: true })).toMatchObject({ status: 1, stderr: expect.stringMatching(/not permitted/) })
  })

  const seen = (name: string) => spawnSync('sh', ['-c', `command -v ${name}`]).status === 0
  const scratch = ['--tmpfs', '/tmp', '--chdir', '/tmp', '--setenv', 'HOME', '/tmp']

  test.each([
    [
      'bash',
      'set -o pipefail; for i in 1 2 3; do echo $i & done | sort | tail -1; wait; cat <(echo 3) > /dev/null',
      '3',
    ],
    ['node', `node -e 'console.log(require("child_process").execFileSync("echo", ["ok"]).toString().trim())'`, 'ok'],
    [
      'node',
      `node -e 'const {Worker}=require("worker_threads"); new Worker("require(\\"worker_threads\\").parentPort.postMessage(7)", {eval:true}).on("message", m => console.log(m))'`,
      '7',
    ],
    [
      'npm',
      'npm init -y > /dev/null && npm pkg set scripts.say="echo said" > /dev/null && npm run --silent say',
      'said',
    ],
    [
      'git',
      'git init -q . && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m one && git log --format=%s',
      'one',
    ],
    [
      'python3',
      `python3 -c 'import threading, subprocess; t = threading.Thread(target=lambda: print(subprocess.check_output(["echo", "t"]).decode().strip())); t.start(); t.join()'`,
      't',
    ],
    [
      'gcc',
      `printf '#include <pthread.h>\\n#include <stdio.h>\\nvoid *f(void *a) { puts("c"); return 0; }\\nint main() { pthread_t t; pthread_create(&t, 0, f, 0); return pthread_join(t, 0); }' > a.c && gcc -pthread a.c -o a && ./a`,
      'c',
    ],
    ['tar', 'echo x > f && tar czf f.tgz f && rm f && tar xzf f.tgz && cat f', 'x'],
    ['perl', `perl -e 'pipe(R, W); if (!fork) { print W "p\\n"; exit } close W; print <R>; wait'`, 'p'],
  ])('%s works: %s', (name, line, printed) => {
    if (!seen(name)) return
    const done = inBox(['bash', '-c', line], { filtered: true, more: scratch })
    expect(done).toMatchObject({ status: 0, stdout: `${printed}\n` })
  })

  test.skipIf(!seen('script'))('a shell that asks for a terminal still has its size and its modes', () => {
    const done = execFileSync(
      'script',
      [
        '-qec',
        `bwrap ${BOX.filter(part => part !== '--new-session').join(' ')} --seccomp 3 3<${filterFile()} stty size`,
        '/dev/null',
      ],
      { encoding: 'utf8' },
    )
    expect(done.trim()).toMatch(/^\d+ \d+$/)
  })
})
