/** Every journal that was ever lived here, told to clients that stay, come late, or are cut off anywhere. */
import { globSync, readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { JournalEvent } from '../../core/journal/event.ts'
import { openHolds } from '../../core/journal/thread.ts'
import { isFinal } from '../../core/run/tool-call.ts'
import type { Json } from '../../core/text/json.ts'
import { type Conversation, conversationOf, takeIn } from './conversation.ts'
import type { Moment } from './moment.ts'
import { type KnownTurn, TurnTeller } from './tell-turn.ts'
import type { ToldCall } from './told-calls.ts'

interface PageCall {
  input: Json
  text: string
  state: 'writing' | 'ready' | 'asked' | 'finished'
  hold: string | null
  result: Json
}

interface PageStep {
  readonly text: string[]
  readonly reasoning: string[]
  readonly calls: Record<string, PageCall>
}

/** A client: it believes what it is told, and refuses what it was told before. */
class Page {
  readonly steps: PageStep[] = []
  #isOpen = false
  readonly #parts = new Set<string>()

  take(moments: readonly Moment[]): void {
    for (const moment of moments) this.#take(moment)
  }

  #take(moment: Moment): void {
    const { kind } = moment
    if (kind === 'step.started') {
      expect(this.#isOpen, 'a step is open').toBe(false)
      this.#isOpen = true
      this.steps.push({ text: [], reasoning: [], calls: {} })
    } else if (kind === 'step.ended') {
      expect(this.#parts).toEqual(new Set())
      this.#isOpen = false
    } else if ('id' in moment) this.#speak(moment)
    else this.#call(moment as never)
  }

  #speak(moment: Extract<Moment, { id: string }>): void {
    const [spoken, what] = moment.kind.split('.') as ['text' | 'reasoning', string]
    const key = `${spoken} ${moment.id}`
    if (what === 'started') expect(this.#parts.add(key).size).toBe(1)
    if (what === 'ended') expect(this.#parts.delete(key)).toBe(true)
    if ('delta' in moment) {
      expect(this.#parts).toContain(key)
      this.steps.at(-1)?.[spoken].push(moment.delta)
    }
  }

  #call(moment: Extract<Moment, { call_id: string } | { call: unknown }>): void {
    const id = 'call' in moment ? moment.call.id : moment.call_id
    const step = this.steps.findLast(({ calls }) => id in calls) ?? (this.steps.at(-1) as PageStep)
    if (moment.kind === 'input.started')
      step.calls[id] = { input: null, text: '', state: 'writing', hold: null, result: null }
    const call = step.calls[id] as PageCall
    expect(call.state, `${id} is told of after its end`).not.toBe('finished')
    if (moment.kind === 'input.delta') {
      call.text += moment.delta
      call.input = parsed(call.text)
    }
    if (moment.kind === 'call.ready') Object.assign(call, { state: 'ready', input: moment.call.final_arguments })
    if (moment.kind === 'call.asked') Object.assign(call, { state: 'asked', hold: moment.hold.id })
    if (moment.kind === 'call.finished')
      Object.assign(call, { state: 'finished', hold: null, result: moment.call.error?.code ?? moment.call.output })
  }

  /** The connection is cut. This is what the client says when it comes back. */
  cut(): KnownTurn {
    this.#isOpen = false
    this.#parts.clear()
    const calls = this.steps.flatMap(step => Object.entries(step.calls))
    const isReady = Object.values(this.steps.at(-1)?.calls ?? {}).some(({ state }) => state !== 'writing')
    return {
      steps: this.steps.length,
      answers: this.steps.length - (isReady ? 0 : 1),
      spoken: {
        text: this.steps.at(-1)?.text.join('') ?? '',
        reasoning: this.steps.at(-1)?.reasoning.join('') ?? '',
      },
      calls: new Map(calls.map(([id, call]): [string, ToldCall] => [id, told(call)])),
    }
  }

  /** A hold that others decided is shown as asked until its call goes on. */
  shown(open: ReadonlySet<string>): unknown {
    return this.steps.map(({ text, reasoning, calls }) => ({
      text: text.join(''),
      reasoning: reasoning.join(''),
      calls: Object.entries(calls).map(([id, { input, state, result, hold }]) => ({
        ...{ id, input, result },
        state: state === 'asked' && !open.has(hold ?? '') ? 'ready' : state,
      })),
    }))
  }
}

function told({ input, state, hold }: PageCall): ToldCall {
  const isWriting = state === 'writing'
  return {
    input: JSON.stringify(input),
    ready: isWriting ? null : (input as string),
    asked: hold,
    answered: false,
    finished: state === 'finished',
  }
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** A file has the journals of one story: a fork has one of its own. */
const JOURNALS = globSync('test/journals/*/*.jsonl')
  .toSorted()
  .flatMap(path => {
    const name = `${basename(dirname(path))}/${basename(path, '.jsonl')}`
    const lines = readFileSync(path, 'utf8').split('\n')
    const events = lines.filter(line => line !== '').map((line): JournalEvent => JSON.parse(line))
    return Object.values(Object.groupBy(events, ({ thread_id }) => thread_id)).map((own = []) => [name, own] as const)
  })

/** A page for each turn, told after each event. */
function watched(events: readonly JournalEvent[], cutAfter = Number.POSITIVE_INFINITY): Map<string, Page> {
  const conversation = conversationOf(events[0]?.thread_id ?? '', [])
  const pages = new Map<string, { page: Page; teller: TurnTeller }>()
  for (const event of events) {
    takeIn(conversation, event)
    const { turn } = conversation
    if (!turn) continue
    const { page, teller } = pages.get(turn.id) ?? { page: new Page(), teller: new TurnTeller() }
    page.take(teller.tell(turn))
    const next = event.seq === cutAfter ? new TurnTeller(page.cut()) : teller
    pages.set(turn.id, { page, teller: next })
  }
  return new Map([...pages].map(([id, { page }]) => [id, page]))
}

function toldAtOnce(conversation: Conversation): Map<string, Page> {
  const turns = conversation.messages.flatMap(message => (message.role === 'assistant' ? [message] : []))
  return new Map(
    turns.map(turn => {
      const page = new Page()
      const teller = new TurnTeller()
      page.take([...teller.tell(turn), ...teller.rest()])
      return [turn.id, page]
    }),
  )
}

/** The pages after all events. */
function shown(pages: ReadonlyMap<string, Page>, events: readonly JournalEvent[]): unknown {
  const { thread } = conversationOf(events[0]?.thread_id ?? '', events)
  const open = new Set(thread.run ? openHolds(thread.run).map(({ id }) => id) : [])
  return [...pages].map(([id, page]) => [id, page.shown(open)])
}

test('there are journals to read', () => expect(JOURNALS.length).toBeGreaterThan(50))

describe.each(JOURNALS)('%s', (_, events) => {
  test('a client that comes at the end is shown the same as one that was there all the time', () => {
    const conversation = conversationOf(events[0]?.thread_id ?? '', events)
    expect(shown(toldAtOnce(conversation), events)).toEqual(shown(watched(events), events))
  })

  test('a client that is cut off after any event, and comes back, is shown each thing once', () => {
    const whole = shown(watched(events), events)
    for (const { seq } of events) expect(shown(watched(events, seq), events), `cut after ${seq}`).toEqual(whole)
  })

  test('every message of a person is there, and each turn that is not the last has its calls finished', () => {
    const { messages, thread, turn } = conversationOf(events[0]?.thread_id ?? '', events)
    const said = thread.messages.filter(({ role }) => role === 'user')
    expect(messages.filter(({ role }) => role === 'user').length).toBeGreaterThanOrEqual(said.length - 1)
    const steps = messages.flatMap(message => (message.role === 'assistant' && message !== turn ? message.steps : []))
    expect(steps.flatMap(({ calls }) => calls).every(({ status }) => isFinal(status))).toBe(true)
  })
})
