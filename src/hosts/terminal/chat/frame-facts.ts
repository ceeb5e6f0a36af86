import { spinnerLines } from '../../display/run/spinner-lines.ts'
import { systemClock } from '../../process/system-clock.ts'
import { factsOf } from '../bar/card.ts'
import type { Conversation } from '../conversation/conversation.ts'
import { line } from '../screen/line.ts'
import { type ChatState, draftAnswers } from './chat-state.ts'
import type { LayoutFacts } from './layout.ts'
import { statusText } from './status-line.ts'

export interface FrameSite {
  /** `null` until a session is open. */
  readonly conversation: Conversation | null
  /** When what runs began, in milliseconds since 1970; `null` if nothing runs. */
  readonly since: number | null
  readonly columns: number
  readonly height: number
}

const AROUND_STATUS = '─  '.length

/** The facts that the next frame shows below the scrollback. */
export function frameFacts(state: ChatState, site: FrameSite): LayoutFacts {
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
    status: statusOf(state, site, now),
    answers: draftAnswers(state),
  }
}

function statusOf({ transcript, bar }: ChatState, { conversation, since, columns }: FrameSite, now: number): string {
  const facts = {
    agent: conversation?.agent ?? '',
    model: conversation?.model ?? null,
    steps: transcript.steps,
    tokens: transcript.tokens,
    presence: conversation?.presence() ?? null,
    since,
    waiting: bar.holds.length,
    now,
  }
  return statusText(facts, columns - AROUND_STATUS)
}
