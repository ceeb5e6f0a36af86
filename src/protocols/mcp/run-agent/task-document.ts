/** A run as a task of the extension `io.modelcontextprotocol/tasks`. The id of the task is that of the run. */
import type { RunView } from '../../../runtime/views/run-view.ts'
import type { TaskHandle } from '../offer/mcp-tool.ts'
import type { Running } from '../offer/offer.ts'
import { runStatus, runToolResult } from './run-document.ts'

/** How often a client looks, if it follows the advice. */
const POLL_MS = 1000

/** A run goes on without its client, and stays until it is pruned. */
const KEPT = { ttlMs: null, pollIntervalMs: POLL_MS }

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
