import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  type AgentOptions,
  defineAgent,
  defineTool,
  type Holdpoint,
  type Json,
  openHoldpoint,
  type Plugin,
  type Tool,
  type ToolOptions,
} from '../../src/index.ts'
import type { Script } from '../../src/models/script.ts'
import { scriptedModel } from '../../src/models/scripted-model.ts'
import { handClock } from '../../src/testing/kit/hand-clock.ts'

const ana = { decided_by: 'ana', surface: 'test' } as const

type WipeOptions = Partial<ToolOptions<{ readonly type: 'object' }>>

/** A tool that demands an approval for its target. */
function wipeTool(wiped: Json[], more: WipeOptions): Tool {
  return defineTool({
    name: 'wipe',
    inputSchema: { type: 'object' },
    demandsApproval: ({ target }) => ({ action: 'wipe', details: { target } }),
    execute: async ({ target }) => {
      wiped.push(target)
      return `wiped ${target}`
    },
    ...more,
  })
}

const ask = (id: string, target: string) => ({
  id,
  name: 'request_approval',
  args: { reason: 'it is full', details: { target }, action: 'wipe' },
})
const wipe = (id: string, target: string) => ({ id, name: 'wipe', args: { target } })

/** A house in memory whose agent asks for approval of `a`, gets it, and then goes on as `turns` say. */
async function approved(turns: Script, { tool = {}, ...options }: Partial<AgentOptions> & { tool?: WipeOptions } = {}) {
  const wiped: Json[] = []
  const model = scriptedModel([{ calls: [ask('request', 'a')] }, ...turns, 'Done.'])
  const tools = ['request_approval', wipeTool(wiped, tool)]
  const agent = defineAgent({ name: 'worker', model, tools, policy: { default: 'prompt' }, ...options })
  const holdpoint = await openHoldpoint({ store: 'memory:', agents: [agent] })
  const run = await holdpoint.start({ agent: 'worker', input: 'go' })
  await holdpoint.advance(run.id)
  await decide(holdpoint, 'request', 'approve')
  await holdpoint.advance(run.id)
  return { holdpoint, run, wiped }
}

async function decide(holdpoint: Holdpoint, callId: string, verdict: 'approve' | 'reject'): Promise<void> {
  const [hold, ...others] = await holdpoint.holds({ status: 'open' })
  expect([hold?.call_id, ...others]).toEqual([callId])
  expect(await holdpoint.decide(hold?.id ?? '', { verdict, ...ana })).toMatchObject({ outcome: 'recorded' })
}

async function results(holdpoint: Holdpoint, thread: string): Promise<Json[]> {
  const { messages } = await holdpoint.thread(thread)
  return messages.flatMap(message => (message.role === 'tool' && message.tool_name === 'wipe' ? [message.content] : []))
}

const REFUSED = expect.stringContaining('APPROVAL_REQUIRED')

test('P1: a call that was approved in words is not asked about again, and the journal says who did', async () => {
  const { holdpoint, run, wiped } = await approved([{ calls: [wipe('w', 'a')] }])
  await using _ = holdpoint
  expect(wiped).toEqual(['a'])
  const events = []
  for await (const event of holdpoint.follow(run.thread_id)) {
    events.push(event)
    if (event.kind === 'run.finished') break
  }
  const gated = events.find(({ kind, data }) => kind === 'call.gated' && 'call_id' in data && data.call_id === 'w')
  const [hold] = await holdpoint.holds({ status: 'decided' })
  expect(gated?.data).toMatchObject({ rule: 'ana approved it: wipe', grant_id: null, approval_id: hold?.id })
})

test('P1: an approval covers one call, of its own target', async () => {
  const { holdpoint, run, wiped } = await approved([
    { calls: [wipe('other', 'b'), wipe('first', 'a'), wipe('second', 'a')] },
    { calls: [wipe('later', 'a')] },
  ])
  await using _ = holdpoint
  expect(await results(holdpoint, run.thread_id)).toEqual([REFUSED, 'wiped a', REFUSED, REFUSED])
  expect(wiped).toEqual(['a'])
})

