/**
 * Thirteen faults of a well-known daemon of this kind, each as a story that does not happen here. Those without a story
 * below are played elsewhere, under the title that the table names.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { anAgent, type Frame } from '../attach/agent-stage.ts'
import { isAlive } from '../processes.ts'
import { aProject, command, effect } from '../project.ts'
import { processesOn } from '../tasks/task-faults.ts'
import { agentNamed, agents, endAgents, until } from './agents.ts'
import { rowsOf } from './fleet-rows.ts'

interface Fault {
  readonly fault: string
  readonly file: string
  /** The title of each story that shows that it does not happen here. */
  readonly stories: readonly string[]
}

const HERE = 'agents/thirteen-faults.test.ts'

const FAULTS: readonly Fault[] = [
  {
    fault: 'A viewer without a terminal ends the agent, because its input ends.',
    file: 'agents/attached-agents.test.ts',
    stories: [
      'a viewer without a terminal ends nothing when its input ends, and sees what happens until the agent is over',
    ],
  },
  {
    fault: 'After a restart of the daemon, agents that idle are told as crashed.',
    file: HERE,
    stories: ['agents that idle and wait are told as such while no daemon runs, and by the next one'],
  },
  {
    fault: 'The idle timeout never fires once somebody attached and left, or was cut.',
    file: 'attach/idling.test.ts',
    stories: [
      'a client that watches stops the clock, and once it has left the clock runs again',
      'a client that is not heard of counts as one that left, and a ping is enough to stay',
    ],
  },
  {
    fault: 'A stale socket keeps the daemon, or an agent, from ever starting again.',
    file: 'server/daemon.test.ts',
    stories: ['after a kill -9 the next one takes its place, and the stale socket goes'],
  },
  {
    fault: 'A message is not acknowledged: one that finds the queue full is dropped without a word.',
    file: HERE,
    stories: ['each message is acknowledged once it is durable, and one that finds the queue full is refused'],
  },
  {
    fault: 'A message has no id: one that is sent again, because the connection was cut, is heard twice.',
    file: 'attach/attaching.test.ts',
    stories: ['P2: one id is one message, over three connections and other doors'],
  },
  {
    fault: 'A frame that cannot be read is passed over, and its sender waits for good.',
    file: 'attach/attaching.test.ts',
    stories: ['bad frames are answered, and the connection survives them all'],
  },
  {
    fault: 'A pid that was given to another process since gets the signal.',
    file: 'agents/agent-crashes.test.ts',
    stories: [
      'P4: the ids of its processes were given to another process, the agent %s, and that other process gets no signal',
    ],
  },
  {
    fault: 'An agent is told as idle between two messages that both wait already.',
    file: HERE,
    stories: ['an agent with messages that wait is not told as idle before it has heard them all'],
  },
  {
    fault: 'One who attaches late sees neither what was asked before, nor what the others said.',
    file: 'attach/attaching.test.ts',
    stories: ['P2: open holds are in the welcome, a viewer decides, and each that is attached sees the agent go on'],
  },
  {
    fault: 'An agent is told as killed while it still runs, because it ignores the signal.',
    file: HERE,
    stories: ['an agent whose command ignores the signal is told as killing until nothing of it runs'],
  },
  {
    fault: 'An agent in the background is denied in silence what it would have to ask for.',
    file: 'agents/background-agents.test.ts',
    stories: [
      'a call that was not granted is denied on the first turn and on each later one, and nothing is denied in silence',
    ],
  },
  {
    fault: 'The worktree of an agent that ended is removed, with work that nobody committed.',
    file: 'agents/worktrees.test.ts',
    stories: ['no verb but rm touches a worktree, and one that is started anew works in it'],
  },
]

test('each of the thirteen faults has a story', () => {
  expect(FAULTS).toHaveLength(13)
  const missing = FAULTS.flatMap(({ file, stories }) => {
    const text = readFileSync(join(import.meta.dirname, '..', file), 'utf8')
    return stories.filter(title => !text.includes(`'${title}'`))
  })
  expect(missing).toEqual([])
})

