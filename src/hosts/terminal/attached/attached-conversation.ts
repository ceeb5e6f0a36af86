/**
 * A conversation over the socket of an agent: its process advances the run, and every client sees the same events. Keeps:
 * to leave ends nothing of the agent; a process that is gone takes nothing with it, since the store then takes the same
 * message or decision under the same id (P2).
 */
import type { Receipt } from '../../../core/deciding/receipt.ts'
import { RefusedError, refused } from '../../../core/errors.ts'
import type { DecideFrame, ErrorFrame, FrameFile, UserMessageFrame } from '../../../core/fleet/frames.ts'
import { answerValue } from '../../../core/hold/answer-value.ts'
import type { Hold } from '../../../core/hold/hold.ts'
import type { JournalEvent } from '../../../core/journal/event.ts'
import type { ContentPart } from '../../../core/message/part.ts'
import { REFUSALS, type RefusalCode } from '../../../core/refusal-codes.ts'
import type { Profile } from '../../../core/run/profile.ts'
import type { RunWarning } from '../../../core/run/warnings/run-warning.ts'
import type { Ephemeral } from '../../../ports/event-sink.ts'
import type {
  Conversation,
  ConversationVerdict,
  FollowConversation,
  OutgoingMessage,
  Presence,
} from '../conversation/conversation.ts'
import type { Answer } from './asked-frames.ts'
import { type AttachedAgent, type AttachedSite, WHILE_WAITING } from './attached-site.ts'
import { AttachedStream } from './attached-stream.ts'

export class AttachedConversation implements Conversation {
  readonly sessionId: string
  readonly isOfAgent = true
  readonly agent: string
  readonly model: string | null
  readonly #site: AttachedSite
  readonly #id: string
  readonly #stream: AttachedStream
  readonly #listeners = new Set<() => void>()

