import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DEFAULT_POLICY } from '../core/policy/read-policy.ts'
import type { Profile } from '../core/run/profile.ts'
import type { ToolCall } from '../core/run/tool-call.ts'
import type { Usage } from '../core/run/usage/usage.ts'
import type { Json } from '../core/text/json.ts'
import type { AfterToolExecute, BeforeToolExecute, HeldCall, HookView, Nothing, Plugin } from '../ports/agent/plugin.ts'
import type { Tool } from '../ports/agent/tool.ts'
import { type SpendLimitOptions, spendLimit } from './spend-limit.ts'

const profile: Profile = {
  agent: 'test',
  agent_file: null,
  model: null,
  instructions: null,
  tools: null,
  policy: DEFAULT_POLICY,
  pause_on: ['approval'],
  hold_scope: 'batch',
  max_concurrent_calls: 1,
  due: { seconds: null },
  deciders: null,
  groups: {},
  approval_answers: 'tolerant',
  stop: [],
  project: null,
  workdir: '/',
}

const tool: Tool = {
  name: 'work',
  description: '',
  inputSchema: {},
  idempotent: false,
  destructive: false,
  needsApproval: () => null,
  validate: value => ({ ok: true, value }),
  execute: async () => null,
}

/** One that only waits for an answer. */
const asking: Tool = {
  ...tool,
  asks: () => ({ message: 'Which?', context: null, choices: null, response_schema: null }),
}

function call(id: string, changes: Partial<HeldCall> = {}): HeldCall {
  return {
    id,
    name: 'work',
    arguments: {},
    final_arguments: {},
    status: 'new',
    attempt: 0,
    allowed: false,
    grant_id: null,
    hold_id: null,
    output: null,
    error: null,
    tool,
    ...changes,
  }
}

const tokens = (total: number): Usage => ({ input_tokens: total, output_tokens: 0, total_tokens: total })

/** A run as its plugin sees it: what the plugin sets is stored, as the journal stores it. */
class Seen {
  usage: Usage
  state: Json
  calls: readonly ToolCall[] = []
  readonly #plugin: Plugin

  constructor(plugin: Plugin, total = 0) {
    this.#plugin = plugin
    this.usage = tokens(total)
    this.state = plugin.initialState ?? null
  }

  async before(asked: HeldCall): Promise<BeforeToolExecute> {
    return this.#keep(await this.#plugin.hooks.beforeToolExecute?.(this.#view(), asked))
  }

  async after(ran: HeldCall): Promise<AfterToolExecute> {
    return this.#keep(await this.#plugin.hooks.afterToolExecute?.(this.#view(), ran, { output: 'done', error: null }))
  }

  /** Gates the calls of a step, and runs them in turn where they are not held, or held and then approved. */
  async step(calls: readonly HeldCall[], approves: (call: HeldCall) => boolean): Promise<string[]> {
    this.calls = calls
    const held: string[] = []
    for (const asked of calls) if ('suspend' in (await this.before(asked))) held.push(asked.id)
    for (const asked of calls) {
      if (!held.includes(asked.id) || approves(asked)) await this.after({ ...asked, attempt: 1, status: 'running' })
    }
    return held
  }

  #view(): HookView {
    const { usage, state, calls } = this
    const signal = AbortSignal.abort()
    return { run_id: 'run_1', thread_id: 'th_1', profile, steps: 1, usage, messages: [], calls, state, signal }
  }

  #keep<T extends { readonly setState?: Json }>(result: T | Nothing): T | Record<never, never> {
    if (result?.setState !== undefined) this.state = JSON.parse(JSON.stringify(result.setState)) as Json
    return result ?? {}
  }
}

const yes = () => true
const no = () => false

test('a run within its limit is not held', async () => {
  const run = new Seen(spendLimit({ maxTokens: 100 }), 100)
  expect(await run.step([call('a'), call('b')], no)).toEqual([])
  expect(run.state).toEqual({ limits: {}, asked: null })
})

