/** Carries out requests of clients through the verbs of the face. An answer is sent after its effect is durable. */
import { hash } from 'node:crypto'
import { RefusedError } from '../../core/errors.ts'
import type {
  AckFrame,
  DecideFrame,
  EndFrame,
  ErrorFrame,
  FrameErrorCode,
  UserMessageFrame,
} from '../../core/fleet/frames.ts'
import type { DecisionInput } from '../../core/hold/decision.ts'
import type { Run } from '../../core/journal/thread.ts'
import { againIfMoved } from '../../runtime/threads/again-if-moved.ts'
import type { SendOptions, WhileWaiting } from '../../runtime/threads/send-message.ts'
import { attachments } from './attachments.ts'
import type { AgentContext, AgentPlace } from './place.ts'

/** Messages that an agent has not taken in, at most. */
export const MOST_QUEUED = 64

/** The surface on record for messages and decisions of clients. */
export const SURFACE = 'attach'

const WHILE_WAITING: Record<NonNullable<UserMessageFrame['mode']>, WhileWaiting> = {
  queue: 'queue',
  steer: 'supersede',
  interrupt: 'interrupt',
}

export interface AgentVerbsDeps {
  readonly site: AgentContext
  /** The present place: a later run of the session may be the agent's. */
  place(): AgentPlace
  /** A message begins the next run of the session. */
  beginsNext(): boolean
  /** The run is to end once it waits for a message. */
  endAfterTurn(by: string): void
  /** A client sent something. */
  heard(): void
}

type Answer = AckFrame | ErrorFrame

export class AgentVerbs {
  readonly #deps: AgentVerbsDeps

  constructor(deps: AgentVerbsDeps) {
    this.#deps = deps
  }

  async say(frame: UserMessageFrame, actor: string): Promise<Answer> {
    return orError(frame.input_id, () => againIfMoved(() => this.#say(frame, actor)))
  }

  async #say(frame: UserMessageFrame, actor: string): Promise<Answer> {
    const { input_id } = frame
    const { site, place, beginsNext } = this.#deps
    const { run } = await site.holdpoint.thread(place().thread_id)
    const isKnown = (await site.store.findInput(place().thread_id, input_id)) !== null
    if (!run || isKnown || beginsNext()) return this.#send(frame, actor, run)
    // A run that ends meanwhile takes no message: no process would go on with the next run.
    return objectionTo(run, input_id) ?? this.#send(frame, actor, run, { onlyTo: run.id })
  }

  async #send(frame: UserMessageFrame, actor: string, run: Run | null, only: SendOptions = {}): Promise<Answer> {
    const { input_id, text, mode = 'queue', files = [] } = frame
    const { site, place, heard } = this.#deps
    const parts = await attachments(files, place().workdir)
    const content = parts.length === 0 ? { text } : { text, parts }
    const message = { ...content, author: actor, surface: SURFACE, inputId: input_id }
    const sent = await site.holdpoint.send(place().thread_id, message, { ...only, whileWaiting: WHILE_WAITING[mode] })
    heard()
    const warned = sent.warnings ? { warnings: sent.warnings } : {}
    if (sent.outcome === 'duplicate') return { type: 'ack', input_id, outcome: 'duplicate', seq: sent.seq, ...warned }
    const position = sent.outcome === 'queued' ? (run?.queue.length ?? 0) : 0
    return { type: 'ack', input_id, outcome: 'recorded', seq: await this.#seqOf(input_id), position, ...warned }
  }

  async decide(frame: DecideFrame, actor: string): Promise<Answer> {
    const { site, place, heard } = this.#deps
    const { type: _, input_id, hold_id, seen, ...decision } = frame
    return orError(input_id, async () => {
      const hold = await site.holdpoint.hold(hold_id)
      if (hold?.thread_id !== place().thread_id)
        return fault(input_id, 'unknown_hold', `This agent has no hold ${JSON.stringify(hold_id)}.`)
      heard()
      return this.#record(hold_id, { ...decision, digest: seen?.digest, level: seen?.level }, { input_id, actor })
    })
  }

  async end({ input_id, when = 'after_turn' }: EndFrame, actor: string): Promise<Answer> {
    const { site, place, endAfterTurn } = this.#deps
    const { run_id } = place()
    return orError(input_id, async () => {
      if (when === 'now') {
        await site.holdpoint.cancel(run_id, { by: actor, reason: 'ended by a client' })
        return { type: 'ack', input_id, outcome: 'ending' }
      }
      const [pause] = await site.holdpoint.holds({ run_id, status: 'open', kind: 'input', limit: 1 })
      if (pause) return this.#record(pause.id, { verdict: 'approve', reason: 'ended by a client' }, { input_id, actor })
      endAfterTurn(actor)
      return { type: 'ack', input_id, outcome: 'ending' }
    })
  }

  async #record(
    holdId: string,
    decision: Omit<DecisionInput, 'hold_id' | 'decided_by' | 'surface'>,
    { input_id, actor }: { readonly input_id: string; readonly actor: string },
  ): Promise<Answer> {
    const { site } = this.#deps
    const key = decisionKey(holdId, actor, input_id)
    const id = { input_id: key, decision_id: key }
    const receipt = await site.holdpoint.decide(holdId, { ...decision, ...id, decided_by: actor, surface: SURFACE })
    if (receipt.outcome === 'refused') throw receipt.error
    if (receipt.outcome === 'already_decided')
      return { type: 'ack', input_id, outcome: 'already_decided', winner: receipt.winner }
    return { type: 'ack', input_id, outcome: receipt.outcome, seq: await this.#seqOf(key) }
  }

  async #seqOf(inputId: string): Promise<number> {
    const { site, place } = this.#deps
    return (await site.store.findInput(place().thread_id, inputId)) ?? 0
  }
}

