import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { DecisionVerdict } from '../core/decision.ts'
import type { JournalEvent } from '../core/event.ts'
import type { Hold } from '../core/hold.ts'
import type { JsonObject } from '../core/json.ts'
import type { Message } from '../core/message.ts'
import { MAY_SAY } from '../core/objection.ts'
import type { Verdict } from '../core/policy.ts'
import type { HoldScope, PauseKind } from '../core/profile.ts'
import { defineAgent } from '../hosts/agents/define-agent.ts'
import { openHoldpoint } from '../hosts/compose.ts'
import { scriptedModel } from '../models/scripted-model.ts'
import type { Model } from '../ports/model.ts'
import type { Tool } from '../ports/tool.ts'
import { handClock } from '../testing/hand-clock.ts'
import { checkOpenAiOrder } from '../testing/provider-order.ts'
import { defineTool } from '../tools/define-tool.ts'
import type { AdvanceResult, Holdpoint } from './holdpoint.ts'
import type { RunView } from './run-view.ts'

/** One life of a run: what the model says, what the policy says, and what people say. */
interface Life {
  readonly turns: readonly { readonly text: string; readonly calls: readonly ScriptedCall[] }[]
  readonly policy: {
    readonly default: Verdict
    readonly tools: Readonly<Record<string, Verdict>>
    readonly on_never: 'pause' | 'reject'
  }
  readonly pauseOn: readonly PauseKind[]
  readonly holdScope: HoldScope
  /** Consumed one by one wherever a person decides something. */
  readonly choices: readonly number[]
}

interface ScriptedCall {
  readonly id: string
  readonly name: string
  readonly raw_args: string
}

interface Effect {
  readonly call: string
  readonly tool: string
  readonly args: JsonObject
  readonly key: string
}

/** Stands for an id that the provider leaves empty. */
const NO_ID = 'none'
const SCHEMA = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'], additionalProperties: false }
const TOOLS = ['free', 'held', 'risky', 'failing'] as const
/** What each tool itself says of a call with this `n`. */
const OWN_WORD: Readonly<Record<string, (n: number) => boolean | null>> = {
  free: () => null,
  held: () => true,
  risky: n => n > 2,
  failing: () => null,
}

const verdict = fc.constantFrom<Verdict>('auto', 'prompt', 'never')
const aCall: fc.Arbitrary<ScriptedCall> = fc.record({
  // Few, so that they come again in one turn and in the next.
  id: fc.constantFrom('call_0', 'call_1', 'call_2', NO_ID),
  name: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...TOOLS) },
    { weight: 1, arbitrary: fc.constantFrom('ask_human', 'nobody', 'toString') },
  ),
  raw_args: fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 1, max: 4 }).map(n => `{"n":${n}}`) },
    { weight: 1, arbitrary: fc.constantFrom('{"n":"x"}', '{broken', '', '[]', '{"question":"Which?"}', 'null') },
  ),
})
const lives: fc.Arbitrary<Life> = fc.record({
  turns: fc.array(fc.record({ text: fc.constantFrom('', 'I say.'), calls: fc.array(aCall, { maxLength: 4 }) }), {
    maxLength: 4,
  }),
  policy: fc.record({
    default: verdict,
    tools: fc.dictionary(fc.constantFrom(...TOOLS), verdict, { maxKeys: 2 }),
    on_never: fc.constantFrom('pause' as const, 'reject' as const),
  }),
  pauseOn: fc.subarray<PauseKind>(['approval', 'question', 'input']),
  holdScope: fc.constantFrom<HoldScope>('batch', 'call'),
  choices: fc.array(fc.nat(), { minLength: 30, maxLength: 30 }),
})

/** What happened in a life, seen from outside. */
interface Lived {
  readonly view: RunView
  readonly effects: readonly Effect[]
  readonly requests: readonly (readonly Message[])[]
  readonly told: readonly JournalEvent[]
  /** By call: what a person said last. */
  readonly said: ReadonlyMap<string, { verdict: DecisionVerdict; args: JsonObject | null }>
  readonly surprises: readonly string[]
}

class World {
  readonly effects: Effect[] = []
  readonly requests: (readonly Message[])[] = []
  readonly told: JournalEvent[] = []
  readonly said = new Map<string, { verdict: DecisionVerdict; args: JsonObject | null }>()
  readonly surprises: string[] = []
  readonly #life: Life
  #choice = 0

