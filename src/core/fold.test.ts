import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Decision, DecisionVerdict } from './decision.ts'
import { CorruptJournalError } from './errors.ts'
import type { EventKind, JournalEvent, NewEvent } from './event.ts'
import { apply, emptyThread, fold } from './fold.ts'
import type { HoldKind } from './hold.ts'
import type { Message } from './message.ts'
import { nextMove } from './next-move.ts'
import { MAY_SAY } from './objection.ts'
import type { Profile } from './profile.ts'
import { DEFAULT_POLICY } from './read-policy.ts'
import { openHolds, type Thread } from './thread.ts'
import { type CallStatus, isFinal } from './tool-call.ts'

const PROFILE: Profile = {
  agent: 'tester',
  agent_file: null,
  model: 'script:test',
  instructions: null,
  tools: null,
  policy: DEFAULT_POLICY,
  pause_on: ['approval', 'question', 'input'],
  hold_scope: 'batch',
  stop: [],
  project: '/',
  workdir: '/',
}

/** What a reader would write on paper: just enough to know what may come next, and what must be true in the end. */
class Paper {
  readonly events: JournalEvent[] = []
  run = 0
  over = true
  steps = 0
  tokens = 0
  messages = 0
  concluding = false
  input: string | null = null
  readonly calls = new Map<
    string,
    { status: CallStatus; hold: { id: string; kind: HoldKind } | null; attempt: number }
  >()
  inStep = false
  #names = 0

  write(kind: EventKind, data: object): void {
    const seq = this.events.length + 1
    const at = new Date(seq * 1_000).toISOString()
    this.events.push({ seq, at, thread_id: 'th_1', run_id: `run_${this.run}`, kind, data } as unknown as JournalEvent)
  }

  name(prefix: string): string {
    this.#names += 1
    return `${prefix}_${this.#names}`
  }

  /** Everything that may happen now. */
  possible(): readonly (() => void)[] {
    if (this.over) return [() => this.start()]
    const always = [() => this.configure(), () => this.checkpoint()]
    if (this.inStep) return [...always, ...this.inTheStep()]
    if (this.input !== null) return [...always, ...this.aboutTheText(this.input)]
    const next = this.concluding ? [() => this.askForText()] : [() => this.answer()]
    return [...always, () => this.say(), () => this.finish(), ...next, ...next, ...next]
  }

  start(): void {
    this.run += 1
    this.over = false
    this.concluding = false
    const carried = this.run % 2 === 0 ? { run_id: 'run_1', steps: this.steps, usage: usage(this.tokens) } : null
    if (!carried) {
      this.steps = 0
      this.tokens = 0
    }
    this.write('run.started', { profile: PROFILE, carried })
  }

  configure(): void {
    this.write('run.configured', { changes: { workdir: `/${this.name('dir')}` } })
  }

  checkpoint(): void {
    this.write('checkpoint.named', { checkpoint_id: this.name('cp'), reason: 'step' })
  }

  say(): void {
    this.messages += 1
    this.write('message.received', { content: this.name('said'), author: null })
  }

  finish(): void {
    this.over = true
    this.write('run.finished', { termination: { type: 'natural_end' } })
  }

  answer(): void {
    this.steps += 1
    this.tokens += this.steps
    const calls = Array.from({ length: this.steps % 4 }, () => this.name('call'))
    const text = this.steps % 3 === 0 ? '' : `answer ${this.steps}`
    this.calls.clear()
    for (const id of calls) this.calls.set(id, { status: 'new', hold: null, attempt: 0 })
    if (text !== '' || calls.length > 0) this.messages += 1
    this.inStep = true
    this.write('step.started', { step: this.steps })
    this.write('model.answered', {
      text,
      calls: calls.map(id => ({ id, name: 'work', arguments: { id }, provider_id: null, metadata: null })),
      usage: usage(this.steps),
      model: 'script:test',
      finish_reason: 'stop',
    })
  }

