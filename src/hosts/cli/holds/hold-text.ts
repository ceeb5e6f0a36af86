/** P9: a hold for people to read, in full. Nothing of it can look like a line that Holdpoint wrote: it is set in. */

import { unknownHold } from '../../../core/deciding/unknown-hold.ts'
import type { Hold, HoldKind } from '../../../core/hold/hold.ts'
import { taskLine } from '../../../core/hold-view/blocks/act-words.ts'
import { blockLines } from '../../../core/hold-view/blocks/block-lines.ts'
import { holdBlocks } from '../../../core/hold-view/blocks/hold-blocks.ts'
import { endLine, resultLine } from '../../../core/hold-view/hold-result.ts'
import type { HoldView } from '../../../core/hold-view/hold-view.ts'
import { decisionText, holdOutcome } from '../../../core/hold-view/hold-words.ts'
import { durationText } from '../../../core/text/duration-text.ts'
import { jsonText } from '../../../core/text/json.ts'
import { jsonLine, visibleLine, visibleText } from '../../../core/text/visible-text.ts'
import type { Holdpoint } from '../../../runtime/face/holdpoint.ts'
import type { Holds } from '../../../runtime/face/holds.ts'
import type { CommandContext } from '../../command/command.ts'
import { placeFlags } from '../../command/flag-values.ts'
import { hung } from '../../display/hung.ts'
import { paintedLines } from '../../display/painted-lines.ts'
import { fitsScreen, type Paint } from '../../display/screen.ts'
import { type Facts, rowLines, Show } from '../../display/show.ts'
import { claimedPrincipal } from '../../process/actor.ts'
import { systemClock } from '../../process/system-clock.ts'
import { recordShown } from '../../project/record-shown.ts'

/** Columns before each line of a section. */
const INDENT = 2

function holdText(context: CommandContext, hold: HoldView): string {
  const show = new Show(context)
  const columns = show.columns - INDENT
  const broken = (lines: readonly string[]) => lines.map(line => hung(line, columns).replaceAll('\n', '\n  '))
  return show.text([
    ...asked(hold, show.paint),
    show.facts(facts(hold)),
    show.section('Earlier answers in this run', broken(answers(hold))),
    show.section('History', broken(historyLines(hold))),
    hold.status === 'open'
      ? show.section('Decide with', commandsFor(hold, { place: placeFlags(context.given), columns }))
      : show.section('Outcome', [...broken([holdOutcome(hold)]), ...resultLines(hold, show.paint)]),
  ])
}

/** What the decision led to. */
function resultLines({ result, decision }: HoldView, paint: Paint): string[] {
  if (result === null || decision === null) return []
  const { output, output_is_cut, said_next, termination } = result
  const lines = [resultLine(result, decision.verdict), termination && endLine(termination)].flatMap(line => line ?? [])
  return [
    ...lines.map(({ tone, text }) => paint(TONES[tone], visibleLine(text))),
    ...(output ? [output_is_cut ? 'Its output ends with:' : 'Its output:', ...insetLines(output)] : []),
    ...(said_next === null ? [] : ['The agent said next:', ...insetLines(said_next)]),
  ]
}

const TONES = { good: 'green', bad: 'red', plain: 'dim' } as const

function insetLines(text: string): string[] {
  return visibleText(text.trimEnd())
    .split('\n')
    .map(line => `  ${line}`)
}

/** The part that is decided about: a decision is of all of it. */
function askedText(context: CommandContext, hold: HoldView): string {
  const show = new Show(context)
  return show.text(asked(hold, show.paint))
}

function asked(hold: HoldView, paint: Paint): string[][] {
  return [
    [first(hold, paint), `    ${paint('bold', hold.title)}`, ...(hold.task ? [`    ${taskLine(hold.task)}`] : [])],
    paintedLines(blockLines(holdBlocks(hold)), paint).map(line => `    ${line}`),
  ]
}

function first({ id, kind, status, agent }: Hold, paint: Paint): string {
  return `${paint('bold', id)}  ${paint('cyan', kind)}  ${status}  ${visibleLine(agent)}`
}

function facts(hold: HoldView): Facts {
  const { call_id, tool, digest, risk, requesters, assignee, votes, at_deadline } = hold
  return {
    run: hold.run_id,
    path: pathOf(hold),
    session: hold.thread_id,
    call: call_id,
    tool,
    digest,
    risk: risk === 'ordinary' ? null : risk,
    opened: `${hold.opened_at} (${durationText(systemClock.now() - Date.parse(hold.opened_at))} ago)`,
    'asked by': requesters.length > 0 ? requesters.join(', ') : null,
    'may decide': hold.who_may_decide,
    votes: votes.length > 0 ? votes.map(vote => decisionText(vote, hold.arguments)).join('; ') : null,
    'assigned to': assignee,
    due: at_deadline,
    reminders: remindersLeft(hold),
  }
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

type Way = readonly [command: string, rest: string, meaning: string]

const REJECT: Way = ['reject', '--reason TEXT', 'it does not run, and the agent is told why']

const WAYS: Record<HoldKind, readonly Way[]> = {
  approval: [
    ['approve', '', 'it runs as shown'],
    ['edit', '', 'it runs with arguments that you change in your editor'],
    REJECT,
  ],
  question: [
    ['answer', 'TEXT', 'the agent is told this'],
    ['reject', '--reason TEXT', 'the agent is told that nobody answers, and why'],
  ],
  input: [['answer', 'TEXT', 'the agent goes on with this']],
  client_tool: [['answer', 'RESULT', 'it was run elsewhere, and this came of it'], REJECT],
  in_doubt: [
    ['approve', '', 'it is run again'],
    ['answer', '--value JSON', 'it happened, and this came of it'],
    ['reject', '--reason TEXT', 'it failed'],
  ],
}

/** P3: what a call in doubt had started, and still runs. */
const WHILE_IT_RUNS: readonly Way[] = [
  ['holds wait', '', 'its end is waited for'],
  ['holds stop', '', 'it is stopped'],
]

/**
 * The commands that decide a hold, ready to be pasted into a shell, each with its meaning in a second column, or above
 * it if the lines would be too wide. `place`: flags that name the store or server.
 */
export function commandsFor(
  { id, kind, still_running }: Pick<Hold, 'id' | 'kind' | 'still_running'>,
  { place, columns }: { place: string; columns: number },
): string[] {
  const before = still_running?.standing === 'running' ? WHILE_IT_RUNS : []
  const rows = [...before, ...WAYS[kind]].map(([command, rest, meaning]) => [
    `${['holdpoint', command, id, ...(rest === '' ? [] : [rest])].join(' ')}${place}`,
    `# ${meaning}`,
  ])
  const beside = rowLines(rows)
  if (beside.every(line => line.length <= columns)) return beside
  return rows.flatMap(([command = '', meaning = '']) => [meaning, command])
}

/** P10: on record. False if what it asks for does not fit the screen. */
export async function showHold(
  context: CommandContext,
  holdpoint: Holds & Pick<Holdpoint, 'audit'>,
  { id, status }: Hold,
): Promise<boolean> {
  const view = await holdpoint.holdInContext(id, claimedPrincipal(context.env))
  if (view === null) throw unknownHold(id)
  const text = context.json ? jsonLine(view) : holdText(context, view)
  const inFull = fitsScreen(context.json ? text : askedText(context, view), context.io)
  if (status === 'open') await recordShown(holdpoint, [{ id }], { ...context, inFull })
  context.io.out(text)
  return inFull
}
