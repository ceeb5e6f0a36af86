/** P9: a hold as a page, in full, with every hidden character made visible. What decides comes before what explains. */

import { taskLine } from '../../core/hold-view/blocks/act-words.ts'
import { blockLines } from '../../core/hold-view/blocks/block-lines.ts'
import type { ChangeLine } from '../../core/hold-view/blocks/change-lines.ts'
import { type Block, holdBlocks } from '../../core/hold-view/blocks/hold-blocks.ts'
import type { HoldView } from '../../core/hold-view/hold-view.ts'
import { decisionText } from '../../core/hold-view/hold-words.ts'
import type { PreviewImage } from '../../core/preview/preview.ts'
import { agentPath } from '../../core/run/run-path.ts'
import { type Html, html } from '../../core/text/html.ts'
import { jsonText } from '../../core/text/json.ts'
import { visibleLine, visibleText } from '../../core/text/visible-text.ts'

/** All that an approval releases, and what a person must know for it. The forms come below. */
export function holdRequest(hold: HoldView): Html {
  const { task, approvals, votes, at_deadline } = hold
  const soFar = votes.length > 0 ? `: ${votes.map(vote => decisionText(vote, hold.arguments)).join('; ')}` : ''
  // Choices are buttons below.
  const blocks = holdBlocks(hold).filter(({ type }) => type !== 'choices' || !isAnswered(hold))
  return html`${task && html`<p class="quiet">${taskLine(task)}</p>`}
${blocks.map(painted)}
${listed('Changed since it was asked before', changes(hold))}
${approvals.need > 1 ? html`<p>${approvals.have} of ${approvals.need} approvals${soFar}.</p>` : null}
${hold.due_at && html`<p class="quiet">Due ${visibleLine(at_deadline ?? '')}.</p>`}`
}

/** What a person may want to look up, folded. */
export function holdDetails(hold: HoldView): Html {
  return html`${hold.agent_message === '' ? null : folded('What the agent said before', html`<div class="words">${visibleText(hold.agent_message)}</div>`)}
${folded(
  'Details',
  html`<dl>${facts(hold)}</dl>
${listed('Other calls of the same answer', siblings(hold))}
${listed('Earlier answers in this run', answers(hold))}
${listed('History', history(hold))}`,
)}`
}

function folded(title: string, body: Html): Html {
  return html`<details><summary>${title}</summary>
${body}
</details>
`
}

function isAnswered({ verdicts }: HoldView): boolean {
  return verdicts.some(({ verdict, refusal }) => verdict === 'respond' && refusal === null)
}

function painted(block: Block): Html {
  if (block.type === 'warning') return html`<p class="warn">${visibleText(block.text)}.</p>`
  if (block.type === 'remark') return html`<p class="warn">${visibleText(block.text)}</p>`
  if (block.type === 'prose') return html`<div class="words">${visibleText(block.text)}</div>`
  if (block.type === 'part') return part(block)
  const lines = blockLines([block])
  if (lines.length === 0) return html``
  return block.type === 'value' && block.isFolded ? folded('Arguments', text(lines)) : text(lines)
}

function part(block: Extract<Block, { type: 'part' }>): Html {
  if (block.part.type === 'image') return image(block.part)
  return text(blockLines([block]), block.part.type === 'table' ? WIDE : null)
}

function text(lines: readonly ChangeLine[], attributes: Html | null = null): Html {
  return html`<pre${attributes}>${lines.map(line)}</pre>`
}

/** It is drawn from its own bytes: no other site is asked for one. */
function image({ title = 'Preview', media_type, data }: PreviewImage): Html {
  return html`<p><img alt="${visibleLine(title)}" src="data:${media_type};base64,${data}"></p>`
}

/** Columns stay below one another: what is too wide scrolls, by keys too. */
const WIDE: Html = html` class="wide" tabindex="0"`

function line({ what, text }: ChangeLine): Html {
  return what === 'was' ? html`<del>${text}</del>\n` : what === 'is' ? html`<ins>${text}</ins>\n` : html`${text}\n`
}

function facts(hold: HoldView): Html[] {
  const { because, requesters, assignee, digest } = hold
  const all: readonly (readonly [name: string, text: string | null])[] = [
    ['Agent', agentPath(hold)],
    ['Tool', hold.tool],
    ['Held by', because && `${because.rule}${because.plugin === null ? '' : ` (${because.plugin})`}`],
    ['Asked for by', requesters.length > 0 ? requesters.join(', ') : null],
    ['May decide', hold.who_may_decide],
    ['Asked now', assignee],
    ['Hold', hold.id],
    ['Digest', digest],
  ]
  return all.flatMap(([name, text]) => (text === null ? [] : [html`<dt>${name}</dt><dd>${visibleLine(text)}</dd>`]))
}

function siblings({ siblings: calls }: HoldView): string[] {
  return calls.map(
    ({ tool, arguments: args, status, is_rejected }) =>
      `${tool} ${jsonText(args)}: ${is_rejected ? 'rejected' : status}`,
  )
}

function changes({ asked_before }: HoldView): string[] {
  return (asked_before?.differences ?? []).map(
    ({ path, was, is }) => `${path}: was ${JSON.stringify(was)}, is ${JSON.stringify(is)}`,
  )
}

function answers({ earlier_answers }: HoldView): string[] {
  return earlier_answers.map(({ question, answer, answered_by }) => `${question} ${jsonText(answer)} (${answered_by})`)
}

function history({ history: entries }: HoldView): string[] {
  return entries.map(({ at, text }) => `${at} ${text}`)
}

function listed(title: string, lines: readonly string[]): Html | null {
  if (lines.length === 0) return null
  return html`<h2>${title}</h2>
<ul>${lines.map(line => html`<li>${visibleLine(line)}</li>`)}</ul>`
}
