import { expect, test } from 'vitest'
import { changeWord, type EntryState, type FileChange, renamesIn } from './effect.ts'
import { type EffectRules, ruleEffect } from './effect-rules.ts'

const FILE: EntryState = { kind: 'file', mode: 0o644, digest: 'sha256:1', size: 1 }
const OTHER: EntryState = { ...FILE, digest: 'sha256:2' }
const DIRECTORY: EntryState = { kind: 'directory', mode: 0o755, digest: '', size: 0 }
const RULES: EffectRules = {
  write: ['src/**', 'package-lock.json'],
  delete: ['dist/**'],
  never: ['.env*', '.git/hooks/**'],
  hosts: [],
  git: 'commit',
  drift: 'ask',
}

function verdictOn(changes: readonly FileChange[], rules = RULES): string {
  return ruleEffect(rules, { changes, left_out: [] }).verdict
}

const created = (path: string, after: EntryState = FILE): FileChange => ({ path, before: null, after })
const changed = (path: string): FileChange => ({ path, before: FILE, after: OTHER })
const deleted = (path: string, before: EntryState = FILE): FileChange => ({ path, before, after: null })

const AUTO: readonly FileChange[] = [
  created('src/a.ts'),
  changed('src/deep/b.ts'),
  changed('package-lock.json'),
  deleted('dist/a.js'),
  deleted('dist', DIRECTORY),
  created('src', DIRECTORY),
  changed('.git/index'),
  created('.git/objects/ab/cdef'),
  changed('.git/refs/heads/main'),
  changed('.git/logs/HEAD'),
  created('.git/ORIG_HEAD'),
  changed('.git/modules/lib/index'),
]
test.each(AUTO)('P1: $path needs no question', change => {
  expect(verdictOn([change])).toBe('auto')
})

const ASKED: readonly FileChange[] = [
  created('README.md'),
  deleted('src/a.ts'),
  changed('dist/a.js'),
  created('other', DIRECTORY),
  changed('.git/config'),
  changed('.git/modules/lib/config'),
  created('.git/modules/lib/hooks/post-checkout'),
  created('.git/info/attributes'),
  created('.git/objects/info/alternates'),
  created('.git/worktrees/a/gitdir'),
  created('.git', DIRECTORY),
  { ...created('src/out', { ...FILE, kind: 'link' }), leads_to: '/etc/passwd' },
  created('src/setuid', { ...FILE, mode: 0o4755 }),
  { path: 'src/a.ts', before: FILE, after: { ...FILE, mode: 0o2755 } },
]
test.each(ASKED)('P1: $path is asked about', change => {
  expect(verdictOn([change])).toBe('prompt')
  expect(verdictOn([created('src/fine.ts'), change])).toBe('prompt')
})

const NEVER: readonly FileChange[] = [
  changed('.env'),
  deleted('deploy/.env.prod'),
  created('.git/hooks/pre-commit'),
  created('.holdpoint/holdpoint.db'),
  created('packages/a/.holdpoint', DIRECTORY),
  { ...created('src/link', { ...FILE, kind: 'link' }), leads_to: '.env' },
]
test.each(NEVER)('P1: $path is never kept, whatever else is permitted', change => {
  expect(verdictOn([created('README.md'), change])).toBe('never')
})

test('a directory in which something permitted is written needs no rule of its own', () => {
  const rules = { ...RULES, write: ['lib/a/x.ts'] }
  expect(verdictOn([created('lib', DIRECTORY), created('lib/a', DIRECTORY), created('lib/a/x.ts')], rules)).toBe('auto')
  expect(verdictOn([created('lib', DIRECTORY), created('lib/b', DIRECTORY)], rules)).toBe('prompt')
})

test('an effect without rules is asked about, and none at all passes', () => {
  const none: EffectRules = { write: [], delete: [], never: [], hosts: [], git: 'ask', drift: 'ask' }
  expect(verdictOn([], none)).toBe('auto')
  expect(verdictOn([changed('.git/index')], none)).toBe('prompt')
  expect(ruleEffect(none, { changes: [], left_out: ['fifo'] }).verdict).toBe('prompt')
})

test('the reason names what it is about', () => {
  const changes = ['a', 'b', 'c', 'd', 'e'].map(path => created(path))
  expect(ruleEffect(RULES, { changes, left_out: [] })).toEqual({
    verdict: 'prompt',
    because: 'it changes what effects.write does not cover (a, b, c and 2 more)',
    paths: ['a', 'b', 'c', 'd', 'e'],
  })
})

test('each reason names what it is about', () => {
  const changes = [deleted('a'), created('b'), deleted('c')]
  const because =
    'it deletes what effects.delete does not cover (a, c); it changes what effects.write does not cover (b)'
  expect(ruleEffect(RULES, { changes, left_out: [] })).toMatchObject({ because, paths: ['a', 'b', 'c'] })
})

test('a file that comes back with the same content at another path was renamed', () => {
  const changes = [deleted('a'), deleted('b'), created('c'), created('d', OTHER)]
  expect(renamesIn({ changes, left_out: [] })).toEqual([{ from: 'a', to: 'c' }])
})

test('each change has its word', () => {
  const mode = (bits: number): EntryState => ({ ...FILE, mode: bits })
  const words = [
    created('a'),
    deleted('a'),
    changed('a'),
    { path: 'a', before: FILE, after: mode(0o755) },
    { path: 'a', before: FILE, after: mode(0o600) },
  ].map(changeWord)
  expect(words).toEqual(['created', 'deleted', 'changed', 'made executable', 'mode changed'])
})
