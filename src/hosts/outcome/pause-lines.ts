/** P9: the holds of a pause for people to read, in full. No part of them can look like a line of Holdpoint's. */

import { holdRemarks } from '../../core/hold-view/hold-remarks.ts'
import { SAYS_NEVER } from '../../core/hold-view/hold-words.ts'
import { previewLines } from '../../core/hold-view/preview-lines.ts'
import { visibleLine, visibleText } from '../../core/text/visible-text.ts'
import { agentMessage, type PauseReason, type PendingCall, pauseReason } from '../../runtime/views/pause-reason.ts'
import type { RunView } from '../../runtime/views/run-view.ts'

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
export function pauseText(view: RunView): string {
  return pauseLines({ pause_reason: pauseReason(view), agent_message: agentMessage(view) }).join('\n')
}

/** With an empty line behind each part. */
export function pauseLines({ pause_reason: reason, agent_message }: ShownPause): string[] {
  // The questions follow.
  const isAsked = agent_message === reason.questions.map(({ question }) => question).join('\n')
  const said = agent_message === '' || isAsked ? [] : [indented(visibleText(agent_message)), '']
  const calls = reason.pending_tool_calls.flatMap(callText)
  const questions = reason.questions.flatMap(({ id, question, context, choices }) => [
    `${visibleLine(id)}  asks: ${further(question)}`,
    ...(context === null ? [] : [indented(`context: ${visibleText(JSON.stringify(context))}`)]),
    ...(choices === null ? [] : [indented(`choices: ${choices.map(choice => visibleLine(choice)).join(' | ')}`)]),
    '',
  ])
  const doubt = reason.type === 'outcome_unknown' ? [IN_DOUBT, ''] : []
  return [TITLES[reason.type], '', ...said, ...calls, ...answersText(reason), ...questions, ...doubt]
}

/** Earlier questions of this run, once above all open ones. */
function answersText({ questions }: PauseReason): string[] {
  const answers = questions[0]?.earlier_answers ?? []
  if (answers.length === 0) return []
  const lines = answers.map(({ question, answer, answered_by }) => {
    const said = typeof answer === 'string' ? answer : JSON.stringify(answer)
    return indented(visibleLine(`${question} ${said} (${answered_by})`))
  })
  return ['Answered before:', ...lines, '']
}

const IN_DOUBT =
  'In doubt: --approve ID runs the call again, --answer ID=RESULT says that it happened, --reject ID that it failed.'

function callText(call: PendingCall): string[] {
  const { message, context } = call
  return [
    callLine(call),
    ...(message === undefined ? [] : [indented(visibleText(message))]),
    ...holdRemarks(call).map(text => indented(visibleText(text))),
    ...(context === undefined ? [] : [indented(visibleText(JSON.stringify(context, null, 2)))]),
    indented(argumentsText(call)),
    ...(call.preview ? previewLines(call.preview).map(({ text }) => indented(text)) : []),
    '',
  ]
}

function callLine(call: PendingCall): string {
  return `${visibleLine(call.id)}  ${visibleLine(call.name)}  (${visibleLine(stateOf(call))})`
}

function stateOf({ in_doubt, overrides_never, client_tool, requires_approval, decided }: PendingCall): string {
  if (in_doubt) return 'in doubt'
  if (client_tool) return 'runs elsewhere: give its result with --answer ID=JSON, or --reject ID'
  if (overrides_never) return SAYS_NEVER
  if (requires_approval) return 'needs approval'
  return decided ? `${decided.verdict} by ${decided.decided_by}` : 'runs with the batch'
}

function argumentsText({ arguments: args }: PendingCall): string {
  return visibleText(typeof args === 'string' ? args : JSON.stringify(args, null, 2))
}

export function indented(text: string): string {
  return text.replaceAll(/^/gm, '    ')
}

/** Behind the first word of a line; further lines are set in, so that none looks like one that Holdpoint wrote. */
export function further(text: string): string {
  return visibleText(text).replaceAll('\n', '\n    ')
}
