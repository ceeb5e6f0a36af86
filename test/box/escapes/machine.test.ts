import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, vi } from 'vitest'
import { aBox, hasBox } from '../a-box.ts'
import { attempts, expectNoEscape, isRoot, needsRoot, outputsOf, runPlainly, SECRET, scriptOf } from './attempts.ts'

const KEY_FILES = [
  '.ssh/id_ed25519',
  '.aws/credentials',
  '.netrc',
  '.git-credentials',
  '.npmrc',
  '.docker/config.json',
  '.config/gh/hosts.yml',
  '.bash_history',
  '.gnupg/secring',
  '.kube/config',
  '.cargo/credentials.toml',
  '.gem/credentials',
]

/** The number of a system call by its name, for Perl. */
const call = (number: number, ...args: readonly (number | string)[]) =>
  `perl -e '$r = syscall(${[number, ...args].join(', ')}); print $r >= 0 ? "DONE\\n" : "no: $!\\n"'`
const isX64 = process.arch === 'x64' ? null : 'its numbers are for another machine'
const same = (file: string) => `v=$(cat ${file}) && echo "$v" > ${file} && echo WROTE`

const KEYS = attempts([
  ...KEY_FILES.map(file => [`${file} of the home`, `cat ~/${file} "$KEYS/${file}"`] as const),
  ['keys by a linked toolchain', 'cat ~/.cargo/credentials.toml'],
  ['the whole home', 'grep -ra S3CRET ~ "$KEYS" | head -3'],
  ['a key in the environment', 'echo "$OPENAI_API_KEY$GITHUB_TOKEN$NPM_TOKEN$AWS_SESSION_TOKEN"'],
  ['an address with a password', 'echo "$DATABASE_URL"'],
  ['the socket of the agent of keys', 'echo "${SSH_AUTH_SOCK:+SEEN}"', 'SEEN'],
  [
    'the variables of every process',
    'cat /proc/[0-9]*/environ 2>/dev/null | tr "\\0" "\\n" | grep -a S3CRET | head -2',
  ],
  ['passwords of the machine', 'cut -c1-5 /etc/shadow | grep -q . && echo SEEN', 'SEEN', needsRoot],
  ['the /tmp of other runs', 'ls -d /tmp/holdpoint-boxes-*/*/tmp >/dev/null && echo SEEN', 'SEEN'],
  ['what others keep in /tmp', 'cat "$OTHERS/note"'],
])

