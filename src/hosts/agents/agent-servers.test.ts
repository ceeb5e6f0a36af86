import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Profile } from '../../core/run/profile.ts'
import { readMcpServers } from '../../core/settings/mcp-servers.ts'
import { PASS_ALL } from '../../ports/process/command-environment.ts'
import { recordTrust } from '../project/trust.ts'
import { AgentServers } from './agent-servers.ts'

/** To start it fails, and says which one it was. */
const broken = (name: string) => ({ command: join('/there/is/none', name) })

let directory: string

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'holdpoint-servers-'))
  mkdirSync(join(directory, '.holdpoint'))
  const config = { mcpServers: { github: broken('github'), git: broken('git') } }
  writeFileSync(join(directory, '.holdpoint/config.json'), JSON.stringify(config))
  const mcp_servers = readMcpServers(config.mcpServers)
  await recordTrust(directory, { agent: null, mcp_servers }, { XDG_CONFIG_HOME: directory })
})
afterEach(() => rmSync(directory, { recursive: true }))

function profile(places: Partial<Profile>): Profile {
  return { project: null, ...places } as Profile
}

async function asked(
  places: Partial<Profile>,
  ...wanted: Parameters<AgentServers['tools']>[1][number][]
): Promise<string> {
  const servers = readMcpServers({ own: broken('own') })
  await using all = new AgentServers({
    environment: { XDG_CONFIG_HOME: directory },
    directory: '/',
    pass: PASS_ALL,
    servers,
  })
  return all
    .tools(profile(places), wanted)
    .then(({ leftOut }) => (leftOut[0] ? `${brokenIn(leftOut[0].error)}, in vain` : 'none'), brokenIn)
}

function brokenIn({ message }: Error): string {
  return /there\/is\/none\/(\w+)/.exec(message)?.[1] ?? message
}

test.each([
  ['none', [[]]],
  ['none', [['run_command', 'read_*', 'github', 'github_x*']]],
  ['none', [['github__x'], ['git__x']]],
  ['github', [['github__x']]],
  ['github', [['github__*'], null]],
  ['github, in vain', [['gith*'], ['*__x']]],
  ['github, in vain', [null, null]],
  ['github', [null, ['github__x']]],
  ['git', [['git__*']]],
] as const)('%s is started for %j', async (server, wanted) => {
  expect(await asked({ configured_in: directory }, ...wanted)).toBe(server)
})

test('the servers are those of the directory in which the run was started, while it is there', async () => {
  const there = ['github__x', 'own__x']
  expect(await asked({ configured_in: directory, project: '/' }, there)).toBe('github')
  expect(await asked({ configured_in: '/there/is/none', project: directory }, there)).toBe('github')
  expect(await asked({ project: directory }, there)).toBe('github')
  expect(await asked({ configured_in: '/', project: directory }, there)).toBe('none')
  expect(await asked({}, there)).toBe('own')
})
