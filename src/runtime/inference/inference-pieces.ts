import type { CallIds } from '../../core/run/call-ids.ts'
import type { InferencePart, ModelPart } from '../../ports/agent/model-part.ts'
import type { RunSession } from '../session/run-session.ts'

type Stream = 'text' | 'reasoning' | 'tool_input'

/**
 * Streams the pieces of one inference in good order, even if the model leaves some out. Each part starts once before
 * its deltas and ends once after them. Ids are those of the run and of the journal.
 */
export class InferencePieces {
  readonly #tell: (part: ModelPart) => void
  readonly #step: number
  readonly #callIds: CallIds
  /** Open parts: what ends each. */
  readonly #open = new Map<string, { readonly id: string; readonly stream: Stream }>()
  readonly #stopping: Disposable
  #told = false
  #isOver = false

  constructor(session: Pick<RunSession, 'run' | 'signals' | 'tell'>, callIds: CallIds) {
    this.#tell = part => session.tell(part)
    this.#step = session.run.steps + 1
    this.#callIds = callIds
    this.#stopping = session.signals.onStop(() => this.void('stopped'))
  }

  /** Output of a model after its stop is dropped. */
  readonly hear = (part: InferencePart): void => {
    if (this.#isOver) return
    const stream = streamOf(part)
    const moment = part.kind.slice(stream.length + 1)
    const own = 'call_id' in part.data ? part.data.call_id : part.data.id
    const key = `${stream} ${own}`
    if (moment !== 'delta') this.#endPart(key)
    if (moment === 'end') return
    const id = this.#open.get(key)?.id ?? this.#start(key, part)
    if (id !== null && 'delta' in part.data && part.data.delta !== '') this.#tell(deltaOf(stream, id, part.data.delta))
  }

  /** The answer is there. */
  complete(): void {
    if (this.#isOver) return
    for (const key of [...this.#open.keys()]) this.#endPart(key)
    this.#end()
  }

  /** There will be no answer to these pieces. */
  void(because: 'retry' | 'failed' | 'stopped'): void {
    if (this.#told && !this.#isOver) this.#tell({ kind: 'inference.void', data: { because } })
    this.#end()
  }

  #end(): void {
    this.#isOver = true
    this.#stopping[Symbol.dispose]()
  }

  /** `null` for the arguments of a call that has no name: they say nothing. */
  #start(key: string, part: InferencePart): string | null {
    const isCall = 'call_id' in part.data
    if (isCall && part.kind !== 'tool_input.start') return null
    const stream = streamOf(part)
    const id = isCall ? this.#callIds.begin(part.data.call_id) : `${this.#step}.${part.data.id}`
    this.#open.set(key, { id, stream })
    this.#told = true
    this.#tell(startOf(part, id))
    return id
  }

  #endPart(key: string): void {
    const part = this.#open.get(key)
    if (!part) return
    this.#open.delete(key)
    this.#tell(endOf(part.stream, part.id))
  }
}

function streamOf({ kind }: InferencePart): Stream {
  return kind.slice(0, kind.indexOf('.')) as Stream
}

function startOf(part: InferencePart, id: string): ModelPart {
  if (part.kind === 'tool_input.start') return { kind: part.kind, data: { call_id: id, name: part.data.name } }
  return { kind: `${streamOf(part)}.start`, data: { id } } as ModelPart
}

function deltaOf(stream: Stream, id: string, delta: string): ModelPart {
  return { kind: `${stream}.delta`, data: { ...named(stream, id), delta } } as ModelPart
}

function endOf(stream: Stream, id: string): ModelPart {
  return { kind: `${stream}.end`, data: named(stream, id) } as ModelPart
}

function named(stream: Stream, id: string): { readonly id: string } | { readonly call_id: string } {
  return stream === 'tool_input' ? { call_id: id } : { id }
}
