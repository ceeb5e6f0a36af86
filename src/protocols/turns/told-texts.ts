import type { AnswerPart } from '../../core/message/part.ts'
import type { Moment, Spoken } from './moment.ts'

interface ToldPart {
  readonly kind: Spoken
  readonly id: string
  text: string
  ended: boolean
}

type SpokenPart = Extract<AnswerPart, { type: Spoken }>

function isSpoken(part: AnswerPart): part is SpokenPart {
  return part.type === 'text' || part.type === 'reasoning'
}

/** The texts and thoughts of one step, as far as a client has them. */
export class ToldTexts {
  readonly #step: number
  readonly #parts: ToldPart[] = []

  /** `known`: what the client has of this step already. */
  constructor(step: number, known: Readonly<Partial<Record<Spoken, string>>> = {}) {
    this.#step = step
    for (const kind of ['reasoning', 'text'] as const) {
      const text = known[kind] ?? ''
      if (text !== '') this.#parts.push({ kind, id: 'known', text, ended: true })
    }
  }

  start(kind: Spoken, id: string): Moment[] {
    const before = this.#open(kind, id)
    this.#parts.push({ kind, id, text: '', ended: false })
    return [...(before ? this.#end(before) : []), { kind: `${kind}.started`, id }]
  }

  /** Nothing of a part whose beginning was missed: the answer has the whole of it. */
  delta(kind: Spoken, id: string, delta: string): Moment[] {
    const part = this.#open(kind, id)
    if (!part || delta === '') return []
    part.text += delta
    return [{ kind: `${kind}.delta`, id, delta }]
  }

  end(kind: Spoken, id: string): Moment[] {
    const part = this.#open(kind, id)
    return part ? this.#end(part) : []
  }

  endAll(): Moment[] {
    return this.#parts.flatMap(part => (part.ended ? [] : this.#end(part)))
  }

  /** The rest of an answer that the pieces did not bring, or brought differently. */
  complete(parts: readonly AnswerPart[]): Moment[] {
    const spoken = parts.filter(isSpoken).filter(({ text }) => text !== '')
    const wholes = spoken.flatMap((part, index) => {
      if (this.#has(part.type)) return []
      return this.#whole(part.type, `${this.#step}.${index}`, part.text)
    })
    const rests = (['reasoning', 'text'] as const).flatMap(kind => this.#rest(kind, spoken))
    return [...rests, ...this.endAll(), ...wholes]
  }

  /** The rest of a kind of part of which the client has a piece. */
  #rest(kind: Spoken, spoken: readonly SpokenPart[]): Moment[] {
    const told = this.#told(kind)
    const whole = spoken.map(({ type, text }) => (type === kind ? text : '')).join('')
    if (!this.#has(kind) || told === whole) return []
    const id = `${this.#step}.${kind}`
    if (!whole.startsWith(told)) return whole === '' ? [] : this.#whole(kind, id, whole)
    const open = this.#parts.findLast(part => part.kind === kind && !part.ended)
    const rest = whole.slice(told.length)
    return open ? this.delta(kind, open.id, rest) : this.#whole(kind, id, rest)
  }

  #whole(kind: Spoken, id: string, text: string): Moment[] {
    return [
      { kind: `${kind}.started`, id },
      { kind: `${kind}.delta`, id, delta: text },
      { kind: `${kind}.ended`, id },
    ]
  }

  #has(kind: Spoken): boolean {
    return this.#parts.some(part => part.kind === kind)
  }

  #told(kind: Spoken): string {
    return this.#parts.map(part => (part.kind === kind ? part.text : '')).join('')
  }

  #open(kind: Spoken, id: string): ToldPart | undefined {
    return this.#parts.find(part => part.kind === kind && part.id === id && !part.ended)
  }

  #end(part: ToldPart): Moment[] {
    part.ended = true
    return [{ kind: `${part.kind}.ended`, id: part.id }]
  }
}
