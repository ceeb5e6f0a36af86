import type { Decision } from '../../core/hold/decision.ts'
import type { Hold } from '../../core/hold/hold.ts'
import { holdRemarks, lookAlikesOf } from '../../core/hold-view/blocks/hold-remarks.ts'
import { lookAlikeText } from '../../core/hold-view/blocks/look-alikes.ts'
import type { JsonObject } from '../../core/text/json.ts'

/**
 * Facts that have no place in an approval of the AI SDK: why it is asked, until when, and who decided elsewhere. For a
 * question also the choices, and the schema of the answer.
 */
export function holdData(hold: Hold): JsonObject {
  const { id, kind, status, call_id, tool, message, context, choices, response_schema, due_at, votes, decision } = hold
  const { preview = null, basis = null } = hold
  return {
    ...{ hold_id: id, kind, status, tool_call_id: call_id, tool, message, context, basis, due_at },
    choices: choices && [...choices],
    response_schema,
    destructive: hold.destructive,
    preview: preview && { ...preview },
    remarks: [...holdRemarks(hold), ...lookAlikesOf(hold).map(found => `${lookAlikeText(found)}.`)],
    overrides_never: hold.overrides_never ?? false,
    assignee: hold.assignee,
    approved_by: votes.map(({ decided_by }) => decided_by),
    decision: decision && decisionData(decision),
  }
}

function decisionData({ verdict, decided_by, surface, reason, at }: Decision): JsonObject {
  return { verdict, decided_by, surface, reason, at }
}
