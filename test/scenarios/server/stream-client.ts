import type { Sent, ServerProcess } from './server-process.ts'

/** One frame of a stream; a comment has no data. */
export interface Frame {
  readonly id: number | null
  readonly event: string | null
  // biome-ignore lint/suspicious/noExplicitAny: documents are checked by the tests that read them
  readonly data: any
}

export interface OpenStream extends AsyncDisposable {
  readonly response: Response
  /** Frames with data so far. */
  readonly frames: Frame[]
  /** Resolves at the first frame that is wanted, also if it has come already. */
  first(wanted: (frame: Frame) => boolean): Promise<Frame>
  /** Resolves when the server has ended it. */
  readonly over: Promise<void>
}

/** Reads frames as they come. Bytes behind the last blank line are no frame yet. */
export class FrameReader {
  #text = ''
  readonly #decoder = new TextDecoder()

  read(chunk: Uint8Array): Frame[] {
    this.#text += this.#decoder.decode(chunk, { stream: true })
    const blocks = this.#text.split('\n\n')
    this.#text = blocks.pop() ?? ''
    return blocks.map(frameOf).filter(frame => frame !== null)
  }
}

function frameOf(block: string): Frame | null {
  const lineOf = (name: string) =>
    block
      .split('\n')
      .find(line => line.startsWith(`${name}: `))
      ?.slice(name.length + 2) ?? null
  const [id, data] = [lineOf('id'), lineOf('data')]
  if (data === null) return null
  return { id: id === null ? null : Number(id), event: lineOf('event'), data: JSON.parse(data) }
}

export async function openStream(server: ServerProcess, path: string, sent: Sent = {}): Promise<OpenStream> {
  const stop = new AbortController()
  const response = await server.fetch(path, sent, { signal: stop.signal })
  const frames: Frame[] = []
  let wake = Promise.withResolvers<void>()
  const over = (async () => {
    const reader = new FrameReader()
    for await (const chunk of response.body ?? []) {
      frames.push(...reader.read(chunk))
      wake.resolve()
      wake = Promise.withResolvers()
    }
  })()
  const ended = over.catch(() => {})
  return {
    ...{ response, frames, over: ended },
    first: async wanted => {
      let isOver = false
      void ended.then(() => {
        isOver = true
        wake.resolve()
      })
      for (;;) {
        const found = frames.find(wanted)
        if (found) return found
        if (isOver) throw new TypeError(`it ended after ${frames.map(({ event }) => event).join(' ')}`)
        await wake.promise
      }
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      await ended
    },
  }
}
