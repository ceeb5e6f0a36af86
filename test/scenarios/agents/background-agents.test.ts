import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openDatabase } from '../../open-database.ts'
import { aProject, effect, type Project } from '../project.ts'
import { agentNamed, agents, type Document, endAgents, until } from './agents.ts'

const DEPLOY = [
  { text: 'I am about to apply.', calls: [effect('tc_1', 'applied')] },
  { text: 'Deployed.' },
  { text: 'More is done.' },
]
const SLOW = [{ text: 'Slow.', delay_ms: 60_000 }]
const TALK = [{ text: 'One.' }, { text: 'Two.' }]
const ASKS = { tools: { run_command: 'prompt' } }

function aDeployer(): Promise<Project> {
  return aProject({
    script: DEPLOY,
    policy: ASKS,
    files: { 'slow.json': JSON.stringify(SLOW), 'talk.json': JSON.stringify(TALK) },
  })
}

test('an agent is spawned, asks as a hold, is approved elsewhere, goes on, and is told more', async () => {
  await using project = await aDeployer()
  const spawned = await agents(project, 'spawn', '--name', 'deployer', 'deploy')
  expect(spawned).toMatchObject({ exit: 0, stdout: expect.stringMatching(/^deployer \(task_\w{16}\) {2}spawning: /) })
  const waiting = await until(project, 'deployer', 'waiting')
  expect(waiting).toMatchObject({ holds: 1, because: 'one hold waits for a person' })
  // The agent waits from the moment at which its run does; its process ends a little later.
  expect((await project.holdpoint('tasks', 'wait', waiting.id)).exit).toBe(10)
  const [hold] = (await project.holdpoint('holds', '--json')).json
  expect(hold).toMatchObject({ run_id: waiting.run_id, call_id: 'tc_1' })

  expect((await project.holdpoint('approve', hold.id)).exit).toBe(0)
  expect(await until(project, 'deployer', 'done')).toMatchObject({ holds: 0 })
  expect(await project.effects()).toEqual(['applied'])

  const more = await agents(project, 'send', 'deployer', '--wait', 'and', 'more')
  expect(more).toMatchObject({ exit: 0, stdout: 'More is done.\n' })
  expect((await agentNamed(project, 'deployer')).session_id).toBe(waiting.session_id)
  expect((await agents(project, 'logs', 'deployer')).stdout).toBe(`ana: deploy
deployer: I am about to apply.
? run_command  echo applied >> effects.log · waits (approval): tools.run_command: prompt
! ana says approve to tc_1
· run_command  echo applied >> effects.log
✓ run_command  echo applied >> effects.log
deployer: Deployed.
= the agent is done
ana: and more
deployer: More is done.
= the agent is done
`)
})

test('a call that was not granted is denied on the first turn and on each later one, and nothing is denied in silence', async () => {
  const twice = [
    { calls: [effect('tc_1', 'one')] },
    { text: 'Not done.' },
    { calls: [effect('tc_2', 'two')] },
    { text: 'Not done either.' },
  ]
  await using project = await aProject({ script: twice, policy: { default: 'never' } })
  await agents(project, 'spawn', '--name', 'denied', 'go')
  await until(project, 'denied', 'done', 'waiting')
  for (const [hold] = (await project.holdpoint('holds', '--json')).json; hold; ) {
    expect((await project.holdpoint('reject', hold.id)).exit).toBe(0)
    break
  }
  await until(project, 'denied', 'done')
  await agents(project, 'send', 'denied', 'again')
  await until(project, 'denied', 'done', 'waiting')
  for (const { id } of (await project.holdpoint('holds', '--json')).json) await project.holdpoint('reject', id)
  await until(project, 'denied', 'done')
  expect(await project.effects()).toEqual([])
})

test('agents are named by id, by the beginning of one, or by name; what is ambiguous is refused with the candidates', async () => {
  await using project = await aDeployer()
  const talker = ['--model', 'script:talk.json']
  const { id }: Document = (await agents(project, 'spawn', '--name', 'one', ...talker, '--json', 'go')).json
  await until(project, 'one', 'done')
  const ids = [id.slice('task_'.length, -8), id.slice(0, -4), id, 'one']
  for (const named of ids) expect((await agentNamed(project, named)).id).toBe(id)
  const second: Document = (await agents(project, 'spawn', '--name', 'two', ...talker, '--json', 'go')).json
  const short = await agents(project, 'show', 'task_', '--json')
  expect(short).toMatchObject({ exit: 2, json: { error: { code: 'ambiguous_id' } } })
  expect(short.json.error.hint).toContain(`${id} (one)`)
  expect(short.json.error.hint).toContain(`${second.id} (two)`)
  expect(await agents(project, 'show', 'three', '--json')).toMatchObject({
    exit: 2,
    json: { error: { code: 'unknown_agent' } },
  })
  await until(project, 'two', 'done')
})

