/** A run for people to read. Words of the model are indented, so that none of them looks like a line of Holdpoint's. */
import { holdSummary } from '../../../core/hold-view/hold-words.ts'
import { modelName } from '../../../core/run/profile.ts'
import { outcomeOf } from '../../../core/run/termination.ts'
import { visibleLine, visibleText } from '../../../core/text/visible-text.ts'
import { pauseReason } from '../../../runtime/views/pause-reason.ts'
import type { RunView } from '../../../runtime/views/run-view.ts'
import type { CommandContext } from '../../command/command.ts'
import { givenStore, placeFlags } from '../../command/place-flags.ts'
import { paintFor } from '../../display/colours.ts'
import { columnsOf, type Fact, factLines } from '../../display/hung.ts'
import { padColumns } from '../../display/table.ts'
import { resumeCommand } from '../../outcome/outcome-document.ts'
import { indented } from '../../outcome/pause-lines.ts'
import { resumeHint } from '../../outcome/resume-hint.ts'
import type { StandingWord } from './standing.ts'

export interface ShownRun {
  readonly view: RunView
  /** The checkpoint at which it is shown; `null` for as it stands now. */
  readonly at: { readonly checkpoint: string; readonly seq: number } | null
  readonly standing: StandingWord
}

export function runText(context: CommandContext, { view, at, standing }: ShownRun): string {
  const paint = paintFor(context)
  const { id, profile, answer } = view
  const isExported = standing === 'exported'
  const section = (name: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : [paint('bold', `${name}:`), ...lines.map(line => `  ${line}`)]
  const parts = [
    [`${paint('bold', id)}  ${standing}  ${visibleLine(profile.agent)}`],
    answer === '' ? [] : [indented(visibleText(answer))],
    factLines(facts(view, at), { left: 10, columns: columnsOf(context.io), styled: name => paint('dim', name) }),
    section('Calls of this step', callLines(view)),
    section('Waits for', holdLines(view)),
    isExported ? [] : section(...nextLines(context, view, at)),
  ]
  return parts
    .filter(part => part.length > 0)
    .map(part => `${part.join('\n')}\n`)
    .join('\n')
}

function facts(view: RunView, at: ShownRun['at']): Fact[] {
  const { thread_id, checkpoint_id, termination, steps, usage, profile } = view
  const all: readonly (readonly [string, string | null])[] = [
    ['session', thread_id],
    ['checkpoint', at?.checkpoint ?? checkpoint_id],
    ['position', at === null ? null : `event ${at.seq} of its session`],
    ['ended', termination === null ? null : `${outcomeOf(termination)} (${termination.type})`],
    ['model', modelName(profile)],
    ['steps', String(steps)],
    ['tokens', `${usage.total_tokens} (${usage.input_tokens} in, ${usage.output_tokens} out)`],
    ['directory', profile.workdir],
    ['pauses for', profile.pause_on.length === 0 ? 'nothing' : profile.pause_on.join(', ')],
  ]
  return all.flatMap(([name, text]): Fact[] => (text === null ? [] : [[name, visibleLine(text)]]))
}

function callLines({ calls }: RunView): string[] {
  return padColumns(calls.map(({ id, name, status }) => [id, name, status].map(visibleLine))).map(row =>
    row.join('  ').trimEnd(),
  )
}

function holdLines({ holds }: RunView): string[] {
  const rows = holds.map(hold => [hold.id, hold.kind, visibleLine(hold.tool ?? '-'), visibleLine(holdSummary(hold))])
  return padColumns(rows).map(row => row.join('  ').trimEnd())
}

function nextLines(context: CommandContext, view: RunView, at: ShownRun['at']): [name: string, lines: string[]] {
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