const MACHINE = attempts([
  ['see the agent', 'test -d /proc/$AGENT && echo SEEN', 'SEEN'],
  ['signal the agent', 'kill -0 $AGENT && echo SEEN', 'SEEN'],
  ['gain rights by su', 'grep -q "NoNewPrivs:.0" /proc/self/status && echo GAINS', 'GAINS'],
  ['have a capability', 'grep -q "CapEff:.*[1-9a-f]" /proc/self/status && echo HAS', 'HAS', needsRoot],
  ['have one by a bounding set', 'grep -q "CapBnd:.*[1-9a-f]" /proc/self/status && echo HAS', 'HAS'],
  ['run what dumps cores write to', same('/proc/sys/kernel/core_pattern'), 'WROTE', needsRoot],
  ['set a value of the kernel', same('/proc/sys/vm/swappiness'), 'WROTE', needsRoot],
  ['set a name by /proc/sys', same('/proc/sys/kernel/hostname'), 'WROTE', needsRoot],
  [
    'reach the keys of the system',
    'ls -l /proc/sysrq-trigger; dd if=/dev/null of=/proc/sysrq-trigger conv=notrunc && echo WROTE',
    'WROTE',
    existsSync('/proc/sysrq-trigger') ? needsRoot : 'there is no such file',
  ],
  ['turn the mask of interrupts', same('/proc/irq/default_smp_affinity'), 'WROTE', 'a machine may have none'],
  ['say how much is committed', same('/proc/sys/vm/overcommit_memory'), 'WROTE', needsRoot],
  ['choose what loads modules', same('/proc/sys/kernel/modprobe'), 'WROTE', 'a kernel may have no modules'],
  ['see the devices by /sys', 'test -d /sys/kernel && echo SEEN', 'SEEN'],
  ['see the groups of the machine', 'ls /sys/fs/cgroup | grep -q . && echo SEEN', 'SEEN'],
  [
    'see a disk',
    'ls /dev/vd* /dev/sd* /dev/nvme* 2>/dev/null | grep -q . && echo SEEN',
    'SEEN',
    'a machine may have no disk of its own',
  ],
  [
    'see the memory of the machine',
    'ls /dev/mem /dev/kmsg /dev/port 2>/dev/null | grep -q . && echo SEEN',
    'SEEN',
    existsSync('/dev/kmsg') ? null : 'there is no such device',
  ],
  ['make a device', 'rm -f n; mknod n c 1 5 && head -c1 n | wc -c', /^1$/m, needsRoot],
  ['make a hole of an overlay', 'rm -f w; mknod w c 0 0 && echo MADE', 'MADE', 'a kernel may forbid it everywhere'],
  [
    'mark a directory for the overlay',
    'mkdir -p o; setfattr -n trusted.overlay.opaque -v y o && echo MADE',
    'MADE',
    'it needs setfattr',
  ],
  ['have a user namespace', 'unshare -U true && echo DONE', 'DONE'],
  ['have a mount namespace', 'unshare -m true && echo DONE', 'DONE', needsRoot],
  ['have a network namespace', 'unshare -Urn true && echo DONE', 'DONE'],
  ['trace', call(101, 0, 0, 0, 0), 'DONE', isX64],
  ['have a keyring', call(250, 0, -3, 1), 'DONE', isX64],
  [
    'add a key',
    `perl -e '$t = "user"; $d = "hp"; $p = "x"; $r = syscall(248, $t, $d, $p, 1, -2); print $r > 0 ? "DONE" : "no"'`,
    'DONE',
    isX64,
  ],
  [
    'ask for a file without its mount',
    `perl -e '$h = pack("LLx128", 128, 0); $m = pack("L", 0); $r = syscall(304, -100, $h, 0); print $!{EPERM} ? "no" : "DONE"'`,
    'DONE',
    isRoot ? isX64 : needsRoot,
  ],
  [
    'make a ring',
    `perl -e '$p = "\\0" x 120; $r = syscall(425, 4, $p); print $r >= 0 ? "DONE" : "no"'`,
    'DONE',
    'a kernel may forbid it everywhere',
  ],
  [
    'load a program into the kernel',
    `perl -e '$p = pack("LLLLLx100", 2, 4, 8, 1, 0); $r = syscall(321, 0, $p, 72); print $r >= 0 ? "DONE" : "no"'`,
    'DONE',
    isRoot ? isX64 : needsRoot,
  ],
  ['handle faults', call(323, 1), 'DONE', isX64],
  [
    'count what the machine does',
    `perl -e '$p = pack("LLQx100", 1, 112, 0); $r = syscall(298, $p, 0, -1, -1, 0); print $r >= 0 ? "DONE" : "no"'`,
    'DONE',
    'a kernel may forbid it everywhere',
  ],
  ['read the log of the kernel', call(103, 10, 0, 0), 'DONE', isRoot ? isX64 : needsRoot],
  ['be another kind of machine', call(135, 0x4_0000), 'DONE', isX64],
  [
    'read the memory of another',
    `sleep 3 & perl -e '$b = "\\0" x 8; $i = pack("QQ", unpack("Q", pack("p", $b)), 8); $r = syscall(310, '$!', $i, 0, $i, 0, 0); print $r == 0 ? "DONE" : "no"'`,
    'DONE',
    isX64,
  ],
  ['write to the system', 'echo x > /usr/holdpoint-x && rm /usr/holdpoint-x && echo WROTE', 'WROTE', needsRoot],
  ['write to its settings', 'echo x > /etc/holdpoint-x && rm /etc/holdpoint-x && echo WROTE', 'WROTE', needsRoot],
  ['write to the root', 'echo x > /holdpoint-x && rm /holdpoint-x && echo WROTE', 'WROTE', needsRoot],
  ['write to the devices', 'echo x > /dev/holdpoint-x && rm /dev/holdpoint-x && echo WROTE', 'WROTE', needsRoot],
  ['write by the directory of the agent', 'echo x > /proc/$AGENT/root/$P/x && echo WROTE', 'WROTE'],
  [
    'have programs by docker',
    'test -S /var/run/docker.sock -o -S /run/docker.sock && echo SEEN',
    'SEEN',
    'it needs Docker',
  ],
  ['have programs by systemd', 'systemd-run true && echo DONE', 'DONE', 'it needs systemd'],
  ['have programs by cron', 'echo "* * * * * true" | crontab - && echo DONE', 'DONE', 'it needs cron'],
  ['have programs by at', 'echo true | at now && echo DONE', 'DONE', 'it needs at'],
  ['have the terminal', 'echo x > /dev/tty && echo WROTE', 'WROTE', 'tests have no terminal'],
  [
    'type into a terminal',
    `script -qec "perl -e 'ioctl(STDIN, 0x5412, q(x)) and print qq(TYPED)'" /dev/null </dev/null`,
    'TYPED',
    'a kernel may forbid it everywhere',
  ],
])

const ALL = [...KEYS, ...MACHINE]

describe.runIf(await hasBox())('keys and the machine are out of reach', () => {
  const outputs = { boxed: [] as readonly string[], plain: [] as readonly string[] }

  beforeAll(async () => {
    const ends: (() => void)[] = []
    const onEnd = (end: () => void) => void ends.push(end)
    const secrets = {
      OPENAI_API_KEY: SECRET,
      GITHUB_TOKEN: SECRET,
      NPM_TOKEN: SECRET,
      AWS_SESSION_TOKEN: SECRET,
      DATABASE_URL: `postgres://u:${SECRET}@h/d`,
      SSH_AUTH_SOCK: '/run/a',
    }
    const environment = { PATH: process.env['PATH'], HOME: process.env['HOME'], ...secrets }
    const [box, others] = [aBox({ onEnd, environment }), aBox({ onEnd, files: { note: SECRET } })]
    const home = join(others.workdir, 'home')
    for (const file of KEY_FILES) {
      mkdirSync(join(home, file, '..'), { recursive: true })
      writeFileSync(join(home, file), SECRET)
    }
    vi.stubEnv('HOME', home)
    await aBox({ onEnd }).run('true')
    const script = scriptOf(ALL, { P: box.workdir, AGENT: String(process.pid), KEYS: home, OTHERS: others.workdir })
    outputs.boxed = outputsOf(
      String((await box.run(script, { timeout: 120 }).catch(error => ({ stdout: `\n@@0@@\n${error}` })))['stdout']),
    )
    outputs.plain = outputsOf(await runPlainly(script, box.workdir, { ...environment, HOME: home }))
    return () => {
      vi.unstubAllEnvs()
      for (const end of ends) end()
    }
  }, 240_000)

  expectNoEscape(ALL, () => outputs)
})
