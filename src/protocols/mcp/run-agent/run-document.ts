import type { CallToolResult } from '@modelcontextprotocol/server'
import { plain } from '../../../core/plain/plain.ts'
import { outcomeOf, type Termination } from '../../../core/run/termination.ts'
import type { TaskStatus } from '../../../core/task/task.ts'
import type { Json, JsonObject } from '../../../core/text/json.ts'
import { agentMessage, pauseReason } from '../../../runtime/views/pause-reason.ts'
import { type RunView, runResult } from '../../../runtime/views/run-view.ts'
import type { TaskHandle } from '../offer/mcp-tool.ts'
import type { Running } from '../offer/offer.ts'
import { toolResult } from '../offer/tool-result.ts'

/** A run in the words of tasks: the same keys mean the same in `get_task_details`. */
export function runDocument(view: RunView, note: string | null): JsonObject {
  const { id: run_id, thread_id: session_id, status, checkpoint_id, profile } = view
  const waits = status === 'waiting'
  const document = {
    ...{ run_id, session_id, agent: profile.agent, status: runStatus(view), checkpoint_id },
    pause_reason: waits ? pauseReason(view) : null,
    pause: waits ? { checkpoint_id, agent_message: agentMessage(view) } : null,
    plan: view.plan,
    result: runResult(view),
    ...(view.warnings.length > 0 && { warnings: view.warnings }),
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

/** How often a client looks, if it follows the advice. */
const POLL_MS = 1000

/** A run continues without its client, and is kept until it is pruned. */
const KEPT = { ttlMs: null, pollIntervalMs: POLL_MS }

/** A run as a task of the extension `io.modelcontextprotocol/tasks`. The id of the task is that of the run. */
export async function taskHandle(running: Running, runId: string): Promise<TaskHandle> {
  const view = await running.holdpoint.run(runId)
  return { resultType: 'task', ...(await termsOf(running, view)), status: 'working' }
}

/** `inputRequests`: the forms of the holds that the caller may be asked about. */
export async function taskDocument(
  running: Running,
  view: RunView,
  inputRequests: Readonly<Record<string, unknown>>,
): Promise<Record<string, unknown>> {
  return { ...(await termsOf(running, view)), ...stateOf(view, inputRequests) }
}

async function termsOf({ holdpoint }: Running, { id: taskId }: RunView) {
  const [row] = await holdpoint.runs({ run_id: taskId })
  return { taskId, createdAt: row?.created_at, lastUpdatedAt: row?.updated_at, ...KEPT }
}

function stateOf(view: RunView, inputRequests: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const status = runStatus(view)
  if (status === 'cancelled') return { status }
  if (view.termination) return { status: 'completed', result: { ...runToolResult(view), resultType: 'complete' } }
  if (Object.keys(inputRequests).length > 0) return { status: 'input_required', inputRequests }
  if (status === 'running') return { status: 'working' }
  // The caller can say nothing, and others can.
  const ids = view.holds.map(({ id }) => id).join(', ')
  return { status: 'working', statusMessage: `It waits for somebody else to decide ${ids}.` }
}
