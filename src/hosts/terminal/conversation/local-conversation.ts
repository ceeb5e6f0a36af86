/** A conversation over a store that this process opened. The run advances here, unless another process is at it. */
import { aborted } from '../../../async/on-abort.ts'
import type { Receipt } from '../../../core/deciding/receipt.ts'
import { RefusedError } from '../../../core/errors.ts'
import type { Hold } from '../../../core/hold/hold.ts'
import type { JournalEvent } from '../../../core/journal/event.ts'
import type { Thread } from '../../../core/journal/thread.ts'
import type { ContentPart } from '../../../core/message/part.ts'
import { modelName, type Profile } from '../../../core/run/profile.ts'
import type { Ephemeral } from '../../../ports/event-sink.ts'
import type { Holdpoint } from '../../../runtime/face/holdpoint.ts'
import type { AdvanceOptions } from '../../../runtime/views/face-options.ts'
import { systemIds } from '../../process/system-ids.ts'
import type {
  Conversation,
  ConversationVerdict,
  FollowConversation,
  MessageMode,
  OutgoingMessage,
  Presence,
} from './conversation.ts'
import { RunDriver } from './run-driver.ts'

export interface LocalSite {
  readonly holdpoint: Holdpoint
  /** The name that signs. */
  readonly person: string
  /** As it is on record for messages and decisions. */
  readonly surface: string
}

/** A session of the store that goes on, or the profile of a new one. */
export type Begin = { readonly thread: Thread } | { readonly profile: Profile }

const WHILE_WAITING: Readonly<Record<MessageMode, 'queue' | 'supersede'>> = {
  queue: 'queue',
  steer: 'supersede',
  interrupt: 'supersede',
}

export class LocalConversation implements Conversation {
  readonly sessionId: string
  readonly agent: string
  readonly model: string | null
  readonly #site: LocalSite
  readonly #driver: RunDriver
  /** Of a session without a run; `null` once it has one. */
  #profile: Profile | null
  readonly #begun: PromiseWithResolvers<void> = Promise.withResolvers()
  readonly #listeners = new Set<() => void>()

  constructor(site: LocalSite, begin: Begin) {
    const thread = 'thread' in begin ? begin.thread : null
    const profile = 'profile' in begin ? begin.profile : (begin.thread.run?.profile ?? null)
    this.#site = site
    this.sessionId = thread?.id ?? systemIds.next('thread')
    this.agent = profile?.agent ?? 'agent'
    this.model = profile && modelName(profile)
    this.#profile = thread?.run ? null : profile
    if (this.#profile === null) this.#begun.resolve()
    // Whoever stopped a run decides when it goes on.
    const wasStopped = thread?.run?.announced?.reason === 'interrupted'
    this.#driver = new RunDriver(
      {
        runs: site.holdpoint,
        sessionId: this.sessionId,
        options: pauseOf(profile),
        onChange: () => {
          for (const listener of this.#listeners) listener()
        },
      },
      wasStopped,
    )
    if (thread) this.#driver.wake()
  }

  async *follow({ since, signal }: FollowConversation): AsyncIterable<JournalEvent | Ephemeral> {
    await Promise.race([this.#begun.promise, aborted(signal)])
    if (signal.aborted) return
    for await (const event of this.#site.holdpoint.follow(this.sessionId, { since, signal })) {
      if (!('ephemeral' in event)) this.#driver.hear(event)
      yield event
    }
  }

  async holds(): Promise<readonly Hold[]> {
    if (this.#profile !== null) return []
    const open = await this.#site.holdpoint.holds({ thread_id: this.sessionId, status: 'open' })
    return open.filter(({ kind }) => kind !== 'input')
  }

  async send({ text, parts, mode }: OutgoingMessage): Promise<void> {
    const { holdpoint, person: author, surface } = this.#site
    if (mode === 'interrupt' && this.#driver.stop()) await this.#driver.rests()
    if (this.#profile !== null) await this.#begin(this.#profile, contentOf(text, parts))
    else {
      const message = { text, ...(parts.length > 0 && { parts }), author, surface }
      await holdpoint.send(this.sessionId, message, { whileWaiting: WHILE_WAITING[mode] })
    }
    this.#driver.goOn()
  }

  async decide({ id, digest, level }: Hold, verdict: ConversationVerdict): Promise<Receipt> {
    const { holdpoint, person: decided_by, surface } = this.#site
    return this.#decided(await holdpoint.decide(id, { ...verdict, decided_by, surface, digest, level }))
  }

  async answer({ id, digest, level }: Hold, text: string): Promise<Receipt> {
    const { holdpoint, person: decided_by, surface } = this.#site
    return this.#decided(await holdpoint.answer(id, { text, decided_by, surface, digest, level }))
  }

  async shown(holdIds: readonly string[], inFull: boolean): Promise<void> {
    const { holdpoint, person: to, surface } = this.#site
    await holdpoint.audit.shown(holdIds, { to, surface, inFull })
  }

  stop(): boolean {
    return this.#driver.stop()
  }

  goOn(): void {
    this.#driver.goOn()
  }

  async cancel(reason: string | null): Promise<void> {
    const { holdpoint, person: by } = this.#site
    const [run] = await holdpoint.runs({ thread_id: this.sessionId, limit: 1 })
    if (!run || run.status === 'done')
      throw new RefusedError('nothing_pending', 'No run is under way in this session, so there is nothing to cancel.')
    await holdpoint.cancel(run.id, { by, reason })
    this.#driver.goOn()
  }

  async fork(): Promise<string> {
    const { holdpoint } = this.#site
    const at = this.#profile === null ? (await holdpoint.checkpoints(this.sessionId)).at(-1) : undefined
    if (!at) throw new RefusedError('unknown_checkpoint', 'Nothing was said in this session yet, so nothing can fork.')
    return (await holdpoint.fork(at.checkpoint_id)).thread_id
  }

  presence(): Presence {
    return { ...this.#driver.state, role: 'writer', writer: null, clients: 1 }
  }

  onPresence(listener: () => void): Disposable {
    this.#listeners.add(listener)
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) }
  }

  /** A run under way stops at a safe point. The store stays open. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#listeners.clear()
    await this.#driver.close()
  }

  #decided(receipt: Receipt): Receipt {
    if (receipt.outcome === 'recorded') this.#driver.goOn()
    return receipt
  }

  async #begin(profile: Profile, input: string | readonly ContentPart[]): Promise<void> {
    const { holdpoint, person: author, surface } = this.#site
    const thread = { id: this.sessionId, seq: 0 }
    await holdpoint.start({ profile, input, author, surface, thread, reserve: true })
    this.#profile = null
    this.#begun.resolve()
  }
}

/** Between messages the run is over, as on the command line; one that pauses for each text goes on doing so. */
function pauseOf(profile: Profile | null): AdvanceOptions {
  return profile?.pause_on.includes('input') ? {} : { pauseOn: [] }
}

function contentOf(text: string, parts: readonly ContentPart[]): string | readonly ContentPart[] {
  if (parts.length === 0) return text
  return text === '' ? parts : [{ type: 'text', text }, ...parts]
}
