import { RefusedError } from '../../core/errors.ts'
import type { RunRow } from '../../ports/store/runs.ts'
import type { Holdpoint } from '../../runtime/face/holdpoint.ts'
import { fullId } from '../command/full-id.ts'
import type { RunRequest } from './run-request.ts'

/** The newest run that a person started. */
const LAST = 'last'

/** True if the word behind `-c` names a place in the store, and no file. */
export function isPlaceName(word: string): boolean {
  return word === LAST || /^(cp|run|th)_[0-9a-z]*$/.test(word)
}

/** The checkpoint that a word names: its id or the beginning of it, or the newest one of a session, a run or the last run. */
export async function checkpointNamed(holdpoint: Holdpoint, word: string, request: RunRequest): Promise<string> {
  if (word === LAST) return lastCheckpoint(holdpoint, request)
  const id = await fullId(holdpoint, word)
  if (id.startsWith('run_')) return (await holdpoint.run(id)).checkpoint_id ?? noCheckpoint(id)
  if (!id.startsWith('th_')) return id
  const { run } = await holdpoint.thread(id)
  return run?.checkpoint?.id ?? noCheckpoint(id)
}

async function lastCheckpoint(holdpoint: Holdpoint, request: RunRequest): Promise<string> {
  const roots = (await holdpoint.runs()).filter(({ parent_run_id }) => parent_run_id === null)
  const [last] = roots
  if (!last) return noCheckpoint(LAST)
  const saysSomething = request.choices !== null || request.prompt !== null || request.finish
  if (saysSomething && last.status === 'waiting') refuseSeveral(roots)
  return last.checkpoint_id ?? noCheckpoint(last.id)
}

/** P1: what was decided for one run never reaches another, because that one started in between. */
function refuseSeveral(roots: readonly RunRow[]): void {
  const waiting = roots.filter(({ status, exported }) => status === 'waiting' && exported === null)
  if (waiting.length < 2) return
  throw new RefusedError('ambiguous_id', `${waiting.length} runs wait, so it is not clear which one this is for.`, {
    hint: 'Name the run in place of `last`: `holdpoint runs --status waiting` lists them.',
    details: { ids: waiting.slice(0, 10).map(({ id }) => id) },
  })
}

function noCheckpoint(name: string): never {
  throw new RefusedError('unknown_checkpoint', `${JSON.stringify(name)} has no checkpoint to go on from.`, {
    action: { do: 'find_checkpoint' },
  })
}
