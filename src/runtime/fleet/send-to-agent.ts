/**
 * A message to an agent in any state. Keeps: it is in the journal, with its author, before this resolves (P4); with an
 * `inputId` it is one message, however often and by however many it is sent (P2).
 */

import { NEVER } from '../../async/on-abort.ts'
import { RefusedError } from '../../core/errors.ts'
import type { Content, ContentPart } from '../../core/message/part.ts'
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

/** @throws RefusedError; then nothing was said. */
export async function sendToAgent(site: AgentTasksDeps, found: SeenAgent, message: AgentMessage): Promise<Sent> {
  let seen: SeenAgent | null = found
  return againIfMoved(async () => {
    const standing = seen ?? (await lookAgain(site, found))
    seen = null
    return sendAsItStands(site, standing, message)
  })
}

async function lookAgain(site: AgentTasksDeps, { task }: SeenAgent): Promise<SeenAgent> {
  return lookAtAgent(site, (await site.tasks.task(task.id)) ?? task)
}

/** @throws RefusedError `superseded` if it stands otherwise by now */
async function sendAsItStands(site: AgentTasksDeps, seen: SeenAgent, message: AgentMessage): Promise<Sent> {
  const { row } = seen
  if (row === null) throw overForGood(seen)
  if (row.status !== 'done') return sendOn(site, row, message, { onlyTo: row.id })
  const send = () => sendOn(site, row, message)
  if (await isTaken(site, row.thread_id, message)) return send()
  const ended = await onceEnded(site, seen)
  if (!takesMore(ended)) throw overForGood(ended)
  try {
    return await tellMore(site, { ...ended, runId: row.id }, message)
  } catch (thrown) {
    // Another sender may have been quicker with the same message.
    if (thrown instanceof RefusedError && (await isTaken(site, row.thread_id, message))) return send()
    throw thrown
  }
}

/** Its process may still be ending, and the next run begins behind that. */
async function onceEnded(site: AgentTasksDeps, seen: SeenAgent): Promise<SeenAgent> {
  const { clock } = site
  const deadline = clock.steady() + ENDING_MS
  let now = seen
  while (now.task.status === 'running' && clock.steady() < deadline) {
    await clock.sleep(LOOK_MS, NEVER)
    now = await lookAgain(site, now)
  }
  return now
}

function sendOn(
  { holdpoint }: AgentTasksDeps,
  { thread_id }: RunRow,
  { whileWaiting = 'queue', ...said }: AgentMessage,
  only: Pick<SendOptions, 'onlyTo'> = {},
): Promise<Sent> {
  return holdpoint.send(thread_id, said, { whileWaiting, ...only })
}

async function isTaken({ store }: AgentTasksDeps, threadId: string, { inputId }: AgentMessage): Promise<boolean> {
  return inputId !== undefined && (await store.findInput(threadId, inputId)) !== null
}

/** One that is done goes on with its next run, under the same task. */
async function tellMore(
  site: AgentTasksDeps,
  { task, runId }: Pick<SeenAgent, 'task'> & { readonly runId: string },
  message: AgentMessage,
): Promise<Sent> {
  const { author: by, surface, inputId } = message
  const view = await site.holdpoint.run(runId)
  const prompt = contentOf(message)
  const next = await nextRun(site, task, {
    view,
    prompt,
    asker: { by, surface },
    ...(inputId !== undefined && { inputId }),
  })
  return { outcome: 'started', run_id: next.subject ?? runId }
}

/** The text comes first. */
function contentOf({ text, parts = [] }: AgentMessage): Content {
  if (parts.length === 0) return text ?? ''
  const first: readonly ContentPart[] = text === undefined ? [] : [{ type: 'text', text }]
  return [...first, ...parts]
}

function overForGood({ summary: { id, name, status } }: SeenAgent): RefusedError {
  return new RefusedError('ended', `The agent ${name ?? id} is ${status} for good, so it takes no message.`, {
    hint: 'Nothing was said. Start it anew, or fork it from where it stood.',
    details: { status },
  })
}
