import type { CallToolResult } from '@modelcontextprotocol/server'
import { plain } from '../../../core/plain/plain.ts'
import { outcomeOf, type Termination } from '../../../core/run/termination.ts'
import type { TaskStatus } from '../../../core/task/task.ts'
import type { Json, JsonObject } from '../../../core/text/json.ts'
import { agentMessage, pauseReason } from '../../../runtime/views/pause-reason.ts'
import type { RunView } from '../../../runtime/views/run-view.ts'
import { toolResult } from '../offer/tool-result.ts'

/** A run in the words of tasks: the same keys mean the same in `get_task_details`. */
export function runDocument(view: RunView, note: string | null): JsonObject {
  const { id: run_id, thread_id: session_id, status, checkpoint_id, termination, answer, profile } = view
  const waits = status === 'waiting'
  const document = {
    ...{ run_id, session_id, agent: profile.agent, status: runStatus(view), checkpoint_id },
    pause_reason: waits ? pauseReason(view) : null,
    pause: waits ? { checkpoint_id, agent_message: agentMessage(view) } : null,
    result: termination && { final_message: answer, termination },
    note,
  }
  return plain(document as unknown as Json) as JsonObject
}

/** An agent that failed is a tool that failed. */
export function runToolResult(view: RunView, note: string | null = null): CallToolResult {
  const result = toolResult(runDocument(view, note))
  return runStatus(view) === 'failed' ? { ...result, isError: true } : result
}

type Status = Extract<TaskStatus, 'running' | 'paused' | 'completed' | 'failed' | 'cancelled'>

export function runStatus({ status, termination }: RunView): Status {
  if (termination) return endedStatus(termination)
  return status === 'waiting' ? 'paused' : 'running'
}

function endedStatus(termination: Termination): Status {
  if (termination.type === 'cancelled') return 'cancelled'
  return outcomeOf(termination) === 'completed' ? 'completed' : 'failed'
}
