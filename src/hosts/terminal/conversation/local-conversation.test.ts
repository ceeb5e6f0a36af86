import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { JournalEvent } from '../../../core/journal/event.ts'
import type { Profile } from '../../../core/run/profile.ts'
import type { Holdpoint } from '../../../runtime/face/holdpoint.ts'
import { defineTool } from '../../../tools/define/define-tool.ts'
import { type AgentOptions, defineAgent } from '../../agents/define-agent.ts'
import { openHoldpoint } from '../../compose/agents/open-holdpoint.ts'
import type { Conversation } from './conversation.ts'
import { LocalConversation } from './local-conversation.ts'

const refund = (ran: string[] = []) =>
  defineTool({
    name: 'refund',
    description: 'Pay money back',
    inputSchema: { type: 'object', properties: { order: { type: 'string' } } },
    needsApproval: true,
    execute: async ({ order }: { order: string }) => {
      ran.push(order)
      return `paid ${order}`
    },
  })

const ASKS = { calls: [{ id: 'tc_1', name: 'refund', args: { order: '7' } }] }

async function aStore(turns: readonly unknown[], agent: Partial<AgentOptions> = {}): Promise<Holdpoint> {
  const directory = mkdtempSync(join(tmpdir(), 'holdpoint-talk-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  writeFileSync(join(directory, 'turns.json'), JSON.stringify(turns))
  const support = defineAgent({ name: 'support', model: 'script:turns.json', holdScope: 'call', ...agent })
  return openHoldpoint({ store: 'memory:', agents: [support], directory, env: {} })
}

/** The profile that a run of the agent gets. */
async function profileIn(holdpoint: Holdpoint): Promise<Profile> {
  const { id } = await holdpoint.start({ agent: 'support', input: 'only for its profile' })
  return (await holdpoint.run(id)).profile
}

function talks(holdpoint: Holdpoint, begin: ConstructorParameters<typeof LocalConversation>[1]): Conversation {
  return new LocalConversation({ open: async () => holdpoint, person: 'ana', surface: 'terminal' }, begin)
}

/** Follows until an event of this kind. */
async function until(conversation: Conversation, kind: JournalEvent['kind'], since = 0): Promise<JournalEvent[]> {
  const enough = new AbortController()
  const heard: JournalEvent[] = []
  for await (const event of conversation.follow({ since, signal: enough.signal })) {
    if ('ephemeral' in event) continue
    heard.push(event)
    if (event.kind === kind) break
  }
  return heard
}

const say = (text: string) => ({ text, parts: [], mode: 'queue' as const })

test('a session begins with the first message, and nothing is stored before', async () => {
  await using holdpoint = await aStore(['Hello.', 'Hello again.'])
  const profile = await profileIn(holdpoint)
  await using conversation = talks(holdpoint, { profile })
  expect(await holdpoint.runs({ thread_id: conversation.sessionId })).toEqual([])
  await conversation.send(say('hi'))
  const first = await until(conversation, 'run.finished')
  expect(first.map(({ kind }) => kind)).toContain('model.answered')
  await conversation.send(say('and again'))
  const second = await until(conversation, 'run.finished', first.at(-1)?.seq)
  expect(second.find(({ kind }) => kind === 'message.received')?.data).toMatchObject({ author: 'ana' })
})

test('of two messages that are sent at once in a new session the first begins it, and the second follows', async () => {
  await using holdpoint = await aStore(['Hello.', 'Hello again.'])
  await using conversation = talks(holdpoint, { profile: await profileIn(holdpoint) })
  await Promise.all([conversation.send(say('one')), conversation.send(say('two'))])
  const { messages } = await holdpoint.thread(conversation.sessionId)
  expect(messages[0]).toMatchObject({ role: 'user', content: 'one' })
  expect(await holdpoint.runs({ thread_id: conversation.sessionId })).toHaveLength(1)
})

test('P9: a decision is for the hold as it was drawn, and the run goes on by itself', async () => {
  const ran: string[] = []
  await using holdpoint = await aStore([ASKS, 'Done.'], { tools: [refund(ran)] })
  await using conversation = talks(holdpoint, { profile: await profileIn(holdpoint) })
  await conversation.send(say('refund 7'))
  await until(conversation, 'hold.opened')
  const [hold] = await conversation.holds()
  if (!hold) throw new Error('nothing waits')
  const stale = await conversation.decide({ ...hold, digest: 'sha256:of-another' }, { verdict: 'approve' })
  expect(stale).toMatchObject({ outcome: 'refused' })
  expect(ran).toEqual([])
  expect(await conversation.decide(hold, { verdict: 'approve' })).toMatchObject({
    outcome: 'recorded',
    decision: { decided_by: 'ana', surface: 'terminal' },
  })
  await until(conversation, 'run.finished')
  expect(ran).toEqual(['7'])
})

test('P2: a decision that another surface takes lets the run go on here too', async () => {
  const ran: string[] = []
  await using holdpoint = await aStore([ASKS, 'Done.'], { tools: [refund(ran)] })
  await using conversation = talks(holdpoint, { profile: await profileIn(holdpoint) })
  await conversation.send(say('refund 7'))
  await until(conversation, 'hold.opened')
  const [hold] = await conversation.holds()
  const finished = until(conversation, 'run.finished')
  await holdpoint.decide(hold?.id ?? '', { verdict: 'approve', decided_by: 'ben', surface: 'http' })
  await finished
  expect(ran).toEqual(['7'])
})

test('a stopped run goes on with the next message', async () => {
  await using holdpoint = await aStore([{ text: 'Slow.', delay_ms: 60_000 }])
  await using conversation = talks(holdpoint, { profile: await profileIn(holdpoint) })
  await conversation.send(say('go'))
  await until(conversation, 'message.received')
  expect(conversation.presence().work).toBe('here')
  expect(conversation.stop()).toBe(true)
  await until(conversation, 'checkpoint.named')
  expect(conversation.presence()).toMatchObject({ isStopped: true })
  await conversation.send(say('go on'))
  expect(conversation.presence()).toMatchObject({ isStopped: false })
})

test('P7: a second conversation over one session follows, while the first one advances', async () => {
  await using holdpoint = await aStore([{ text: 'One.', delay_ms: 300 }])
  await using first = talks(holdpoint, { profile: await profileIn(holdpoint) })
  await first.send(say('go'))
  await using second = talks(holdpoint, { thread: await holdpoint.thread(first.sessionId) })
  const heard = await until(second, 'run.finished')
  expect(heard.filter(({ kind }) => kind === 'model.answered')).toHaveLength(1)
})

test('a fork is a session of its own', async () => {
  await using holdpoint = await aStore(['Hello.'])
  await using conversation = talks(holdpoint, { profile: await profileIn(holdpoint) })
  await expect(conversation.fork()).rejects.toThrow('Nothing was said')
  await conversation.send(say('hi'))
  await until(conversation, 'run.finished')
  const forked = await conversation.fork()
  expect(forked).not.toBe(conversation.sessionId)
  expect((await holdpoint.thread(forked)).messages).toHaveLength(2)
})
