import { RefusedError } from '../../../core/errors.ts'
import type { OutputRequest, OutputStream, TaskOutput } from '../../../ports/task-manager.ts'
import type { AgentTasks } from '../../../runtime/agent-tasks/agent-tasks.ts'
import { actor } from '../../actor.ts'
import type { CommandContext } from '../../command.ts'
import type { Given } from '../../flags.ts'
import { watchForStop } from '../../interruption.ts'
import { onlyWord, openForReading } from '../open-for-reading.ts'

const PIECE_BYTES = 65_536
/** How often what was printed since is looked for. */
const FOLLOW_MS = 100

interface Followed {
  readonly tasks: AgentTasks
  readonly id: string
  readonly invocation: number | null
}

/** What a task printed: its stdout on stdout, its stderr on stderr, byte for byte as far as it is text. */
export async function taskLogs(context: CommandContext, words: readonly string[]): Promise<number> {
  const { given, json } = context
  const id = onlyWord(words, 'tasks logs TASK')
  using stop = watchForStop()
  await using house = await openForReading(context)
  const followed = { tasks: await house.supervision.tasks(), id, invocation: numberIn(given) }
  if (json && !given.has('follow')) return await tellDocument(context, followed)
  const tails = STREAMS.map(stream => new Tail(followed, stream, context))
  do {
    const rests = !given.has('follow') || stop.signal.aborted || (await restsWithin(context, followed, stop.signal))
    for (const tail of tails) await tail.tell()
    if (rests) return 0
  } while (!context.io.unread.aborted)
  return 0
}

const STREAMS: readonly OutputStream[] = ['stdout', 'stderr']

/** True once nothing more is printed. */
async function restsWithin({ env }: CommandContext, { tasks, id }: Followed, signal: AbortSignal): Promise<boolean> {
  const asker = { by: actor(env), surface: 'cli' }
  const { timed_out } = await tasks.wait([id], { until: 'any', seconds: FOLLOW_MS / 1000, signal, asker })
  return !timed_out
}

async function tellDocument({ io }: CommandContext, { tasks, id, invocation }: Followed): Promise<number> {
  const read = (stream: OutputStream) => tasks.output(id, asked(stream, invocation, -PIECE_BYTES))
  io.out(`${JSON.stringify({ task_id: id, stdout: await read('stdout'), stderr: await read('stderr') })}\n`)
  return 0
}

/** One stream, from its beginning on. */
class Tail {
  readonly #followed: Followed
  readonly #stream: OutputStream
  readonly #context: CommandContext
  #next = 0

  constructor(followed: Followed, stream: OutputStream, context: CommandContext) {
    this.#followed = followed
    this.#stream = stream
    this.#context = context
  }

  async tell(): Promise<void> {
    const { tasks, id, invocation } = this.#followed
    for (;;) {
      const piece = await tasks.output(id, asked(this.#stream, invocation, this.#next))
      if (piece.next === this.#next) return
      this.#next = piece.next
      this.#write(piece)
    }
  }

  #write({ text, missing, from }: TaskOutput): void {
    const { io, json } = this.#context
    const stream = this.#stream
    const gap = missing > 0 ? `\n[… ${missing} bytes are not kept …]\n` : ''
    const told = json ? `${JSON.stringify({ stream, from, missing, text })}\n` : `${gap}${text}`
    if (json || stream === 'stdout') io.out(told)
    else io.err(told)
  }
}

function asked(stream: OutputStream, invocation: number | null, from: number): OutputRequest {
  return { stream, from, limit: PIECE_BYTES, ...(invocation !== null && { invocation }) }
}

function numberIn(given: Given): number | null {
  const text = given.value('invocation')
  if (text === null) return null
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text)
  throw new RefusedError('invalid_arguments', `--invocation ${JSON.stringify(text)} is no whole number from 1.`)
}