test('what policy never allows is not allowed by an approval in words, nor is one asked for', async () => {
  const policy = { default: 'prompt', tools: { wipe: 'never' }, on_never: 'reject' } as const
  const { holdpoint, run, wiped } = await approved([{ calls: [wipe('w', 'a'), wipe('x', 'b')] }], { policy })
  await using _ = holdpoint
  const never = expect.stringMatching(/^TOOL_CALL_FORBIDDEN: policy says never/)
  expect(await results(holdpoint, run.thread_id)).toEqual([never, never])
  expect(wiped).toEqual([])
})

test('P1: what always asks is asked about even where it was approved in words, and that approval is used up', async () => {
  const inspect = () => ({ readings: {}, protected: 'it always asks', unclear: null })
  const { holdpoint, run, wiped } = await approved([{ calls: [wipe('w', 'a')] }, { calls: [wipe('x', 'a')] }], {
    tool: { inspect },
  })
  await using _ = holdpoint
  expect(wiped).toEqual([])
  await decide(holdpoint, 'w', 'approve')
  await holdpoint.advance(run.id)
  expect(await results(holdpoint, run.thread_id)).toEqual(['wiped a', REFUSED])
})

const suspending: Plugin = {
  name: 'doubter',
  hooks: { beforeToolExecute: (_, { name }) => (name === 'wipe' ? { suspend: { message: 'Really?' } } : undefined) },
}

test('P1: what another plugin minds is asked all the same, and the approval covers no other call meanwhile', async () => {
  const { holdpoint, run, wiped } = await approved([{ calls: [wipe('w', 'a')] }, { calls: [wipe('x', 'a')] }], {
    plugins: [suspending],
  })
  await using _ = holdpoint
  await decide(holdpoint, 'w', 'approve')
  await holdpoint.advance(run.id)
  await decide(holdpoint, 'x', 'approve')
  await holdpoint.advance(run.id)
  expect(await results(holdpoint, run.thread_id)).toEqual(['wiped a', REFUSED])
  expect(wiped).toEqual(['a'])
})

test('P1: what time approved of a call that changed does not stand in for what a person must approve in words', async () => {
  const clock = handClock('2030-01-01T00:00:00.000Z')
  const wiped: Json[] = []
  const due = { seconds: 60, onDue: 'auto_approve' } as const
  const open = (inputSchema: { readonly type: 'object'; readonly title?: string }) =>
    openHoldpoint({
      store: `sqlite:${file}`,
      clock,
      agents: [
        defineAgent({
          name: 'worker',
          model: scriptedModel([{ calls: [wipe('w', 'a')] }, 'Done.']),
          tools: [wipeTool(wiped, { inputSchema, due })],
          policy: { default: 'auto' },
          plugins: [suspending],
        }),
      ],
    })
  const file = join(await mkdtemp(join(tmpdir(), 'holdpoint-')), 'store.db')
  await using before = await open({ type: 'object' })
  const run = await before.start({ agent: 'worker', input: 'go' })
  await before.advance(run.id)
  await using after = await open({ type: 'object', title: 'changed since' })
  for (let asked = 0; asked < 3; asked += 1) {
    clock.advance(60_000)
    await after.expireHolds()
    await after.advance(run.id)
  }
  expect(await results(after, run.thread_id)).toEqual([REFUSED])
  expect(wiped).toEqual([])
})

test('P1: an approval that came while a call was held does not cover it: it was not asked for before', async () => {
  const turns = [{ calls: [wipe('held', 'b'), ask('late', 'b')] }]
  const { holdpoint, run, wiped } = await approved(turns, { plugins: [suspending] })
  await using _ = holdpoint
  for (const hold of await holdpoint.holds({ status: 'open' }))
    await holdpoint.decide(hold.id, { verdict: 'approve', ...ana })
  await holdpoint.advance(run.id)
  expect(await results(holdpoint, run.thread_id)).toEqual([REFUSED])
  expect(wiped).toEqual([])
})

