import { shortened, textWidth } from '../../../core/text/text-width.ts'
import { visibleLine } from '../../../core/text/visible-text.ts'
import type { Presence } from '../conversation/conversation.ts'

export interface StatusFacts {
  readonly agent: string
  readonly model: string | null
  readonly steps: number
  readonly tokens: number
  readonly presence: Presence | null
  /** Since when something runs, in milliseconds; `null` if nothing does. */
  readonly since: number | null
  readonly waiting: number
  readonly now: number
}

/** A bar has no room to say that something waits. */
const NARROW = 30
const LONGEST_MODEL = 24

/** `support · claude · step 7 · 12.4k tokens · running 00:41`. If there is no room, the model and the figures go first. */
export function statusText(facts: StatusFacts, columns: number): string {
  const { agent, presence } = facts
  if (presence === null) return 'opening…'
  const kept = [...writing(presence), standing(facts, presence, columns)]
  const spare = spareParts(facts, presence)
  const texts = spare.map((_, gone) => [agent, ...spare.slice(gone), ...kept])
  const all = [...texts, [agent, ...kept]].map(parts => visibleLine(parts.join(' · ')))
  return all.find(text => textWidth(text) <= columns) ?? visibleLine(kept.join(' · '))
}

/** The first of them goes first. */
function spareParts({ model, steps, tokens }: StatusFacts, { clients }: Presence): string[] {
  return [
    ...(model === null ? [] : [shortened(model, LONGEST_MODEL)]),
    ...(steps === 0 ? [] : [`step ${steps}`]),
    ...(tokens === 0 ? [] : [`${tokenText(tokens)} tokens`]),
    ...(clients > 1 ? [`${clients} attached`] : []),
  ]
}

function writing({ role, writer }: Presence): string[] {
  return role === 'viewer' && writer !== null ? [`${writer} writes: /writer`] : []
}

function standing({ since, now, waiting }: StatusFacts, presence: Presence, columns: number): string {
  if (since !== null && presence.work !== 'none')
    return `${presence.work === 'here' ? 'running' : 'running elsewhere'} ${clock(now - since)}`
  if (waiting > 0) return columns < NARROW ? `${waiting} wait: Tab` : 'waits for you'
  if (presence.isStopped) return 'stopped: a message or /go goes on'
  return presence.standing ?? 'ready'
}

function tokenText(tokens: number): string {
  return tokens < 1000 ? `${tokens}` : `${(tokens / 1000).toFixed(1)}k`
}

function clock(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000))
  const two = (count: number) => String(count).padStart(2, '0')
  const hours = Math.floor(seconds / 3600)
  const rest = `${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`
  return hours > 0 ? `${hours}:${rest}` : rest
}
