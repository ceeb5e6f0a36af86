import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../../test/runs.ts'
import type { Decision, DecisionInput, DecisionVerdict } from '../../core/hold/decision.ts'
import type { Hold } from '../../core/hold/hold.ts'
import { maySay } from '../../core/hold/objection.ts'
import type { JournalEvent } from '../../core/journal/event.ts'
import type { Message, MessageCall, ToolMessage } from '../../core/journal/message.ts'
import type { Verdict } from '../../core/policy/policy.ts'
import { type HoldScope, PAUSE_KINDS, type PauseKind } from '../../core/run/profile.ts'
import type { JsonObject } from '../../core/text/json.ts'
import { type AgentDefinition, defineAgent } from '../../hosts/agents/define-agent.ts'
import { agentRegistry } from '../../hosts/compose/compose.ts'
import { systemIds } from '../../hosts/process/system-ids.ts'
import { scriptedModel } from '../../models/scripted-model.ts'
import type { Model } from '../../ports/agent/model.ts'
import type { Tool } from '../../ports/agent/tool.ts'
import type { Store } from '../../ports/store/store.ts'
import { openStore } from '../../stores/open-store.ts'
import { handClock } from '../../testing/kit/hand-clock.ts'
import { checkOpenAiOrder } from '../../testing/kit/provider-order.ts'
import { defineTool } from '../../tools/define/define-tool.ts'
import { validateJson } from '../../tools/define/json-schema.ts'
import type { Holdpoint } from '../face/holdpoint.ts'
import { EmbeddedHoldpoint } from '../holdpoint.ts'
import type { AdvanceResult } from '../views/face-options.ts'
import type { RunView } from '../views/run-view.ts'

const noTasks = () => Promise.reject(new Error('there are no tasks here'))

/** One life of a run: what the model says, what the policy says, what people say, and when processes die. */
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
  /**
   * For each process the number of the write at which it is gone: before it, after it, or before it but only for a
   * while, so that the write arrives when others have gone on. The last process stays.
   */
  readonly deaths: readonly { readonly write: number; readonly side: Side }[]
}

type Side = 'before' | 'after' | 'late'

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

const TOOLS = ['free', 'held', 'risky', 'failing', 'again'] as const
type ToolName = (typeof TOOLS)[number]

/** What each tool itself says of a call with this `n`. */
const OWN_WORD: Readonly<Record<ToolName, (n: number) => boolean | null>> = {
  free: () => null,
  held: () => true,
  risky: n => n > 2,
  failing: () => null,
  // This one is idempotent.
  again: () => null,
}

const SCHEMA = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'], additionalProperties: false }
/** Stands for an id that the provider leaves empty. */
const NO_ID = 'none'

const verdict = fc.constantFrom<Verdict>('auto', 'prompt', 'prompt', 'never')
const some = (n: number, arbitrary: fc.Arbitrary<string>) => ({ weight: n, arbitrary })
const argumentsText = fc.oneof(
  some(
    8,
    fc.integer({ min: 1, max: 4 }).map(n => `{"n":${n}}`),
  ),
  some(1, fc.constantFrom('{"n":"x"}', '{broken', '', '[]', 'null')),
)
// Few ids, so that they come again in one turn and in the next.
const id = fc.constantFrom('call_0', 'call_1', 'call_2', NO_ID)
const toolName = fc.oneof(some(12, fc.constantFrom(...TOOLS)), some(1, fc.constantFrom('nobody', 'toString')))
const aCall: fc.Arbitrary<ScriptedCall> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ id, name: toolName, raw_args: argumentsText }) },
  { weight: 1, arbitrary: id.map(id => ({ id, name: 'ask_human', raw_args: '{"question":"Which?"}' })) },
)
const turn = fc.record({ text: fc.constantFrom('', 'I say.'), calls: fc.array(aCall, { maxLength: 4 }) })
const lives: fc.Arbitrary<Life> = fc.record({
  turns: fc.array(turn, { minLength: 1, maxLength: 4 }),
  policy: fc.record({
    default: verdict,
    tools: fc.dictionary(fc.constantFrom(...TOOLS), verdict, { maxKeys: 2 }),
    on_never: fc.constantFrom('pause' as const, 'reject' as const),
  }),
  pauseOn: fc.oneof(fc.subarray<PauseKind>([...PAUSE_KINDS]), fc.constant(PAUSE_KINDS)),
  holdScope: fc.constantFrom<HoldScope>('batch', 'call'),
  choices: fc.array(fc.nat(), { minLength: 30, maxLength: 30 }),
  deaths: fc.array(
    fc.record({ write: fc.integer({ min: 1, max: 7 }), side: fc.constantFrom<Side>('before', 'after', 'late') }),
    { maxLength: 6 },
  ),
})