test('tasks takes the name of an agent for that of its task', async () => {
  await using project = await aDeployer()
  const spawned = ['spawn', '--name', 'one', '--model', 'script:talk.json', '--json', 'go']
  const { id }: Document = (await agents(project, ...spawned)).json
  await until(project, 'one', 'done')
  for (const verb of ['show', 'logs', 'wait']) {
    const named = await project.holdpoint('tasks', verb, 'one', '--json')
    expect(named).toMatchObject({ exit: 0, stdout: expect.stringContaining(id) })
  }
  const unknown = await project.holdpoint('tasks', 'logs', 'three', '--json')
  expect(unknown).toMatchObject({ exit: 2, json: { error: { code: 'unknown_task' } } })
})

test('a name is taken while its agent is not over, and the newest one has it afterwards', async () => {
  await using project = await aDeployer()
  const spawn = () => agents(project, 'spawn', '--name', 'deployer', '--json', 'deploy')
  const first: Document = (await spawn()).json
  expect(await spawn()).toMatchObject({ exit: 2, json: { error: { code: 'name_taken' } } })
  await until(project, 'deployer', 'waiting')
  expect((await agents(project, 'kill', 'deployer')).stdout).toContain('killed: it was ended for good')
  const second: Document = (await spawn()).json
  expect((await agentNamed(project, 'deployer')).id).toBe(second.id)
  expect((await agentNamed(project, first.id)).status).toBe('killed')
  await endAgents(project)
})

test.each([
  ['--name', '../../x'],
  ['--name', 'task_1'],
  ['--name', ''],
  ['--idle-timeout', '-1'],
  ['--idle-timeout', 'soon'],
  ['--idle-timeout', '604801'],
  ['--on-idle', 'explode'],
  ['--timeout', '0'],
  ['--max-steps', '1.5'],
])('%s %j is refused before anything is started', async (flag, value) => {
  await using project = await aDeployer()
  const refused = await agents(project, 'spawn', '--interactive', `${flag}=${value}`, '--json', 'deploy')
  expect(refused).toMatchObject({ exit: 2, json: { error: { code: 'invalid_arguments' } } })
  expect(project.exists('.holdpoint', 'holdpoint.db')).toBe(false)
})

test.each([
  [{ interactive: 'yes' }, 'interactive: must be true or false, not "yes"'],
  [{ idle_timeout: -5 }, 'idle_timeout: must be seconds from 0'],
  [{ on_idle: 'stay' }, 'on_idle: must be one of end, park'],
])('a configuration with %j is refused, with the place', async (config, why) => {
  await using project = await aProject({ script: TALK, config })
  const refused = await agents(project, 'spawn', '--json', 'go')
  expect(refused).toMatchObject({ exit: 2, json: { error: { code: 'invalid_config' } } })
  expect(refused.json.error.message).toContain(why)
})

test('the front matter of an agent is refused if it says how long to idle in a way that cannot be', async () => {
  const files = { '.holdpoint/agents/slow.md': '---\nidle_timeout: soon\n---\n\nTalk.\n' }
  await using project = await aProject({ script: TALK, files })
  const refused = await agents(project, 'spawn', '--agent', 'slow', '--json', 'go')
  expect(refused).toMatchObject({ exit: 2, json: { error: { code: 'invalid_agent' } } })
  expect(refused.json.error.message).toContain('idle_timeout must be seconds from 0 (no limit)')
})

test('without a prompt, and with flags of another verb, nothing is started', async () => {
  await using project = await aDeployer()
  expect((await agents(project, 'spawn', '--json')).json.error.code).toBe('no_prompt')
  expect((await agents(project, 'list', '--worktree', '--json')).json.error.code).toBe('invalid_arguments')
  expect((await agents(project, 'spwan', 'x', '--json')).json.error.code).toBe('unknown_command')
})

test('the same message sent many times with one id is one, also to an agent that is done', async () => {
  await using project = await aDeployer()
  await agents(project, 'spawn', '--name', 'talker', '--model', 'script:talk.json', 'go')
  await until(project, 'talker', 'done')
  const send = () => agents(project, 'send', 'talker', '--input-id', 'i1', '--json', 'again')
  const sent = await Promise.all(Array.from({ length: 6 }, send))
  const outcomes = sent.map(({ json }) => json.outcome).toSorted()
  expect(outcomes).toEqual([...Array(5).fill('duplicate'), 'started'])
  await until(project, 'talker', 'done')
  const { stdout } = await agents(project, 'logs', 'talker')
  expect(stdout.split('\n').filter(line => line === 'ana: again')).toHaveLength(1)
})

