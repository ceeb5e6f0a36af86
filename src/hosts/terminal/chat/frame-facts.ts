import { moneyText } from '../../../core/run/usage/money.ts'
import { tokenText } from '../../../core/spending/spending.ts'
import { shortened, textWidth } from '../../../core/text/text-width.ts'
import { visibleLine } from '../../../core/text/visible-text.ts'
import { spinnerLines } from '../../display/run/live-run.ts'
import { systemClock } from '../../process/system-clock.ts'
import { factsOf } from '../bar/card.ts'
import type { Conversation, Presence } from '../conversation/conversation.ts'
import { line } from '../screen/flow.ts'
import { type ChatState, draftAnswers } from './chat-state.ts'
import type { LayoutFacts } from './layout.ts'

interface FrameDeps {
  /** `null` until a session is open. */
  readonly conversation: Conversation | null
  /** When what runs began, in milliseconds since 1970; `null` if nothing runs. */
  readonly since: number | null
  readonly columns: number
  readonly height: number
}

const AROUND_STATUS = '─  '.length

/** The facts that the next frame shows below the scrollback. */
export function frameFacts(state: ChatState, site: FrameDeps): LayoutFacts {
  const { bar, transcript, notice, draft } = state
  const { columns, height } = site
  const { current } = bar
  const now = systemClock.now()
  const works = site.since === null ? [] : transcript.activity.works()
  return {
    columns,
    height,
    bar,
    barFacts: current ? factsOf(current, { now, rule: transcript.ruleOf(current.id) }) : '',
    draft,
    live: [...transcript.open(columns), ...spinnerLines(works, now, columns).map(text => line(text, 'dim'))],
    queued: transcript.queued,
    notice,
    menu: bar.isFocused ? [] : state.menu.rows(columns),
    status: statusOf(state, site, now),
    answers: draftAnswers(state),
  }
}

function statusOf(
  { transcript, bar, settings }: ChatState,
  { conversation, since, columns }: FrameDeps,
  now: number,
): string {
  const facts = {
    agent: conversation?.agent ?? '',
    model: conversation?.model ?? null,
    steps: transcript.steps,
    tokens: transcript.spending.tokens,
    cost: transcript.spending.cost(settings.prices ?? {}),
    presence: conversation?.presence() ?? null,
    since,
    waiting: bar.holds.length,
    now,
  }
  return statusText(facts, columns - AROUND_STATUS)
}

interface StatusFacts {
  readonly agent: string
  readonly model: string | null
  readonly steps: number
  readonly tokens: number
  /** Dollars; `null` if it is not known. */
  readonly cost: number | null
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
function statusText(facts: StatusFacts, columns: number): string {
  const { agent, presence } = facts
  if (presence === null) return 'opening…'
  const kept = [...writing(presence), standing(facts, presence, columns)]
  const spare = spareParts(facts, presence)
  const texts = spare.map((_, gone) => [agent, ...spare.slice(gone), ...kept])
  const all = [...texts, [agent, ...kept]].map(parts => visibleLine(parts.join(' · ')))
  return all.find(text => textWidth(text) <= columns) ?? visibleLine(kept.join(' · '))
}

/** The first of them is dropped first. */
function spareParts({ model, steps, tokens, cost }: StatusFacts, { clients }: Presence): string[] {
  return [
    ...(model === null ? [] : [shortened(model, LONGEST_MODEL)]),
    ...(steps === 0 ? [] : [`step ${steps}`]),
    ...(tokens === 0 ? [] : [`${tokenText(tokens)} tokens`]),
    ...(cost === null ? [] : [moneyText(cost)]),
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

function clock(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000))
  const two = (count: number) => String(count).padStart(2, '0')
  const hours = Math.floor(seconds / 3600)
  const rest = `${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`
  return hours > 0 ? `${hours}:${rest}` : rest
}
