import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { aProject, command, type Project } from '../project.ts'
import { aServer } from '../server/server-process.ts'
import { agentNamed, agents, endAgents, until } from './agents.ts'

const WRITES = [
  {
    calls: [
      { id: 'tc_1', name: 'write_file', args: { path: 'docs/new.md', content: 'new\n' } },
      { id: 'tc_2', name: 'write_file', args: { path: '.holdpoint/x', content: 'records\n' } },
    ],
  },
  { text: 'Written.' },
]
const COMMITS = [
  { calls: [command('tc_1', 'echo more > new.md && git add new.md && git commit -qm "Add more"')] },
  { text: 'Committed.' },
]
const POLICY = { default: 'auto', rules: [{ tool: 'write_file', match: { path: 'docs/**' }, policy: 'auto' }] }

function git(project: Project, ...args: string[]): string {
  const signed = ['-c', 'user.name=ana', '-c', 'user.email=ana@example.org']
  const env = { ...project.environment, GIT_CONFIG_NOSYSTEM: '1' }
  return execFileSync('git', [...signed, ...args], { cwd: project.directory, env, encoding: 'utf8' })
}

async function aRepository(script: readonly unknown[]): Promise<Project> {
  const signed = {
    GIT_AUTHOR_NAME: 'ana',
    GIT_AUTHOR_EMAIL: 'a@b',
    GIT_COMMITTER_NAME: 'ana',
    GIT_COMMITTER_EMAIL: 'a@b',
  }
  const project = await aProject({ script, policy: POLICY, files: { 'docs/old.md': 'old\n' }, env: signed })
  git(project, 'init', '-q', '-b', 'main')
  git(project, 'add', 'docs')
  git(project, 'commit', '-qm', 'Begin')
  return project
}

const spawn = (project: Project, name = 'writer') =>
  agents(project, 'spawn', '--worktree', '--name', name, '--json', 'write')

test('P1: a worktree is made and removed without the programs that its repository names for git', async () => {
  await using project = await aRepository([{ text: 'Nothing to do.' }])
  const ran = project.path('ran')
  const program = `#!/bin/sh\necho "$0" >> ${ran}\n`
  const monitor = project.path('monitor')
  for (const file of [project.path('.git', 'hooks', 'post-checkout'), monitor]) {
    writeFileSync(file, program)
    chmodSync(file, 0o755)
  }
  git(project, 'config', 'core.fsmonitor', monitor)
  // They do run where somebody else's git looks.
  git(project, 'checkout', '-q', 'main')
  expect(readFileSync(ran, 'utf8')).toContain('post-checkout')
  rmSync(ran)
  expect((await spawn(project)).exit).toBe(0)
  await until(project, 'writer', 'done')
  expect((await agents(project, 'rm', 'writer', '--json')).exit).toBe(0)
  expect(project.exists('ran')).toBe(false)
})

test('an agent in a worktree writes there and nowhere else, by the rules of the project, and its work is not lost', async () => {
  await using project = await aRepository(WRITES)
  const { json, exit } = await spawn(project)
  const path = realpathSync(project.path('.holdpoint-worktrees', 'writer'))
  expect([exit, json.worktree]).toEqual([0, { path, branch: 'holdpoint/writer' }])
  // P1: only the records ask.
  await until(project, 'writer', 'waiting')
  const [hold, ...more] = (await project.holdpoint('holds', '--json')).json
  expect([hold.call_id, more]).toEqual(['tc_2', []])
  await project.holdpoint('reject', hold.id)
  await until(project, 'writer', 'done')
  expect(await project.read('.holdpoint-worktrees', 'writer', 'docs', 'new.md')).toBe('new\n')
  expect(project.exists('docs', 'new.md')).toBe(false)
  expect(git(project, 'status', '--porcelain')).toBe('?? .holdpoint/\n?? script.json\n')

  const refused = await agents(project, 'rm', 'writer', '--json')
  expect(refused).toMatchObject({ exit: 2, json: { error: { code: 'worktree_not_saved' } } })
  expect(refused.json.error.message).toContain('1 file not committed (docs/new.md)')
  expect(project.exists('.holdpoint-worktrees', 'writer', 'docs', 'new.md')).toBe(true)
  expect((await agentNamed(project, 'writer')).status).toBe('done')
  expect((await agents(project, 'rm', 'writer', '--discard')).exit).toBe(0)
  expect(project.exists('.holdpoint-worktrees', 'writer')).toBe(false)
  expect(git(project, 'branch', '--format=%(refname:short)')).toBe('main\n')
})

