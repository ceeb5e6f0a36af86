import { type Hold, usualMessage } from '../hold/hold.ts'
import { possibleVerdicts } from '../hold-view/possible-verdicts.ts'
import { visibleLine } from '../text/visible-text.ts'

/** An answer that a message may offer as a button, a link or a word. */
export interface NoticeOffer {
  readonly verdict: 'approve' | 'reject' | 'respond'
  /** On the button: `Approve`, or the choice, with what it hides made visible (P9). */
  readonly label: string
  /** Its effect: `runs the call`. */
  readonly means: string
  /** The chosen answer; `null` if there is none, or if the person has to write it. */
  readonly value: string | null
  /** The question to ask once more before the answer counts; `null` if one click is enough. */
  readonly confirm: string | null
}

/**
 * The answers that this person may give in a message. `null`: the readers of a channel, each of whom is known only by
 * the answer.
 */
export function noticeOffers(hold: Hold, person: string | null): NoticeOffer[] {
  return possibleVerdicts(hold, { name: person ?? ANY_PERSON })
    .filter(({ refusal }) => person === null || refusal === null)
    .flatMap(({ verdict, means }) => OFFERS[verdict]?.(hold, means) ?? [])
}

/** If a part of the request is not shown: only a refusal is safe (P9). */
export function offersOfPart(offers: readonly NoticeOffer[]): NoticeOffer[] {
  return offers.filter(({ verdict }) => verdict === 'reject')
}

/** No name of a person: it stands for readers of a channel. */
const ANY_PERSON = ''

type Offer = (hold: Hold, means: string) => NoticeOffer[]

const OFFERS: Readonly<Partial<Record<string, Offer>>> = {
  approve: (hold, means) => [{ verdict: 'approve', label: 'Approve', means, value: null, confirm: confirmOf(hold) }],
  reject: (_, means) => [{ verdict: 'reject', label: 'Reject', means, value: null, confirm: null }],
  respond: answers,
}

/** An answer that must fit a schema is given on the page or the command line. */
function answers({ kind, choices, response_schema }: Hold, means: string): NoticeOffer[] {
  if (kind === 'client_tool' || kind === 'in_doubt') return []
  if (choices !== null)
    return choices.map(choice => ({
      verdict: 'respond',
      label: visibleLine(choice),
      means,
      value: choice,
      confirm: null,
    }))
  return response_schema === null ? [{ verdict: 'respond', label: 'Answer', means, value: null, confirm: null }] : []
}

function confirmOf({ kind, tool, destructive, overrides_never }: Hold): string | null {
  if (overrides_never) return `Policy says never to ${tool}. Approve all the same?`
  if (kind === 'in_doubt') return `${tool} may have run already. Run it again?`
  return destructive ? `The effect of ${tool} cannot be taken back. ${usualMessage(tool ?? '')}` : null
}