  inTheStep(): readonly (() => void)[] {
    const open = [...this.calls].filter(([, { status }]) => !isFinal(status))
    return open.length === 0 ? [() => this.endStep()] : open.flatMap(([id]) => this.aboutTheCall(id))
  }

  endStep(): void {
    this.messages += this.calls.size
    this.concluding = this.calls.size === 0
    this.inStep = false
    this.write('step.ended', { step: this.steps })
  }

  aboutTheCall(id: string): readonly (() => void)[] {
    const { status, hold } = this.callOf(id)
    const finish = () => this.finishCall(id, ['succeeded', 'failed', 'cancelled'][this.events.length % 3] as CallStatus)
    if (status === 'new') {
      return [
        () => this.write('call.gated', { call_id: id, rule: 'auto' }),
        () => this.startCall(id),
        () => this.hold(id),
        finish,
      ]
    }
    if (status === 'running') return [finish, () => this.hold(id, 'in_doubt')]
    if (status === 'resuming') return [() => this.startCall(id), () => this.hold(id), finish]
    return [() => this.decide(id, hold), () => this.decide(id, hold), () => this.finishCall(id, 'cancelled')]
  }

  startCall(id: string): void {
    const call = this.callOf(id)
    call.attempt += 1
    call.status = 'running'
    this.write('call.started', {
      call_id: id,
      status: 'running',
      attempt: call.attempt,
      idempotency_key: id,
      digest: null,
    })
  }

  finishCall(id: string, status: CallStatus): void {
    const call = this.callOf(id)
    // A call that is cancelled while somebody is asked leaves its hold as it is.
    call.status = status
    this.write('call.finished', { call_id: id, status, output: `output of ${id}`, error: null })
  }

  hold(id: string, kind: HoldKind = this.events.length % 2 === 0 ? 'approval' : 'question'): void {
    const call = this.callOf(id)
    call.status = 'suspended'
    call.hold = { id: this.name('hold'), kind }
    this.write('hold.opened', {
      hold_id: call.hold.id,
      kind,
      call_id: id,
      status: 'suspended',
      digest: `sha256:${id}`,
      because: 'test',
    })
  }

  decide(id: string, hold: { id: string; kind: HoldKind } | null): void {
    this.callOf(id).status = 'resuming'
    const { id: hold_id, kind } = hold ?? { id: '', kind: 'approval' }
    this.write('hold.decided', { hold_id, call_id: id, status: 'resuming', decision: this.decision(kind) })
  }

  askForText(): void {
    this.input = this.name('hold')
    this.write('hold.opened', {
      hold_id: this.input,
      kind: 'input',
      call_id: null,
      status: null,
      digest: null,
      because: 'test',
    })
  }

  aboutTheText(hold_id: string): readonly (() => void)[] {
    return (['approve', 'respond'] as const).map(verdict => () => {
      this.input = null
      if (verdict === 'respond') {
        this.messages += 1
        this.concluding = false
      }
      this.write('hold.decided', {
        hold_id,
        call_id: null,
        status: null,
        decision: { ...this.decision('input'), verdict, value: verdict === 'respond' ? 'go on' : null },
      })
    })
  }

  decision(kind: HoldKind): Decision {
    const possible = (Object.keys(MAY_SAY[kind]) as DecisionVerdict[]).filter(
      verdict => MAY_SAY[kind][verdict] !== null,
    )
    const verdict = possible[this.events.length % possible.length] ?? 'cancel'
    return {
      decision_id: this.name('dec'),
      verdict,
      arguments: verdict === 'edit' ? { edited: this.events.length } : null,
      value: verdict === 'respond' ? 'an answer' : null,
      reason: null,
      digest: null,
      decided_by: 'ana',
      surface: 'test',
      at: '2030-01-01T00:00:00.000Z',
    }
  }

  callOf(id: string) {
    const call = this.calls.get(id)
    if (!call) throw new TypeError(`no call ${id}`)
    return call
  }
}

function usage(tokens: number) {
  return { input_tokens: tokens, output_tokens: 0, total_tokens: tokens }
}

