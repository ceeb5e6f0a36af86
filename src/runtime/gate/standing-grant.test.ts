import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Grant } from '../../core/hold/grant.ts'
import { DEFAULT_POLICY } from '../../core/policy/read-policy.ts'
import type { JsonObject } from '../../core/text/json.ts'
import type { Tool } from '../../ports/agent/tool.ts'
import { writeFile } from '../../tools/files/write-file.ts'
import { runCommand } from '../../tools/run-command/run-command.ts'
import { grantAmong } from './standing-grant.ts'

let workdir = ''

beforeEach(() => {
  workdir = mkdtempSync(join(realpathSync(tmpdir()), 'holdpoint-grants-'))
  for (const name of ['docs', '.git', 'build']) mkdirSync(join(workdir, name))
})

afterEach(() => rmSync(workdir, { recursive: true, force: true, maxRetries: 10 }))

async function covers(grant: Partial<Grant>, tool: Tool, args: JsonObject, at = workdir): Promise<boolean> {
  const given = { arguments: null, match: null, ...grant } as Grant
  return (
    (await grantAmong(async () => [given], { tool, args, ruled: { policy: DEFAULT_POLICY, workdir: at } })) !== null
  )
}

const page = { path: 'docs/out.md', content: 'x' }

test.each([{ arguments: page }, { match: { path: 'docs/*' } }])('P1: %j follows no link of a path', async grant => {
  expect(await covers(grant, writeFile(), page)).toBe(true)
  symlinkSync('../.git/config', join(workdir, 'docs/out.md'))
  expect(await covers(grant, writeFile(), page)).toBe(false)
})

const build = { command: './build.sh clean' }

test.each([{ arguments: build }, { match: { command: './build.sh *' } }])(
  'P1: %j is not for another program to which its path is a link',
  async grant => {
    writeFileSync(join(workdir, 'build.sh'), '')
    expect(await covers(grant, runCommand(), build)).toBe(true)
    rmSync(join(workdir, 'build.sh'))
    symlinkSync('/bin/rm', join(workdir, 'build.sh'))
    expect(await covers(grant, runCommand(), build)).toBe(false)
  },
)

test('P1: exact arguments are for the directory where they were allowed', async () => {
  const remove = { command: 'rm -rf build' }
  const grant = { arguments: remove, workdir }
  expect(await covers(grant, runCommand(), remove)).toBe(true)
  expect(await covers(grant, runCommand(), remove, '/')).toBe(false)
})

test('a grant of an older Holdpoint, which names no directory, is in force', async () => {
  const command = { command: '/bin/ls build | sort && npm test' }
  expect(await covers({ arguments: command }, runCommand(), command)).toBe(true)
})

test.each([
  ['cat docs/*', 'cat docs/a', true],
  ['cat docs/*', "cat 'docs/a b'", true],
  ['cat docs/*', 'cat docs/a /etc/passwd', false],
  ['rm build/*', 'rm build/a', true],
  ['rm build/*', 'rm build/a -rf src', false],
  ['cp docs/* out/*', 'cp docs/a out/b', true],
  ['cp docs/* out/*', 'cp docs/a .git/x out/b', false],
  ['git log *', 'git log -1 docs/a', true],
])('P1: a grant for %j covers %j: %j', async (pattern, command, expected) => {
  expect(await covers({ match: { command: pattern } }, runCommand(), { command })).toBe(expected)
})
