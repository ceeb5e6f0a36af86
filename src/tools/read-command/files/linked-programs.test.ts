import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rule } from '../../../core/policy/policy.ts'
import { readPolicy } from '../../../core/policy/read-policy.ts'
import { inspectCommand } from '../inspect-command.ts'

let workdir = ''
beforeAll(() => {
  workdir = mkdtempSync(join(tmpdir(), 'holdpoint-links-'))
  symlinkSync('/bin/rm', join(workdir, 'x'))
  symlinkSync('x', join(workdir, 'y'))
  symlinkSync('loop', join(workdir, 'loop'))
  writeFileSync(join(workdir, 'build.sh'), '')
  symlinkSync('build.sh', join(workdir, 'b'))
  symlinkSync(process.execPath, join(workdir, 'node'))
  symlinkSync(process.execPath, join(workdir, 'tool'))
})
afterAll(() => rmSync(workdir, { recursive: true }))

const match = { command: 'rm *' }
const NO_RM = readPolicy({ default: 'auto', rules: [{ tool: 'run_command', match, policy: 'never' }] }, 'policy.json')

test.each([
  ['./x v', 'never'],
  ['sudo ./x v', 'never'],
  ['bash -c "./y v"', 'never'],
  ['./b', 'auto'],
  ['./build.sh', 'auto'],
  ['./loop', 'auto'],
  ['cat ./x', 'auto'],
])('P1: a program is also what its path leads to by links as they are now: %s is %s', async (command, verdict) => {
  const facts = await inspectCommand(command, workdir)
  expect(rule(NO_RM, { tool: 'run_command', arguments: { command }, facts, needs_approval: null }).verdict).toBe(
    verdict,
  )
})

const PERMITTED = ['./build.sh *', './b *', './x *', './node *', './tool *']
const rules = PERMITTED.map(command => ({ tool: 'run_command', match: { command }, policy: 'auto' }))
const PERMITS = readPolicy({ default: 'prompt', rules }, 'policy.json')

test.each([
  ['./build.sh v', 'auto'],
  ['./b v', 'auto'],
  ['./node v', 'auto'],
  ['./x v', 'prompt'],
  ['./tool v', 'prompt'],
])(
  'P1: a rule that permits a path does not permit the program of another name it leads to: %s is %s',
  async (command, verdict) => {
    const facts = await inspectCommand(command, workdir)
    expect(rule(PERMITS, { tool: 'run_command', arguments: { command }, facts, needs_approval: null }).verdict).toBe(
      verdict,
    )
  },
)