/** A journal that could have been lived, by a random choice of what happens next. */
const papers = fc.array(fc.nat(), { minLength: 1, maxLength: 60 }).map(choices => {
  const paper = new Paper()
  for (const choice of choices) {
    const possible = paper.possible()
    possible[choice % possible.length]?.()
  }
  return paper
})

function stored(events: readonly JournalEvent[]): JournalEvent[] {
  return JSON.parse(JSON.stringify(events)) as JournalEvent[]
}

/** Everything of a thread as plain data, to compare and to keep. */
function plain(thread: Thread): unknown {
  return structuredClone(thread)
}

function numbered(events: readonly JournalEvent[]): JournalEvent[] {
  return events.map((event, index) => ({ ...event, seq: index + 1 }))
}

test('a fold of a journal is what a reader would write on paper', () => {
  fc.assert(
    fc.property(papers, paper => {
      const { seq, messages, run } = fold('th_1', stored(paper.events))
      expect(seq).toBe(paper.events.length)
      expect(messages).toHaveLength(paper.messages)
      expect(run).toMatchObject({
        id: `run_${paper.run}`,
        steps: paper.steps,
        usage: usage(paper.tokens),
        concluding: paper.concluding,
        termination: paper.over ? { type: 'natural_end' } : null,
      })
      const calls = [...(run?.step?.calls.values() ?? [])].map(({ id, status, attempt }) => [id, status, attempt])
      const onPaper = [...paper.calls].map(([id, { status, attempt }]) => [id, status, attempt])
      expect(calls).toEqual(paper.inStep ? onPaper : [])
    }),
    { numRuns: 500 },
  )
})

test('P4: replaying a journal from the store gives what living it gave, at each moment', () => {
  fc.assert(
    fc.property(papers, paper => {
      const living = emptyThread('th_1')
      const events = stored(paper.events)
      for (const [index, event] of paper.events.entries()) {
        apply(living, event)
        if (index % 7 === 0 || index === events.length - 1) {
          const replayed = fold('th_1', events.slice(0, index + 1))
          expect(plain(replayed)).toEqual(plain(living))
          expect(replayed.run && nextMove(replayed.run)).toEqual(living.run && nextMove(living.run))
        }
      }
    }),
    { numRuns: 200 },
  )
})

test('P5: between two answers each call of the first one has one result, in call order', () => {
  fc.assert(
    fc.property(papers, paper => {
      const { messages, run } = fold('th_1', paper.events)
      expect(faultsOf(run?.step ? messages.slice(0, messages.findLastIndex(isAnswer)) : messages)).toEqual([])
    }),
    { numRuns: 500 },
  )
})

function isAnswer(message: Message): boolean {
  return message.role === 'assistant' && message.tool_calls.length > 0
}

function faultsOf(messages: readonly Message[]): string[] {
  const expected = messages.flatMap(message =>
    message.role === 'assistant' ? message.tool_calls.map(({ id }) => id) : [],
  )
  const results = messages.flatMap(message => (message.role === 'tool' ? [message.tool_call_id] : []))
  const owed: string[] = []
  const between = messages.flatMap((message, index) => {
    if (message.role === 'assistant') owed.push(...message.tool_calls.map(({ id }) => id))
    if (message.role === 'tool') owed.shift()
    return message.role === 'user' && owed.length > 0 ? [`message ${index} stands before the results of ${owed}`] : []
  })
  return expected.join() === results.join() ? between : [...between, `called ${expected}, answered ${results}`]
}

test('the values in a thread are replaced, never changed', () => {
  fc.assert(
    fc.property(papers, fc.nat(), (paper, moment) => {
      const thread = emptyThread('th_1')
      const at = moment % paper.events.length
      for (const event of paper.events.slice(0, at)) apply(thread, event)
      const kept = [
        ...thread.messages,
        ...(thread.run?.step?.calls.values() ?? []),
        ...(thread.run ? openHolds(thread.run) : []),
      ]
      const before = structuredClone(kept)
      for (const event of paper.events.slice(at)) apply(thread, event)
      expect(kept).toEqual(before)
    }),
    { numRuns: 200 },
  )
})

