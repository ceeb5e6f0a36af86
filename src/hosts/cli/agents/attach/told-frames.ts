/** The frames of an agent's process, as lines for a person. */
import type { AgentFrame, ClientFrame, ErrorFrame, WelcomeFrame } from '../../../../core/fleet/frames.ts'
import type { ClientRole } from '../../../../core/fleet/writer-lease.ts'
import type { Hold } from '../../../../core/hold/hold.ts'
import type { JournalEvent } from '../../../../core/journal/event.ts'
import { visibleLine, visibleText } from '../../../../core/text/visible-text.ts'
import { TranscriptLines } from '../../../display/run/transcript-lines.ts'

type FrameOf<K extends AgentFrame['type']> = Extract<AgentFrame, { type: K }>

export class ToldFrames {
  readonly #lines: TranscriptLines
  /** Those that are open, by id. */
  readonly holds: Map<string, Hold> = new Map()
  readonly #welcomed = Promise.withResolvers<void>()
  /** The frames that were sent, by their id, until the process answers them. */
  readonly #unanswered = new Map<string, PromiseWithResolvers<void>>()
  #status = ''
  #role: ClientRole = 'viewer'
  #writer: string | null = null
  /** A line of the input was refused. */
  hasRefused = false

  constructor(agent: string) {
    this.#lines = new TranscriptLines(agent)
  }

  /** Nobody else has the right to write. */
  get mayTakeWriter(): boolean {
    return this.#role === 'viewer' && this.#writer === null
  }

  /** Once what is open is known. */
  get welcomed(): Promise<void> {
    return this.#welcomed.promise
  }

  said(frame: ClientFrame): void {
    if (frame.type !== 'ping') this.#unanswered.set(frame.input_id, Promise.withResolvers())
  }

  /** Once all that was said until now is recorded or refused. */
  async answered(): Promise<void> {
    await Promise.all([...this.#unanswered.values()].map(({ promise }) => promise))
  }

  /** Whole lines; empty if there is nothing to tell. */
  hear(frame: AgentFrame): string {
    if (frame.type === 'welcome' || frame.type === 'status') {
      this.#role = frame.role
      this.#writer = frame.writer
    }
    if (frame.type === 'error' && this.#unanswered.has(frame.input_id ?? '')) this.hasRefused = true
    if (frame.type === 'ack' || frame.type === 'error') this.#unanswered.get(frame.input_id ?? '')?.resolve()
    const tell = this.#tellers[frame.type] as ((frame: AgentFrame) => string) | undefined
    return tell?.(frame) ?? ''
  }

  readonly #tellers: { readonly [K in AgentFrame['type']]?: (frame: FrameOf<K>) => string } = {
    welcome: frame => this.#welcome(frame),
    status: ({ status, because }) => this.#stands(status, because),
    event: ({ event }) => this.#event(event),
    error: frame => errorText(frame),
    ack: ack => (ack.outcome === 'already_decided' ? `~ ${ack.winner.decided_by} decided that first\n` : ''),
    lagged: ({ missed }) => `~ ${missed} pieces of text were left out\n`,
    bye: ({ because }) => `~ the process of the agent ends: ${visibleLine(because)}\n`,
  }

  #welcome({ holds, status, because, role, writer }: WelcomeFrame): string {
    for (const hold of holds) this.holds.set(hold.id, hold)
    this.#welcomed.resolve()
    const follows =
      role === 'viewer' && writer !== null ? `~ ${visibleLine(writer)} writes; /writer takes that over\n` : ''
    return `${follows}${this.#stands(status, because)}${holds.map(holdText).join('')}`
  }

  #stands(status: string, because: string): string {
    const text = `~ ${status}: ${visibleLine(because)}\n`
    if (text === this.#status) return ''
    this.#status = text
    return text
  }

  #event(event: JournalEvent): string {
    if (event.kind === 'hold.decided' || event.kind === 'hold.withdrawn') this.holds.delete(event.data.hold_id)
    return this.#lines.hear(event)
  }

  /** One that opened meanwhile, in full. */
  opened(hold: Hold): string {
    this.holds.set(hold.id, hold)
    return holdText(hold)
  }
}

/** P9: all of the arguments, set in, so that nothing in them looks like another line. */
function holdText({ id, kind, tool, call_id, arguments: args, message }: Hold): string {
  if (kind === 'input') return ''
  const what = tool === null ? visibleText(message) : `${tool}\n${visibleText(JSON.stringify(args, null, 2))}`
  const lines = what.split('\n').map((line, n) => (n === 0 ? line : `    ${line}`))
  return `? ${call_id ?? ''} ${id} waits (${kind}): ${lines.join('\n')}\n`
}

function errorText({ message, hint }: ErrorFrame): string {
  return `! ${visibleLine(message)}${hint === null ? '' : ` ${visibleLine(hint)}`}\n`
}
