/** Notices for programs: a webhook has them in its body, a command on its stdin. */

import type { Hold } from '../core/hold/hold.ts'
import { approvalsNeeded } from '../core/hold/may-decide.ts'
import type { Notice } from '../core/notice/notice.ts'
import type { JsonObject } from '../core/text/json.ts'

/** `none`: no arguments and no words of people. */
export type NoticeContent = 'none' | 'full'

/** As Standard Webhooks has it: `{ type, timestamp, data }`. */
export function programNotice({ event, at, hold, url }: Notice, content: NoticeContent): JsonObject {
  const type = hold === null ? 'notice.test' : `hold.${event}`
  return { type, timestamp: at, data: hold === null ? {} : holdData(hold, { url, content }) }
}

function holdData(
  hold: Hold,
  { url, content }: { readonly url: string | null; readonly content: NoticeContent },
): JsonObject {
  const { id, run_id, thread_id, kind, status, agent, tool, digest, due_at, assignee, level, decision } = hold
  return {
    hold_id: id,
    ...{ run_id, thread_id, kind, status, agent, tool, digest, due_at, assignee, level },
    approvals: { have: hold.votes.length, need: approvalsNeeded(hold) },
    decision: decision && {
      ...{ decision_id: decision.decision_id, verdict: decision.verdict, decided_by: decision.decided_by },
      ...{ surface: decision.surface, at: decision.at },
      ...(content === 'full' && { reason: decision.reason, value: decision.value, arguments: decision.arguments }),
    },
    ...(content === 'full' && { message: hold.message, arguments: hold.arguments, choices: hold.choices }),
    url,
  } as JsonObject
}
