/** P9: a hold for people to read, in full. Nothing of it can look like a line that Holdpoint wrote: it is set in. */

import type { Hold } from '../../../core/hold/hold.ts'
import { holdRemarks } from '../../../core/hold-view/hold-remarks.ts'
import type { HoldView } from '../../../core/hold-view/hold-view.ts'
import { decisionText, holdOutcome, jsonText, namedBasis, SAYS_NEVER } from '../../../core/hold-view/hold-words.ts'
import { previewLines } from '../../../core/hold-view/preview-lines.ts'
import type { Preview } from '../../../core/preview/preview.ts'
import { durationText } from '../../../core/text/duration-text.ts'
import type { Json } from '../../../core/text/json.ts'
import { visibleLine, visibleText } from '../../../core/text/visible-text.ts'
import { paintedLines } from '../../asking/argument-difference.ts'
import type { CommandContext } from '../../command/command.ts'
import { placeFlags } from '../../command/place-flags.ts'
import { type Paint, paintFor } from '../../display/colours.ts'
import { columnsOf, type Fact, factLines, hung } from '../../display/hung.ts'
import { systemClock } from '../../process/system-clock.ts'
import { commandsFor } from './hold-commands.ts'

/** Columns before each line of a section. */
const INDENT = 2

/** The parts of it, with an empty line between them. */
export function holdText(context: CommandContext, hold: HoldView): string {
  const paint = paintFor(context)
  const columns = columnsOf(context.io)
  const broken = (lines: readonly string[]) => lines.map(line => hung(line, columns - INDENT).replaceAll('\n', '\n  '))
  const parts = [
    ...asked(hold, paint),
    factLines(facts(hold), { left: 11, columns, styled: name => paint('dim', name) }),
    section('Earlier answers in this run', broken(answers(hold)), paint),
    section('History', broken(historyLines(hold)), paint),
    hold.status === 'open'
      ? section(
          'Decide with',
          commandsFor(hold, { place: placeFlags(context.given), columns: columns - INDENT }),
          paint,
        )
      : section('Outcome', broken([holdOutcome(hold)]), paint),
  ]
  return textOf(parts)
}

/** The part that is decided about: a decision is of all of it. */
export function askedText(context: CommandContext, hold: HoldView): string {
  return textOf(asked(hold, paintFor(context)))
}

function asked(hold: HoldView, paint: Paint): string[][] {
  return [
    [title(hold, paint), ...(hold.overrides_never ? [paint('red', SAYS_NEVER)] : []), setIn(hold.asks)],
    holdRemarks(hold).map(setIn),
    ...bodies(hold).map(([name, text]) => [paint('bold', name), setIn(text)]),
    ...(hold.preview ? [previewed(hold.preview, paint)] : []),
  ]
}

function previewed(preview: Preview, paint: Paint): string[] {
  const lines = paintedLines(previewLines(preview), paint)
  return [paint('bold', 'what it would do'), ...lines.map(line => `    ${line}`)]
}

function textOf(parts: readonly (readonly string[])[]): string {
  return `${parts
    .filter(part => part.length > 0)
    .map(part => `${part.join('\n')}\n`)
    .join('\n')}`
}

function title({ id, kind, status, agent }: Hold, paint: Paint): string {
  return `${paint('bold', id)}  ${paint('cyan', kind)}  ${status}  ${visibleLine(agent)}`
}

function section(name: string, lines: readonly string[], paint: Paint): string[] {
  return lines.length === 0 ? [] : [paint('bold', `${name}:`), ...lines.map(line => `  ${line}`)]
}

/** The parts that may be long. */
function bodies(hold: Hold): [name: string, text: string][] {
  const { tool, arguments: args, context, choices, response_schema } = hold
  const about: readonly (readonly [string, Json])[] = [
    [`${visibleLine(tool ?? 'the call')} with`, args],
    ['context', context],
    ['on the basis of', namedBasis(hold)],
    ['choices', choices],
    ['the answer must match', response_schema],
  ]
  return about.flatMap(([name, value]): [string, string][] =>
    value === null ? [] : [[name, typeof value === 'string' ? value : JSON.stringify(value, null, 2)]],
  )
}

function facts(hold: HoldView): Fact[] {
  const { call_id, digest, destructive, requesters, assignee, votes, at_deadline } = hold
  const all: readonly (readonly [name: string, text: string | null])[] = [
    ['run', hold.run_id],
    ['path', pathOf(hold)],
    ['session', hold.thread_id],
    ['call', call_id],
    ['digest', digest],
    ['danger', destructive ? 'what it does cannot be taken back' : null],
    ['opened', `${hold.opened_at} (${durationText(systemClock.now() - Date.parse(hold.opened_at))} ago)`],
    ['asked by', requesters.length > 0 ? requesters.join(', ') : null],
    ['may decide', hold.who_may_decide],
    ['votes', votes.length > 0 ? votes.map(decisionText).join('; ') : null],
    ['assigned to', assignee],
    ['due', at_deadline],
    ['reminders', remindersLeft(hold)],
  ]
  return all.flatMap(([name, text]): Fact[] => (text === null ? [] : [[name, visibleLine(text)]]))
}

/** The agents that led to its run; `null` if a person started it. */
function pathOf({ path }: HoldView): string | null {
  return path.length > 1 ? path.map(({ agent, run_id }) => `${agent} (${run_id})`).join(' > ') : null
}

function remindersLeft({ status, remind_at, reminded }: Hold): string | null {
  const left = remind_at.slice(reminded)
  return status === 'open' && left.length > 0 ? `${left.length} left: ${left.join(', ')}` : null
}

function answers({ earlier_answers }: HoldView): string[] {
  return earlier_answers.map(({ question, answer, answered_by, at }) =>
    visibleLine(`${question} -> ${jsonText(answer)} (${answered_by}, ${at})`),
  )
}

function historyLines({ history }: HoldView): string[] {
  return history.map(({ at, text }) => visibleLine(`${at}  ${text}`))
}

function setIn(text: string): string {
  return visibleText(text).replaceAll(/^/gm, '    ')
}