test('commits that are on no other branch are kept until they are merged', async () => {
  await using project = await aRepository(COMMITS)
  await spawn(project)
  await until(project, 'writer', 'done', 'waiting')
  for (const { id } of (await project.holdpoint('holds', '--json')).json) await project.holdpoint('approve', id)
  await until(project, 'writer', 'done')
  const refused = await agents(project, 'rm', 'writer', '--json')
  expect(refused.json.error).toMatchObject({ code: 'worktree_not_saved' })
  expect(refused.json.error.message).toMatch(/1 commit on no other branch \(\w+ Add more\)/)
  git(project, 'merge', '-q', '--no-edit', 'holdpoint/writer')
  expect((await agents(project, 'rm', 'writer')).exit).toBe(0)
  expect(await project.read('new.md')).toBe('more\n')
  expect(git(project, 'branch', '--format=%(refname:short)')).toBe('main\n')
})

test('no verb but rm touches a worktree, and one that is started anew works in it', async () => {
  await using project = await aRepository(WRITES)
  await spawn(project)
  await until(project, 'writer', 'waiting')
  const kept = () => project.exists('.holdpoint-worktrees', 'writer', 'docs', 'new.md')
  await agents(project, 'kill', 'writer')
  const { id } = await agentNamed(project, 'writer')
  expect(kept()).toBe(true)
  await agents(project, 'respawn', 'writer')
  await until(project, 'writer', 'waiting')
  expect((await agents(project, 'rm', id)).stdout).toContain('is off the list. Its session stays')
  expect(kept()).toBe(true)
  mkdirSync(project.path('.holdpoint-worktrees', 'forgotten'))
  expect((await project.holdpoint('daemon', 'gc', '--json')).json.worktrees).toEqual([
    realpathSync(project.path('.holdpoint-worktrees', 'forgotten')),
  ])
  await endAgents(project)
  expect(kept()).toBe(true)
})

test('without a repository, without a commit, or with a taken branch nothing is started', async () => {
  await using bare = await aProject({ script: WRITES })
  expect((await spawn(bare)).json.error.code).toBe('no_repository')
  git(bare, 'init', '-q')
  expect((await spawn(bare)).json.error.code).toBe('no_repository')
  await using project = await aRepository(WRITES)
  git(project, 'branch', 'holdpoint/writer')
  expect((await spawn(project)).json.error.code).toBe('worktree_exists')
  expect(git(project, 'worktree', 'list').trim().split('\n')).toHaveLength(1)
})

test('P2: of spawns with one key, sent again and at once, one makes an agent and a worktree', async () => {
  await using project = await aRepository(WRITES)
  await using server = await aServer(project, '--no-work')
  const ask = (key: string, body: object) =>
    server.send('/v1/agents', { body: { worktree: true, ...body }, headers: { 'idempotency-key': key } })
  const asked = { input: 'write', name: 'writer' }
  for (const [key, body] of [
    ['k-1', asked],
    ['k-2', { input: 'write' }],
  ] as const) {
    const answers = await Promise.all(Array.from({ length: 4 }, () => ask(key, body)))
    answers.push(await ask(key, body))
    const [first] = answers
    expect(first?.json.worktree.branch).toMatch(/^holdpoint\/(writer|agent-.+)$/)
    expect(answers.map(({ status, json }) => [status, json.code ?? json.id])).toEqual(
      Array(5).fill([201, first?.json.id]),
    )
  }
  expect((await server.send('/v1/agents')).json.agents).toHaveLength(2)
  expect(git(project, 'worktree', 'list').trim().split('\n')).toHaveLength(3)

  const other = await ask('k-1', { ...asked, input: 'write more' })
  expect([other.status, other.json.code]).toEqual([409, 'start_id_taken'])
  await endAgents(project)
})

test('several worktrees that are made at once in one repository are all made, also by several processes', async () => {
  await using project = await aRepository(WRITES)
  const names = ['a', 'b', 'c', 'd', 'e', 'f']
  const spawned = await Promise.all(names.map(name => spawn(project, name)))
  expect(spawned.map(({ exit, json }) => [exit, json.error ?? json.name])).toEqual(names.map(name => [0, name]))
  await endAgents(project)
})