  constructor(life: Life) {
    this.#life = life
  }

  choose<T>(from: readonly T[]): T {
    const number = this.#life.choices[this.#choice % this.#life.choices.length] ?? 0
    this.#choice += 1
    return from[number % from.length] as T
  }

  async live(): Promise<Lived> {
    await using holdpoint = await openHoldpoint({
      store: 'memory:',
      clock: handClock(),
      agents: [this.#agent()],
      onEvent: event => ('ephemeral' in event ? undefined : this.told.push(event)),
    })
    const { id } = await holdpoint.start({ agent: 'tester', input: 'go' })
    for (let advances = 0; ; advances += 1) {
      if (advances > 60) throw new TypeError('the run does not end')
      const view = asView(await holdpoint.advance(id))
      if (view.status === 'done') return { ...this, view: await this.#checked(holdpoint, view) }
      await this.#decide(holdpoint, await this.#checked(holdpoint, view))
    }
  }

  /** P4: what advance told is what the store has. */
  async #checked(holdpoint: Holdpoint, view: RunView): Promise<RunView> {
    const stored = await holdpoint.run(view.id)
    expect(view).toEqual(stored)
    return view
  }

  /** Some of what is open, in whatever way; at least one. */
  async #decide(holdpoint: Holdpoint, view: RunView): Promise<void> {
    expect(view.holds.length).toBeGreaterThan(0)
    const some = view.holds.filter(() => this.choose([true, true, false]))
    for (const hold of some.length > 0 ? some : view.holds.slice(0, 1)) await this.#decideOne(holdpoint, hold)
  }

  async #decideOne(holdpoint: Holdpoint, hold: Hold): Promise<void> {
    const verdict = this.choose(possible(hold))
    const edited = verdict === 'edit' ? { n: this.choose([1, 2, 3, 4]) } : undefined
    const value = verdict === 'respond' ? this.choose(['yes', 'go on']) : undefined
    const by = { decided_by: 'ana', surface: 'test' }
    const receipt = await holdpoint.decide(hold.id, { verdict, arguments: edited, value, ...by })
    if (receipt.outcome === 'refused') {
      // An edit into what is never allowed; to cancel is always possible where there is a call.
      if (verdict !== 'edit') this.surprises.push(`${verdict} of ${hold.kind}: ${receipt.error.message}`)
      await holdpoint.decide(hold.id, { verdict: 'cancel', ...by })
      return
    }
    if (hold.call_id !== null) this.said.set(hold.call_id, { verdict, args: edited ?? null })
    const late = await holdpoint.decide(hold.id, { verdict: possible(hold)[0] ?? 'cancel', value: 'late', ...by })
    if (late.outcome === 'recorded') this.surprises.push(`a second decision on ${hold.id} was recorded`)
  }

  #agent() {
    const { policy, pauseOn, holdScope } = this.#life
    return defineAgent({
      name: 'tester',
      model: this.#model(),
      tools: [...TOOLS.map(name => this.#tool(name)), 'ask_human'],
      policy,
      pauseOn,
      holdScope,
      stop: [{ type: 'max_rounds', rounds: 12 }],
    })
  }

  #model(): Model {
    const model = scriptedModel(this.#life.turns)
    return {
      id: model.id,
      answer: async request => {
        this.requests.push(structuredClone(request.messages))
        const answer = await model.answer(request)
        return { ...answer, calls: answer.calls.map(call => (call.id === NO_ID ? { ...call, id: '' } : call)) }
      },
    }
  }

  #tool(name: (typeof TOOLS)[number]): Tool {
    return defineTool({
      name,
      inputSchema: SCHEMA,
      needsApproval: ((args: { n: number }) => OWN_WORD[name]?.(args.n)) as never,
      execute: (args, { toolCallId, idempotencyKey }) => {
        this.effects.push({ call: toolCallId, tool: name, args, key: idempotencyKey })
        if (name === 'failing') throw new TypeError('it broke')
        return { done: args['n'] }
      },
    })
  }
}

function asView(result: AdvanceResult): RunView {
  if ('messages' in result) return result
  throw new TypeError(`the run is ${result.status}`)
}

function possible({ kind }: Hold): DecisionVerdict[] {
  return (Object.keys(MAY_SAY[kind]) as DecisionVerdict[]).filter(verdict => MAY_SAY[kind][verdict] !== null)
}

