/** The filter of the list, as part of the address: a link to a list shows the same list. */
import { HOLD_KINDS } from '../../../src/core/hold/hold.ts'
import type { HoldKind, HoldRow, HoldStatus } from '../api/documents.ts'

export interface Filter {
  readonly status: HoldStatus | 'all'
  readonly kind: HoldKind | null
  readonly agent: string | null
  readonly tool: string | null
  readonly assignee: string | null
  /** Only what is the person's to decide. */
  readonly mine: boolean
  /** Words that a row must have. They are looked for here, and not by the server. */
  readonly words: string
}

export const STATUSES: readonly (HoldStatus | 'all')[] = ['open', 'decided', 'expired', 'withdrawn', 'all']

export function filterOf(search: string): Filter {
  const given = new URLSearchParams(search)
  return {
    status: STATUSES.find(each => each === given.get('status')) ?? 'open',
    kind: HOLD_KINDS.find(each => each === given.get('kind')) ?? null,
    agent: given.get('agent'),
    tool: given.get('tool'),
    assignee: given.get('assignee'),
    mine: given.get('mine') === 'true',
    words: given.get('words') ?? '',
  }
}

/** With the question mark; empty for what is shown without a filter. */
export function searchOf({ status, mine, ...rest }: Filter): string {
  const given = new URLSearchParams()
  if (status !== 'open') given.set('status', status)
  if (mine) given.set('mine', 'true')
  for (const [name, value] of Object.entries(rest)) if (value) given.set(name, value)
  return given.size === 0 ? '' : `?${given}`
}

export function isNarrowed({ kind, agent, tool, assignee, mine, words }: Filter): boolean {
  return mine || [kind, agent, tool, assignee, words].some(Boolean)
}

/** True if the row has each of the words somewhere in what it shows. An amount is found however it is written: `41,20` is 41.2. */
export function hasWords(row: HoldRow, words: string): boolean {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean)
  if (wanted.length === 0) return true
  const { title, task, summary, tool, agent, path, assignee, who_may_decide, outcome } = row
  const agents = path.map(step => step.agent)
  const shown = [title, task?.text, summary, tool, agent, assignee, who_may_decide, outcome, ...agents]
  const text = shown.join('\n').toLowerCase()
  const amounts = new Set((text.match(AMOUNT) ?? []).flatMap(amountsOf))
  return wanted.every(word => text.includes(word) || amountsOf(word).some(amount => amounts.has(amount)))
}

const AMOUNT = /\d+(?:[.,']\d+)*/g

/** The numbers that a word may mean: `1,200` is twelve hundred for some, and one and a fifth for others. */
function amountsOf(word: string): readonly number[] {
  const [digits, ...others] = word.match(AMOUNT) ?? []
  if (digits === undefined || others.length > 0 || !/^[^\p{L}\d]?\d[\d.,']*[^\p{L}\d]?$/u.test(word)) return []
  const parts = digits.split(/[.,']/)
  const whole = Number(parts.join(''))
  return parts.length === 1 ? [whole] : [whole, Number(`${parts.slice(0, -1).join('')}.${parts.at(-1)}`)]
}