test('agents that idle and wait are told as such while no daemon runs, and by the next one', async () => {
  await using project = await aProject({
    script: [{ text: 'Soon.', calls: [effect('c1', 'applied')] }, 'Applied.'],
    policy: { tools: { run_command: 'prompt' } },
    files: { 'talk.json': JSON.stringify(['Ready.']) },
  })
  const daemon = async () => (await project.holdpoint('daemon', 'start', '--json')).json.daemon.pid as number
  const told = async (...more: string[]) =>
    (await agents(project, '--json', ...more)).json.map(({ name, status, invocations }: Frame) => [
      name,
      status,
      invocations,
    ])
  const first = await daemon()
  await agents(project, 'spawn', '--interactive', '--name', 'asks', 'begin')
  await agents(project, 'spawn', '--interactive', '--name', 'talks', '--model', 'script:talk.json', 'begin')
  await until(project, 'asks', 'waiting')
  await until(project, 'talks', 'idle')
  const before = await told()
  process.kill(first, 'SIGKILL')
  expect(await told()).toEqual(before)
  const next = await daemon()
  expect(next).not.toBe(first)
  const { server } = (await project.holdpoint('daemon', 'status', '--json')).json.daemon
  expect(await told('--server', server)).toEqual(before)
  await project.holdpoint('approve', 'c1')
  expect(await until(project, 'asks', 'idle')).toMatchObject({ holds: 0 })
  await endAgents(project)
  await project.holdpoint('daemon', 'stop', '--kill')
})

test('each message is acknowledged once it is durable, and one that finds the queue full is refused', async () => {
  const stage = await anAgent({ turns: [{ text: 'Slow.', delay_ms: 600_000 }] })
  const ana = await stage.attach({ since: 0 })
  await ana.event('checkpoint.named')
  for (let n = 0; n < 64; n++) {
    const ack = await ana.say(`i${n}`, `message ${n}`)
    expect(ack).toMatchObject({ type: 'ack', outcome: 'recorded', position: n })
    const [event] = await stage.app.store.journal(stage.thread_id, Number(ack['seq']) - 1, 1)
    expect(event).toMatchObject({ kind: 'message.queued', data: { content: `message ${n}`, author: 'ana' } })
  }
  expect(await ana.say('i64', 'one more')).toMatchObject({ type: 'error', code: 'full' })
  ana.frames.length = 0
  expect(await ana.say('i0', 'message 0')).toMatchObject({ type: 'ack', outcome: 'duplicate' })
  stage.stop()
})

test('an agent with messages that wait is not told as idle before it has heard them all', async () => {
  const stage = await anAgent({ turns: [{ text: 'Slow.', delay_ms: 500 }, 'One.', 'Two.', 'Three.', 'Four.'] })
  const ana = await stage.attach({ since: 0 })
  await ana.event('checkpoint.named')
  for (const n of [1, 2, 3]) await ana.say(`i${n}`, `message ${n}`)
  await ana.status('idle')
  const statuses = ana.frames.filter(({ type }) => type === 'status').map(({ status, queued }) => [status, queued])
  const isIdle = ([status]: readonly unknown[]) => status === 'idle'
  expect(statuses.filter(isIdle)).toEqual([['idle', 0]])
  expect(statuses.findIndex(isIdle)).toBe(statuses.length - 1)
})

test('an agent whose command ignores the signal is told as killing until nothing of it runs', async () => {
  const deaf = command('c1', "trap '' TERM; echo began >> effects.log; while :; do sleep 0.1; done")
  await using project = await aProject({ script: [{ calls: [deaf] }], policy: { default: 'auto' } })
  await agents(project, 'spawn', '--name', 'deaf', 'begin')
  await expect.poll(() => project.effects()).toEqual(['began'])
  const killing = agents(project, 'kill', 'deaf')
  const seen = new Set<string>()
  for (let status = ''; status !== 'killed'; seen.add(status)) {
    status = (await agentNamed(project, 'deaf')).status
    if (status === 'killed') expect(processesOn(project.directory)).toEqual([])
  }
  expect((await killing).exit).toBe(0)
  expect([...seen].filter(status => !['running', 'killing', 'killed'].includes(status))).toEqual([])
  const { presence } = rowsOf(project) ?? {}
  expect(presence === null || !isAlive(Number(presence?.process))).toBe(true)
})
