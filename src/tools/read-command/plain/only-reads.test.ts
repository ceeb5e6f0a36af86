import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rule } from '../../../core/policy/policy.ts'
import { readPolicy } from '../../../core/policy/read-policy.ts'
import { inspectCommandLine } from '../../run-command/run-command.ts'

const POLICY = readPolicy({ default: 'prompt', reads: 'auto' }, 'test')

let workdir: string

beforeAll(() => {
  workdir = mkdtempSync(join(tmpdir(), 'only-reads-'))
  mkdirSync(join(workdir, 'src/deep'), { recursive: true })
  mkdirSync(join(workdir, 'odd'))
  writeFileSync(join(workdir, 'src/a.ts'), 'a\n')
  writeFileSync(join(workdir, 'odd/a b.ts'), 'a\n')
  writeFileSync(join(workdir, 'odd/-delete'), 'a\n')
  symlinkSync('/etc/passwd', join(workdir, 'src/out.txt'))
  symlinkSync('/etc', join(workdir, 'src/etc'))
  symlinkSync('a.ts', join(workdir, 'src/same.ts'))
  mkdirSync(join(workdir, 'plain'))
  writeFileSync(join(workdir, 'plain/a.ts'), 'a\n')
  mkdirSync(join(workdir, 'nested/.git'), { recursive: true })
  mkdirSync(join(workdir, 'bare'))
  writeFileSync(join(workdir, 'bare/HEAD'), 'ref: refs/heads/main\n')
  mkdirSync(join(workdir, '.holdpoint'))
  writeFileSync(join(workdir, '.holdpoint/server-token'), 'x\n')
  execFileSync('git', ['init', '-q'], { cwd: workdir })
})

afterAll(() => rmSync(workdir, { recursive: true }))

async function verdict(command: string): Promise<string> {
  const facts = await inspectCommandLine(command, { workdir })
  return rule(POLICY, { tool: 'run_command', arguments: { command }, facts, needs_approval: null }).verdict
}

// biome-ignore format: a table
const OUTSIDE = [
  'cat src/out.txt', 'cat src/*', 'cat src/*.txt', 'head -5 src/out.txt', 'wc -l src/*.txt', 'grep -r x src/out.txt', 'grep -r x src/etc/',
  'for f in src/*; do cat "$f"; done', 'cd src/etc && ls', 'cd src && cat out.txt', 'cd src; cat etc/passwd', 'ls src/etc/', '[ -f src/out.txt ] && echo y',
  'F=src/out.txt; cat $F', 'git diff src/a.ts src/out.txt', 'find src/etc -name x', 'wc -l < src/out.txt', 'cd odd && cat *',
  'find odd -name "*.ts" | xargs cat', 'find . -name "*.ts" | xargs grep -l x', 'cat "$PWD/../x"', 'find src -print0 | xargs -0 cat',
  'find src -name "*.txt" | xargs cat', 'cat .?/x', 'ls .*', 'cat src/.?/../x', 'cat src/.[.]/x', 'cd src && cat etc/passwd', '[ -a /etc/passwd ]',
  'git blame -S /etc/passwd src/a.ts', 'git blame -S/etc/passwd src/a.ts', 'set',
]

// biome-ignore format: a table
const RUNS_MORE = [
  'for PATH in src; do git status; done', 'for HOME in src; do ls; done', 'for BASH_ENV in src/a.ts; do ls; done', 'read npm_config_script_shell; ls',
  'PATH=src; ls', 'TZ=:/etc/passwd date', 'LANG=/tmp/x ls', 'LC_ALL=../x ls', 'for LD_PRELOAD in src/a.ts; do ls; done', 'for GIT_DIR in nested/.git; do git status; done', 'read path_x PATH; ls',
  'cd nested && git status', 'cd bare && git log', '(cd nested; git diff)', 'for i in 1; do cd nested; done; git status',
]

test.each(RUNS_MORE)('P1: %j may run what it does not name, so it asks', async command => {
  expect(await verdict(command)).toBe('prompt')
})

// biome-ignore format: a table
const RECORDS = [
  'grep -r x .', 'grep -rn x', 'grep --recursive x .', 'grep -irn x ./', 'rg --hidden x', 'rg -uu x', 'rg -. x .', 'find . -type f | xargs cat',
  'find . -type f -print0 | xargs -0 grep x', 'cat .holdpoint/server-token', 'cat .h*/server-token', 'cat .holdpoin?/server-token', 'cd .holdpoint && cat server-token',
]

test.each(RECORDS)('P1: %j would read the records of Holdpoint, so it asks', async command => {
  expect(await verdict(command)).toBe('prompt')
})

test.each(OUTSIDE)('P1: %j may read what lies outside, so it asks', async command => {
  expect(await verdict(command)).toBe('prompt')
})

// biome-ignore format: a table
const INSIDE = [
  'TZ=Europe/Berlin date', 'LANG=de_DE.UTF-8 ls', 'CI=1 NODE_ENV=test ls',
  'cat src/a.ts', 'cat src/same.ts', 'cat src/*.ts', 'cat nowhere', 'for f in src/*.ts; do wc -l "$f"; done', 'cd src && cat a.ts', 'cd src/deep && ls',
  'find plain -name "*.ts" | xargs grep -l x', "grep -rn '--exclude-dir=.*' x .", 'rg x', 'find odd -name "*.ts" -print0 | xargs -0 cat', 'F=src/a.ts; cat $F', 'ls src', 'grep -rn x src',
  'cd "$(git rev-parse --show-toplevel)" && git status', 'wc -l < src/a.ts',
]

test.each(INSIDE)('%j only reads what lies inside, so it runs', async command => {
  expect(await verdict(command)).toBe('auto')
})

test('P1: the top of a repository that says it lies elsewhere is not known', async () => {
  execFileSync('git', ['config', 'core.worktree', '/etc'], { cwd: workdir })
  expect(await verdict('cd "$(git rev-parse --show-toplevel)" && ls')).toBe('prompt')
  execFileSync('git', ['config', '--unset', 'core.worktree'], { cwd: workdir })
})
