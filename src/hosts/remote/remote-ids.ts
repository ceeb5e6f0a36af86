/** Ids at a server, for a shell that completes a word. */

import { fetchFor } from '../../client/reach/unix-fetch.ts'
import type { RemoteHoldpoint } from '../../client/remote-holdpoint.ts'
import type { CommandContext } from '../command/command.ts'
import type { IdKind, KnownId } from '../compose/known-ids.ts'
import { agentAround } from '../process/lineage/agent-around.ts'
import { connectServer } from './reach-server.ts'

/** A person waits for the next letter. */
const PATIENCE_MS = 1_500
/** More are no choice for a person. */
const LIMIT = 50

type Find = (remote: RemoteHoldpoint) => Promise<readonly KnownId[]>

const QUERIES: Record<IdKind, Find> = {
  hold: async remote => (await openHolds(remote)).map(({ id, about }) => ({ id, about })),
  call: async remote =>
    (await openHolds(remote)).flatMap(({ call_id, about }) => (call_id ? [{ id: call_id, about }] : [])),
  run: async remote => (await runRows(remote)).map(({ id, about }) => ({ id, about })),
  session: async remote => once((await runRows(remote)).map(({ thread_id: id, about }) => ({ id, about }))),
  checkpoint: async remote =>
    (await runRows(remote)).flatMap(({ checkpoint_id: id, about }) => (id ? [{ id, about }] : [])),
  task: async remote =>
    (await remote.tasks.list({ limit: LIMIT })).tasks.map(({ task_id: id, status, title }) => ({
      id,
      about: `${status} ${title}`,
    })),
  grant: async remote =>
    (await remote.grants.list()).map(({ id, tool, agent }) => ({ id, about: `${tool} of ${agent}` })),
}

/** Ids of these kinds that begin so. @throws RefusedError, ServerError */
export async function remoteIds(
  { url, ...place }: { readonly url: string } & Pick<CommandContext, 'env' | 'directory'>,
  kinds: readonly IdKind[],
  beginning: string,
): Promise<KnownId[]> {
  if (agentAround(place.env) !== null) return []
  const signal = AbortSignal.timeout(PATIENCE_MS)
  const remote = connectServer(url, place, {
    retries: 0,
    fetch: (input, init) => fetchFor(url)(input, { ...init, signal }),
  })
  const ids = await Promise.all(kinds.map(kind => QUERIES[kind](remote)))
  return ids.flat().filter(({ id }) => id.startsWith(beginning))
}

async function openHolds(remote: RemoteHoldpoint) {
  const holds = await remote.holds({ status: 'open', limit: LIMIT })
  return holds.map(hold => ({ ...hold, about: `${hold.kind}${hold.tool === null ? '' : ` of ${hold.tool}`}` }))
}

async function runRows(remote: RemoteHoldpoint) {
  const rows = await remote.runs({ limit: LIMIT })
  return rows.map(row => ({ ...row, about: `${row.status} ${row.agent}` }))
}

function once(ids: readonly KnownId[]): KnownId[] {
  return [...new Map(ids.map(each => [each.id, each])).values()]
}