const journalAndPlace = fc
  .tuple(papers, fc.nat())
  .map(([{ events }, n]) => ({ events: stored(events), at: n % events.length }))

test('a journal without one of its events is corrupt, unless it was the last one', () => {
  fc.assert(
    fc.property(journalAndPlace, ({ events, at }) => {
      const rest = events.toSpliced(at, 1)
      if (at < events.length - 1) expect(() => fold('th_1', rest)).toThrow(CorruptJournalError)
      else if (rest.length > 0) expect(fold('th_1', rest).seq).toBe(rest.length)
    }),
    { numRuns: 500 },
  )
})

test('a journal with two events in the wrong order, or one of them twice, is corrupt', () => {
  fc.assert(
    fc.property(journalAndPlace, ({ events, at }) => {
      const [event, next] = [events[at], events[at + 1]]
      if (!event || !next) return
      expect(() => fold('th_1', events.toSpliced(at, 2, next, event))).toThrow(CorruptJournalError)
      expect(() => fold('th_1', events.toSpliced(at, 0, event))).toThrow(CorruptJournalError)
    }),
    { numRuns: 500 },
  )
})

test('whatever is wrong with a journal, it is called corrupt and nothing else', () => {
  const data = fc.oneof(fc.jsonValue(), fc.constant({}), fc.constantFrom(null, 'x', 7, []))
  fc.assert(
    fc.property(journalAndPlace, data, fc.boolean(), ({ events, at }, wrong, removed) => {
      // Numbered anew, so that only what is in the events can tell.
      const broken = removed ? events.toSpliced(at, 1) : events.with(at, { ...events[at], data: wrong } as JournalEvent)
      try {
        fold('th_1', numbered(broken))
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(CorruptJournalError)
        expect(thrown).toMatchObject({ code: 'corrupt_journal', message: expect.stringContaining('th_1') })
      }
    }),
    { numRuns: 1_000 },
  )
})

test.each(['run.stopped', 'toString', '__proto__', 'constructor', ''])('an event of the kind %j is unknown', kind => {
  const event = { seq: 1, at: '', thread_id: 'th_1', run_id: 'run_1', kind, data: {} } as unknown as JournalEvent
  expect(() => fold('th_1', [event])).toThrow(`event 1 (${kind}) is of an unknown kind`)
})

test('an event that has lost something it needs makes its journal corrupt, whatever kind it is of', () => {
  fc.assert(
    fc.property(journalAndPlace, ({ events, at }) => {
      const event = events[at] as JournalEvent
      const { length } = Object.keys(event.data)
      const broken = events.with(at, { ...event, data: {} } as JournalEvent)
      const harmless = event.kind === 'step.started' || event.kind === 'step.ended'
      if (length > 0 && !harmless) expect(() => fold('th_1', broken)).toThrow(/does not fit: it has no [a-z_]+/)
    }),
    { numRuns: 500 },
  )
})

test('a journal without events is corrupt, never an empty conversation', () => {
  expect(() => fold('th_1', [])).toThrow(expect.objectContaining({ code: 'corrupt_journal' }))
})

/** A run that has come as far as its first answer, with one call. */
const BEGUN: readonly NewEvent[] = [
  { kind: 'run.started', run_id: 'run_1', data: { profile: PROFILE, carried: null } },
  { kind: 'step.started', run_id: 'run_1', data: { step: 1 } },
  {
    kind: 'model.answered',
    run_id: 'run_1',
    data: {
      text: '',
      calls: [{ id: 'call_1', name: 'work', arguments: {}, provider_id: null, metadata: null }],
      usage: usage(1),
      model: 'm',
      finish_reason: 'stop',
    },
  },
]

const finished = { kind: 'run.finished', run_id: 'run_1', data: { termination: { type: 'natural_end' } } } as const
const opened = (hold_id: string) =>
  ({
    kind: 'hold.opened',
    run_id: 'run_1',
    data: { hold_id, kind: 'approval', call_id: 'call_1', status: 'suspended', digest: null, because: '' },
  }) as const

