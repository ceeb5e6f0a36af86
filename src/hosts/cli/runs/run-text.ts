/** A run for people to read. Words of the model are indented, so that none of them looks like a line of Holdpoint's. */

import { callAct } from '../../../core/hold-view/blocks/act-words.ts'
import { holdSummary } from '../../../core/hold-view/hold-words.ts'
import { planLines, planSummary } from '../../../core/plan/plan.ts'
import type { Outage } from '../../../core/run/outcome/outage.ts'
import { failureSentence } from '../../../core/run/outcome/run-failure.ts'
import { modelName } from '../../../core/run/profile.ts'
import { outcomeOf } from '../../../core/run/termination.ts'
import { costText } from '../../../core/run/usage/money.ts'
import { visibleLine, visibleText } from '../../../core/text/visible-text.ts'
import { pauseReason } from '../../../runtime/views/pause-reason.ts'
import type { RunOutline } from '../../../runtime/views/run-view.ts'
import type { CommandContext } from '../../command/command.ts'
import { givenStore, placeFlags } from '../../command/flag-values.ts'
import { inLocalTime } from '../../display/ago.ts'
import { type Facts, rowLines, Show } from '../../display/show.ts'
import { resumeCommand } from '../../outcome/outcome-document.ts'
import { indented } from '../../outcome/pause-lines.ts'
import { resumeHint } from '../../outcome/resume-hint.ts'
import type { StandingWord } from './run-document.ts'

export interface ShownRun {
  readonly view: RunOutline
  /** The checkpoint to show; `null` for the present state. */
  readonly at: { readonly checkpoint: string; readonly seq: number } | null
  readonly standing: StandingWord
}

export function runText(context: CommandContext, { view, at, standing: status }: ShownRun): string {
  const show = new Show(context)
  const { id, profile, answer, warnings, failed } = view
  return show.text([
    [
      `${show.paint('bold', id)}  ${status}  ${visibleLine(profile.agent)}`,
      ...(failed ? [indented(show.paint('red', visibleLine(failureSentence(failed))))] : []),
    ],
    view.stuck === null ? [] : [show.paint('red', visibleLine(`${view.stuck.message} ${view.stuck.hint}`))],
    view.outage === null ? [] : [show.paint('yellow', visibleLine(waitText(view.outage, status)))],
    answer === '' ? [] : [indented(visibleText(answer))],
    show.facts(facts(view, at)),
    show.section(
      'Look twice',
      warnings.map(({ message, hint }) => visibleLine(`${message} ${hint}`)),
    ),
    show.section(`Plan, ${planSummary(view.plan ?? [])}`, planLines(view.plan ?? [])),
    show.section('Calls of this step', callLines(view)),
    show.section('Waits for', holdLines(view)),
    status === 'exported' ? [] : show.section(...nextLines(context, view, at)),
  ])
}

function waitText({ message, retry_at }: Outage, standing: StandingWord): string {
  const wait =
    standing === 'delayed'
      ? `It waits for the provider until ${retry_at}`
      : 'Its model did not answer, and is asked again'
  return inLocalTime(`${wait}: ${message}`)
}

function facts(view: RunOutline, at: ShownRun['at']): Facts {
  const { thread_id, checkpoint_id, termination, steps, usage, profile } = view
  return {
    session: thread_id,
    checkpoint: at?.checkpoint ?? checkpoint_id,
    position: at && `event ${at.seq} of its session`,
    ended: termination && `${outcomeOf(termination)} (${termination.type})`,
    model: modelName(profile),
    steps: String(steps),
    tokens: `${usage.total_tokens} (${usage.input_tokens} in, ${usage.output_tokens} out)`,
    cost: costText(usage),
    directory: profile.workdir,
    'pauses for': profile.pause_on.length === 0 ? 'nothing' : profile.pause_on.join(', '),
  }
}

function callLines({ calls }: RunOutline): string[] {
  return rowLines(
    calls.map(({ id, name, final_arguments, status }) => [visibleLine(id), callAct(name, final_arguments), status]),
  )
}

function holdLines({ holds }: RunOutline): string[] {
  return rowLines(
    holds.map(hold => [hold.id, hold.kind, visibleLine(hold.tool ?? '-'), visibleLine(holdSummary(hold))]),
  )
}

function nextLines(context: CommandContext, view: RunOutline, at: ShownRun['at']): [name: string, lines: string[]] {
  const store = givenStore(context.given)
  const checkpoint = at?.checkpoint ?? view.checkpoint_id
  if (checkpoint === null) return ['Go on with', []]
  const holds = view.holds.map(({ id }) => `holdpoint show ${id}${placeFlags(context.given)}`)
  // A resume works on a store.
  if (context.server) return ['Go on with', holds]
  if (at !== null) return ['Branch off with', [`holdpoint -c ${checkpoint} --fork`]]
  if (view.status === 'done') return ['Go on with', [`holdpoint -c ${checkpoint} "…"`]]
  // Nothing is asked any more: a worker takes it, or this does.
  if (view.status === 'running') return ['Go on with', [resumeCommand({ checkpoint_id: checkpoint }, store)]]
  return ['Go on with', [...holds, resumeHint({ checkpoint, pause: pauseReason(view), store })]]
}
