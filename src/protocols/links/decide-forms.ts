/** The answers that a person may give at a link, as plain forms: they work without scripts. */
import type { DecisionVerdict } from '../../core/hold/decision.ts'
import type { HoldView } from '../../core/hold-view/hold-view.ts'
import { noticeOffers } from '../../core/notice/notice-offers.ts'
import { type Html, html } from '../../core/text/html.ts'
import { visibleLine } from '../../core/text/visible-text.ts'

/** The verdicts that a link takes. An edit, or the end of the whole run, needs more than a form. */
export const LINK_VERDICTS = ['approve', 'respond', 'reject'] as const
export type LinkVerdict = (typeof LINK_VERDICTS)[number]

interface Asked {
  readonly hold: HoldView
  /** The person to whom the link was sent. */
  readonly person: string
}

type Form = (asked: Asked, means: string) => Html

const FORMS: Record<LinkVerdict, Form> = {
  approve: (asked, means) => html`${confirmField(questionBefore(asked))}
<button name="verdict" value="approve">Approve: ${means}</button>`,
  respond: ({ hold }, means) => html`${hold.choices === null ? answerField() : choiceFields(hold.choices)}
<button name="verdict" value="respond">Send: ${means}</button>`,
  reject: (_, means) => html`<label for="reason">Why, for the agent to read (may be left out)</label>
<textarea id="reason" name="reason" rows="3" maxlength="4000"></textarea>
<button class="no" name="verdict" value="reject">Reject: ${means}</button>`,
}

/** One form for each verdict that this person may give, and words for those that they may not. */
export function decideForms(asked: Asked, action: string): Html {
  const { hold } = asked
  const possible = hold.verdicts.filter(({ verdict }) => isLinkVerdict(verdict))
  const forms = possible
    .filter(({ refusal }) => refusal === null)
    .map(({ verdict, means }) => form(hold, action, FORMS[verdict as LinkVerdict](asked, means)))
  const why = [...new Set(possible.flatMap(({ refusal }) => (refusal ? [refusal.message] : [])))]
  return html`<h2>Decide</h2>
${why.map(text => html`<p class="warn">${visibleLine(text)}</p>`)}
${forms}`
}

function form({ digest }: HoldView, action: string, fields: Html): Html {
  return html`<form method="post" action="${action}">
<input type="hidden" name="digest" value="${digest ?? ''}">
${fields}
</form>
`
}

/** The question before an approval counts, so that no slip of a finger runs the call; `null` if there is none. */
export function questionBefore({ hold, person }: Asked): string | null {
  return noticeOffers(hold, person).find(({ verdict }) => verdict === 'approve')?.confirm ?? null
}

function confirmField(question: string | null): Html | null {
  if (question === null) return null
  return html`<label><input type="checkbox" name="sure" value="yes" required> ${visibleLine(question)} Yes.</label>`
}

function answerField(): Html {
  return html`<label for="value">Your answer</label>
<textarea id="value" name="value" rows="4" required></textarea>`
}

function choiceFields(choices: readonly string[]): Html {
  return html`<fieldset><legend>Your answer</legend>
${choices.map(choice => html`<label><input type="radio" name="value" value="${choice}" required> ${visibleLine(choice)}</label>`)}
</fieldset>`
}

export function isLinkVerdict(verdict: DecisionVerdict | string): verdict is LinkVerdict {
  return (LINK_VERDICTS as readonly string[]).includes(verdict)
}
