/**
 * P1, shown after the fact: what released each effect of a run, and that no refused call ran. It reads the events one
 * by one, and does not use the fold: an effect without a release is a fault, even if the fold missed that.
 */
import type { Decision } from '../../hold/decision.ts'
import type { HoldKind, ResumeMode } from '../../hold/hold.ts'
import { releaseOf } from '../../hold/release.ts'
import type { EventData, EventKind, JournalEvent } from '../../journal/event.ts'
import { upcast } from '../../journal/upcast.ts'
import type { FinalAction } from '../../people/due.ts'
import { bundleOf, type Came } from '../../run/exported.ts'
import { callOutcome } from '../../run/outcome/call-outcome.ts'
import { GATING } from '../../run/profile.ts'
import type { JsonObject } from '../../text/json.ts'
import { overrides } from '../decision-record.ts'
import type { ExplainedCall, ExplainedRun, ReleasedBy, Ruled, RunReference } from './explained-run.ts'
import { SettingsHistory } from './settings-history.ts'

/**
 * Reads the whole journal of the run's thread and skips events of other runs. `null` if the journal has no event of
 * this run.
 */
export function explainRun(runId: string, journal: Iterable<JournalEvent>, came: Came = []): ExplainedRun | null {
  const reader = new Reader(runId, came)
  for (const event of journal) reader.take(event)
  return reader.explained
}

interface OpenedHold extends RunReference {
  readonly hold_id: string
  readonly kind: HoldKind
  readonly because: string
  readonly plugin: string | null
  readonly resume_mode: ResumeMode
  readonly votes: Ruled['votes'][number][]
}

/** A call, and what releases it at this point of the journal. */
interface CallUnderWay {
  readonly explained: {
    -readonly [K in keyof ExplainedCall]: ExplainedCall[K] extends readonly (infer T)[] ? T[] : ExplainedCall[K]
  }
  /** The arguments that run: an approver may have changed them. */
  args: JsonObject | string
  released: ReleasedBy | null
  isRunning: boolean
}

type Take<K extends EventKind> = (data: EventData[K], event: JournalEvent) => void

class Reader {
  readonly #run: { -readonly [K in keyof Omit<ExplainedRun, 'calls' | 'faults' | 'configured'>]: ExplainedRun[K] }
  readonly #calls = new Map<string, CallUnderWay>()
  readonly #holds = new Map<string, OpenedHold>()
  readonly #ruled = new Map<string, Ruled>()
  readonly #came: Came
  readonly #faults: ExplainedRun['faults'][number][] = []
  /** True up to the first checkpoint of the thread's own: a fork begins with a copy. */
  #isCopy = false
  readonly #settings = new SettingsHistory()

  constructor(runId: string, came: Came) {
    this.#came = came
    this.#run = { run_id: runId, thread_id: '', agent: null, started: null, cancelled: null, finished: null }
  }

  get explained(): ExplainedRun | null {
    if (this.#run.thread_id === '') return null
    const calls = [...this.#calls.values()].map(({ explained }) => explained)
    return { ...this.#run, configured: this.#settings.changesOf(this.#run.run_id), calls, faults: this.#faults }
  }

  take(event: JournalEvent): void {
    this.#followCopy(event)
    this.#settings.take(event)
    if (event.run_id !== this.#run.run_id) return
    this.#run.thread_id = event.thread_id
    const take = this.#takes[event.kind] as Take<EventKind> | undefined
    take?.(upcast(event) as never, event)
  }

  #followCopy(event: JournalEvent): void {
    if (event.kind === 'thread.forked' && event.seq === 1) this.#isCopy = true
    const own = `cp_${event.thread_id.slice(event.thread_id.indexOf('_') + 1)}`
    if (event.kind === 'checkpoint.named' && event.data.checkpoint_id.startsWith(own)) this.#isCopy = false
  }

  readonly #takes: { readonly [K in EventKind]?: Take<K> } = {
    'run.started': ({ profile }, event) => {
      this.#run.agent = profile.agent
      this.#run.started = placeOf(event)
    },
    'run.configured': ({ changes }) => {
      if (!GATING.some(key => Object.hasOwn(changes, key))) return
      for (const call of this.#calls.values()) if (!isRuled(call.released)) call.released = null
    },
    'cancel.requested': ({ by, reason }, event) => {
      this.#run.cancelled ??= { ...placeOf(event), by, reason }
    },
    'model.answered': ({ calls }) => {
      for (const { id, name, arguments: args } of calls) this.#calls.set(id, newCall(id, name, args))
    },
    'call.gated': (data, event) => this.#let(data.call_id, this.#passed(data, event)),
    'call.started': (data, event) => this.#started(data, event),
    'call.unclaimed': ({ call_id }) => this.#unclaimed(call_id),
    'call.finished': ({ call_id, status, error, output }, event) => {
      const call = this.#calls.get(call_id)
      if (!call) return
      const outcome = callOutcome(output, call.args)
      call.explained.finished = { ...placeOf(event), status, error: error?.code ?? null, outcome }
      call.isRunning = false
      call.released = null
    },
    'hold.opened': (data, event) => this.#opened(data, event),
    'hold.voted': ({ hold_id, decision }, event) => {
      const { decided_by, surface } = decision
      this.#holds.get(hold_id)?.votes.push({ ...placeOf(event), decided_by, surface })
    },
    'hold.decided': ({ hold_id, decision }, event) => this.#decided({ hold_id, decision, on_due: null }, event),
    'hold.expired': (data, event) => {
      this.#decided(data, event)
      const { decided_by: by, reason } = data.decision
      if (data.ends_run) this.#run.cancelled ??= { ...placeOf(event), by, reason }
    },
    'hold.withdrawn': ({ call_id, hold_id, because }) => {
      const call = this.#callOf(call_id)
      if (!call) return
      call.explained.undecided = call.explained.undecided.map(hold =>
        hold.hold_id === hold_id ? { ...hold, withdrawn: because } : hold,
      )
    },
    'run.finished': ({ termination }, event) => {
      this.#run.finished = { ...placeOf(event), termination }
    },
  }

  #callOf(id: string | null): CallUnderWay | undefined {
    return id === null ? undefined : this.#calls.get(id)
  }

  #let(callId: string, released: ReleasedBy): void {
    const call = this.#calls.get(callId)
    if (call) call.released = released
  }

  #passed({ rule, grant_id, approval_id }: EventData['call.gated'], event: JournalEvent): ReleasedBy {
    const place = placeOf(event)
    if (grant_id !== null) return { by: 'grant', grant_id, rule, ...place }
    if (approval_id === null) return { by: 'policy', rule, ...place }
    return { by: 'approval', approval_id, rule, approved: this.#ruled.get(approval_id) ?? null, ...place }
  }

  #opened(
    { hold_id, call_id, kind, because, plugin, resume_mode }: EventData['hold.opened'],
    event: JournalEvent,
  ): void {
    const place = placeOf(event)
    this.#holds.set(hold_id, { ...place, hold_id, kind, because, plugin, resume_mode, votes: [] })
    const call = this.#callOf(call_id)
    if (!call) return
    call.explained.undecided.push({ ...place, hold_id, withdrawn: null })
    call.released = null
    call.isRunning = false
  }

