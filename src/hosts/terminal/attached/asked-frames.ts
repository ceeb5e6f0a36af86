import type { AckFrame, ClientFrame, ErrorFrame } from '../../../core/fleet/frames.ts'
import type { AgentConnection } from './agent-connection.ts'

/** The answer of an agent's process to a frame. */
export type Answer = AckFrame | ErrorFrame

export type AskedFrame = Exclude<ClientFrame, { readonly type: 'ping' }>

/**
 * Frames that were said, until they are answered. Keeps: each has an answer, or `null` if the process was gone before one
 * came: then it may have taken the frame, or not.
 */
export class AskedFrames {
  readonly #asked = new Map<string, (answer: Answer | null) => void>()
  #connection: AgentConnection | null = null

  begin(connection: AgentConnection): void {
    this.#connection = connection
  }

  /** The process is gone. */
  end(): void {
    this.#connection = null
    for (const answer of [...this.#asked.values()]) answer(null)
  }

  hear(answer: Answer): void {
    if (answer.input_id !== undefined) this.#asked.get(answer.input_id)?.(answer)
  }

  ask(frame: AskedFrame): Promise<Answer | null> {
    const { promise, resolve } = Promise.withResolvers<Answer | null>()
    if (this.#connection === null) return Promise.resolve(null)
    this.#asked.set(frame.input_id, answer => {
      this.#asked.delete(frame.input_id)
      resolve(answer)
    })
    this.#connection.say(frame)
    return promise
  }
}