/** Clients count their decisions as they like: the id of one is no other client's, and no message's. */
function decisionKey(holdId: string, actor: string, inputId: string): string {
  return `${SURFACE}/${hash('sha256', JSON.stringify([holdId, actor, inputId]), 'hex').slice(0, 32)}`
}

function objectionTo({ termination, queue }: Run, input_id: string): ErrorFrame | null {
  if (termination) return fault(input_id, 'ended', 'The run of the agent is over. Nothing was said.')
  if (queue.length < MOST_QUEUED) return null
  return fault(input_id, 'full', `${MOST_QUEUED} messages wait already. Nothing was said.`)
}

/** Refusals of the face by other names than their own. */
const CODES: Readonly<Record<string, FrameErrorCode>> = {
  unknown_hold: 'unknown_hold',
  already_completed: 'ended',
  superseded: 'busy',
}

/** A refusal is an answer too, and the connection stays. */
export async function orError(input_id: string, work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work()
  } catch (thrown) {
    if (!(thrown instanceof RefusedError)) throw thrown
    const { code, message, hint } = thrown
    return { type: 'error', input_id, code: CODES[code] ?? 'refused', reason: code, message, hint }
  }
}

export function fault(input_id: string | undefined, code: FrameErrorCode, message: string): ErrorFrame {
  return { type: 'error', ...(input_id !== undefined && { input_id }), code, message, hint: HINTS[code] }
}

// biome-ignore format: the table is the documentation
const HINTS: Record<FrameErrorCode, string | null> = {
  bad_frame:            'Nothing was done. The connection stays.',
  busy:                 'Send it again.',
  ended:                'A message to its session begins the next run.',
  forbidden:            'Read the token of the agent from its store: a new process has a new one.',
  full:                 'Send it again once the agent has taken in some of them.',
  not_writer:           'Ask to write with take_writer, or only decide.',
  refused:              null,
  too_large:            'Name a large file by its path.',
  unknown_hold:         'The welcome and the events name the holds of the agent.',
  unknown_position:     'Attach without since for what comes, or with 0 for all of it.',
  unsupported_protocol: 'Use the version of Holdpoint that the agent runs, or the verbs that need only the store.',
}