  /** `tell`: one line for the person, about who writes and whether a process is there. */
  constructor(site: AttachedSite, agent: AttachedAgent, tell: (text: string) => void) {
    this.#site = site
    this.#id = agent.summary.id
    this.sessionId = agent.sessionId
    this.agent = agent.called
    this.model = agent.model
    this.#stream = new AttachedStream(site, agent, {
      tell,
      changed: () => {
        for (const listener of this.#listeners) listener()
      },
    })
  }

  /** Ends if its person has ended the agent. */
  follow(options: FollowConversation): AsyncIterable<JournalEvent | Ephemeral> {
    return this.#stream.follow(options)
  }

  async holds(): Promise<readonly Hold[]> {
    const open = await this.#site.holdpoint.holds({ thread_id: this.sessionId, status: 'open' })
    return open.filter(({ kind }) => kind !== 'input')
  }

  async reading(): Promise<Profile> {
    const { run } = await this.#site.holdpoint.thread(this.sessionId)
    if (run) return run.profile
    throw refused('unknown_session', 'Nothing is known of the files of this agent yet.', 'Write the message without @.')
  }

  async send(message: OutgoingMessage): Promise<readonly RunWarning[]> {
    const { text, mode } = message
    const input_id = crypto.randomUUID()
    const files = messageFiles(message)
    const answer = files && (await this.#stream.frames.ask({ type: 'user_message', input_id, text, mode, ...files }))
    if (!answer) return this.#sendByStore(message, input_id)
    refuse(answer)
    return ('warnings' in answer && answer.warnings) || []
  }

  async decide(drawn: Hold, { grant, ...said }: ConversationVerdict): Promise<Receipt> {
    const { id: hold_id, digest, level } = drawn
    const input_id = crypto.randomUUID()
    const frame = { type: 'decide', input_id, hold_id, seen: { digest, level }, ...said, ...(grant && { grant }) }
    const answer = await this.#stream.frames.ask(frame as DecideFrame)
    const { holdpoint, person: decided_by, surface } = this.#site
    if (answer?.type === 'error') return { outcome: 'refused', hold: drawn, error: refusalOf(answer) }
    const hold = (answer && (await holdpoint.hold(hold_id))) ?? drawn
    if (answer?.outcome === 'already_decided') return { outcome: 'already_decided', hold, winner: answer.winner }
    const decision = answer && (hold.decision ?? hold.votes.at(-1))
    if (decision) return { outcome: answer.outcome === 'duplicate' ? 'duplicate' : 'recorded', hold, decision }
    return holdpoint.decide(hold_id, { ...said, grant, input_id, decided_by, surface, digest, level })
  }

  async answer(drawn: Hold, text: string): Promise<Receipt> {
    if (drawn.kind === 'question' || drawn.kind === 'client_tool')
      return this.decide(drawn, { verdict: 'respond', value: answerValue(text, drawn) })
    const { holdpoint, person: decided_by, surface } = this.#site
    const { id, digest, level } = drawn
    return holdpoint.answer(id, { text, decided_by, surface, digest, level })
  }

  async shown(holdIds: readonly string[], inFull: boolean): Promise<void> {
    const { holdpoint, person: to, surface } = this.#site
    await holdpoint.audit.shown(holdIds, { to, surface, inFull })
  }

  /** To leave is no reason to stop an agent that others may watch: /interrupt does, with a message. */
  stop(): boolean {
    return false
  }

  goOn(): void {
    throw refused('nothing_pending', 'The process of the agent goes on by itself.', 'Write a message.')
  }

  async cancel(reason: string | null): Promise<void> {
    const { holdpoint, person: by, surface } = this.#site
    await holdpoint.agents.kill(this.#id, { by, surface, reason })
  }

  async compact(keep: string | null): Promise<void> {
    const { holdpoint, person: by } = this.#site
    await holdpoint.compact(this.sessionId, { by, keep })
  }

  /** Another agent; its id. */
  async fork(): Promise<string> {
    const { holdpoint, person: by, surface } = this.#site
    const starter = { by, surface, runId: null }
    return (await holdpoint.agents.fork(this.#id, { starter, name: null, text: null })).id
  }

  /** The right to send messages is this client's from here on. @throws RefusedError */
  async takeWriter(): Promise<void> {
    const answer = await this.#stream.frames.ask({ type: 'take_writer', input_id: crypto.randomUUID() })
    if (answer === null)
      throw refused('not_attached', 'No process is there now, so no one else writes to it.', 'Write a message.')
    refuse(answer)
  }

  /** The run ends once it waits for a message, and the conversation with it. @throws RefusedError */
  async end(): Promise<void> {
    const { holdpoint, person: by, surface } = this.#site
    this.#stream.isEnding = true
    try {
      const answer = await this.#stream.frames.ask({ type: 'end', input_id: crypto.randomUUID() })
      if (answer) refuse(answer)
      else await holdpoint.agents.end(this.#id, { by, surface })
    } catch (thrown) {
      // Over a server it is asked again once its turn is over.
      if (this.#site.door === null && thrown instanceof RefusedError && thrown.code === 'busy') return
      this.#stream.isEnding = false
      throw thrown
    }
  }

  /** One that crashed goes on with its journal. @throws RefusedError */
  async resume(): Promise<void> {
    const { holdpoint, person: by, surface } = this.#site
    await holdpoint.tasks.goOn(this.#id, { by, surface })
  }

  presence(): Presence {
    return this.#stream.presence
  }

  onPresence(listener: () => void): Disposable {
    this.#listeners.add(listener)
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listeners.clear()
    this.#stream.frames.end()
  }

  async #sendByStore({ text, parts, mode }: OutgoingMessage, inputId: string): Promise<readonly RunWarning[]> {
    const { holdpoint, person: author, surface } = this.#site
    const message = { text, ...(parts.length > 0 && { parts }), author, surface, inputId }
    const { warnings = [] } = await holdpoint.agents.send(this.#id, { ...message, whileWaiting: WHILE_WAITING[mode] })
    return warnings
  }
}

/** @throws RefusedError if the process refused it */
function refuse(answer: Answer): void {
  if (answer.type === 'error') throw refusalOf(answer)
}

/** As the face would have refused it. */
function refusalOf({ code, reason, message, hint }: ErrorFrame): RefusedError {
  const how = code === 'not_writer' ? '/writer takes the right to write; to decide needs no such right.' : hint
  return new RefusedError(refusalCode(reason ?? code), message, how === null ? {} : { hint: how })
}

function refusalCode(code: string): RefusalCode {
  return Object.hasOwn(REFUSALS, code) ? (code as RefusalCode) : 'not_attached'
}

/** Bytes of a line, with some room for its other fields. */
const MOST_BYTES = 1_000_000

/** The images and files of a message as its frame carries them; `null` if the message is longer than a line may be. */
function messageFiles({
  text,
  parts,
}: Pick<OutgoingMessage, 'text' | 'parts'>): Pick<UserMessageFrame, 'files'> | null {
  const files = parts.flatMap(fileOf)
  const fields = files.length > 0 ? { files } : {}
  return Buffer.byteLength(JSON.stringify({ text, ...fields })) > MOST_BYTES ? null : fields
}

function fileOf(part: ContentPart): FrameFile[] {
  if (part.type === 'text' || part.data === undefined) return []
  const { data: base64, media_type, name } = part
  return [{ base64, media_type, ...(name !== undefined && { name }) }]
}