const RUNS = { numRuns: 250 }

/** Lives each of them and looks at what happened. */
async function inEachLife(look: (lived: Lived, life: Life) => void): Promise<void> {
  await fc.assert(
    fc.asyncProperty(lives, async life => {
      look(await new World(life).live(), life)
    }),
    RUNS,
  )
}

test('P1: nothing runs that policy did not let pass and nobody approved, and never with other arguments', async () => {
  await inEachLife(({ effects, said, view }, life) => {
    const asked = new Map(
      view.messages
        .flatMap(message => (message.role === 'assistant' ? message.tool_calls : []))
        .map(call => [call.id, call]),
    )
    for (const { call, tool, args } of effects) {
      const about = JSON.stringify({ call, tool, args, life })
      const decision = said.get(call)
      const approved = decision?.verdict === 'approve' || decision?.verdict === 'edit'
      expect(approved || letsPass(life, tool, asked.get(call)?.arguments as JsonObject), about).toBe(true)
      expect(args, about).toEqual(decision?.args ?? asked.get(call)?.arguments)
    }
  })
}, 60_000)

/** DESIGN §7, for a policy of names alone. */
function letsPass({ policy, pauseOn }: Life, tool: string, args: JsonObject): boolean {
  const ownWord = policy.default === 'never' ? null : OWN_WORD[tool]?.(Number(args['n']))
  const byItself = ownWord == null ? policy.default : ownWord ? 'prompt' : 'auto'
  const verdict = Object.hasOwn(policy.tools, tool) ? policy.tools[tool] : byItself
  return verdict === 'auto' || (verdict === 'prompt' && !pauseOn.includes('approval'))
}

test('P3: each call has at most one effect, under a key of its own', async () => {
  await inEachLife(({ effects }) => {
    expect(new Set(effects.map(({ call }) => call)).size).toBe(effects.length)
    expect(new Set(effects.map(({ key }) => key)).size).toBe(effects.length)
  })
}, 60_000)

test('P5: each request has one result for each call, in order, with nothing in between', async () => {
  await inEachLife(({ requests, view }) => {
    for (const messages of [...requests, view.messages])
      expect(checkOpenAiOrder({ messages: onTheWire(messages) })).toEqual([])
  })
}, 60_000)

/** As a provider would get them. */
function onTheWire(messages: readonly Message[]): unknown[] {
  return messages.map(message => {
    if (message.role === 'tool')
      return { role: 'tool', tool_call_id: message.tool_call_id, content: JSON.stringify(message.content) }
    if (message.role !== 'assistant' || message.tool_calls.length === 0)
      return { role: message.role, content: message.content }
    const tool_calls = message.tool_calls.map(({ id, name, arguments: args }) => ({
      id,
      type: 'function',
      function: { name, arguments: JSON.stringify(typeof args === 'string' ? {} : args) },
    }))
    return { role: 'assistant', content: message.content || null, tool_calls }
  })
}

test('P2: every decision that makes sense is recorded, and no second one', async () => {
  await inEachLife(({ surprises }) => expect(surprises).toEqual([]))
}, 60_000)

test('P4: what is told comes in the order of the journal, each event once, and the end last', async () => {
  await inEachLife(({ told, view }) => {
    const seqs = told.map(({ seq }) => seq)
    expect(seqs).toEqual([...new Set(seqs)].toSorted((a, b) => a - b))
    expect(told.filter(({ kind }) => kind === 'run.finished').map(({ data }) => data)).toEqual([
      { termination: view.termination },
    ])
  })
}, 60_000)

const TOLD: Partial<Record<DecisionVerdict, { is_error: boolean; content: unknown }>> = {
  reject: { is_error: true, content: expect.stringMatching(/^(TOOL_CALL_REJECTED|QUESTION_DECLINED): ./) },
  cancel: { is_error: true, content: expect.stringMatching(/^TOOL_CALL_CANCELLED: ./) },
  respond: { is_error: false, content: expect.any(String) },
}

test('what a person said of a call is what the model is told', async () => {
  await inEachLife(({ said, view }) => {
    const results = view.messages.filter(message => message.role === 'tool')
    for (const [call, { verdict }] of said) {
      expect(results.find(({ tool_call_id }) => tool_call_id === call)).toMatchObject(TOLD[verdict] ?? {})
    }
  })
}, 60_000)
