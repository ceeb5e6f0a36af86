import { chmodSync, linkSync, mkdirSync, openSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { aBox, type Boxed, hasBox } from '../a-box.ts'
import { attempts, expectNoEscape, isRoot, needsRoot, outputsOf, runPlainly, SECRET, scriptOf } from './attempts.ts'

/** As if the box were only a cover over the records, made by who may make mounts. */
const COVERED = 'mount -t tmpfs none .holdpoint 2>/dev/null;'

const READS = attempts([
  ['by its path', 'cat .holdpoint/holdpoint.db'],
  ['by its full path', 'cat "$P/.holdpoint/holdpoint.db"'],
  ['by a way around', 'cat src/../.holdpoint/holdpoint.db'],
  ['by a name that the shell puts together', 'a=.hold; b=point; cat $a$b/holdpoint.*'],
  ['by a pattern', 'cat .h*/*'],
  ['by a link made now', 'ln -sfn .holdpoint l1; cat l1/holdpoint.db'],
  ['by a link to the directory above', 'ln -sfn "$P/.." l2; cat l2/*/.holdpoint/holdpoint.db'],
  ['by a hard link made now', 'rm -f h1; ln .holdpoint/holdpoint.db h1; cat h1'],
  ['by a link made before', 'cat linked-before'],
  ['by a link to the folder made before', 'cat folder-before/holdpoint.db'],
  ['by a hard link made before', 'cat hard-before'],
  ['by a hard link made before, deep among packages', 'cat node_modules/a/b/hard-before'],
  ['by a hard link made before, in the folder of git', 'cat .git/hard-before'],
  ['by a copy of the folder', 'cp -a .holdpoint c1; cat c1/holdpoint.db'],
  ['by an archive', 'tar c .holdpoint | grep -a S3'],
  ['by search', 'grep -ra S3CRET . | head -5'],
  ['by looking for its name', 'find "$P" -name "holdpoint.db" -exec cat {} +'],
  ['by /proc/self/cwd', 'cat /proc/self/cwd/.holdpoint/holdpoint.db'],
  ['by /proc/self/root', 'cat "/proc/self/root$P/.holdpoint/holdpoint.db"'],
  ['by /proc/thread-self/root', 'cat "/proc/thread-self/root$P/.holdpoint/holdpoint.db"'],
  [
    'by the root of process 1',
    'cat "/proc/1/root$P/.holdpoint/holdpoint.db"',
    SECRET,
    'process 1 may have another root',
  ],
  [
    'by the root of every process',
    'for r in /proc/[0-9]*/root; do cat "$r$P/.holdpoint/holdpoint.db"; done 2>/dev/null',
  ],
  ['by the root of the agent', 'cat "/proc/$AGENT/root$P/.holdpoint/holdpoint.db"'],
  ['by the directory of the parent', 'cat "/proc/$PPID/cwd/.holdpoint/holdpoint.db"'],
  ['by open files of the agent', 'find "/proc/$AGENT/fd" -lname "*holdpoint.db" -exec cat {} + 2>/dev/null'],
  [
    'by open files of the first processes',
    'find /proc/$AGENT/fd /proc/[0-9]/fd -lname "*holdpoint.db" -exec cat {} + 2>/dev/null',
  ],
  ['by a descriptor that was left open', 'for f in 3 4 5 6 7 8 9; do cat <&$f; done 2>&1; cat $OPEN 2>&1'],
  ['by the variables of the agent', 'tr "\\0" "\\n" < /proc/$AGENT/environ | grep -c .', /^[1-9]/m],
  ['by the memory of the agent', 'head -c 20 /proc/$AGENT/maps; test -r /proc/$AGENT/mem && echo MEM', 'MEM'],
  ['of a project within the project', 'cat sub/.holdpoint/other.db'],
  ['of a project among packages of a build', 'cat target/.holdpoint/other.db'],
  ['by taking the cover away', `${COVERED} umount .holdpoint; cat .holdpoint/holdpoint.db`],
  ['by taking the cover away lazily', `${COVERED} umount -l .holdpoint; cat .holdpoint/holdpoint.db`],
  ['by moving the cover', `${COVERED} mkdir -p away; mount --move .holdpoint away; cat .holdpoint/holdpoint.db`],
  ['by a mount of the directory elsewhere', 'mkdir -p b1; mount --bind . b1; cat b1/.holdpoint/holdpoint.db'],
  ['by a recursive mount elsewhere', 'mkdir -p b2; mount --rbind "$P" b2; cat b2/.holdpoint/holdpoint.db'],
  ['by a namespace of its own', `unshare -Urm sh -c '${COVERED} umount .holdpoint; cat .holdpoint/holdpoint.db'`],
  [
    'by an overlay of its own',
    "unshare -Urm sh -c 'mkdir -p m; mount -t overlay -o lowerdir=$P:$P/src o m; cat m/.holdpoint/holdpoint.db'",
    SECRET,
    'a kernel may refuse layers that overlap',
  ],
  [
    'by the namespace of process 1',
    'nsenter -t 1 -m cat "$P/.holdpoint/holdpoint.db"',
    SECRET,
    'tests run in a namespace of their own',
  ],
  ['by the namespace of the agent', 'nsenter -t $AGENT -m cat "$P/.holdpoint/holdpoint.db"', SECRET, needsRoot],
  ['by a box within the box', 'bwrap --bind / / cat "$P/.holdpoint/holdpoint.db"'],
  ['by another root', 'chroot / cat "$P/.holdpoint/holdpoint.db"', SECRET, needsRoot],
  [
    'by moving the directory',
    'mv "$P/src" "$P/src2"; mv "$P" "$P-2" && cat "$P-2/.holdpoint/holdpoint.db"; mv "$P-2" "$P"',
  ],
  ['by where mounts come from', 'cat /proc/self/mountinfo | grep -c boxes; cat "$P/.holdpoint/holdpoint.db"'],
])

const WRITES = attempts([
  ['by a line more', 'echo >> .holdpoint/holdpoint.db && echo WROTE', 'WROTE'],
  ['by a new file beside it', 'echo x > .holdpoint/new && echo WROTE', 'WROTE'],
  ['by a log that will be played', 'echo x > .holdpoint/holdpoint.db-wal && echo WROTE', 'WROTE'],
  ['by cutting it', 'truncate -s 0 .holdpoint/holdpoint.db && echo WROTE', 'WROTE'],
  ['by other rights', 'chmod 777 .holdpoint && touch .holdpoint/t && echo WROTE', 'WROTE'],
  ['by the directory of the agent', 'echo x > "/proc/$AGENT/root$P/.holdpoint/n2" && echo WROTE', 'WROTE'],
  ['by a file put over it', 'echo x > f; mv f .holdpoint/holdpoint.db && echo WROTE', 'WROTE'],
  ['by a new folder in its place', 'mv .holdpoint old && mkdir .holdpoint && echo WROTE', 'WROTE'],
  ['by deleting it', 'rm -rf .holdpoint && echo WROTE', 'WROTE'],
  ['by mounting something over it', 'mkdir -p .holdpoint; mount -t tmpfs t .holdpoint && echo WROTE', 'WROTE'],
  [
    'by making its mount writable',
    'mount -t tmpfs t .holdpoint; mount -o remount,rw .holdpoint && echo x > .holdpoint/y && echo WROTE',
    'WROTE',
  ],
])

/** The control has a namespace of its own, from which an ordinary user does not see into the agent. */
const OF_ROOT = /agent|open files|left open|mount writable/
const ALL = [...READS, ...WRITES].map(each => (OF_ROOT.test(each.name) ? { ...each, without: needsRoot } : each))

function aProject(onEnd: (remove: () => void) => void): Boxed {
  const box = aBox({
    onEnd,
    files: {
      '.holdpoint/holdpoint.db': SECRET,
      'sub/.holdpoint/other.db': SECRET,
      'target/.holdpoint/other.db': SECRET,
      'src/a.ts': 'a',
      'node_modules/a/b/index.js': '1',
      '.git/HEAD': 'ref: refs/heads/main',
    },
  })
  const store = join(box.workdir, '.holdpoint/holdpoint.db')
  symlinkSync(store, join(box.workdir, 'linked-before'))
  symlinkSync('.holdpoint', join(box.workdir, 'folder-before'))
  for (const place of ['', 'node_modules/a/b', '.git']) linkSync(store, join(box.workdir, place, 'hard-before'))
  return box
}

describe.runIf(await hasBox())('the records of Holdpoint are out of reach', () => {
  const outputs = { boxed: [] as readonly string[], plain: [] as readonly string[] }
  const after = { store: '', names: '' }

  beforeAll(async () => {
    const ends: (() => void)[] = []
    const [box, copy] = [aProject(end => ends.push(end)), aProject(end => ends.push(end))]
    const store = join(box.workdir, '.holdpoint/holdpoint.db')
    openSync(store, 'r')
    const open = `/proc/${process.pid}/fd/${openSync(join(copy.workdir, '.holdpoint/holdpoint.db'), 'r')}`
    const variables = (workdir: string) => ({ P: workdir, AGENT: String(process.pid), OPEN: open })
    const result = box.run(`${scriptOf(ALL, variables(box.workdir))}\nrm -rf l1 l2`, {
      effects: { write: ['**'], never: [] },
      timeout: 120,
    })
    outputs.boxed = outputsOf(String((await result.catch(error => ({ stdout: `\n@@0@@\n${error}` })))['stdout']))
    after.store = readFileSync(store, 'utf8')
    // Mounts of the control are its own.
    const ways = isRoot ? ['--mount'] : ['--user', '--map-root-user', '--mount']
    const script = `exec unshare ${ways.join(' ')} -- bash -c "$SCRIPT"`
    const env = { ...process.env, SCRIPT: scriptOf(ALL, variables(copy.workdir)) }
    outputs.plain = outputsOf(await runPlainly(script, copy.workdir, env))
    return () => {
      for (const end of ends) end()
    }
  }, 240_000)

  expectNoEscape(ALL, () => outputs)

  test('after all of it the records are as they were', () => expect(after.store).toBe(SECRET))
})

describe.runIf(await hasBox())('a store in a place of its own', () => {
  test('is hidden wherever commands would see it, with its boxes', async () => {
    const box = aBox({ files: { 'data/x': 'x' } })
    mkdirSync(join(box.workdir, 'data/boxes'), { recursive: true })
    chmodSync(join(box.workdir, 'data'), 0o755)
    writeFileSync(join(box.workdir, 'data/mine.db'), SECRET)
    const elsewhere = { directory: join(box.workdir, 'data/boxes'), storeFile: join(box.workdir, 'data/mine.db') }
    const forge = 'cat data/mine.db; mkdir -p data/boxes/f && echo "{}" > data/boxes/f/commit.json && echo WROTE'
    const result = await box.run(forge, { place: elsewhere })
    expect(result['stdout']).toBe('')
  })
})
