import { expect, test } from 'vitest'
import { aProject, command, type ProjectOptions } from './project.ts'

const SECRETS = {
  HOLDPOINT_BUNDLE_KEY: 'bundle-secret',
  HOLDPOINT_SEAL_KEY: 'a-key-of-the-records',
  HOLDPOINT_MCP_TOKEN: 'a-token-of-the-server',
  HOLDPOINT_LATER_KEY: 'later-secret',
  ANTHROPIC_API_KEY: 'provider-key',
  DEPLOY_TOKEN: 'deploy',
}
const script = [
  { calls: [command('t1', 'env > by-command')] },
  { calls: [{ id: 't2', name: 'run_command_task', args: { command: 'env > by-task' } }] },
  {
    calls: [
      { id: 't3', name: 'subagent_task', args: { prompt: 'look', model: 'script:child.json', tools: ['run_command'] } },
    ],
  },
  'Done.',
]
const child = JSON.stringify([{ calls: [command('c1', 'env > by-sub-agent')] }, 'Looked.'])
const TOOLS = ['run_command', 'run_command_task', 'subagent_task'].flatMap(name => ['-t', name])

/** The variables of `SECRETS` that a command, a task and a command of a sub-agent found. */
async function found(config?: ProjectOptions['config']) {
  const project = await aProject({
    script,
    files: { 'child.json': child },
    env: SECRETS,
    ...(config !== undefined && { config }),
  })
  await project.holdpoint('trust', '--yes')
  await project.holdpoint(...TOOLS, 'go')
  for (const { task_id, kind } of (await project.holdpoint('tasks', '--json')).json) {
    const first = await project.holdpoint('tasks', 'wait', task_id)
    expect(first).toMatchObject({ exit: kind === 'agent' ? 10 : 0 })
    if (kind !== 'agent') continue
    expect(await project.holdpoint('tasks', 'resume', task_id, '--approve', 'c1')).toMatchObject({ exit: 0 })
    expect(await project.holdpoint('tasks', 'wait', task_id)).toMatchObject({ exit: 0 })
  }
  const texts = await Promise.all(['by-command', 'by-task', 'by-sub-agent'].map(file => project.read(file)))
  await project[Symbol.asyncDispose]()
  const names = texts.map(text => text.split('\n').map(line => line.split('=')[0] ?? ''))
  expect(names.every(each => each.includes('PATH'))).toBe(true)
  return names.map(each => each.filter(name => Object.hasOwn(SECRETS, name)).toSorted())
}

test('a secret of Holdpoint reaches no command, no task and no sub-agent; other keys do', async () => {
  const others = ['ANTHROPIC_API_KEY', 'DEPLOY_TOKEN']
  expect(await found()).toEqual([others, others, others])
})

test('a project names the variables that commands, tasks and sub-agents are given', async () => {
  const one = ['DEPLOY_TOKEN']
  expect(await found({ environment: { pass: ['DEPLOY_*'] } })).toEqual([one, one, one])
})

test('P1: a secret that the settings of a channel name reaches none of them, also if the project passes it on', async () => {
  const notify = { channels: { webhook: { url: 'https://hooks.example', secret_env: 'DEPLOY_TOKEN' } } }
  expect(await found({ notify, environment: { pass: ['DEPLOY_*'] } })).toEqual([[], [], []])
})

const INTERACTIVE = { GIT_EDITOR: 'vim', PAGER: 'less' }

/** The lines about `INTERACTIVE` that a command and a task found. */
async function quietness(config: ProjectOptions['config']): Promise<string[][]> {
  const print = (file: string) => `echo "$GIT_EDITOR $GIT_TERMINAL_PROMPT $PAGER $GIT_PAGER" > ${file}`
  await using project = await aProject({
    script: [
      { calls: [command('t1', print('by-command'))] },
      { calls: [{ id: 't2', name: 'run_command_task', args: { command: print('by-task') } }] },
      'Done.',
    ],
    env: INTERACTIVE,
    config,
  })
  await project.holdpoint('trust', '--yes')
  await project.holdpoint('-t', 'run_command', '-t', 'run_command_task', 'go')
  const [{ task_id }] = (await project.holdpoint('tasks', '--json')).json
  await project.holdpoint('tasks', 'wait', task_id)
  return Promise.all(['by-command', 'by-task'].map(async file => (await project.read(file)).trim().split(' ')))
}

test('no editor, pager or question of git keeps a command or a task waiting, unless the project passes it on', async () => {
  const quiet = ['true', '0', 'cat', 'cat']
  expect(await quietness({})).toEqual([quiet, quiet])
  const own = ['vim', '0', 'less', 'cat']
  expect(await quietness({ environment: { pass: ['GIT_EDITOR', 'PAGER'] } })).toEqual([own, own])
})

/** An agent may work in the home of its user. */
const STATE_TOKEN = '.local/state/holdpoint/secrets/9c0f1d5e8a2b4736/server-token'

test('no agent reads a token of Holdpoint, whatever the policy says and by whatever path', async () => {
  const read = (id: string, path: string) => ({ id, name: 'read_file', args: { path } })
  await using project = await aProject({
    script: [
      {
        calls: [
          read('t1', '.holdpoint/mcp-token'),
          read('t2', 'link'),
          read('t3', '.holdpoint/notes'),
          read('t4', STATE_TOKEN),
        ],
      },
      'Done.',
    ],
    policy: { default: 'auto' },
    files: {
      '.holdpoint/mcp-token': 'sesame-sesame-sesame\n',
      '.holdpoint/notes': 'open\n',
      [STATE_TOKEN]: 'sesame-sesame-sesame\n',
    },
  })
  const { symlink } = await import('node:fs/promises')
  await symlink('.holdpoint/mcp-token', project.path('link'))
  const { json } = await project.holdpoint('-o', 'json', 'go')
  const results = (await project.messages(json.session_id))
    .filter(({ role }) => role === 'tool')
    .map(each => JSON.stringify(each))
  expect(results).toHaveLength(4)
  expect(results.join()).not.toContain('sesame')
  expect(results.map(text => text.includes('SECRET_FILE'))).toEqual([true, true, false, true])
})

test('a command that names the token always asks', async () => {
  await using project = await aProject({
    script: [{ calls: [command('t1', 'cat .holdpoint/mcp-token')] }, 'Done.'],
    policy: { default: 'auto' },
    files: { '.holdpoint/mcp-token': 'sesame-sesame-sesame\n' },
  })
  expect(await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')).toMatchObject({ exit: 10 })
})
