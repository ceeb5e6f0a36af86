import { type ChildProcess, fork } from 'node:child_process'
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import type { FileChange } from '../../src/core/effect/effect.ts'
import { completeCommit, type Intent, intentOf, movedSince } from '../../src/tools/box/effect/commit-effect.ts'
import { entryState } from '../../src/tools/box/effect/read-effect.ts'
import { type CallPlace, callPlace, freshPlace } from '../../src/tools/box/machine/call-place.ts'

/** What the directory has before and after, by path; `null` is a directory, `->` begins a link. */
type Tree = Readonly<Record<string, string | null>>

const SMALL: readonly [Tree, Tree] = [
  {
    a: 'old',
    gone: 'gone',
    d: null,
    'd/x': 'x',
    'd/y': 'y',
    'was-dir': null,
    'was-dir/in': 'in',
    'was-file': 'f',
    link: '->a',
  },
  {
    a: 'new',
    d: null,
    'd/x': 'x2',
    made: null,
    'made/deep': null,
    'made/deep/n': 'n',
    'was-dir': 'file',
    'was-file': null,
    'was-file/z': 'z',
    link: '->d/x',
  },
]
const ONE: readonly [Tree, Tree] = [{ a: 'old' }, { a: 'new' }]
const MANY: readonly [Tree, Tree] = [treeOf('old', 0, 200), treeOf('new', 100, 300)]

function treeOf(word: string, from: number, to: number): Tree {
  const files = Array.from(
    { length: to - from },
    (_, at) => [`d${(from + at) % 7}/f${from + at}`, `${word}${at}`] as const,
  )
  const directories = Array.from({ length: 7 }, (_, at) => [`d${at}`, null] as const)
  return Object.fromEntries([...directories, ...files])
}

interface Prepared {
  readonly place: CallPlace
  readonly intent: Intent
}

async function prepared(before: Tree, after: Tree): Promise<Prepared> {
  const root = mkdtempSync(join(tmpdir(), 'holdpoint-commit-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const workdir = join(root, 'project')
  const place = callPlace(join(root, 'boxes'), 'call')
  mkdirSync(workdir)
  await freshPlace(place, workdir)
  plant(workdir, before)
  plant(place.upper, after)
  const changes: FileChange[] = []
  for (const path of [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()) {
    const change = {
      path,
      before: await entryState(join(workdir, path)),
      after: await entryState(join(place.upper, path)),
    }
    if (JSON.stringify(change.before) !== JSON.stringify(change.after)) changes.push(change)
  }
  return { place, intent: { workdir, changes } }
}

function plant(directory: string, tree: Tree): void {
  for (const [path, content] of Object.entries(tree)) {
    const target = join(directory, path)
    if (content === null) mkdirSync(target, { recursive: true })
    else if (content.startsWith('->')) symlinkSync(content.slice(2), target)
    else writeFileSync(target, content)
  }
}

function treeIn(directory: string, below = ''): Tree {
  const tree: Record<string, string | null> = {}
  for (const name of readdirSync(join(directory, below))) {
    const path = join(below, name)
    const stats = lstatSync(join(directory, path))
    if (stats.isSymbolicLink()) tree[path] = `->${readlinkSync(join(directory, path))}`
    else if (stats.isDirectory()) Object.assign(tree, { [path]: null }, treeIn(directory, path))
    else tree[path] = readFileSync(join(directory, path), 'utf8')
  }
  return tree
}

/** Commits in a process that kills itself before its call `at` of the file system. The number of calls, if it lived. */
async function killedAt({ place, intent }: Prepared, at: number): Promise<number | null> {
  const child = fork(fileURLToPath(new URL('./commit-until-killed.ts', import.meta.url)), [], {
    execArgv: ['--no-warnings'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  child.send({ place, intent, at })
  return endOf(child)
}

function endOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    let calls: number | null = null
    child.once('message', message => {
      calls = message as number
    })
    child.once('exit', (code, signal) => {
      if (signal === 'SIGKILL' || code === 0) resolve(signal === 'SIGKILL' ? null : calls)
      else reject(new Error(`the commit ended with ${code}`))
    })
  })
}

/** The call is made again, as after a restart. */
async function madeAgain({ place, intent }: Prepared): Promise<void> {
  const begun = await intentOf(place)
  if (begun !== null) return completeCommit(place, begun)
  expect(await movedSince(intent)).toEqual([])
}

async function expectAllOrNothing([before, after]: readonly [Tree, Tree], at: number): Promise<void> {
  const call = await prepared(before, after)
  expect(await killedAt(call, at), `killed at ${at}`).toBeNull()
  const hadBegun = (await intentOf(call.place)) !== null
  await madeAgain(call)
  expect(treeIn(call.intent.workdir), `killed at ${at}`).toEqual(hadBegun ? after : before)
  await madeAgain(call)
  expect(treeIn(call.intent.workdir), `killed at ${at}, twice`).toEqual(hadBegun ? after : before)
}

/** Every place of a small effect, or as many as there is time for, spread over all. */
const SHARE = process.env['HOLDPOINT_ALL_CRASHES'] === '1' ? Infinity : 8

test.each([
  ['one file', ONE],
  ['ten files of all kinds', SMALL],
  ['three hundred files', MANY],
] as const)(
  'P3: a commit of %s that is killed anywhere is whole once its call is made again',
  async (_, trees) => {
    const calls = await killedAt(await prepared(...trees), Infinity)
    expect(calls).toBeGreaterThan(5)
    const step = Math.max(1, Math.ceil((calls ?? 0) / SHARE))
    for (let at = 1; at <= (calls ?? 0); at += step) await expectAllOrNothing(trees, at)
  },
  120_000,
)

test('P3: a commit that was completed is not made again over what people did since', async () => {
  const call = await prepared(...SMALL)
  await killedAt(call, Infinity)
  writeFileSync(join(call.intent.workdir, 'gone'), 'gone')
  writeFileSync(join(call.intent.workdir, 'a'), 'old')
  await madeAgain(call)
  expect(treeIn(call.intent.workdir)).toEqual({ ...SMALL[1], gone: 'gone', a: 'old' })
})

test('P1: a directory that became a link out of the project is not followed when a commit goes on', async () => {
  const call = await prepared({ d: null, 'd/x': 'x' }, { d: null, 'd/x': 'x2' })
  const outside = join(call.intent.workdir, '../outside')
  const all = (await killedAt(await prepared({ d: null, 'd/x': 'x' }, { d: null, 'd/x': 'x2' }), Infinity)) ?? 0
  for (let at = 1; at < all && (await intentOf(call.place)) === null; at++) await killedAt(call, at)
  mkdirSync(outside)
  writeFileSync(join(outside, 'x'), 'x')
  rmSync(join(call.intent.workdir, 'd'), { recursive: true })
  symlinkSync(outside, join(call.intent.workdir, 'd'))
  await expect(madeAgain(call)).rejects.toThrow('changed by something else')
  expect(readFileSync(join(outside, 'x'), 'utf8')).toBe('x')
})

test('P1: what was changed after its trial is not carried out', async () => {
  const call = await prepared(...ONE)
  writeFileSync(join(call.place.upper, 'a'), 'other')
  const { prepareCommit } = await import('../../src/tools/box/effect/commit-effect.ts')
  await expect(prepareCommit(call.place, call.intent)).rejects.toThrow('was changed afterwards')
  expect(treeIn(call.intent.workdir)).toEqual(ONE[0])
})
