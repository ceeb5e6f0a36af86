/** Texts of any length, as notices of a few KB that are joined again where they arrive. */

/** PostgreSQL takes less than 8,000 bytes. */
const MOST_BYTES = 4_000
/** Parts that a receiver puts together at most. */
const MOST_PARTS = 256
const MOST_SENDERS = 64

const NOTICE = /^([0-9a-f]{16}) (\d{1,15}) (\d{1,3})\/(\d{1,3}) (.*)$/s

const encoder = new TextEncoder()

/** The origin of a text: `sender` is 16 hexadecimal digits, and `message` grows with each of its texts. */
export interface Origin {
  readonly sender: string
  readonly message: number
}

/** `text` has no lone surrogates. Of one that is too long nothing is sent. */
export function noticesOf({ sender, message }: Origin, text: string): string[] {
  const parts = cut(text)
  if (parts.length > MOST_PARTS) return []
  return parts.map((part, n) => `${sender} ${message} ${n + 1}/${parts.length} ${part}`)
}

/** At the borders of characters. */
function cut(text: string): string[] {
  const room = new Uint8Array(MOST_BYTES)
  const parts: string[] = []
  for (let at = 0; at < text.length; ) {
    const { read } = encoder.encodeInto(text.slice(at, at + MOST_BYTES), room)
    parts.push(text.slice(at, at + read))
    at += read
  }
  return parts
}

interface Arriving extends Origin {
  readonly parts: string[]
}

/** Notices of one sender come in order. A text that lacks a part is dropped. */
export class NoticeJoiner {
  readonly #arriving = new Map<string, Arriving>()

  /** The text that this notice completes, with its sender; else `null`. */
  take(notice: string): { readonly sender: string; readonly text: string } | null {
    const [, sender = '', message, part, of, chunk = ''] = NOTICE.exec(notice) ?? []
    const before = this.#arriving.get(sender)
    if (part === '1') this.#begin({ sender, message: Number(message), parts: [] }, before)
    const arriving = this.#arriving.get(sender)
    if (arriving?.message !== Number(message) || arriving.parts.length + 1 !== Number(part)) return null
    arriving.parts.push(chunk)
    return part === of ? { sender, text: arriving.parts.join('') } : null
  }

  #begin(arriving: Arriving, before: Arriving | undefined): void {
    if (before && before.message >= arriving.message) return
    this.#arriving.delete(arriving.sender)
    this.#arriving.set(arriving.sender, arriving)
    const [oldest] = this.#arriving.keys()
    if (this.#arriving.size > MOST_SENDERS && oldest !== undefined) this.#arriving.delete(oldest)
  }
}
