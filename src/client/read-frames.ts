/** An event of a `text/event-stream`, as Holdpoint writes them: LF alone ends a line, and an empty line an event. */
export interface Frame {
  /** Durable events have one. */
  readonly id: number | null
  readonly event: string
  readonly data: unknown
}

/** Whole events only: the beginning of one that was cut off is dropped. `onChunk` is called for each sign of life. */
export async function* readFrames(
  body: ReadableStream<Uint8Array>,
  onChunk: () => void,
): AsyncGenerator<Frame, void, undefined> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      onChunk()
      const [...texts] = (rest + decoder.decode(value, { stream: true })).split('\n\n')
      rest = texts.pop() ?? ''
      yield* texts.flatMap(frameOf)
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

/** Empty for a comment, or for a frame without data. */
function frameOf(text: string): Frame[] {
  const fields = new Map(text.split('\n').map(line => fieldOf(line)))
  const data = fields.get('data')
  if (data === undefined) return []
  const id = fields.get('id')
  return [{ id: id === undefined ? null : Number(id), event: fields.get('event') ?? '', data: JSON.parse(data) }]
}

function fieldOf(line: string): [name: string, value: string] {
  const at = line.indexOf(': ')
  return at < 0 ? [line, ''] : [line.slice(0, at), line.slice(at + 2)]
}
