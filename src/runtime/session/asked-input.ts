import type { InputProvider } from '../views/input-provider.ts'
import type { MessageContent } from '../views/message-content.ts'
import type { RunView } from '../views/run-view.ts'

/**
 * The input provider of an advance. A provider that ignores its stop may still bring a message: it answers the next
 * question, so it is not lost.
 */
export class AskedInput {
  readonly #provider: InputProvider
  #asked: Promise<MessageContent | null> | null = null

  constructor(provider: InputProvider) {
    this.#provider = provider
  }

  async next(view: RunView, signal: AbortSignal): Promise<MessageContent | null> {
    const late = await this.#asked?.catch(() => null)
    return late || signal.aborted ? (late ?? null) : this.#ask(view, signal)
  }

  /** The message that `next` gave was heard. */
  taken(): void {
    this.#asked = null
  }

  #ask(view: RunView, signal: AbortSignal): Promise<MessageContent | null> {
    const asked = (async () => {
      const content = await this.#provider(view, signal)
      return typeof content === 'string' ? { text: content } : content
    })()
    this.#asked = asked
    const forget = () => {
      if (this.#asked === asked) this.#asked = null
    }
    asked.then(content => content ?? forget(), forget)
    return asked
  }
}
