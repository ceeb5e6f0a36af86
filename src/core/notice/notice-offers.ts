import { type Hold, riskOf } from '../hold/hold.ts'
import { headline, thingNamed } from '../hold-view/blocks/act-words.ts'
import { possibleVerdicts } from '../hold-view/possible-verdicts.ts'
import { visibleLine } from '../text/visible-text.ts'
import { noticeBody } from './notice-body.ts'

/** An answer that a message may offer as a button, a link or a word. */
export interface NoticeOffer {
  readonly verdict: 'approve' | 'reject' | 'respond'
  /** On the button: `Approve`, or the choice, with what it hides made visible (P9). */
  readonly label: string
  /** The effect of the answer: `runs the call`. */
  readonly means: string
  /** The chosen answer; `null` if there is none, or if the person has to write it. */
  readonly value: string | null
  /** What to ask once more before the answer counts: the act, and what it reaches; `null` if one click is enough. */
  readonly confirm: string | null
  /** The word that a person types before the answer counts; `null` if nothing is typed. */
  readonly typed: string | null
}

/**
 * The answers that this person may give in a message. `null`: the readers of a channel, each of whom is known only by
 * the answer.
 */
export function noticeOffers(hold: Hold, person: string | null): NoticeOffer[] {
  return possibleVerdicts(hold, { name: person ?? ANY_PERSON })
    .filter(({ refusal }) => person === null || refusal === null)
    .flatMap(({ verdict, means }) => OFFERS[verdict]?.(hold, means) ?? [])
    .toSorted((one, other) => ORDER.indexOf(one.verdict) - ORDER.indexOf(other.verdict))
}

/** An answer comes before a refusal. */
const ORDER: readonly NoticeOffer['verdict'][] = ['approve', 'respond', 'reject']

/** The safe offers if a part of the request is not shown: only a refusal (P9). */
export function offersOfPart(offers: readonly NoticeOffer[]): NoticeOffer[] {
  return offers.filter(({ verdict }) => verdict === 'reject')
}

/** No name of a person: it represents the readers of a channel. */
const ANY_PERSON = ''

type Offer = (hold: Hold, means: string) => NoticeOffer[]

const OFFERS: Readonly<Partial<Record<string, Offer>>> = {
  approve: (hold, means) => [
    { ...PLAIN, verdict: 'approve', label: 'Approve', means, confirm: confirmOf(hold), typed: typedOf(hold) },
  ],
  reject: (_, means) => [{ ...PLAIN, verdict: 'reject', label: 'Reject', means }],
  respond: answers,
}

const PLAIN = { value: null, confirm: null, typed: null } as const

/** An answer that must fit a schema is given on the page or the command line. */
function answers({ kind, choices, response_schema }: Hold, means: string): NoticeOffer[] {
  if (kind === 'client_tool' || kind === 'in_doubt') return []
  if (choices !== null)
    return choices.map(choice => ({ ...PLAIN, verdict: 'respond', label: visibleLine(choice), means, value: choice }))
  return response_schema === null ? [{ ...PLAIN, verdict: 'respond', label: 'Answer', means }] : []
}

function confirmOf(hold: Hold): string | null {
  if (riskOf(hold) === 'ordinary') return null
  return [`${headline(hold)}.`, ...noticeBody(hold).warnings, 'Approve?'].join(' ')
}

/** An override takes more than a click or a yes: the name of the thing that it is about. `null` if it is none. */
export function typedOf(hold: Hold): string | null {
  return riskOf(hold) === 'override' ? thingNamed(hold) : null
}

/** What to answer a person whose words for an override lack its thing; `null` if nothing is missing. */
export function missingWord(hold: Hold, word: string): string | null {
  const typed = typedOf(hold)
  if (hold.status !== 'open' || typed === null || word.trim().toLowerCase() === typed.toLowerCase()) return null
  return `This is an override, so nothing was recorded. To approve it, name its thing: approve ${typed}`
}
