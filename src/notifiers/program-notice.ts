/** Notices for programs: a webhook has them in its body, a command on its stdin. */

import type { Hold } from '../core/hold/hold.ts'
import { approvalsNeeded } from '../core/hold/may-decide.ts'
import { shownAct } from '../core/hold-view/hold-document.ts'
import type { HoldResult } from '../core/hold-view/hold-result.ts'
import type { Notice } from '../core/notice/notice.ts'
import type { WaitingRun } from '../core/notice/notice-text.ts'
import type { JsonObject } from '../core/text/json.ts'

/** `none`: no arguments and no words of people. */
export type NoticeContent = 'none' | 'full'

/** The payload of Standard Webhooks: `{ type, timestamp, data }`. */
export function programNotice(notice: Notice, content: NoticeContent): JsonObject {
  const { event, at, hold, result, run, url } = notice
  if (run !== null) return { type: `run.${event}`, timestamp: at, data: runData(run, { url, content }) }
  const type = hold === null ? 'notice.test' : `hold.${event}`
  return {
    type,
    timestamp: at,
    data: hold === null ? {} : { ...holdData(hold, { url, content }), result: ended(result) },
  }
}

/** The message of a provider may repeat words of people. */
function runData(
  { id, thread_id, agent, outage }: WaitingRun,
  { url, content }: { readonly url: string | null; readonly content: NoticeContent },
): JsonObject {
  const { code, since, failures, retry_at, message } = outage
  return { run_id: id, thread_id, agent, code, since, failures, retry_at, ...(content === 'full' && { message }), url }
}

/** How the call ended, in codes: its output may have words of people. */
function ended(result: HoldResult | null): JsonObject | null {
  if (result === null || result.ended_at === null) return null
  const { status, error, outcome, started_at, ended_at } = result
  const { exit_code = null, signal = null } = outcome ?? {}
  const failed = error !== null || outcome?.failed === true
  return { status, failed, error: error?.code ?? null, exit_code, signal, started_at, ended_at }
}

function holdData(
  hold: Hold,
  { url, content }: { readonly url: string | null; readonly content: NoticeContent },
): JsonObject {
  const { title, task, risk, reaches } = shownAct(hold)
  const { id, run_id, thread_id, kind, status, agent, tool, digest, due_at, assignee, level, decision } = hold
  return {
    hold_id: id,
    ...{ run_id, thread_id, kind, status, agent, tool, digest, due_at, assignee, level, risk },
    approvals: { have: hold.votes.length, need: approvalsNeeded(hold) },
    decision: decision && {
      ...{ decision_id: decision.decision_id, verdict: decision.verdict, decided_by: decision.decided_by },
      ...{ surface: decision.surface, at: decision.at },
      ...(content === 'full' && { reason: decision.reason, value: decision.value, arguments: decision.arguments }),
    },
    ...(content === 'full' && { title, task, reaches, message: hold.message, arguments: hold.arguments }),
    ...(content === 'full' && { choices: hold.choices }),
    url,
  } as JsonObject
}
