/**
 * A start with an id. P2: the thread's id is made from the start id, and a thread begins once. Of several starts with
 * one id, repeated or in several processes at once, one begins a run, and the others get that run.
 */

import { RefusedError } from '../../core/errors.ts'
import { isSameStart } from '../../core/journal/same-start.ts'
import { runRefusals } from '../../core/refusals/run-refusals.ts'
import type { Runtime } from '../../ports/runtime.ts'
import type { Started } from '../views/face-options.ts'
import { type StartRequest, startRun } from './start-run.ts'

/** The events that a start writes: the run, its message, its checkpoint. */
const FIRST_EVENTS = 3
/** The alphabet of thread ids (hosts/process/system-ids.ts). */
const LETTERS = '0123456789abcdefghjkmnpqrstvwxyz'
const ID_LETTERS = 16

/** `null` if no start of this author has the id. @throws RefusedError `start_id_taken` if another start has it */
export async function startedAs(
  runtime: Pick<Runtime, 'store' | 'ids'>,
  startId: string,
  request: Pick<StartRequest, 'profile' | 'input' | 'author'>,
): Promise<Started | null> {
  return startedBefore(runtime, await threadIdOf(runtime, startId, request.author), { startId, request })
}

/** @throws RefusedError `start_id_taken` if another start has this id */
export async function startOnce(runtime: Runtime, startId: string, request: StartRequest): Promise<Started> {
  const id = await threadIdOf(runtime, startId, request.author)
  const before = await startedBefore(runtime, id, { startId, request })
  if (before) return before
  try {
    return await startRun(runtime, { ...request, thread: { id, seq: 0 } })
  } catch (thrown) {
    // The thread may have been started meanwhile.
    const since = thrown instanceof RefusedError ? await startedBefore(runtime, id, { startId, request }) : null
    if (since) return since
    throw thrown
  }
}

/** The id cannot be guessed without the secret of the store. Ids of one author are not those of another. */
async function threadIdOf(
  { store, ids }: Pick<Runtime, 'store' | 'ids'>,
  startId: string,
  author: string | null,
): Promise<string> {
  const digest = ids.digest(JSON.stringify(['start', await store.secret(), author, startId]))
  const bytes = digest.replace('sha256:', '').match(/../g) ?? []
  const letters = bytes.slice(0, ID_LETTERS).map(byte => LETTERS[Number.parseInt(byte, 16) & 31])
  return `th_${letters.join('')}`
}

async function startedBefore(
  { store }: Pick<Runtime, 'store'>,
  threadId: string,
  {
    startId,
    request,
  }: { readonly startId: string; readonly request: Pick<StartRequest, 'profile' | 'input' | 'author'> },
): Promise<Started | null> {
  const events = await store.journal(threadId, 0, FIRST_EVENTS)
  const [first] = events
  if (!first) return null
  const { input, author, profile } = request
  if (!isSameStart(events, { agent: profile.agent, input, author }))
    throw runRefusals.startIdTaken(first.run_id, startId)
  const named = events.find(({ kind }) => kind === 'checkpoint.named')
  const checkpoint_id = named?.kind === 'checkpoint.named' ? named.data.checkpoint_id : ''
  return { id: first.run_id, thread_id: threadId, status: 'running', checkpoint_id }
}