test('one that is killed takes no message, is started anew under its name, and goes off the list', async () => {
  await using project = await aDeployer()
  await agents(project, 'spawn', '--name', 'sloth', '--model', 'script:slow.json', 'sleep')
  const { id, session_id } = await until(project, 'sloth', 'running')
  expect(await agents(project, 'rm', 'sloth', '--json')).toMatchObject({
    exit: 2,
    json: { error: { code: 'agent_not_over' } },
  })
  expect((await agents(project, 'kill', 'sloth', '--reason', 'too slow')).exit).toBe(0)
  expect((await agents(project, 'kill', 'sloth', '--json')).json.error.code).toBe('task_over')
  expect((await agents(project, 'send', 'sloth', 'wake up', '--json')).json.error.code).toBe('ended')

  const again: Document = (await agents(project, 'respawn', 'sloth', '--json')).json
  expect(again).toMatchObject({ name: 'sloth', title: 'sleep' })
  expect([again.id, again.session_id]).not.toContain(id)
  expect((await agents(project, 'logs', again.id)).stdout).toContain('ana: sleep\n')
  await endAgents(project)
  expect((await agents(project, 'rm', id, '--json')).json).toMatchObject({ id, status: 'killed' })
  expect((await agents(project, '--json')).json.map((agent: Document) => agent.id)).toEqual([again.id])
  expect((await project.holdpoint('threads', 'show', session_id, '--json')).exit).toBe(0)
})

test('a fork goes on from where the other one stands, in a session of its own', async () => {
  await using project = await aDeployer()
  await agents(project, 'spawn', '--name', 'deployer', 'deploy')
  const first = await until(project, 'deployer', 'waiting')
  const forked: Document = (await agents(project, 'fork', 'deployer', '--name', 'other', '--json')).json
  expect(forked.session_id).not.toBe(first.session_id)
  const other = await until(project, 'other', 'waiting')
  const [hold] = (await project.holdpoint('holds', '--run', other.run_id, '--json')).json
  await project.holdpoint('reject', hold.id)
  await until(project, 'other', 'done')
  expect(await agentNamed(project, 'deployer')).toMatchObject({ status: 'waiting' })
  expect((await agents(project, 'fork', 'other', '--json')).json.error.code).toBe('no_prompt')
  const third: Document = (await agents(project, 'fork', 'other', '--name', 'third', '--json', 'and now this')).json
  await until(project, third.id, 'done')
  expect((await agents(project, 'logs', 'third')).stdout).toContain('ana: and now this\n')
  await endAgents(project)
})

test('the list shows those first for which a person is needed, and followed logs end with their agent', async () => {
  await using project = await aDeployer()
  await agents(project, 'spawn', '--name', 'waits', 'deploy')
  await until(project, 'waits', 'waiting')
  const follow = project.run(['agents', 'logs', 'waits', '--follow'])
  await agents(project, 'spawn', '--name', 'talks', '--model', 'script:talk.json', 'go')
  await until(project, 'talks', 'done')
  expect((await agents(project, '--json')).json.map((agent: Document) => agent.name)).toEqual(['waits', 'talks'])
  const { stdout } = await agents(project, 'list')
  expect(stdout).toMatch(/^AGENT +NAME +STATUS +OF +HOLDS +UPDATED +TITLE\ntask_\w+ +waits +waiting +default +1 /)
  expect((await agents(project, '--status', 'done', '--json')).json).toHaveLength(1)
  await project.holdpoint('reject', 'tc_1')
  expect(await follow).toMatchObject({ exit: 0, stdout: expect.stringMatching(/deployer|waits: Deployed\.\n= /) })
})

test('a page of the list has as many agents as asked for, first those that are not over, and the next one goes on', async () => {
  await using project = await aDeployer()
  for (const name of ['a', 'b', 'c'])
    await agents(project, 'spawn', '--name', name, '--model', 'script:talk.json', 'go')
  for (const name of ['a', 'b', 'c']) await until(project, name, 'done')
  for (const name of ['x', 'y']) await agents(project, 'spawn', '--name', name, 'deploy')
  for (const name of ['x', 'y']) await until(project, name, 'waiting')
  const pages: string[][] = []
  for (let after: string | null = null; ; after = pages.flat().at(-1) ?? null) {
    const words: string[] = after === null ? [] : ['--after', after]
    const { json } = await agents(project, '--limit', '2', '--json', ...words)
    if (json.length === 0) break
    pages.push(json.map(({ name }: Document) => name))
  }
  expect(pages.map(page => page.length)).toEqual([2, 2, 1])
  expect([pages[0]?.toSorted(), pages.flat().toSorted()]).toEqual([
    ['x', 'y'],
    ['a', 'b', 'c', 'x', 'y'],
  ])
  await endAgents(project)
})

