import { expect, test } from 'vitest'
import { anAgent, asking, type Client, DEPLOYS, hurried, type Stage } from './agent-stage.ts'

const END = { idle_timeout_ms: 60, on_idle: 'end' } as const
const PARK = { idle_timeout_ms: 60, on_idle: 'park' } as const

const a = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))
const decided = async ({ app, thread_id }: Stage) =>
  (await app.holdpoint.journal(thread_id)).flatMap(event =>
    event.kind === 'hold.decided' ? [event.data.decision] : [],
  )

test('an agent that was idle for too long comes to a good end, and its journal says why', async () => {
  const stage = await anAgent({ turns: ['Ready.'], settings: END })
  expect(await stage.result).toMatchObject({ status: 'done', termination: { type: 'natural_end' } })
  expect(await decided(stage)).toMatchObject([{ verdict: 'approve', reason: 'idle_timeout', decided_by: 'holdpoint' }])
  expect(await stage.app.store.presences.find('task_1')).toBeNull()
})

test('one that parks leaves its run as it waits, and a message from anywhere makes it ready', async () => {
  const stage = await anAgent({ turns: ['Ready.', 'More.'], settings: PARK })
  expect(await stage.result).toMatchObject({ status: 'waiting' })
  expect(await decided(stage)).toEqual([])
  expect(await stage.app.store.presences.find('task_1')).toBeNull()
  await stage.app.store.tasks.move({ task_id: 'task_1', invocation: 1, from: ['running'], to: 'completed' })
  await stage.app.holdpoint.send(stage.thread_id, { text: 'go on', author: 'ana' })
  expect(await stage.app.store.run(stage.run_id)).toMatchObject({ status: 'running' })
})

test('a client that watches stops the clock, and once it has left the clock runs again', async () => {
  const stage = await anAgent({ turns: ['Ready.'], settings: { ...END, idle_timeout_ms: 500 } })
  const ana = await stage.attach({ role: 'viewer' })
  await ana.status('idle')
  await a(700)
  expect(ana.isClosed).toBe(false)
  ana.socket.destroy()
  expect(await stage.result).toMatchObject({ status: 'done' })
})

test('while an approval is open no clock runs', async () => {
  const stage = await anAgent({ turns: [DEPLOYS, 'Deployed.'], agent: { tools: [asking()] }, settings: END })
  const ana = await stage.attach()
  await ana.status('waiting')
  ana.socket.destroy()
  await a(300)
  expect(await stage.app.store.presences.find('task_1')).toMatchObject({ clients: 0 })
  const [hold] = await stage.app.holdpoint.holds({ status: 'open' })
  await stage.app.holdpoint.decide(hold?.id ?? '', { verdict: 'approve', decided_by: 'ana', surface: 'cli' })
  expect(await stage.result).toMatchObject({ status: 'done' })
})

test('a timeout of 0 never ends an agent', async () => {
  const stage = await anAgent({ turns: ['Ready.'], settings: { ...END, idle_timeout_ms: 0 } })
  const ana = await stage.attach()
  await ana.status('idle')
  ana.socket.destroy()
  await a(300)
  expect(await stage.app.store.presences.find('task_1')).not.toBeNull()
})

test('a client that is not heard of counts as one that left, and a ping is enough to stay', async () => {
  const stage = await anAgent({ turns: ['Ready.'], clock: hurried(300), settings: { ...END, idle_timeout_ms: 0 } })
  const [silent, heard] = [await stage.attach(), await stage.attach({ actor: 'ben' })]
  const pinging = setInterval(() => heard.send({ type: 'ping', n: 1 }), 20)
  expect(await silent.first('bye')).toMatchObject({ because: expect.stringContaining('ping') })
  await silent.closed()
  await heard.first('status', ({ clients }) => clients === 1)
  expect(heard.isClosed).toBe(false)
  clearInterval(pinging)
  await heard.closed()
})

test('P2: of the end and a message at the same moment one wins, and the other is told', async () => {
  const outcomes = new Set<string>()
  for (let n = 0; n < 12; n++) outcomes.add(await race(n * 4))
  expect([...outcomes].filter(outcome => outcome !== 'ended' && outcome !== 'heard')).toEqual([])
})

/** A message that is sent so many milliseconds after the last client left. */
async function race(ms: number): Promise<string> {
  const stage = await anAgent({ turns: ['Ready.', 'Heard.'], settings: { ...END, idle_timeout_ms: 30 } })
  const { holdpoint } = stage.app
  while ((await stage.app.store.run(stage.run_id))?.status === 'running') await a(1)
  await a(ms)
  const sent = await holdpoint.send(stage.thread_id, { text: 'wait', author: 'ana' }).catch(() => null)
  await stage.result
  const journal = await holdpoint.journal(stage.thread_id)
  const isHeard = JSON.stringify(journal).includes('Heard.')
  const [pause] = journal.flatMap(({ kind, data }) => (kind === 'hold.opened' ? [data.hold_id] : []))
  const [decision, ...others] = journal.flatMap(({ kind, data }) =>
    kind === 'hold.decided' && data.hold_id === pause ? [data.decision] : [],
  )
  if (others.length > 0) return 'both'
  // The message decided, or it came behind the end and before the run was over, which then went on with it.
  const outcome = decision?.verdict === 'respond' ? 'answered' : 'queued'
  if (sent?.outcome === outcome) return isHeard ? 'heard' : 'lost'
  // The end decided: the message began the next run, which is not this agent's, or was refused.
  return sent?.outcome !== 'answered' && !isHeard ? 'ended' : 'both'
}

test('a model that fails for too long in a later turn leaves the agent idle, and the next message goes on', async () => {
  const failure = { message: 'The model is busy.', retryable: true, times: 2 }
  // It does not wait for its provider.
  const agent = { giveUpAfterSeconds: 1 }
  const stage = await anAgent({ turns: ['Ready.', { text: 'Back.', error: failure }], agent })
  const ana: Client = await stage.attach()
  await ana.status('idle')
  await ana.say('i1', 'do X')
  const idle = await ana.first('status', ({ status, because }) => status === 'idle' && String(because).includes('busy'))
  expect(idle['because']).toContain('its last turn failed')
  await expect.poll(async () => (await stage.app.store.presences.find('task_1'))?.last_error).not.toBeNull()
  expect(await ana.say('i2', 'try again')).toMatchObject({ type: 'ack', outcome: 'recorded' })
  await ana.first('event', ({ event }) => JSON.stringify(event).includes('Back.'))
  const [newest] = await stage.app.holdpoint.runs({ thread_id: stage.thread_id, limit: 1 })
  expect(newest?.id).not.toBe(stage.run_id)
  expect(await stage.app.store.tasks.task('task_1')).toMatchObject({ subject: newest?.id })
  await expect.poll(async () => (await stage.app.store.presences.find('task_1'))?.last_error).toBeNull()
})
