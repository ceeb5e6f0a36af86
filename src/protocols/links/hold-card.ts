/** P9: a hold as a page, in full, with every hidden character made visible. */

import type { ChangeLine } from '../../core/hold-view/change-lines.ts'
import { holdRemarks } from '../../core/hold-view/hold-remarks.ts'
import type { HoldView } from '../../core/hold-view/hold-view.ts'
import { decisionText, jsonText, namedBasis, SAYS_NEVER } from '../../core/hold-view/hold-words.ts'
import { previewLines } from '../../core/hold-view/preview-lines.ts'
import { agentPath } from '../../core/run/run-path.ts'
import { type Html, html } from '../../core/text/html.ts'
import type { Json } from '../../core/text/json.ts'
import { visibleJson, visibleLine, visibleText } from '../../core/text/visible-text.ts'

export function holdCard(hold: HoldView): Html {
  return html`${warnings(hold)}
${hold.agent_message === '' ? null : html`<p class="quiet">The agent said before:</p><pre>${visibleText(hold.agent_message)}</pre>`}
<pre>${visibleText(hold.asks)}</pre>
${holdRemarks(hold).map(text => html`<p class="warn">${visibleText(text)}</p>`)}
${bodies(hold)}
${previewOf(hold)}
<dl>${facts(hold)}</dl>
${listed('Other calls of the same answer', siblings(hold))}
${listed('Changed since it was asked before', changes(hold))}
${listed('Earlier answers in this run', answers(hold))}
${listed('History', history(hold))}`
}

function warnings({ destructive, overrides_never }: HoldView): Html[] {
  return [
    ...(overrides_never ? [html`<p class="warn">${SAYS_NEVER}.</p>`] : []),
    ...(destructive ? [html`<p class="warn">What this does cannot be taken back.</p>`] : []),
  ]
}

function bodies(hold: HoldView): Html[] {
  const { tool, arguments: args, context, choices, response_schema } = hold
  const about: readonly (readonly [string, Json])[] = [
    [`${tool ?? 'The call'} with, in full`, args],
    ['Context', context],
    ['On the basis of', namedBasis(hold)],
    ['Choices', choices],
    ['The answer must match', response_schema],
  ]
  return about.flatMap(([name, value]) =>
    value === null
      ? []
      : [
          html`<h2>${visibleLine(name)}</h2>
<pre>${typeof value === 'string' ? visibleText(value) : visibleJson(value)}</pre>`,
        ],
  )
}

/** An image is drawn from its own bytes: no other site is asked for one. */
function previewOf({ preview }: HoldView): Html | null {
  if (!preview) return null
  const parts = preview.problem === null ? preview.parts : []
  return html`<h2>What it would do</h2>
${preview.problem === null ? null : html`<p class="warn">There is no preview: ${visibleLine(preview.problem)}</p>`}
${parts.map(part =>
  part.type === 'image'
    ? html`<p><img alt="${visibleLine(part.title ?? 'Preview')}" src="data:${part.media_type};base64,${part.data}"></p>`
    : html`<pre${part.type === 'table' ? WIDE : null}>${previewLines({ parts: [part], problem: null }).map(line)}</pre>`,
)}`
}

/** Columns stay below one another: what is too wide scrolls, by keys too. */
const WIDE: Html = html` class="wide" tabindex="0"`

function line({ what, text }: ChangeLine): Html {
  return what === 'was' ? html`<del>${text}</del>\n` : what === 'is' ? html`<ins>${text}</ins>\n` : html`${text}\n`
}

function facts(hold: HoldView): Html[] {
  const { because, requesters, assignee, votes, approvals, at_deadline, digest } = hold
  const all: readonly (readonly [name: string, text: string | null])[] = [
    ['Agent', agentPath(hold)],
    ['Held by', because && `${because.rule}${because.plugin === null ? '' : ` (${because.plugin})`}`],
    ['Asked for by', requesters.length > 0 ? requesters.join(', ') : null],
    ['May decide', hold.who_may_decide],
    ['Asked now', assignee],
    ['Approvals', approvals.need > 1 ? `${approvals.have} of ${approvals.need}` : null],
    ['So far', votes.length > 0 ? votes.map(decisionText).join('; ') : null],
    ['Due', at_deadline],
    ['Hold', hold.id],
    ['Digest', digest],
  ]
  return all.flatMap(([name, text]) => (text === null ? [] : [html`<dt>${name}</dt><dd>${visibleLine(text)}</dd>`]))
}

function siblings({ siblings: calls }: HoldView): string[] {
  return calls.map(({ tool, arguments: args, status }) => `${tool} ${jsonText(args)}: ${status}`)
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