test('an agent is ended once it waits for a message, and is told to wait before that', async () => {
  await using project = await aDeployer()
  await agents(project, 'spawn', '--interactive', '--name', 'talks', 'deploy')
  await until(project, 'talks', 'waiting')
  expect(await agents(project, 'end', 'talks')).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('holdpoint agents kill talks'),
  })
  await project.holdpoint('approve', 'tc_1')
  await until(project, 'talks', 'idle')
  expect(await agents(project, 'end', 'talks')).toMatchObject({ exit: 0 })
  await until(project, 'talks', 'done')
  expect(await agents(project, 'end', 'talks')).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('nothing to end'),
  })
})

test('who waits for an agent is told once it needs somebody, is idle or is over, and leaves it as it is', async () => {
  await using project = await aDeployer()
  await agents(project, 'spawn', '--interactive', '--name', 'talks', 'deploy')
  const wait = () => agents(project, 'wait', 'talks', '--json')
  expect(await wait()).toMatchObject({ exit: 10, json: { name: 'talks', status: 'waiting', holds: 1 } })
  await project.holdpoint('approve', 'tc_1')
  const { exit, stdout } = await agents(project, 'wait', 'talks')
  expect([exit, stdout]).toEqual([0, expect.stringMatching(/\S/)])
  await agents(project, 'kill', 'talks')
  expect(await wait()).toMatchObject({ exit: 1, json: { status: 'killed' } })
  expect(await agents(project, 'wait', 'nobody', '--json')).toMatchObject({
    exit: 2,
    json: { error: { code: 'unknown_agent' } },
  })
  expect(await agents(project, 'wait')).toMatchObject({ exit: 2, stderr: expect.stringContaining('Usage:') })
})

test('an agent that another agent started is on the list of all', async () => {
  await using project = await aProject({
    script: [
      { calls: [{ id: 't1', name: 'subagent_task', args: { prompt: 'go', model: 'script:talk.json' } }] },
      { text: 'Delegated.' },
    ],
    policy: { default: 'auto' },
    files: { 'talk.json': JSON.stringify(TALK) },
  })
  const parent = await project.holdpoint('-a', '-t', 'subagent_task', '-o', 'json', 'delegate')
  const [child] = (await agents(project, '--json')).json
  expect(child).toMatchObject({ name: null, parent_run_id: parent.json.run_id })
  await until(project, child.id, 'done')
})

test('an agent starts one that stays, waits for it, and says more to it', async () => {
  const child = { prompt: 'go', model: 'script:talk.json', interactive: true }
  await using project = await aProject({
    script: [
      { calls: [{ id: 't1', name: 'subagent_task', args: child }] },
      { text: 'Delegated.' },
      { calls: [{ id: 't2', name: 'send_message', args: { task_id: 'TASK', text: 'and more', input_id: 'i1' } }] },
      { text: 'Told.' },
    ],
    policy: { default: 'auto' },
    files: { 'talk.json': JSON.stringify(TALK) },
  })
  const tools = ['-t', 'subagent_task', '-t', 'send_message']
  const parent = await project.holdpoint('--pause-on', 'input', ...tools, '-o', 'json', 'delegate')
  const [{ id }] = (await agents(project, '--json')).json
  await until(project, id, 'idle')
  expect((await project.holdpoint('tasks', 'wait', id)).exit).toBe(10)
  await project.write('script.json', (await project.read('script.json')).replace('TASK', id))
  const told = await project.holdpoint('-c', parent.json.checkpoint_id, '-o', 'json', 'tell it more')
  expect(told).toMatchObject({ exit: 0, json: { final_message: 'Told.' } })
  await until(project, id, 'idle')
  expect((await agents(project, 'logs', id)).stdout).toMatch(/^agent:default\/run_\w+: and more\n/m)
  await endAgents(project)
})

test('a row that cannot be read is listed as such, and hides no other agent', async () => {
  await using project = await aDeployer()
  const talker = ['--model', 'script:talk.json']
  const { id }: Document = (await agents(project, 'spawn', '--name', 'one', ...talker, '--json', 'go')).json
  await until(project, 'one', 'done')
  await agents(project, 'spawn', '--name', 'two', ...talker, 'go')
  await until(project, 'two', 'done')
  {
    using database = openDatabase(join(project.directory, '.holdpoint', 'holdpoint.db'))
    database.prepare(`UPDATE tasks SET details = '{"name": "on' WHERE id = ?`).run(id)
    database
      .prepare(`UPDATE task_invocations SET argv = '[' WHERE task = (SELECT number FROM tasks WHERE id = ?)`)
      .run(id)
  }
  const { json } = await agents(project, '--json')
  expect(json).toMatchObject([
    { name: 'two', status: 'done' },
    { id, name: null, status: 'done' },
  ])
  expect(json[1].because).toContain('a part of its row cannot be read')
})
