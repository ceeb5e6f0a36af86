/**
 * A message to an agent in any state. Keeps: it is in the journal, with its author, before this resolves (P4); with an
 * `inputId` it is one message, however often and by however many it is sent (P2).
 */

import { NEVER } from '../../async/on-abort.ts'
import { RefusedError } from '../../core/errors.ts'
import type { Content, ContentPart } from '../../core/message/part.ts'
import { agentRefusals } from '../../core/refusals/agent-refusals.ts'
import type { RunRow } from '../../ports/store/runs.ts'
import type { AgentTasksDeps } from '../agent-tasks/agent-task.ts'
import { nextRun, takesMore } from '../agent-tasks/next-run.ts'
import type { AgentMessage } from '../face/agents.ts'
import { againIfMoved } from '../threads/again-if-moved.ts'
import type { SendOptions, Sent } from '../threads/send-message.ts'
import { lookAtAgent, type SeenAgent } from './look-at-agent.ts'

/** The run is over, and its process has so long to end before it counts as one that takes no message. */
const ENDING_MS = 10_000
const LOOK_MS = 50

/** @throws RefusedError; then no message was sent. */
export async function sendToAgent(deps: AgentTasksDeps, found: SeenAgent, message: AgentMessage): Promise<Sent> {
  let seen: SeenAgent | null = found
  return againIfMoved(async () => {
    const agent = seen ?? (await lookAgain(deps, found))
    seen = null
    return sendIfUnmoved(deps, agent, message)
  })
}

async function lookAgain(deps: AgentTasksDeps, { task }: SeenAgent): Promise<SeenAgent> {
  return lookAtAgent(deps, (await deps.tasks.task(task.id)) ?? task)
}

/** @throws RefusedError `superseded` if the agent has moved on */
async function sendIfUnmoved(deps: AgentTasksDeps, seen: SeenAgent, message: AgentMessage): Promise<Sent> {
  const { row } = seen
  if (row === null) throw overForGood(seen)
  if (row.status !== 'done') return sendOn(deps, row, message, { onlyTo: row.id })
  const send = () => sendOn(deps, row, message)
  if (await isTaken(deps, row.thread_id, message)) return send()
  const ended = await onceEnded(deps, seen)
  if (!takesMore(ended)) throw overForGood(ended)
  try {
    return await tellMore(deps, { ...ended, runId: row.id }, message)
  } catch (thrown) {
    // Another sender may have been quicker with the same message.
    if (thrown instanceof RefusedError && (await isTaken(deps, row.thread_id, message))) return send()
    throw thrown
  }
}

/** The process of the last run may still be ending, and the next run begins after that. */
async function onceEnded(deps: AgentTasksDeps, seen: SeenAgent): Promise<SeenAgent> {
  const { clock } = deps
  const deadline = clock.steady() + ENDING_MS
  let now = seen
  while (now.task.status === 'running' && clock.steady() < deadline) {
    await clock.sleep(LOOK_MS, NEVER)
    now = await lookAgain(deps, now)
  }
  return now
}

function sendOn(
  { holdpoint }: AgentTasksDeps,
  { thread_id }: RunRow,
  { whileWaiting = 'queue', ...message }: AgentMessage,
  only: Pick<SendOptions, 'onlyTo'> = {},
): Promise<Sent> {
  return holdpoint.send(thread_id, message, { whileWaiting, ...only })
}

async function isTaken({ store }: AgentTasksDeps, threadId: string, { inputId }: AgentMessage): Promise<boolean> {
  return inputId !== undefined && (await store.findInput(threadId, inputId)) !== null
}

/** A finished agent continues with its next run, under the same task. */
async function tellMore(
  deps: AgentTasksDeps,
  { task, runId }: Pick<SeenAgent, 'task'> & { readonly runId: string },
  message: AgentMessage,
): Promise<Sent> {
  const { author: by, surface, inputId } = message
  const view = await deps.holdpoint.run(runId)
  const prompt = contentOf(message)
  const next = await nextRun(deps, task, {
    view,
    prompt,
    asker: { by, surface },
    ...(inputId !== undefined && { inputId }),
  })
  return { outcome: 'started', run_id: next.subject ?? runId }
}

/** The text is the first part. */
function contentOf({ text, parts = [] }: AgentMessage): Content {
  if (parts.length === 0) return text ?? ''
  const first: readonly ContentPart[] = text === undefined ? [] : [{ type: 'text', text }]
  return [...first, ...parts]
}

function overForGood({ summary: { id, name, status } }: SeenAgent): RefusedError {
  return agentRefusals.overForGood(name ?? id, status)
}
