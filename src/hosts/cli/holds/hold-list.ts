import { whenDue } from '../../../core/deadlines/describe-due.ts'
import type { Hold } from '../../../core/hold/hold.ts'
import { approvalsNeeded } from '../../../core/hold/may-decide.ts'
import { headline } from '../../../core/hold-view/blocks/act-words.ts'
import { holdAct, holdOutcome, holdSummary } from '../../../core/hold-view/hold-words.ts'
import { agentPath } from '../../../core/run/run-path.ts'
import { visibleLine } from '../../../core/text/visible-text.ts'
import { ago } from '../../display/ago.ts'
import type { List } from '../../display/list.ts'
import type { ListedHold } from './hold-filter.ts'

/** In a terminal two lines for each hold: what it asks for is the second. */
export const HOLD_LIST: List<ListedHold> = {
  empty: 'No holds.\n',
  plain: {
    HOLD: hold => hold.id,
    STATUS: hold => hold.status,
    KIND: hold => hold.kind,
    AGENT: agentPath,
    TOOL: hold => hold.tool,
    OPENED: hold => hold.opened_at,
    DUE: hold => hold.due_at,
    ASSIGNEE: hold => hold.assignee,
    ACT: headline,
    RESULT: hold => hold.result?.text ?? null,
    TASK: hold => hold.task?.text ?? null,
    SUMMARY: holdSummary,
  },
  screen: [
    { head: 'HOLD', value: hold => hold.id, style: 'bold' },
    { head: 'KIND', value: hold => hold.kind, style: 'cyan' },
    { head: 'AGENT', least: 8, value: hold => agentPath(hold) || '-' },
    { head: 'TOOL', least: 8, value: hold => hold.tool || '-' },
    { head: 'OPENED', value: (hold, now) => ago(hold.opened_at, now), style: 'dim' },
    { head: 'DUE', least: 10, value: dueText, style: (hold, now) => (isLate(hold, now) ? 'red' : undefined) },
  ],
  below: hold => [decidedText(hold), holdAct(hold)].filter(part => part !== '').join(': '),
}

/** `approved by ana, failed after 2 s with exit 1`: the decision, and what came of it. */
function decidedText(hold: ListedHold): string {
  const came = visibleLine(hold.result?.text ?? '')
    .replace(/^It (?:is )?/, '')
    .replace(/\.$/, '')
  return [holdOutcome(hold), came].filter(part => part !== '').join(', ')
}

function isLate({ status, due_at }: Hold, now: number): boolean {
  return status === 'open' && due_at !== null && Date.parse(due_at) <= now
}

function dueText(hold: Hold, now: number): string {
  const due = hold.status !== 'open' || hold.due_at === null ? [] : [whenDue(hold.due_at, now)]
  const assigned = hold.assignee === null ? [] : [`for ${hold.assignee || '-'}`]
  return [...due, ...assigned, ...votesOf(hold)].join(', ')
}

function votesOf(hold: Hold): string[] {
  const need = approvalsNeeded(hold)
  return need > 1 && hold.status === 'open' ? [`${hold.votes.length} of ${need} approvals`] : []
}
