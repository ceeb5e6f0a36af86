import type { JournalledCall } from '../../core/journal/event.ts'
import { partsBeside } from '../../core/message/answer-content.ts'
import type { AnswerPart } from '../../core/message/part.ts'
import type { CallIds } from '../../core/run/call-ids.ts'
import { isJsonObject, isTooDeep, type Json, type JsonObject } from '../../core/text/json.ts'
import type { ModelAnswer, RequestedCall } from '../../ports/agent/model.ts'
import type { RunSession } from '../session/run-session.ts'

/** Stages a model's answer as the step it begins. */
export function journalAnswer(
  session: RunSession,
  answer: ModelAnswer,
  { callIds, ...by }: { readonly model: string; readonly forced_by: string | null; readonly callIds: CallIds },
): void {
  const step = session.run.steps + 1
  const calls = answer.calls.map(call => journalled(call, callIds))
  const parts = answer.parts ? partsBeside(placed(answer.parts, calls)) : null
  session.stage('step.started', { step })
  session.stage('model.answered', {
    text: answer.text,
    ...(parts && { parts }),
    calls,
    usage: answer.usage,
    finish_reason: answer.finish_reason,
    ...by,
  })
}

/** The calls among the parts by the ids that they have from here on; one that a plugin took back has no place. */
function placed(parts: readonly AnswerPart[], calls: readonly JournalledCall[]): AnswerPart[] {
  const left = [...calls]
  return parts.flatMap((part): AnswerPart[] => {
    if (part.type !== 'tool_call') return [part]
    const index = left.findIndex(({ id, provider_id }) => (provider_id ?? id) === part.id)
    const [call] = index < 0 ? [] : left.splice(index, 1)
    return call ? [{ type: 'tool_call', id: call.id }] : []
  })
}

function journalled(call: RequestedCall, callIds: CallIds): JournalledCall {
  const id = callIds.take(call.id)
  return {
    id,
    name: call.name,
    arguments: objectOrText(call.arguments),
    provider_id: id === call.id ? null : call.id,
    metadata: call.metadata,
  }
}

/** Providers send nothing at all for a call without arguments. */
function objectOrText(text: string): JsonObject | string {
  if (text.trim() === '') return {}
  try {
    const value: Json = JSON.parse(text)
    return isJsonObject(value) && !isTooDeep(value) ? value : text
  } catch {
    return text
  }
}
