/** The frames of an agent's process, as lines for a person. */
import type { AgentFrame, ErrorFrame, WelcomeFrame } from '../../../../core/fleet/frames.ts'
import type { Hold } from '../../../../core/hold/hold.ts'
import type { JournalEvent } from '../../../../core/journal/event.ts'
import { visibleLine, visibleText } from '../../../../core/text/visible-text.ts'
import { inLocalTime } from '../../../display/ago.ts'
import { TranscriptLines } from '../../../display/run/transcript-lines.ts'

type FrameOf<K extends AgentFrame['type']> = Extract<AgentFrame, { type: K }>

export class ToldFrames {
  readonly #lines: TranscriptLines
  /** Those that are open, by id. */
  readonly holds: Map<string, Hold> = new Map()
  readonly #opened = Promise.withResolvers<void>()
  #status = ''

  constructor(agent: string) {
    this.#lines = new TranscriptLines(agent)
  }

  /** Once what is open is known: from then on it is known what a typed line can mean. */
  get isOpen(): Promise<void> {
    return this.#opened.promise
  }

  /** Whole lines; empty if there is nothing to tell. */
  hear(frame: AgentFrame): string {
    const tell = this.#tellers[frame.type] as ((frame: AgentFrame) => string) | undefined
    return tell?.(frame) ?? ''
  }

  readonly #tellers: { readonly [K in AgentFrame['type']]?: (frame: FrameOf<K>) => string } = {
    welcome: frame => this.#welcome(frame),
    status: ({ status, because }) => this.stands(status, because),
    event: ({ event }) => this.event(event),
    error: frame => errorText(frame),
    ack: ack => (ack.outcome === 'already_decided' ? `~ ${ack.winner.decided_by} decided that first\n` : ''),
    lagged: ({ missed }) => `~ ${missed} pieces of text were left out\n`,
    bye: ({ because }) => `~ the process of the agent ends: ${visibleLine(because)}\n`,
  }

  #welcome({ holds, status, because, role, writer }: WelcomeFrame): string {
    const follows =
      role === 'viewer' && writer !== null ? `~ ${visibleLine(writer)} writes; /writer takes that over\n` : ''
    return `${follows}${this.stands(status, because)}${this.open(holds)}`
  }

  /** A status is told once, while it stays so. */
  stands(status: string, because: string): string {
    const text = `~ ${status}: ${visibleLine(inLocalTime(because))}\n`
    if (text === this.#status) return ''
    this.#status = text
    return text
  }

  event(event: JournalEvent): string {
    if (event.kind === 'hold.decided' || event.kind === 'hold.withdrawn') this.holds.delete(event.data.hold_id)
    return this.#lines.hear(event)
  }

  /** `holds`: all that are open now. Each is told in full, once. */
  open(holds: readonly Hold[]): string {
    const lines = holds.map(hold => this.opened(hold))
    const ids = new Set(holds.map(({ id }) => id))
    for (const id of this.holds.keys()) if (!ids.has(id)) this.holds.delete(id)
    this.#opened.resolve()
    return lines.join('')
  }

  opened(hold: Hold): string {
    if (this.holds.has(hold.id)) return ''
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