test('a run over its limit is held before each call, and told what is spent, what the limit is and what approving means', async () => {
  const run = new Seen(spendLimit({ maxTokens: 100 }), 130)
  expect(await run.before(call('a', { name: 'refund' }))).toMatchObject({
    suspend: {
      kind: 'approval',
      resumeMode: 'replay_tool_call',
      message:
        'This run is over its spend limit: it has spent 130 tokens (limit 100). ' +
        'Approve to run refund and to let the run spend up to 230 tokens; ' +
        'reject to refuse this call and leave the limit as it is.',
      context: { spent: { tokens: 130 }, limit: { tokens: 100 }, limit_if_approved: { tokens: 230 } },
    },
    because: 'the run has spent 130 tokens (limit 100)',
  })
})

test('an approval raises the limit by one more allowance, up to which nobody is asked again', async () => {
  const run = new Seen(spendLimit({ maxTokens: 100 }), 130)
  expect(await run.step([call('a')], yes)).toEqual(['a'])
  run.usage = tokens(230)
  expect(await run.step([call('b')], no)).toEqual([])
  run.usage = tokens(231)
  expect(await run.step([call('c')], yes)).toEqual(['c'])
  run.usage = tokens(331)
  expect(await run.step([call('d')], no)).toEqual([])
})

test('an approval is enough where far more than one allowance was spent at once', async () => {
  const run = new Seen(spendLimit({ maxTokens: 100 }), 5_000)
  expect(await run.step([call('a')], yes)).toEqual(['a'])
  run.usage = tokens(5_100)
  expect(await run.step([call('b')], no)).toEqual([])
})

test('a rejection raises nothing, so the next call asks again', async () => {
  const run = new Seen(spendLimit({ maxTokens: 100 }), 130)
  expect(await run.step([call('a')], no)).toEqual(['a'])
  expect(await run.step([call('b')], no)).toEqual(['b'])
  expect(run.state).toEqual({ limits: {}, asked: { calls: ['b'], limits: { tokens: 230 } } })
})

test('each call of a batch asks, and approving several raises the limit once', async () => {
  const run = new Seen(spendLimit({ maxTokens: 100 }), 130)
  expect(await run.step([call('a'), call('b'), call('c')], ({ id }) => id !== 'b')).toEqual(['a', 'b', 'c'])
  expect(run.state).toEqual({ limits: { tokens: 230 }, asked: null })
})

test('a call that runs without having been held raises nothing, be the run over its limit or not', async () => {
  const run = new Seen(spendLimit({ maxTokens: 100 }), 130)
  expect(await run.after(call('gated under a higher limit'))).toEqual({})
  expect(run.state).toEqual({ limits: {}, asked: null })
})

test('a call that another hold released first is held, and its approval counts once', async () => {
  const run = new Seen(spendLimit({ maxTokens: 100 }), 130)
  run.calls = [call('a')]
  await run.before(call('a'))
  expect(await run.before(call('a', { status: 'resuming' }))).toMatchObject({ suspend: {} })
  expect(run.state).toMatchObject({ asked: { calls: ['a'] } })
  await run.after(call('a', { attempt: 1 }))
  expect(run.state).toEqual({ limits: { tokens: 230 }, asked: null })
})

test('what was granted stays granted under a lower configured limit, and a higher one counts in full', async () => {
  const granted = new Seen(spendLimit({ maxTokens: 100 }), 130)
  await granted.step([call('a')], yes)
  for (const [maxTokens, total, held] of [
    [10, 230, []],
    [10, 231, ['b']],
    [1_000, 1_000, []],
    [1_000, 1_001, ['b']],
  ] as const) {
    const run = new Seen(spendLimit({ maxTokens }), total)
    run.state = granted.state
    expect(await run.step([call('b')], no)).toEqual(held)
  }
})

test('a cost is limited by a price', async () => {
  const price = ({ total_tokens }: Usage) => total_tokens / 10
  const run = new Seen(spendLimit({ maxCost: 0.1, price }), 2)
  expect(await run.before(call('a'))).toMatchObject({
    suspend: {
      message: expect.stringContaining(
        'it has spent a cost of 0.2 (limit 0.1). Approve to run work and to let the run spend up to a cost of 0.3;',
      ),
    },
  })
})

