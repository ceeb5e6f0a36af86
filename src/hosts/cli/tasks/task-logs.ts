import { setTimeout as delay } from 'node:timers/promises'
import type { Amount } from '../../../core/count.ts'
import { TASK_RESTS } from '../../../core/task/task.ts'
import { jsonLine } from '../../../core/text/visible-text.ts'
import type { OutputStream, TaskOutput } from '../../../ports/process/task-manager.ts'
import type { Tasks } from '../../../runtime/face/tasks.ts'
import type { CommandContext } from '../../command/command.ts'
import type { Given } from '../../command/flags.ts'
import { exitCodeOf, type StopWatch, watchForStop } from '../../process/interruption.ts'
import { argumentRefusals } from '../../refusals/argument-refusals.ts'
import { orAtItsHost } from '../another-host.ts'
import { onlyWord, openForReading } from '../open-for-reading.ts'
import { taskNamed } from './task-text.ts'

const PIECE_BYTES = 65_536
/** Milliseconds between looks for new output: no event announces it. */
const FOLLOW_MS = 100

/** All that one invocation of a task printed. */
export interface OutputDocument {
  readonly task_id: string
  readonly invocation: Amount
  readonly stdout: PrintedStream
  readonly stderr: PrintedStream
}

interface PrintedStream {
  readonly text: string
  /** Bytes that it printed, and those of them that are not kept. */
  readonly size: Amount
  readonly missing: Amount
}

/** A line of `tasks logs --follow --json`. */
export interface OutputPiece extends Pick<TaskOutput, 'from' | 'missing' | 'text'> {
  readonly stream: OutputStream
}

/** A position in one invocation, which does not change when the task is resumed. */
interface LogPosition {
  readonly tasks: Tasks
  readonly id: string
  readonly invocation: Amount
}

/** The output of an invocation: its stdout on stdout, its stderr on stderr, byte for byte as far as it is text. */
export function taskLogs(context: CommandContext, words: readonly string[]): Promise<number> {
  return orAtItsHost(context, at => logs(at, words))
}

async function logs(context: CommandContext, words: readonly string[]): Promise<number> {
  const { given, json } = context
  const word = onlyWord(words, 'tasks logs TASK')
  const asked = invocationIn(given)
  using stop = watchForStop()
  await using app = await openForReading(context)
  const tasks = app.holdpoint.tasks
  const id = await taskNamed(app.holdpoint, word)
  const place = { tasks, id, invocation: (await tasks.invocation(id, asked)).n }
  if (given.has('follow')) return await follow(context, place, stop)
  if (json) await tellDocument(context, place)
  else await tell(context, streamsOf(place))
  return 0
}

/** Until the invocation is over; the task is left alone whenever this ends. */
async function follow(context: CommandContext, place: LogPosition, stop: StopWatch): Promise<number> {
  const enough = AbortSignal.any([stop.signal, context.io.unread])
  const streams = streamsOf(place)
  for (;;) {
    // Seen before its output is read, so that nothing is missed.
    const { status } = await place.tasks.invocation(place.id, place.invocation)
    await tell(context, streams)
    const stoppedBy = stop.stoppedBy()
    if (stoppedBy) return exitCodeOf(stoppedBy)
    if (TASK_RESTS[status] || enough.aborted) return 0
    await delay(FOLLOW_MS, undefined, { signal: enough }).catch(() => {})
  }
}

async function tell(context: CommandContext, streams: readonly Stream[]): Promise<void> {
  for (const stream of streams) for await (const piece of stream.more()) write(context, stream.name, piece)
}

function write({ io, json }: CommandContext, stream: OutputStream, piece: TaskOutput): void {
  const { from, missing, text } = piece
  if (json) io.out(jsonLine({ stream, from, missing, text } satisfies OutputPiece))
  else if (stream === 'stdout') io.out(withGap(piece))
  else io.err(withGap(piece))
}

function withGap({ text, missing }: TaskOutput): string {
  return missing > 0 ? `\n[… ${missing} bytes are not kept …]\n${text}` : text
}

async function tellDocument({ io }: CommandContext, place: LogPosition): Promise<void> {
  const [stdout, stderr] = await Promise.all([
    streamDocument(new Stream(place, 'stdout')),
    streamDocument(new Stream(place, 'stderr')),
  ])
  const document: OutputDocument = { task_id: place.id, invocation: place.invocation, stdout, stderr }
  io.out(jsonLine(document))
}

async function streamDocument(stream: Stream): Promise<PrintedStream> {
  const pieces = await Array.fromAsync(stream.more())
  const missing = pieces.reduce((sum, piece) => sum + piece.missing, 0)
  return { text: pieces.map(withGap).join(''), size: pieces.at(-1)?.size ?? 0, missing }
}

function streamsOf(place: LogPosition): Stream[] {
  return [new Stream(place, 'stdout'), new Stream(place, 'stderr')]
}

class Stream {
  readonly #place: LogPosition
  readonly name: OutputStream
  #next = 0

  constructor(place: LogPosition, name: OutputStream) {
    this.#place = place
    this.name = name
  }

  /** The output since the last call. */
  async *more(): AsyncGenerator<TaskOutput> {
    const { tasks, id, invocation } = this.#place
    for (;;) {
      const asked = { stream: this.name, invocation, from: this.#next, limit: PIECE_BYTES }
      const piece = await tasks.output(id, asked)
      if (piece.next === this.#next) return
      this.#next = piece.next
      yield piece
    }
  }
}

function invocationIn(given: Given): number | null {
  const text = given.value('invocation')
  if (text === null) return null
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text)
  throw argumentRefusals.invalidCount('invocation', text, '`holdpoint tasks show TASK` lists them.')
}
