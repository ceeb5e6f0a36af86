import type { JournalledCall } from '../../core/journal/event.ts'
import { partsBeside } from '../../core/message/answer-content.ts'
import type { AnswerPart } from '../../core/message/part.ts'
import type { CallIds } from '../../core/run/call-ids.ts'
import type { ModelAnswer, RequestedCall } from '../../ports/agent/model.ts'
import type { Tool } from '../../ports/agent/tool.ts'
import { readArguments } from '../gate/read-arguments.ts'
import type { RunSession } from '../session/run-session.ts'

interface Answering {
  readonly model: string
  readonly forced_by: string | null
  readonly callIds: CallIds
  /** Those of the agent, by name. */
  readonly tools: ReadonlyMap<string, Tool>
}

/** Stages a model's answer as the step it begins. */
export function journalAnswer(session: RunSession, answer: ModelAnswer, { callIds, tools, ...by }: Answering): void {
  const step = session.run.steps + 1
  const calls = answer.calls.map(call => journalled(call, { callIds, tools }))
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

function journalled(call: RequestedCall, { callIds, tools }: Pick<Answering, 'callIds' | 'tools'>): JournalledCall {
  const id = callIds.take(call.id)
  return {
    id,
    name: call.name,
    arguments: readArguments(call.arguments, tools.get(call.name)?.inputSchema ?? null),
    provider_id: id === call.id ? null : call.id,
    metadata: call.metadata,
  }
}