  #decided(
    { hold_id, decision, on_due }: { hold_id: string; decision: Decision; on_due: FinalAction | null },
    event: JournalEvent,
  ): void {
    const hold = this.#holds.get(hold_id)
    const call = this.#callOf('call_id' in event.data ? event.data.call_id : null)
    if (!hold) return
    const ruled = ruledOn(hold, { decision, on_due, place: placeOf(event) })
    this.#ruled.set(hold_id, ruled)
    if (!call || hold.kind === 'input') return
    call.explained.ruled.push(ruled)
    call.args = decision.arguments ?? call.args
    call.explained.undecided = call.explained.undecided.filter(each => each.hold_id !== hold_id)
    const lets = releaseOf(hold.kind, decision, hold.resume_mode).act === 'run'
    call.released = lets ? { by: 'decision', ...ruled } : null
  }

  #started({ call_id, attempt, idempotency_key, digest }: EventData['call.started'], event: JournalEvent): void {
    const place = placeOf(event)
    const call = this.#calls.get(call_id)
    if (!call) {
      this.#faults.push({ ...place, call_id, message: 'A call ran that the model never asked for.' })
      return
    }
    const earlier = call.explained.effects.at(-1)
    const released: ReleasedBy | null =
      call.isRunning && earlier ? { by: 'repeat', attempt: earlier.attempt, ...placeOf(earlier) } : call.released
    const where = { copied: this.#isCopy, imported: bundleOf(this.#came, place.seq) }
    call.explained.effects.push({ ...place, attempt, idempotency_key, digest, released, ...where })
    call.isRunning = true
    call.released = null
    const message = faultIn(released, digest)
    if (message) this.#faults.push({ ...place, call_id, message })
  }

  /** Nothing ran, so the release of the call still counts. */
  #unclaimed(callId: string): void {
    const call = this.#calls.get(callId)
    const released = call?.explained.effects.pop()?.released ?? null
    if (!call) return
    call.isRunning = released?.by === 'repeat'
    call.released = call.isRunning ? null : released
  }
}

function newCall(call_id: string, tool: string, args: JsonObject | string): CallUnderWay {
  return {
    explained: { call_id, tool, arguments: args, effects: [], ruled: [], undecided: [], finished: null },
    args,
    released: null,
    isRunning: false,
  }
}

function ruledOn(
  hold: OpenedHold,
  { decision, on_due, place }: { decision: Decision; on_due: FinalAction | null; place: RunReference },
): Ruled {
  const { verdict, decided_by, surface, reason, digest } = decision
  const { hold_id, kind, because, votes } = hold
  const override = overrides(hold) && RELEASES.includes(verdict)
  return { ...place, hold_id, kind, verdict, decided_by, surface, reason, digest, because, votes, on_due, override }
}

/** P1 and P9: each effect has a release, and its digest is the one that was approved. */
function faultIn(released: ReleasedBy | null, digest: string | null): string | null {
  if (released === null) return 'It ran, and nothing on record let it.'
  if (released.by === 'approval' && !RELEASES.includes(released.approved?.verdict))
    return 'It ran on an approval that is not on record.'
  const approved = released.by === 'decision' ? released.digest : null
  if (approved === null || digest === null || approved === digest) return null
  return 'What ran is not what was approved: their digests differ.'
}

const RELEASES: readonly (Decision['verdict'] | undefined)[] = ['approve', 'edit']

function isRuled(released: ReleasedBy | null): boolean {
  return released?.by === 'decision'
}

function placeOf({ seq, at }: RunReference): RunReference {
  return { seq, at }
}
