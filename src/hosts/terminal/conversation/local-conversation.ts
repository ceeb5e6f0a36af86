/** A conversation over a store that this process opened. The run advances here, unless another process is at it. */
import { aborted } from '../../../async/on-abort.ts'
import type { Receipt } from '../../../core/deciding/receipt.ts'
import { RefusedError } from '../../../core/errors.ts'
import type { Hold } from '../../../core/hold/hold.ts'
import type { JournalEvent } from '../../../core/journal/event.ts'
import type { Thread } from '../../../core/journal/thread.ts'
import type { ContentPart } from '../../../core/message/part.ts'
import type { Profile, ProfileChanges } from '../../../core/run/profile.ts'
import type { RunWarning, Warned } from '../../../core/run/warnings/run-warning.ts'
import type { Ephemeral } from '../../../ports/event-sink.ts'
import type { RunRow } from '../../../ports/store/runs.ts'
import type { Holdpoint } from '../../../runtime/face/holdpoint.ts'
import type { AdvanceResult } from '../../../runtime/views/face-options.ts'
import { systemIds } from '../../process/system-ids.ts'
import {
  type Conversation,
  type ConversationVerdict,
  contentOf,
  type FollowConversation,
  type MessageMode,
  type OutgoingMessage,
  type Presence,
} from './conversation.ts'
import { DueAlarm } from './due-alarm.ts'
import { RunDriver } from './run-driver.ts'
import { SessionSettings } from './session-settings.ts'

export interface LocalDeps {
  /** Opens the store once it is needed: a session without a message needs none. */
  readonly open: () => Promise<Holdpoint>
  /** The name that signs. */
  readonly person: string
  /** The surface on record for messages and decisions. */
  readonly surface: string
  /** The change of settings by which this model answers; nothing is recorded yet. @throws RefusedError if it cannot be used. */
  readonly otherModel?: (before: Profile, model: string) => Promise<ProfileChanges>
}

/** A session of the store that continues, with changed settings if any; or the profile of a new one. */
export type Begin =
  | { readonly thread: Thread; readonly changes?: ProfileChanges | null }
  | { readonly profile: Profile }

const WHILE_WAITING: Readonly<Record<MessageMode, 'queue' | 'supersede'>> = {
  queue: 'queue',
  steer: 'supersede',
  interrupt: 'supersede',
}

export class LocalConversation implements Conversation {
  readonly sessionId: string
  readonly #site: LocalDeps
  readonly #driver: RunDriver
  readonly #alarm: DueAlarm
  readonly #begun: PromiseWithResolvers<void> = Promise.withResolvers()
  readonly reading = async (): Promise<Profile> => this.#settings.profile
  readonly #listeners = new Set<() => void>()
  readonly #settings: SessionSettings
  #sent: Promise<unknown> = Promise.resolve()
  #hasRun: boolean

