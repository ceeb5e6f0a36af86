import type { PendingCall } from '../../runtime/pause-reason.ts'
import { visibleLine, visibleText } from '../visible-text.ts'
import type { OutcomeDocument, PausedDocument } from './outcome-document.ts'

/** What a person reads on stdout. A final message is passed on as it is; whatever is to be decided hides nothing. */
export function textReport(document: OutcomeDocument): string {
  if (document.outcome === 'paused') return pausedReport(document)
  return 'final_message' in document && document.final_message !== '' ? `${document.final_message}\n` : ''
}

/** What a person reads on stderr. */
export function textError(document: OutcomeDocument): string {
  const error = 'error' in document ? document.error : undefined
  if (!error) return ''
  const hint = error.hint ? `  ${further(error.hint)}\n` : ''
  return `holdpoint: ${document.outcome}: ${further(error.message)}\n${hint}`
}

/** Behind the first word of a line; further lines are set in, so that none looks like one that Holdpoint wrote. */
function further(text: string): string {
  return visibleText(text).replaceAll('\n', '\n    ')
}

const TITLES: Record<PausedDocument['pause_reason']['type'], string> = {
  tool_approval_required: 'Paused: tool calls wait for approval.',
  question_asked: 'Paused: the agent asks.',
  input_required: 'Paused: the agent waits for what comes next.',
  outcome_unknown: 'Paused: the process died while a call ran, and nobody knows whether it took effect.',
}

function pausedReport(document: PausedDocument): string {
  const { pause_reason: reason, agent_message, resume_hint, checkpoint_id, session_id, run_id, due_at } = document
  const said = agent_message === '' ? [] : [indented(visibleText(agent_message)), '']
  const calls = reason.pending_tool_calls.flatMap(callText)
  const questions = reason.questions.flatMap(({ id, question, context, choices }) => [
    `${visibleLine(id)}  asks: ${further(question)}`,
    ...(context === null ? [] : [indented(`context: ${visibleText(JSON.stringify(context))}`)]),
    ...(choices === null ? [] : [indented(`choices: ${choices.map(choice => visibleLine(choice)).join(' | ')}`)]),
    '',
  ])
  const doubt = reason.type === 'outcome_unknown' ? [IN_DOUBT, ''] : []
  const ids = [`checkpoint  ${checkpoint_id}`, `session     ${session_id}`, `run         ${run_id}`]
  if (due_at !== null) ids.push(`due         ${due_at}`)
  return `${[TITLES[reason.type], '', ...said, ...calls, ...answersText(reason), ...questions, ...doubt, ...ids, '', 'Go on with:', `  ${resume_hint}`].join('\n')}\n`
}

/** What was asked in this run before, once above all that is asked now. */
function answersText({ questions }: PausedDocument['pause_reason']): string[] {
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
    ...(context === undefined ? [] : [indented(visibleText(JSON.stringify(context, null, 2)))]),
    indented(argumentsText(call)),
    '',
  ]
}

function callLine(call: PendingCall): string {
  return `${visibleLine(call.id)}  ${visibleLine(call.name)}  (${visibleLine(stateOf(call))})`
}

function stateOf({ in_doubt, client_tool, requires_approval, decided }: PendingCall): string {
  if (in_doubt) return 'in doubt'
  if (client_tool) return 'runs elsewhere: give its result with --answer ID=JSON, or --reject ID'
  if (requires_approval) return 'needs approval'
  return decided ? `${decided.verdict} by ${decided.decided_by}` : 'runs with the batch'
}

function argumentsText({ arguments: args }: PendingCall): string {
  return visibleText(typeof args === 'string' ? args : JSON.stringify(args, null, 2))
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, '    ')
}
