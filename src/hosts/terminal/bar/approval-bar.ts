/**
 * The holds that wait, between the scrollback and the draft. The bar never takes the keyboard: it is asked for with a
 * key, and left with each decision. It remembers what was drawn, because a decision is for that (P9).
 */
import { type Hold, riskOf } from '../../../core/hold/hold.ts'
import { thingNamed } from '../../../core/hold-view/blocks/act-words.ts'
import { isJsonObject, type JsonObject } from '../../../core/text/json.ts'
import type { Line } from '../screen/flow.ts'
import type { BarFacts } from './bar-guard.ts'
import { type Card, cardOf } from './card.ts'

/** A line of text that is typed at the bar, and what it is for. */
export interface BarLine {
  /** `spell`: the word that is wanted before it runs. */
  readonly asks: 'reason' | 'grant' | 'spell'
  text: string
}

interface Asked {
  readonly key: string
  readonly args: JsonObject
  readonly before: JsonObject | null
}

interface Rows extends Card {
  readonly key: string
}

/** Calls whose earlier questions are remembered. */
const MOST_ASKED = 100

export class ApprovalBar {
  /** Milliseconds, as for keys. */
  readonly #now: () => number
  #holds: readonly Hold[] = []
  #shown: string | null = null
  /** The hold as it was in the last frame. */
  #drawn: Hold | null = null
  #changedAt = 0
  #focusedIn = -1
  #seen = 0
  #height = 0
  #rows: Rows = { key: '', rows: [], left: 0, telling: 0 }
  /** By the id of a call: the arguments that were drawn, and those that were drawn before them. */
  readonly #asked = new Map<string, Asked>()
  isFocused = false
  scroll = 0
  line: BarLine | null = null

  constructor(now: () => number) {
    this.#now = now
  }

  get holds(): readonly Hold[] {
    return this.#holds
  }

  get current(): Hold | null {
    return this.#holds.find(({ id }) => id === this.#shown) ?? this.#holds[0] ?? null
  }

  get index(): number {
    return Math.max(
      0,
      this.#holds.findIndex(({ id }) => id === this.#shown),
    )
  }

  /** The hold that a key is about. */
  get drawn(): Hold | null {
    return this.#drawn
  }

  /** When it last showed something else than before. */
  get changedAt(): number {
    return this.#changedAt
  }

  /** Takes the holds that wait now. If the one that was shown is gone, nothing is focused any more. */
  replace(holds: readonly Hold[]): void {
    const before = this.current
    this.#holds = holds
    const now = this.current
    if (identity(before) === identity(now)) return
    this.#shown = now?.id ?? null
    this.#changed()
    if (before?.id !== now?.id) this.leave()
  }

  focus(read: number): boolean {
    if (this.#holds.length === 0) return false
    this.isFocused = true
    this.#focusedIn = read
    return true
  }

  leave(): void {
    this.isFocused = false
    this.line = null
  }

  /** To another hold, round about. */
  move(step: number): void {
    const count = this.#holds.length
    if (count < 2) return
    this.#shown = this.#holds[(this.index + step + count) % count]?.id ?? null
    this.#changed()
  }

  /** By rows, or by so many screens of the card. */
  scrollBy(count: number, unit: 'rows' | 'screens'): void {
    const rows = unit === 'rows' ? count : count * Math.max(1, this.#height - 1)
    this.scroll = Math.max(0, Math.min(this.scroll + rows, this.#rows.rows.length - this.#height))
  }

  /** How many rows all of the card takes. */
  size(columns: number): number {
    const hold = this.current
    return hold === null ? 0 : this.#cardOf(hold, columns).rows.length
  }

  ask(asks: BarLine['asks']): void {
    this.line = { asks, text: '' }
  }

  /** The rows of the card from its scroll position, as many as fit. They count as drawn, and as seen. */
  draw(columns: number, height: number): { readonly rows: readonly Line[]; readonly more: number } {
    const hold = this.current
    if (hold === null) return { rows: [], more: 0 }
    const { rows: all } = this.#cardOf(hold, columns)
    const from = Math.max(0, Math.min(this.scroll, all.length - height))
    const rows = all.slice(from, from + Math.max(0, height))
    this.#height = height
    if (identity(this.#drawn) !== identity(hold)) this.#seen = 0
    // Without a gap: rows that were jumped over were not seen.
    if (from <= this.#seen) this.#seen = Math.max(this.#seen, from + rows.length)
    this.#drawn = hold
    return { rows, more: all.length - from - rows.length }
  }

  /** The facts for the guard of a key. */
  get facts(): BarFacts {
    const { current } = this
    return {
      focusedIn: this.#focusedIn,
      changedAt: this.#changedAt,
      drawn: identity(this.#drawn),
      waits: identity(current),
      isSeen: this.isSeen,
      word: current && wordFor(current),
    }
  }

  /** All that happens was in view. Arguments that only say it once more may wait below. */
  get isSeen(): boolean {
    return this.left === 0 && this.#seen >= this.#rows.telling
  }

  /** Characters of the card that a bar does not show. */
  get left(): number {
    return this.#rows.left
  }

  /** All that a bar can show was read, and the hold has more. */
  get isTooLong(): boolean {
    return this.left > 0 && this.#isAtEnd
  }

  /** True if it is the word that is wanted. */
  spells(text: string): boolean {
    const word = this.#drawn && wordFor(this.#drawn)
    return word !== null && text.toLowerCase() === word
  }

  get #isAtEnd(): boolean {
    return this.#seen >= this.#rows.rows.length
  }

  #changed(): void {
    this.#changedAt = this.#now()
    this.scroll = 0
    this.line = null
    this.#drawn = null
  }

  #cardOf(hold: Hold, columns: number): Rows {
    const key = `${identity(hold)} ${columns}`
    if (this.#rows.key === key) return this.#rows
    this.#seen = 0
    this.#rows = { key, ...cardOf(hold, this.#before(hold), columns) }
    return this.#rows
  }

  /** The other arguments that the same call was asked with before; `null` if this is the first request. */
  #before(hold: Hold): JsonObject | null {
    const { call_id: callId, arguments: args } = hold
    if (callId === null || args === null || !isJsonObject(args)) return null
    const last = this.#asked.get(callId)
    const key = identity(hold) ?? ''
    const asked = last?.key === key ? last : { key, args, before: last?.args ?? null }
    this.#asked.set(callId, asked)
    const [oldest] = this.#asked.size > MOST_ASKED ? this.#asked.keys() : []
    if (oldest !== undefined) this.#asked.delete(oldest)
    return asked.before
  }
}

/** The hold, the digest and the level to which a decision is bound, in one text. */
function identity(hold: Hold | null): string | null {
  return hold && `${hold.id} ${hold.digest} ${hold.level}`
}

/** What is typed before it runs: the thing that an override is about, or `yes`; `null` if one key is enough. */
export function wordFor(hold: Hold): string | null {
  const risk = riskOf(hold)
  if (risk === 'ordinary') return null
  return risk === 'override' ? thingNamed(hold).toLowerCase() : 'yes'
}