const ILLEGAL: readonly (readonly [what: string, events: readonly NewEvent[], detail: string])[] = [
  ['anything before a run started', [finished], 'no run has started'],
  ['a second run before the first one finished', [...BEGUN, BEGUN[0] as NewEvent], 'run run_1 is not finished'],
  ['a second end', [BEGUN[0] as NewEvent, finished, finished], 'is finished already'],
  ['an answer inside a step', [...BEGUN, BEGUN[2] as NewEvent], 'step 1 has not ended'],
  [
    'the end of a step with a call that is open',
    [...BEGUN, { kind: 'step.ended', run_id: 'run_1', data: { step: 1 } }],
    'call call_1 is new',
  ],
  [
    'a call of no step',
    [...BEGUN, { kind: 'call.gated', run_id: 'run_1', data: { call_id: 'call_9', rule: '' } }],
    'call call_9 is not one of the step under way',
  ],
  ['a decision on a hold that was never opened', [...BEGUN, decidedEvent('hold_9')], 'hold hold_9 was never opened'],
  [
    'a second decision on a hold',
    [...BEGUN, opened('hold_1'), decidedEvent('hold_1'), decidedEvent('hold_1')],
    'hold hold_1 is decided already',
  ],
  [
    'a move that the table does not list',
    [
      ...BEGUN,
      opened('hold_1'),
      {
        kind: 'call.started',
        run_id: 'run_1',
        data: { call_id: 'call_1', status: 'running', attempt: 1, idempotency_key: '', digest: null },
      },
    ],
    'call_1 is suspended and cannot become running',
  ],
]

test.each(ILLEGAL)('%s makes a journal corrupt, and the error says where and why', (_what, events, detail) => {
  const journal = events.map(
    (event, index) => ({ ...event, seq: index + 1, at: '', thread_id: 'th_1' }) as JournalEvent,
  )
  const last = journal.at(-1)
  expect(() => fold('th_1', journal)).toThrow(
    expect.objectContaining({
      code: 'corrupt_journal',
      message: expect.stringMatching(new RegExp(`event ${last?.seq} \\(${last?.kind}\\) does not fit: .*${detail}`)),
    }),
  )
})

function decidedEvent(hold_id: string): NewEvent {
  const decision: Decision = {
    decision_id: 'dec_1',
    verdict: 'approve',
    arguments: null,
    value: null,
    reason: null,
    digest: null,
    decided_by: 'ana',
    surface: 'test',
    at: '',
  }
  return { kind: 'hold.decided', run_id: 'run_1', data: { hold_id, call_id: 'call_1', status: 'resuming', decision } }
}

test('an edited call is told to the model with both arguments and who edited it', () => {
  const edit = decidedEvent('hold_1')
  const { decision } = edit.data as { decision: Decision }
  const events: NewEvent[] = [
    ...BEGUN,
    opened('hold_1'),
    { ...edit, data: { ...edit.data, decision: { ...decision, verdict: 'edit', arguments: { to: 'b' } } } } as NewEvent,
    {
      kind: 'call.started',
      run_id: 'run_1',
      data: { call_id: 'call_1', status: 'running', attempt: 1, idempotency_key: '', digest: null },
    },
    {
      kind: 'call.finished',
      run_id: 'run_1',
      data: { call_id: 'call_1', status: 'succeeded', output: 'done', error: null },
    },
    { kind: 'step.ended', run_id: 'run_1', data: { step: 1 } },
  ]
  const { messages } = fold(
    'th_1',
    events.map((event, index) => ({ ...event, seq: index + 1, at: '', thread_id: 'th_1' }) as JournalEvent),
  )
  expect(messages.at(-1)).toMatchObject({
    content: {
      original_arguments: {},
      executed_arguments: { to: 'b' },
      result: 'done',
      note: expect.stringContaining('ana'),
    },
  })
})
