/** P9: the holds of a pause for people to read, in full. No part of them can look like a line of Holdpoint's. */

import { headline } from '../../core/hold-view/blocks/act-words.ts'
import { blockLines } from '../../core/hold-view/blocks/block-lines.ts'
import { type Asked, holdBlocks } from '../../core/hold-view/blocks/hold-blocks.ts'
import { visibleLine, visibleText } from '../../core/text/visible-text.ts'
import { agentMessage, type PauseReason, type PendingCall, pauseReason } from '../../runtime/views/pause-reason.ts'
import type { RunView } from '../../runtime/views/run-view.ts'
import { paintedLines } from '../display/painted-lines.ts'
import { type Paint, PLAIN } from '../display/screen.ts'

const TITLES: Record<PauseReason['type'], string> = {
  tool_approval_required: 'Paused: tool calls wait for approval.',
  question_asked: 'Paused: the agent asks.',
  input_required: 'Paused: the agent waits for what comes next.',
  outcome_unknown: 'Paused: a call had started, and nobody knows whether it took effect.',
}

export interface ShownPause {
  readonly pause_reason: PauseReason
  readonly agent_message: string
}

/** The pause of a run that waits, as it is shown. */
export function pauseText(view: RunView, paint: Paint = PLAIN): string {
  return pauseLines({ pause_reason: pauseReason(view), agent_message: agentMessage(view) }, paint).join('\n')
}

/** The lines of a pause, with an empty line after each part. */
export function pauseLines({ pause_reason: reason, agent_message }: ShownPause, paint: Paint = PLAIN): string[] {
  // The questions follow.
  const isAsked = agent_message === reason.questions.map(({ question }) => question).join('\n')
  const message = agent_message === '' || isAsked ? [] : [indented(visibleText(agent_message)), '']
  const calls = reason.pending_tool_calls.flatMap(call => callText(call, paint))
  const questions = reason.questions.flatMap(({ id, question, context, choices }) => [
    `${visibleLine(id)}  asks: ${further(question)}`,
    ...(context === null ? [] : [indented(`context: ${visibleText(JSON.stringify(context))}`)]),
    ...(choices === null ? [] : [indented(`choices: ${choices.map(choice => visibleLine(choice)).join(' | ')}`)]),
    '',
  ])
  const doubt =
    reason.type === 'outcome_unknown' ? [...reason.pending_tool_calls.flatMap(whileItRuns), IN_DOUBT, ''] : []
  return [TITLES[reason.type], '', ...message, ...calls, ...answersText(reason), ...questions, ...doubt]
}

/** Earlier questions of this run, once above all open ones. */
function answersText({ questions }: PauseReason): string[] {
  const answers = questions[0]?.earlier_answers ?? []
  if (answers.length === 0) return []
  const lines = answers.map(({ question, answer, answered_by }) => {
    const message = typeof answer === 'string' ? answer : JSON.stringify(answer)
    return indented(visibleLine(`${question} ${message} (${answered_by})`))
  })
  return ['Answered before:', ...lines, '']
}

const IN_DOUBT =
  'In doubt: --approve ID runs the call again, --answer ID=RESULT says that it happened, --reject ID that it failed.'

function whileItRuns({ id, hold_id, still_running }: PendingCall): string[] {
  if (still_running?.standing !== 'running' || !hold_id) return []
  const called = visibleLine(id)
  return [
    `While ${called} still runs: \`holdpoint holds wait ${hold_id}\` waits for its end, \`holdpoint holds stop ${hold_id}\` stops it.`,
  ]
}

function callText(call: PendingCall, paint: Paint): string[] {
  const asked = askedBy(call)
  return [
    `${visibleLine(call.id)}  ${paint('bold', headline(asked))}  (${visibleLine(stateOf(call))})`,
    ...paintedLines(blockLines(holdBlocks(asked)), paint).map(indented),
    '',
  ]
}

/** A call that waits for others of its answer has no hold. */
function askedBy({ name, in_doubt, message = '', ...call }: PendingCall): Asked {
  return { ...call, kind: in_doubt ? 'in_doubt' : 'approval', tool: name, message }
}

function stateOf({ in_doubt, client_tool, requires_approval, decided }: PendingCall): string {
  if (in_doubt) return 'in doubt'
  if (client_tool) return 'runs elsewhere: give its result with --answer ID=JSON, or --reject ID'
  if (requires_approval) return 'needs approval'
  return decided ? `${decided.verdict} by ${decided.decided_by}` : 'runs with the batch'
}

export function indented(text: string): string {
  return text.replaceAll(/^/gm, '    ')
}

/** The rest of a text after its first line, indented so that no line looks like one of Holdpoint. */
export function further(text: string): string {
  return visibleText(text).replaceAll('\n', '\n    ')
}
