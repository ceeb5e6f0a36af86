/**
 * A run in a terminal as it happens. Text of the model is written as it arrives; each event that matters is a line; the
 * present activity is at the bottom, with a spinner.
 * P9: no text of a model or a tool moves or hides other text.
 */
import type { JournalEvent } from '../../../core/journal/event.ts'
import { shortened } from '../../../core/text/text-width.ts'
import { visibleLine, visibleProse } from '../../../core/text/visible-text.ts'
import type { Ephemeral } from '../../../ports/event-sink.ts'
import type { Io } from '../../process/io.ts'
import { systemClock } from '../../process/system-clock.ts'
import { shortTime } from '../ago.ts'
import { canRedraw, LiveLines } from '../live-lines.ts'
import { type Paint, paintFor } from '../screen.ts'
import type { Activity, Work } from './activity.ts'
import { eventLine } from './event-lines.ts'

interface LiveRunOptions {
  readonly io: Io
  readonly env: Readonly<Record<string, string | undefined>>
  readonly activity: Activity
  readonly verbose: boolean
}

type Block = 'text' | 'lines'

const LAST_HALF = /([\ud800-\udbff]$)/

export class LiveRun implements Disposable {
  readonly #options: LiveRunOptions
  readonly #paint: Paint
  readonly #lines: LiveLines
  readonly #redraws: boolean
  #timer: NodeJS.Timeout | null = null
  #block: Block | null = null
  #isMidLine = false
  /** A character may come in two halves. */
  #half = ''

  constructor(options: LiveRunOptions) {
    this.#options = options
    this.#paint = paintFor(options)
    this.#lines = new LiveLines(options.io)
    this.#redraws = canRedraw(options)
  }

  /** From here on something runs. */
  begins(): void {
    if (this.#redraws) this.#timer ??= setInterval(() => this.#draw(), FRAME_MS).unref()
  }

  /** Nothing runs: the bottom is left to others. */
  rests(): void {
    if (this.#timer) clearInterval(this.#timer)
    this.#timer = null
    this.clears()
  }

  /** Output of others then begins at the start of a line. */
  clears(): void {
    this.#endText()
    this.#lines.show([])
  }

  hear(event: JournalEvent | Ephemeral): void {
    if (event.kind === 'text.delta') this.#say(event.data.delta)
    else if (ENDS_TEXT.includes(event.kind)) this.#endText()
    const { activity, verbose, io } = this.#options
    const detail = verbose ? 'verbose' : this.#redraws ? 'usual' : 'alone'
    const line = eventLine(event, { activity, detail, streams: true }, { width: io.width() - 1, paint: this.#paint })
    if (line === null) return
    // Another thing runs now than before.
    this.#lines.show([])
    this.#write('lines', `${line}\n`)
  }

  /** Writes text of our own, set off from the text above it. */
  tell(text: string): void {
    if (text === '') return
    this.rests()
    this.#write('lines', this.#block === 'lines' ? `\n${text}` : text)
  }

  [Symbol.dispose](): void {
    this.rests()
    this.#lines[Symbol.dispose]()
  }

  #say(delta: string): void {
    const [whole = '', rest = ''] = (this.#half + delta).split(LAST_HALF)
    this.#half = rest
    if (whole === '') return
    this.#write('text', visibleProse(whole))
    this.#isMidLine = !whole.endsWith('\n')
  }

  #endText(): void {
    if (this.#half !== '') this.#write('text', visibleProse(this.#half))
    if (this.#half !== '' || this.#isMidLine) this.#lines.write('\n')
    this.#half = ''
    this.#isMidLine = false
  }

  /** With an empty line between text and lines of ours. */
  #write(block: Block, text: string): void {
    if (block === 'lines') this.#endText()
    const isNew = this.#block !== null && this.#block !== block
    this.#block = block
    this.#lines.write(isNew ? `\n${text}` : text)
  }

  #draw(): void {
    const now = systemClock.now()
    this.#lines.show(spinnerLines(this.#options.activity.works(), now, this.#options.io.width() - 1))
  }
}

/** These events end the line of text: the next text begins below it. */
const ENDS_TEXT: readonly string[] = [
  'text.end',
  'tool_input.start',
  'reasoning.start',
  'model.answered',
  'inference.void',
]

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
/** Between two frames. */
export const FRAME_MS = 120
/** Work that is over within this time needs no line of its own. */
const PATIENCE_MS = 300
const MOST_SHOWN = 3

/** Lines for what runs now: a spinner, the time, and the last line of its output. */
export function spinnerLines(works: readonly Work[], now: number, width: number): string[] {
  const slow = works.filter(({ since }) => now - since >= PATIENCE_MS)
  const frame = FRAMES[Math.floor(now / FRAME_MS) % FRAMES.length] ?? ''
  const lines = slow.slice(0, MOST_SHOWN).flatMap(({ text, since, tail }) => {
    const time = shortTime(now - since)
    const rest = time === '' ? '' : `  ${time}`
    const line = `${frame} ${shortened(visibleLine(text), width - 2 - rest.length)}${rest}`
    return tail === '' ? [line] : [line, `  ${shortened(visibleLine(tail), width - 2)}`]
  })
  return slow.length > MOST_SHOWN ? [...lines, `  and ${slow.length - MOST_SHOWN} more`] : lines
}