  constructor(site: LocalDeps, begin: Begin) {
    const thread = 'thread' in begin ? begin.thread : null
    const before = 'profile' in begin ? begin.profile : (begin.thread.run?.profile ?? null)
    this.#site = site
    this.sessionId = thread?.id ?? systemIds.next('thread')
    this.#settings = new SessionSettings(before, 'thread' in begin ? (begin.changes ?? null) : null)
    this.#hasRun = thread !== null
    if (this.#hasRun) this.#begun.resolve()
    // The person who stopped a run decides when it continues.
    const wasStopped = thread?.run?.announced?.reason === 'interrupted'
    this.#driver = new RunDriver(
      {
        newest: () => this.#newest(),
        advance: (runId, signal) => this.#advance(runId, signal),
        onChange: () => {
          for (const listener of this.#listeners) listener()
        },
      },
      wasStopped,
    )
    this.#alarm = new DueAlarm(() => this.#passDeadlines())
    if (thread) this.#driver.wake()
  }

  /** The settings that are not on record yet. */
  get changes(): ProfileChanges | null {
    return this.#settings.changes
  }

  /** The settings of what begins next. */
  get profile(): Profile {
    return this.#settings.profile
  }

  get agent(): string {
    return this.#settings.agent
  }

  get model(): string | null {
    return this.#settings.model
  }

  async *follow({ since, signal }: FollowConversation): AsyncIterable<JournalEvent | Ephemeral> {
    await Promise.race([this.#begun.promise, aborted(signal)])
    if (signal.aborted) return
    const holdpoint = await this.#site.open()
    for await (const event of holdpoint.follow(this.sessionId, { since, signal })) {
      if (!('ephemeral' in event)) this.#driver.hear(event)
      yield event
    }
  }

  async holds(): Promise<readonly Hold[]> {
    if (!this.#hasRun) return []
    const holdpoint = await this.#site.open()
    const open = await holdpoint.holds({ thread_id: this.sessionId, status: 'open' })
    this.#alarm.set(open)
    return open.filter(({ kind }) => kind !== 'input')
  }

  /** Messages are sent one after the other: the first of two begins the session, and the second needs it. */
  send(message: OutgoingMessage): Promise<readonly RunWarning[]> {
    const sent = this.#sent.then(() => this.#send(message))
    this.#sent = sent.catch(() => {})
    return sent
  }

  async decide({ id, digest, level }: Hold, verdict: ConversationVerdict): Promise<Receipt> {
    const { person: decided_by, surface } = this.#site
    const holdpoint = await this.#site.open()
    return this.#decided(await holdpoint.decide(id, { ...verdict, decided_by, surface, digest, level }))
  }

  async answer({ id, digest, level }: Hold, text: string): Promise<Receipt> {
    const { person: decided_by, surface } = this.#site
    const holdpoint = await this.#site.open()
    return this.#decided(await holdpoint.answer(id, { text, decided_by, surface, digest, level }))
  }

  async shown(holdIds: readonly string[], inFull: boolean): Promise<void> {
    const { person: to, surface } = this.#site
    const { audit } = await this.#site.open()
    await audit.shown(holdIds, { to, surface, inFull })
  }

  stop(): boolean {
    return this.#driver.stop()
  }

  goOn(): void {
    this.#driver.goOn()
  }

  async cancel(reason: string | null): Promise<void> {
    const run = await this.#newest()
    if (!run || run.status === 'done')
      throw new RefusedError('nothing_pending', 'No run is under way in this session, so there is nothing to cancel.')
    const holdpoint = await this.#site.open()
    await holdpoint.cancel(run.id, { by: this.#site.person, reason })
    this.#driver.goOn()
  }

  async compact(keep: string | null): Promise<void> {
    const holdpoint = await this.#site.open()
    await holdpoint.compact(this.sessionId, { by: this.#site.person, keep })
  }

  async useModel(model: string): Promise<void> {
    const { otherModel } = this.#site
    if (!otherModel) throw new RefusedError('invalid_arguments', 'The model of this session cannot be changed here.')
    this.#settings.change(await otherModel(this.#settings.profile, model))
    for (const listener of this.#listeners) listener()
  }

  async fork(): Promise<string> {
    const holdpoint = this.#hasRun ? await this.#site.open() : null
    const at = (await holdpoint?.checkpoints(this.sessionId))?.at(-1)
    if (!holdpoint || !at)
      throw new RefusedError('unknown_checkpoint', 'Nothing was said in this session yet, so nothing can fork.')
    return (await holdpoint.fork(at.checkpoint_id)).thread_id
  }

  presence(): Presence {
    return { ...this.#driver.state, role: 'writer', writer: null, clients: 1, standing: null }
  }

  onPresence(listener: () => void): Disposable {
    this.#listeners.add(listener)
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) }
  }

  /** A run under way stops at a safe point. The store stays open. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#listeners.clear()
    this.#alarm[Symbol.dispose]()
    await this.#driver.close()
  }

  #decided(receipt: Receipt): Receipt {
    if (receipt.outcome === 'recorded') this.#driver.goOn()
    return receipt
  }

  async #newest(): Promise<RunRow | null> {
    if (!this.#hasRun) return null
    const holdpoint = await this.#site.open()
    return (await holdpoint.runs({ thread_id: this.sessionId, limit: 1 }))[0] ?? null
  }

  async #send({ text, parts, mode }: OutgoingMessage): Promise<readonly RunWarning[]> {
    const { person: author, surface } = this.#site
    if (mode === 'interrupt' && this.#driver.stop()) await this.#driver.rests()
    const isBegun = this.#hasRun && !(this.#settings.changes && (await this.#newest())?.status === 'done')
    const given = { text, ...(parts.length > 0 && { parts }), author, surface }
    const { warnings = [] } = isBegun
      ? await (await this.#site.open()).send(this.sessionId, given, { whileWaiting: WHILE_WAITING[mode] })
      : await this.#begin(contentOf({ text, parts }))
    this.#driver.goOn()
    return warnings
  }

  /** A run with settings of its own: the first of the session, or one whose settings differ from those of the run before. */
  async #begin(input: string | readonly ContentPart[]): Promise<Warned> {
    const { person: author, surface } = this.#site
    const holdpoint = await this.#site.open()
    const thread = { id: this.sessionId, seq: this.#hasRun ? await holdpoint.newestSeq(this.sessionId) : 0 }
    const start = { input, author, surface, thread, reserve: true }
    const started = await this.#settings.begin(profile => holdpoint.start({ ...start, profile }))
    this.#hasRun = true
    this.#begun.resolve()
    return started
  }

  async #advance(runId: string, signal: AbortSignal): Promise<AdvanceResult> {
    const { person: by, surface } = this.#site
    const holdpoint = await this.#site.open()
    const options = { ...this.#settings.pauses, signal }
    return this.#settings.along(changes =>
      holdpoint.advance(runId, { ...options, ...(changes && { changes, by, surface }) }),
    )
  }

  /** No worker need be there: the session that is looked at keeps its own deadlines. */
  async #passDeadlines(): Promise<void> {
    await this.#driver.passDeadlines()
    await this.holds()
  }
}
