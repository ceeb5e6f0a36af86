/** The rules on effects bind file tools, in each spelling of a path. */
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type Policy, rule } from '../../core/policy/policy.ts'
import { readPolicy } from '../../core/policy/read-policy.ts'
import type { JsonObject } from '../../core/text/json.ts'
import { toolContext } from '../../testing/kit/tool-context.ts'
import { builtInTools } from '../built-in-tools.ts'

const EFFECTS = { write: ['src/**', '!src/kept/**'], never: ['.env', '*.pem', 'secrets/**', 'link-out'] }
const POLICY = readPolicy({ tools: { read_file: 'auto', list_files: 'auto' }, effects: EFFECTS }, 'test')
const TOOLS = builtInTools()

async function aTree(): Promise<string> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'holdpoint-')))
  onTestFinished(() => rm(root, { recursive: true, force: true, maxRetries: 10 }))
  const files = ['.env', 'src/a.ts', 'src/kept/b.ts', 'sub/.env', 'sub/deep/key.pem', 'secrets/one', 'notes.md']
  for (const path of files) {
    await mkdir(join(root, 'project', dirname(path)), { recursive: true })
    await writeFile(join(root, 'project', path), 'x')
  }
  await symlink('.env', join(root, 'project/plain.txt'))
  await symlink('../secrets', join(root, 'project/src/folder'))
  await symlink(join(root, 'project/src'), join(root, 'project/alias'))
  await symlink(join(root, 'outside'), join(root, 'project/src/way-out'))
  await mkdir(join(root, 'outside'))
  await symlink(join(root, 'project'), join(root, 'other-name'))
  return join(root, 'project')
}

async function verdictOn(name: string, args: JsonObject, workdir: string, policy: Policy = POLICY): Promise<string> {
  const facts = await TOOLS.get(name)?.inspect?.(args, workdir, workdir)
  if (!facts) throw new Error(`${name} reads no path`)
  return rule(policy, { tool: name, arguments: args, facts, needs_approval: null }).verdict
}

const NEVER = [
  ...['.env', './.env', 'src/../.env', 'sub/.env', 'sub//./.env', 'src/../sub/../.env', '.env/', 'plain.txt'],
  ...['secrets/one', 'src/../secrets/./new', 'sub/deep/key.pem', 'src/new.pem', 'alias/../.env', 'link-out'],
]

test.each(NEVER)('P1: no file tool touches %j', async path => {
  const workdir = await aTree()
  for (const each of [path, join(workdir, path), join(workdir, '../other-name', path)]) {
    for (const name of ['read_file', 'write_file', 'edit_file', 'search_files', 'list_files', 'find_files'])
      expect([name, each, await verdictOn(name, { path: each }, workdir)]).toEqual([name, each, 'never'])
  }
})

test('P1: a rule that permits the tool does not lift it, and a policy that observes does not either', async () => {
  const workdir = await aTree()
  const rules = [{ tool: 'read_file', match: { path: '*' }, policy: 'auto' }]
  for (const more of [{ rules }, { default: 'auto' }, { mode: 'observe' }, { tools: { '*': 'auto' } }])
    expect(
      await verdictOn('read_file', { path: '.env' }, workdir, readPolicy({ ...more, effects: EFFECTS }, 'test')),
    ).toBe('never')
})

const WRITES: readonly (readonly [path: string, verdict: string])[] = [
  ['src/a.ts', 'auto'],
  ['./src/new/deep.ts', 'auto'],
  ['sub/../src/a.ts', 'auto'],
  ['alias/a.ts', 'auto'],
  ['src', 'prompt'],
  ['src/kept/b.ts', 'prompt'],
  ['alias/kept/b.ts', 'prompt'],
  ['notes.md', 'prompt'],
  ['src/../notes.md', 'prompt'],
  ['src/way-out/x.ts', 'prompt'],
  ['../src/a.ts', 'prompt'],
  ['src/.git/hooks/x', 'prompt'],
  ['src/.holdpoint/policy.json', 'prompt'],
  ['src/folder/one', 'never'],
]

test.each(WRITES)('a write of %j is ruled %s by the rules on effects', async (path, verdict) => {
  const workdir = await aTree()
  for (const name of ['write_file', 'edit_file']) expect(await verdictOn(name, { path }, workdir)).toBe(verdict)
  expect(await verdictOn('write_file', { path: join(workdir, path) }, workdir)).toBe(verdict)
})

test('a word of the policy on the tool outranks what may be written', async () => {
  const workdir = await aTree()
  const verdict = (policy: JsonObject) =>
    verdictOn('write_file', { path: 'src/a.ts' }, workdir, readPolicy({ ...policy, effects: EFFECTS }, 'test'))
  expect(await verdict({ tools: { write_file: 'prompt' } })).toBe('prompt')
  expect(await verdict({ tools: { '*': 'never' } })).toBe('never')
  expect(await verdict({ default: 'never' })).toBe('never')
  expect(await verdict({ rules: [{ tool: 'write_file', match: { path: 'src/*' }, policy: 'prompt' }] })).toBe('prompt')
  expect(await verdict({})).toBe('auto')
})

test('lists and searches leave out what is never read', async () => {
  const workdir = await aTree()
  const boxed = {
    over: 'directory',
    effects: { ...EFFECTS, delete: [], hosts: [], git: 'ask', drift: 'ask' },
    observes: false,
  } as const
  const run = async (name: string, args: JsonObject) =>
    JSON.stringify(await TOOLS.get(name)?.execute(args, toolContext({ workdir, boxed })))
  for (const [name, args] of [
    ['list_files', { depth: 5 }],
    ['find_files', { pattern: '*' }],
    ['search_files', { pattern: 'x' }],
  ] as const) {
    const found = await run(name, args)
    expect(found).toContain('notes.md')
    for (const hidden of ['.env', 'key.pem', 'secrets/one']) expect(found).not.toContain(hidden)
  }
  expect(await run('search_files', { pattern: 'x', path: 'secrets' })).toContain('"matches":0')
})