test('of tokens and cost each is raised when it was over its own limit', async () => {
  const run = new Seen(spendLimit({ maxTokens: 100, maxCost: 1, price: ({ total_tokens }) => total_tokens / 200 }), 130)
  await run.step([call('a')], yes)
  expect(run.state).toEqual({ limits: { tokens: 230 }, asked: null })
  run.usage = tokens(300)
  expect(await run.before(call('b'))).toMatchObject({
    suspend: {
      message: expect.stringContaining('it has spent 300 tokens (limit 230) and a cost of 1.5 (limit 1).'),
      context: { limit_if_approved: { tokens: 400, cost: 2.5 } },
    },
  })
  await run.after(call('b', { attempt: 1 }))
  expect(run.state).toEqual({ limits: { tokens: 400, cost: 2.5 }, asked: null })
  run.usage = tokens(401)
  await run.step([call('c')], yes)
  expect(run.state).toEqual({ limits: { tokens: 501, cost: 2.5 }, asked: null })
})

test.each([Number.NaN, -1, Number.POSITIVE_INFINITY, '5' as unknown as number])(
  'a price of %s throws, which denies the call, for it must not pass for a low one',
  async answer => {
    const run = new Seen(spendLimit({ maxCost: 1, price: () => answer }), 1)
    await expect(run.before(call('a'))).rejects.toMatchObject({ code: 'invalid_price' })
  },
)

test('only the calls of the tools that are named wait', async () => {
  const run = new Seen(spendLimit({ maxTokens: 100, tools: ['deploy_*', 'refund'] }), 130)
  const names = ['refund', 'refunds', 'deploy_web', 'read_file']
  const calls = names.map(name => call(name, { name }))
  expect(await run.step(calls, no)).toEqual(['refund', 'deploy_web'])
})

test('a question to a person is not held: nothing runs', async () => {
  const run = new Seen(spendLimit({ maxTokens: 100 }), 130)
  expect(await run.step([call('a', { tool: asking })], no)).toEqual([])
})

test.each<readonly [SpendLimitOptions, string]>([
  [{}, 'it needs maxTokens, or maxCost and price'],
  [{ tools: ['a'] }, 'it needs maxTokens, or maxCost and price'],
  [{ maxCost: 1 }, 'maxCost and price need one another'],
  [{ maxTokens: 1, price: () => 1 }, 'maxCost and price need one another'],
  [{ maxTokens: 0 }, 'maxTokens must be a number above 0, not 0'],
  [{ maxTokens: Number.NaN }, 'maxTokens must be a number above 0, not NaN'],
  [{ maxTokens: '10' as unknown as number }, 'maxTokens must be a number above 0, not 10'],
  [{ maxCost: -1, price: () => 1 }, 'maxCost must be a number above 0, not -1'],
  [{ maxTokens: 1, tools: [] }, 'tools must be a list of names'],
  [{ maxTokens: 1, tools: [''] }, 'tools must be a list of names'],
  [{ maxTokens: 1, tools: 'deploy' as unknown as string[] }, 'tools must be a list of names'],
])('%o is refused', (options, problem) => {
  expect(() => spendLimit(options)).toThrow(
    expect.objectContaining({ code: 'invalid_plugin', message: `The spend limit cannot be used: ${problem}.` }),
  )
})

const steps = fc.array(
  fc.record({
    spends: fc.integer({ min: 0, max: 400 }),
    calls: fc.array(fc.record({ limited: fc.boolean(), approved: fc.boolean() }), { maxLength: 4 }),
  }),
  { maxLength: 12 },
)

test('whatever is spent and said, a call is held exactly when the run is over what was granted', async () => {
  await fc.assert(
    fc.asyncProperty(steps, fc.integer({ min: 1, max: 300 }), async (plan, allowance) => {
      const run = new Seen(spendLimit({ maxTokens: allowance, tools: ['limited'] }))
      let limit = allowance
      for (const [number, { spends, calls }] of plan.entries()) {
        run.usage = tokens(run.usage.total_tokens + spends)
        const isOver = run.usage.total_tokens > limit
        const asked = calls.map(({ limited, approved }, index) =>
          call(`${number}.${index} ${approved}`, { name: limited ? 'limited' : 'free' }),
        )
        const limited = asked.filter(({ name }) => name === 'limited').map(({ id }) => id)
        expect(await run.step(asked, ({ id }) => id.endsWith('true'))).toEqual(isOver ? limited : [])
        if (isOver && limited.some(id => id.endsWith('true'))) limit = run.usage.total_tokens + allowance
      }
    }),
    { numRuns: 1_000 },
  )
})
