import type {
  Effect,
  ExplainedCall,
  ExplainedChange,
  ExplainedEnd,
  ExplainedRun,
  Reconfigured,
  ReleasedBy,
  Ruled,
} from '../../../core/audit/explain/explained-run.ts'
import { outcomeText } from '../../../core/run/outcome/call-outcome.ts'
import { differences } from '../../../core/text/differences.ts'
import { jsonLine, visibleLine } from '../../../core/text/visible-text.ts'
import type { CommandContext } from '../../command/command.ts'
import { fullId } from '../../command/full-id.ts'
import { onlyWord, openForReading } from '../open-for-reading.ts'

/** Prints what released each effect of a run, and that refused calls did not run. */
export async function explainAudit(context: CommandContext, words: readonly string[]): Promise<number> {
  const { io, json } = context
  const id = onlyWord(words, 'audit explain RUN')
  await using app = await openForReading(context)
  const explained = await app.holdpoint.audit.explain(await fullId(app.holdpoint, id))
  io.out(json ? jsonLine(asDocument(explained)) : asText(explained))
  return explained.faults.length === 0 ? 0 : 1
}

/** Why each effect of a run happened. */
export interface ExplanationDocument extends ExplainedRun {
  /** Equal to `thread_id`. */
  readonly session_id: string
}

function asDocument(explained: ExplainedRun): ExplanationDocument {
  return { ...explained, session_id: explained.thread_id }
}

function asText(run: ExplainedRun): string {
  const { run_id, agent, thread_id, finished, cancelled } = run
  const end = finished ? `done: ${finished.termination.type}` : 'not done'
  const lines = [
    `${run_id} of agent ${agent}, session ${thread_id}, ${end}`,
    ...(cancelled ? [`cancelled by ${cancelled.by} at ${cancelled.at}${because(cancelled.reason)}`] : []),
    ...run.configured.flatMap(changeLines),
    ...run.calls.flatMap(callLines),
    '',
    ...sumOf(run),
  ]
  // A text with line breaks cannot look like a line of its own.
  return `${lines.map(visibleLine).join('\n')}\n`
}

function changeLines({ by, surface, at, seq, changes }: Reconfigured): string[] {
  const who = by === null ? 'a resume without a name' : `${by} (${surface})`
  return [`settings changed by ${who} at ${at} (event ${seq})`, ...changes.flatMap(settingLines)]
}

/** Only what differs: a policy may be long. */
function settingLines({ setting, was, is, widens }: ExplainedChange): string[] {
  const places = differences({ [setting]: was }, { [setting]: is })
  return places.map(
    ({ path, was: before, is: after }) =>
      `  ${path}: ${JSON.stringify(before)} became ${JSON.stringify(after)}${widens ? ', which could let the run do more' : ''}`,
  )
}

function callLines(call: ExplainedCall): string[] {
  const { call_id, tool, arguments: args, effects, ruled, undecided, finished } = call
  const released = new Set(
    effects.flatMap(effect => (effect.released?.by === 'decision' ? [effect.released.hold_id] : [])),
  )
  return [
    '',
    `${call_id}: ${tool} ${typeof args === 'string' ? args : JSON.stringify(args)}`,
    ...(effects.length === 0 ? ['  nothing ran'] : effects.flatMap(effectLines)),
    ...ruled.filter(({ hold_id }) => !released.has(hold_id)).map(each => `    ${ruledText(each)}`),
    ...undecided.map(
      hold => `    ${hold.hold_id}: ${hold.withdrawn === null ? 'nobody decided yet' : `withdrawn, ${hold.withdrawn}`}`,
    ),
    ...(finished ? [`  ${endText(finished)} at ${finished.at}`] : []),
  ]
}

function endText({ status, error, outcome }: ExplainedEnd): string {
  const exit = outcome && outcomeText(outcome)
  if (exit) return outcome.failed ? `FAILED with ${exit}` : `ended with ${exit}, which is an answer`
  return `ended ${status}${error ? ` (${error})` : ''}`
}

function effectLines(effect: Effect): string[] {
  const { attempt, at, seq, released, copied, imported } = effect
  const place = copied ? ', in the session that this one was forked from' : ''
  const where = imported === null ? place : `${place}, in another store, before it came here with ${imported}`
  const why = released ? RELEASES[released.by](released as never) : 'NOTHING ON RECORD LET IT'
  return [`  ran at ${at} (attempt ${attempt}, event ${seq})${where}`, `    ${why}`]
}

type By<K extends ReleasedBy['by']> = Extract<ReleasedBy, { readonly by: K }>

const RELEASES: { readonly [K in ReleasedBy['by']]: (released: By<K>) => string } = {
  decision: ruledText,
  policy: ({ rule, seq }) => `the policy let it: ${rule} (event ${seq})`,
  grant: ({ grant_id, rule, seq }) => `the standing grant ${grant_id} let it: ${rule} (event ${seq})`,
  approval: ({ approval_id, approved }) =>
    `an approval given before covers it: ${approved ? ruledText(approved) : approval_id}`,
  repeat: ({ attempt }) => `it was cut off, and its tool may be repeated: released as attempt ${attempt} was`,
}

function ruledText(ruled: Ruled): string {
  const { verdict, decided_by, surface, at, hold_id, digest, reason, votes, on_due, override } = ruled
  const who = on_due === null ? `${decided_by} (${surface})` : `nobody decided in time, so ${decided_by}`
  return [
    `${who} at ${at}: ${verdict} of ${hold_id}${because(reason)}`,
    ...(override ? [`overriding the policy (${ruled.because})`] : []),
    ...(votes.length > 0
      ? [`${votersDid(verdict)} ${votes.map(vote => `${vote.decided_by} at ${vote.at}`).join(', ')}`]
      : []),
    ...(digest === null ? [] : [`of ${digest}`]),
  ].join(', ')
}

/** Votes are approvals, so a person with another verdict did not vote. */
function votersDid(verdict: Ruled['verdict']): string {
  return verdict === 'approve' ? 'with' : 'after approvals by'
}

function because(reason: string | null): string {
  return reason === null ? '' : ` (${reason})`
}

function sumOf({ calls, faults }: ExplainedRun): string[] {
  const count = calls.reduce((sum, { effects }) => sum + effects.length, 0)
  if (faults.length === 0) return [`${count} ${count === 1 ? 'effect' : 'effects'}, each with what released it.`]
  return faults.map(({ call_id, seq, message }) => `FAULT: ${call_id}, event ${seq}: ${message}`)
}