test('an approval of a call that a plugin denied covers the next one', async () => {
  let denied = 0
  const denying: Plugin = {
    name: 'denier',
    hooks: {
      beforeToolExecute: (_, { name }) => {
        if (name !== 'wipe' || denied++ > 0) return
        return { deny: { code: 'NOT_NOW', message: 'later.' } }
      },
    },
  }
  const { holdpoint, run } = await approved([{ calls: [wipe('w', 'a')] }, { calls: [wipe('x', 'a')] }], {
    plugins: [denying],
  })
  await using _ = holdpoint
  expect(await results(holdpoint, run.thread_id)).toEqual(['NOT_NOW: later.', 'wiped a'])
})

test('P1: a call that is asked anew under another policy keeps the approval that covers it', async () => {
  const held = { id: 'again', name: 'request_approval', args: { action: 'else', reason: 'r' } }
  const { holdpoint, run, wiped } = await approved([{ calls: [wipe('w', 'a'), held] }], { holdScope: 'batch' })
  await using _ = holdpoint
  expect(wiped).toEqual([])
  const { profile } = await holdpoint.run(run.id)
  await decide(holdpoint, 'again', 'reject')
  await holdpoint.advance(run.id, { changes: { policy: { ...profile.policy, rules: [] } }, by: 'ana' })
  expect(await results(holdpoint, run.thread_id)).toEqual(['wiped a'])
})

test.for([
  ['somebody who may decide about the tool', ['ana', 'ben'], ['a']],
  ['somebody who may not', ['ben'], []],
  ['one person where two must', { quorum: 2 }, []],
] as const)('P1: an approval in words by %s counts accordingly', async ([, deciders, expected]) => {
  const { holdpoint, wiped } = await approved([{ calls: [wipe('one', 'a')] }], { tool: { deciders } })
  await using _ = holdpoint
  expect(wiped).toEqual(expected)
})

test('P1: a standing grant does not give what a tool demands in words', async () => {
  const tool = {
    demandsApproval: ({ target }) => (target === 'b' ? null : { action: 'wipe', details: { target } }),
  } satisfies WipeOptions
  const turns = [{ calls: [wipe('free', 'b')] }, { calls: [wipe('w', 'c')] }, { calls: [wipe('again', 'b')] }]
  const { holdpoint, run, wiped } = await approved(turns, { tool })
  await using _ = holdpoint
  const [hold] = await holdpoint.holds({ status: 'open' })
  const grant = { name: 'wipe at will', scope: 'run', match: { target: '*' } } as const
  expect(await holdpoint.decide(hold?.id ?? '', { verdict: 'approve', grant, ...ana })).toMatchObject({
    outcome: 'recorded',
  })
  await holdpoint.advance(run.id)
  expect(await results(holdpoint, run.thread_id)).toEqual(['wiped b', REFUSED, 'wiped b'])
  expect(wiped).toEqual(['b', 'b'])
})

test.for([
  [
    'throws',
    () => {
      throw new Error('no idea')
    },
    'no idea',
  ],
  ['says nothing', () => undefined as never, 'returned nothing'],
  ['names no action', () => ({ action: '' }), 'names no action'],
  ['has details that are no JSON', () => ({ action: 'wipe', details: new Map() as never }), 'Map'],
] as const)(
  'P1: a call whose tool %s as its demand is held, and denied if it still does',
  async ([, demandsApproval, why]) => {
    const { holdpoint, run, wiped } = await approved([{ calls: [wipe('w', 'a')] }], { tool: { demandsApproval } })
    await using _ = holdpoint
    await decide(holdpoint, 'w', 'approve')
    await holdpoint.advance(run.id)
    expect(await results(holdpoint, run.thread_id)).toEqual([
      expect.stringMatching(new RegExp(`^TOOL_CALL_FORBIDDEN: wipe cannot say what must be approved.*${why}`)),
    ])
    expect(wiped).toEqual([])
  },
)
