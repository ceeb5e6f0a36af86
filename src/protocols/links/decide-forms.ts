/** The answers that a person may give at a link, as plain forms: they work without scripts. */
import type { DecisionVerdict } from '../../core/hold/decision.ts'
import type { HoldView } from '../../core/hold-view/hold-view.ts'
import { type NoticeOffer, noticeOffers } from '../../core/notice/notice-offers.ts'
import { type Html, html } from '../../core/text/html.ts'
import { visibleLine } from '../../core/text/visible-text.ts'

/**
 * The verdicts that a link takes, an answer before a refusal. An edit, or the end of the whole run, needs more than a
 * form.
 */
export const LINK_VERDICTS = ['approve', 'respond', 'reject'] as const
export type LinkVerdict = (typeof LINK_VERDICTS)[number]

interface Asked {
  readonly hold: HoldView
  /** The person to whom the link was sent. */
  readonly person: string
}

type Form = (asked: Asked, action: string, means: string) => Html

/** A mail leads to the form that its reader chose, by the id of its first field. */
const FORMS: Record<LinkVerdict, Form> = {
  approve: (asked, action, means) =>
    form(
      asked,
      action,
      html`${confirmField(approvalOf(asked))}
<button id="approve" name="verdict" value="approve">Approve: ${means}</button>`,
    ),
  respond: (asked, action, means) =>
    form(asked, action, asked.hold.choices === null ? answerField(means) : choiceButtons(asked.hold.choices)),
  reject: (asked, action, means) => html`<details class="no"><summary>Reject&hellip;</summary>
${form(
  asked,
  action,
  html`<label id="reject" for="reason">Why, for the agent to read (may be left out)</label>
<textarea id="reason" name="reason" rows="2" maxlength="4000"></textarea>
<button class="no" name="verdict" value="reject">Reject: ${means}</button>`,
)}</details>
`,
}

/** A form for each verdict that this person may give, and an explanation for the others. */
export function decideForms(asked: Asked, action: string): Html {
  const { verdicts } = asked.hold
  const possible = LINK_VERDICTS.flatMap(verdict => verdicts.find(each => each.verdict === verdict) ?? [])
  const forms = possible
    .filter(({ refusal }) => refusal === null)
    .map(({ verdict, means }) => FORMS[verdict as LinkVerdict](asked, action, means))
  const why = [...new Set(possible.flatMap(({ refusal }) => (refusal ? [refusal.message] : [])))]
  return html`${why.map(text => html`<p class="warn">${visibleLine(text)}</p>`)}
${forms}`
}

function form({ hold: { digest } }: Asked, action: string, fields: Html): Html {
  return html`<form method="post" action="${action}">
<input type="hidden" name="digest" value="${digest ?? ''}">
${fields}
</form>
`
}

type Approval = Pick<NoticeOffer, 'confirm' | 'typed'>

/** What an approval asks before it counts, so that no slip of a finger runs the call. */
export function approvalOf({ hold, person }: Asked): Approval {
  return noticeOffers(hold, person).find(({ verdict }) => verdict === 'approve') ?? { confirm: null, typed: null }
}

/** True if the form says what an approval needs: a tick, or the word that the page names. */
export function isConfirmed({ confirm, typed }: Approval, given: string | null): boolean {
  if (confirm === null) return true
  return (given ?? '').trim().toLowerCase() === (typed ?? 'yes').toLowerCase()
}

function confirmField({ confirm, typed }: Approval): Html | null {
  if (confirm === null) return null
  if (typed === null)
    return html`<label><input type="checkbox" name="sure" value="yes" required> ${visibleLine(confirm)} Yes.</label>`
  return html`<label for="sure">To approve it all the same, type <strong>${visibleLine(typed)}</strong></label>
<input id="sure" name="sure" required autocomplete="off" autocapitalize="none" spellcheck="false">`
}

function answerField(means: string): Html {
  return html`<label id="respond" for="value">Your answer</label>
<textarea id="value" name="value" rows="3" required></textarea>
<button name="verdict" value="respond">Send: ${means}</button>`
}

/** One press answers. */
function choiceButtons(choices: readonly string[]): Html {
  return html`<input type="hidden" name="verdict" value="respond">
<fieldset id="respond"><legend>Your answer</legend>
${choices.map(choice => html`<button class="choice" name="value" value="${choice}">${visibleLine(choice)}</button>`)}
</fieldset>`
}

export function isLinkVerdict(verdict: DecisionVerdict | string): verdict is LinkVerdict {
  return (LINK_VERDICTS as readonly string[]).includes(verdict)
}
