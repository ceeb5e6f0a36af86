import type { JournalledCall } from '../../core/journal/event.ts'
import { isJsonObject, isTooDeep, type Json, type JsonObject } from '../../core/text/json.ts'
import type { ModelAnswer, RequestedCall } from '../../ports/agent/model.ts'
import type { RunSession } from '../session/run-session.ts'

/** Stages a model's answer as the step it begins. */
export function journalAnswer(
  session: RunSession,
  answer: ModelAnswer,
  by: { readonly model: string; readonly forced_by: string | null },
): void {
  const { call_ids } = session.thread
  const own = new Set<string>()
  const taken: Taken = { has: id => call_ids.has(id) || own.has(id), add: id => own.add(id) }
  const step = session.run.steps + 1
  const calls = answer.calls.map(call => journalled(call, taken, step))
  session.stage('step.started', { step })
  session.stage('model.answered', {
    text: answer.text,
    calls,
    usage: answer.usage,
    finish_reason: answer.finish_reason,
    ...by,
  })
}

/** The ids of the thread and of the answer at hand, without copying the former. */
interface Taken {
  has(id: string): boolean
  add(id: string): void
}

/** Some providers count calls anew in every turn: ids are made unique in the thread on arrival. */
function journalled(call: RequestedCall, taken: Taken, step: number): JournalledCall {
  const id = freeId(call.id, taken, step)
  taken.add(id)
  return {
    id,
    name: call.name,
    arguments: objectOrText(call.arguments),
    provider_id: id === call.id ? null : call.id,
    metadata: call.metadata,
  }
}

function freeId(wanted: string, taken: Taken, step: number): string {
  const base = wanted === '' ? 'call' : wanted
  if (!taken.has(base)) return base
  for (let n = step; ; n += 1) {
    if (!taken.has(`${base}_${n}`)) return `${base}_${n}`
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