/** What happened in a life, seen from outside. */
interface Lived {
  readonly view: RunView
  readonly effects: readonly Effect[]
  readonly requests: readonly (readonly Message[])[]
  /** What each process told of the journal. */
  readonly told: readonly (readonly JournalEvent[])[]
  readonly journal: readonly JournalEvent[]
  readonly holds: readonly Hold[]
  /** By hold: the id of the decision that a person was told is recorded. */
  readonly recorded: ReadonlyMap<string, string>
}

class Died extends Error {}

interface Process {
  readonly holdpoint: Holdpoint
  readonly told: JournalEvent[]
  readonly isDead: () => boolean
}

class World {
  readonly effects: Effect[] = []
  readonly requests: (readonly Message[])[] = []
  readonly recorded = new Map<string, string>()
  readonly #life: Life
  readonly #store: Store
  readonly #processes: Process[] = []
  readonly #late: (() => Promise<unknown>)[] = []
  #choice = 0

  constructor(life: Life, store: Store) {
    this.#life = life
    this.#store = store
    this.#begin()
  }

  async live(): Promise<Lived> {
    await this.#survive(async holdpoint => {
      const before = await this.#store.runs({})
      if (before.length === 0) await holdpoint.start({ agent: 'tester', input: 'go' })
    })
    const [row] = await this.#store.runs({})
    const id = row?.id ?? ''
    for (let advances = 0; advances < 80; advances += 1) {
      const view = asView(await this.#survive(holdpoint => holdpoint.advance(id)))
      // P4: what an advance tells is what the store has.
      expect(view).toEqual(await this.#holdpoint.run(id))
      if (view.status === 'done') return this.#lived(view)
      await this.#decide(view)
    }
    throw new TypeError('the run does not end')
  }

  async #lived(view: RunView): Promise<Lived> {
    const { effects, requests, recorded } = this
    const told = this.#processes.map(process => process.told)
    const journal = await this.#store.journal(view.thread_id)
    return { view, effects, requests, told, recorded, journal, holds: await this.#store.holds({}) }
  }

  get #holdpoint(): Holdpoint {
    return (this.#processes.at(-1) as Process).holdpoint
  }

  /** The same again by the next process, for as long as they die of it. */
  async #survive<T>(act: (holdpoint: Holdpoint) => Promise<T>): Promise<T> {
    for (;;) {
      const process = this.#processes.at(-1) as Process
      try {
        const result = await act(process.holdpoint)
        for (const write of this.#late.splice(0)) await write().catch(expectRefusal)
        return result
      } catch (thrown) {
        if (!process.isDead()) throw thrown
        this.#begin()
      }
    }
  }

  #begin(): void {
    const self = `process ${this.#processes.length + 1}`
    const death = this.#life.deaths[this.#processes.length] ?? null
    const { store, isDead } = mortal(this.#store, death, this.#late)
    const told: JournalEvent[] = []
    const holdpoint = new EmbeddedHoldpoint(
      {
        store,
        agents: agentRegistry({ agents: [this.#agent()], directory: '/', env: {} }),
        clock: handClock(),
        ids: systemIds,
        liveness: { self, isGone: owner => owner !== self, isAlive: owner => owner === self },
        tell: event => ('ephemeral' in event ? undefined : told.push(event)),
        checkSchema: validateJson,
      },
      noTasks,
    )
    this.#processes.push({ holdpoint, told, isDead })
  }

  /** Some of what is open, in whatever way; at least one. */
  async #decide(view: RunView): Promise<void> {
    expect(view.holds.length).toBeGreaterThan(0)
    const some = view.holds.filter(() => this.#choose([true, true, false]))
    for (const hold of some.length > 0 ? some : view.holds.slice(0, 1)) await this.#decideOne(hold)
  }

  async #decideOne(hold: Hold): Promise<void> {
    const said = this.#saying(hold)
    const receipt = await this.#survive(holdpoint => holdpoint.decide(hold.id, said))
    if (receipt.outcome === 'refused') {
      expect(['forbidden_edit', 'invalid_arguments'], receipt.error.message).toContain(receipt.error.code)
      return
    }
    expect(['recorded', 'duplicate']).toContain(receipt.outcome)
    this.recorded.set(hold.id, said.decision_id)
    const late = await this.#survive(holdpoint => holdpoint.decide(hold.id, this.#saying(hold)))
    expect(['already_decided', 'refused']).toContain(late.outcome)
  }

  #saying(hold: Hold): Omit<DecisionInput, 'hold_id'> & { decision_id: string } {
    // Each message of a person begins the budgets anew, so a person with more and more to say keeps a run going.
    const isEnough = hold.kind === 'input' && this.recorded.size > 12
    const verdict = isEnough ? 'approve' : this.#choose(possible(hold))
    return {
      verdict,
      ...(verdict === 'edit' && { arguments: { n: this.#choose([1, 2, 3, 4]) } }),
      ...(verdict === 'respond' && { value: this.#choose(['yes', 'go on']) }),
      decision_id: systemIds.next('decision'),
      decided_by: 'ana',
      surface: 'test',
    }
  }

  #choose<T>(from: readonly T[]): T {
    const number = this.#life.choices[this.#choice % this.#life.choices.length] ?? 0
    this.#choice += 1
    return from[number % from.length] as T
  }

  #agent(): AgentDefinition {
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

  #tool(name: ToolName): Tool {
    return defineTool({
      name,
      inputSchema: SCHEMA,
      idempotent: name === 'again',
      needsApproval: ((args: { n: number }) => OWN_WORD[name](args.n)) as never,
      execute: (args, { toolCallId, idempotencyKey }) => {
        this.effects.push({ call: toolCallId, tool: name, args, key: idempotencyKey })
        if (name === 'failing') throw new TypeError('it broke')
        return { done: args['n'] }
      },
    })
  }
}

const WRITES: readonly PropertyKey[] = ['start', 'claim', 'append', 'decide', 'release', 'renew']

/** The store as one process has it, until that process is gone: then it can do nothing more at all. */
function mortal(
  store: Store,
  death: Life['deaths'][number] | null,
  late: (() => Promise<unknown>)[],
): { store: Store; isDead: () => boolean } {
  let writes = 0
  let dead = false
  const write = async (act: () => Promise<unknown>, name: PropertyKey): Promise<unknown> => {
    writes += 1
    const side = death?.write === writes ? death.side : null
    dead = side !== null
    // A start that comes late would be another run.
    if (side === 'late' && name !== 'start') late.push(act)
    if (side === 'before' || side === 'late') throw new Died()
    const result = await act()
    if (side === 'after') throw new Died()
    return result
  }
  const alive = (method: (...args: unknown[]) => Promise<unknown>, name: PropertyKey) => {
    return async (...args: unknown[]) => {
      if (dead) throw new Died()
      const act = () => method.apply(store, args)
      return WRITES.includes(name) ? write(act, name) : act()
    }
  }
  const get = (target: Store, name: PropertyKey): unknown => {
    const value: unknown = Reflect.get(target, name, target)
    return typeof value !== 'function' ? value : name === 'watch' ? value.bind(target) : alive(value as never, name)
  }
  return { isDead: () => dead, store: new Proxy(store, { get }) }
}

/** P7: whoever comes late is refused, or nobody had gone on yet. */
function expectRefusal(thrown: unknown): void {
  expect(thrown).toMatchObject({ code: 'lease_lost' })
}

function asView(result: AdvanceResult): RunView {
  if ('messages' in result) return result
  throw new TypeError(`the run is ${result.status}`)
}

function possible(hold: Hold): DecisionVerdict[] {
  const may = maySay(hold)
  return (Object.keys(may) as DecisionVerdict[]).filter(verdict => may[verdict] !== null)
}

/** The same for all tests: each life is lived once, and all of them look at it. */
const SEED = Math.floor(Math.random() * 2 ** 31)
const known = new Map<string, Promise<Lived>>()

/** Lives many of them and looks at what happened in each. */
async function inEachLife(look: (lived: Lived, life: Life) => void): Promise<void> {
  const property = fc.asyncProperty(lives, async life => look(await lifeOf(life), life))
  await fc.assert(property, { numRuns: runs(400), seed: SEED })
}

function lifeOf(life: Life): Promise<Lived> {
  const name = JSON.stringify(life)
  const lived = known.get(name) ?? live(life)
  known.set(name, lived)
  return lived
}

async function live(life: Life): Promise<Lived> {
  await using store = await openStore('memory:', { clock: handClock(), directory: '/' })
  return await new World(life, store).live()
}

function callsOf({ messages }: RunView): MessageCall[] {
  return messages.flatMap(message => (message.role === 'assistant' ? message.tool_calls : []))
}

function resultsOf({ messages }: RunView): ToolMessage[] {
  return messages.filter(message => message.role === 'tool')
}

function decisionsOn(call: string, kinds: readonly Hold['kind'][], { holds }: Lived): Decision[] {
  return holds.flatMap(({ call_id, kind, decision }) =>
    call_id === call && kinds.includes(kind) && decision ? [decision] : [],
  )
}

test('P1: nothing runs that policy did not let pass and nobody approved, and never with other arguments', async () => {
  await inEachLife((lived, life) => {
    const asked = new Map(callsOf(lived.view).map(call => [call.id, call.arguments as JsonObject]))
    for (const { call, tool, args } of lived.effects) {
      const about = JSON.stringify({ call, tool, args })
      const [decision] = decisionsOn(call, ['approval'], lived)
      const approved = decision?.verdict === 'approve' || decision?.verdict === 'edit'
      expect(approved || letsPass(life, tool as ToolName, asked.get(call) ?? {}), about).toBe(true)
      expect(args, about).toEqual(decision?.arguments ?? asked.get(call))
    }
  })
})

/** The verdict of docs/design/policy.md, for a policy of names alone. */
function letsPass({ policy, pauseOn }: Life, tool: ToolName, args: JsonObject): boolean {
  const ownWord = policy.default === 'never' ? null : OWN_WORD[tool](Number(args['n']))
  const byItself = ownWord === null ? policy.default : ownWord ? 'prompt' : 'auto'
  const verdict = Object.hasOwn(policy.tools, tool) ? policy.tools[tool] : byItself
  return verdict === 'auto' || (verdict === 'prompt' && !pauseOn.includes('approval'))
}

test('P3: each call has at most one effect, but where somebody or its tool says that another one does no harm', async () => {
  await inEachLife(lived => {
    for (const [call, effects] of Map.groupBy(lived.effects, effect => effect.call)) {
      const again = decisionsOn(call, ['in_doubt'], lived).filter(({ verdict }) => verdict === 'approve').length
      if (effects[0]?.tool !== 'again') expect(effects.length, call).toBeLessThanOrEqual(1 + again)
      expect(new Set(effects.map(({ key }) => key)).size, call).toBe(1)
    }
    const keys = new Map(lived.effects.map(({ key, call }) => [key, call]))
    expect(keys.size).toBe(new Set(lived.effects.map(({ call }) => call)).size)
  })
})

test('P3: no call is said to have succeeded that had no effect and that nobody vouched for', async () => {
  await inEachLife(lived => {
    const happened = new Set(lived.effects.map(({ call }) => call))
    for (const { tool_call_id: call, is_error } of resultsOf(lived.view)) {
      const answered = decisionsOn(call, ['in_doubt', 'question'], lived).some(({ verdict }) => verdict === 'respond')
      if (!is_error) expect(happened.has(call) || answered, call).toBe(true)
    }
  })
})

test('P5: each request has one result for each call, in order, with nothing in between', async () => {
  await inEachLife(({ requests, view }) => {
    for (const messages of [...requests, view.messages]) {
      expect(checkOpenAiOrder({ messages: messages.map(onTheWire) })).toEqual([])
    }
  })
})

/** As a provider would get it. */
function onTheWire(message: Message): unknown {
  const { role, content } = message
  if (role === 'tool') return { role, tool_call_id: message.tool_call_id, content: JSON.stringify(content) }
  if (role !== 'assistant' || message.tool_calls.length === 0) return { role, content }
  const tool_calls = message.tool_calls.map(({ id, name, arguments: args }) => ({
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(typeof args === 'string' ? {} : args) },
  }))
  return { role, content: content || null, tool_calls }
}

test('P2: what a person was told is recorded stays recorded, and each hold is decided once', async () => {
  await inEachLife(({ holds, recorded, journal }) => {
    for (const [hold, decision_id] of recorded) {
      expect(holds.find(({ id }) => id === hold)?.decision?.decision_id).toBe(decision_id)
    }
    const decided = journal.flatMap(event => (event.kind === 'hold.decided' ? [event.data.hold_id] : []))
    expect(decided.toSorted()).toEqual(holds.flatMap(({ id, decision }) => (decision ? [id] : [])).toSorted())
  })
})

test('P4: each process tells of the journal in its order, each event once, and of nothing that is not in it', async () => {
  await inEachLife(({ told, journal, view }) => {
    for (const events of told) {
      const seqs = events.map(({ seq }) => seq)
      expect(seqs).toEqual([...new Set(seqs)].toSorted((a, b) => a - b))
      for (const event of events) expect(journal[event.seq - 1]).toEqual(event)
    }
    const ends = journal.filter(({ kind }) => kind === 'run.finished')
    expect(ends.map(({ data }) => data)).toEqual([{ termination: view.termination }])
  })
})

const TOLD: Partial<Record<DecisionVerdict, { is_error: boolean; content: unknown }>> = {
  reject: { is_error: true, content: expect.stringMatching(/^(TOOL_CALL_REJECTED|QUESTION_DECLINED): ./) },
  cancel: { is_error: true, content: expect.stringMatching(/^TOOL_CALL_CANCELLED: ./) },
  respond: { is_error: false, content: expect.any(String) },
}

test('what a person said of a call is what the model is told', async () => {
  await inEachLife(lived => {
    for (const result of resultsOf(lived.view)) {
      for (const { verdict } of decisionsOn(result.tool_call_id, ['approval', 'question'], lived)) {
        expect(result).toMatchObject(TOLD[verdict] ?? {})
      }
    }
  })
})

test('the lives that are tried here have something of everything', async () => {
  const kinds = ['approval approve', 'approval reject', 'approval edit', 'approval cancel', 'question respond']
  const doubts = ['in_doubt approve', 'in_doubt respond', 'in_doubt reject', 'input respond', 'input approve']
  const results = ['UNKNOWN_TOOL', 'INVALID_ARGUMENTS', 'TOOL_CALL_FORBIDDEN', 'TOOL_CALL_FAILED', 'result']
  const missing = new Map(['effects', 'deaths', ...kinds, ...doubts, ...results].map(what => [what, 3]))
  const count = (what: string, times: number) => {
    const left = (missing.get(what) ?? 0) - times
    if (left > 0) missing.set(what, left)
    else missing.delete(what)
  }
  // The same ones each time: this is about what can be found, not about what is found.
  const tried = fc.sample(lives, { numRuns: 600, seed: 9 }).values()
  while (missing.size > 0) {
    const { value: life } = tried.next()
    if (life === undefined) break
    const lived = await live(life)
    count('effects', lived.effects.length)
    count('deaths', lived.told.length - 1)
    for (const { kind, decision } of lived.holds) count(`${kind} ${decision?.verdict}`, 1)
    for (const { content } of resultsOf(lived.view)) count(/^[A-Z_]+(?=:)/.exec(String(content))?.[0] ?? 'result', 1)
  }
  expect([...missing.keys()]).toEqual([])
})
