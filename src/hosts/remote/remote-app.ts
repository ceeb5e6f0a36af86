/** A server as the commands see a store. */

import type { RemoteHoldpoint, RemoteRunNode, RemoteRunRow } from '../../client/remote-holdpoint.ts'
import type { DecisionInput } from '../../core/hold/decision.ts'
import type { JournalEvent } from '../../core/journal/event.ts'
import type { RunPath } from '../../core/run/run-path.ts'
import { NO_OUTCOME } from '../../core/timeline/run-outcome.ts'
import type { RunQuery } from '../../ports/store/runs.ts'
import type { Audit } from '../../runtime/face/audit.ts'
import type { App } from '../compose/compose.ts'
import { serverRefusals } from '../refusals/server-refusals.ts'
import { remoteAgentWait, remoteWait } from './remote-wait.ts'
import { watchChanges } from './watch-changes.ts'

export function remoteApp(remote: RemoteHoldpoint): App {
  /** By the id of a run or a thread. */
  const beginnings = new Map<string, string>()
  /** By run id. */
  const rows = new Map<string, RemoteRunRow>()
  const face = remoteFace(remote, beginnings, rows)
  const told = (ids: readonly string[]) =>
    new Map(ids.flatMap(id => (beginnings.has(id) ? [[id, beginnings.get(id) ?? '']] : [])))
  const app = {
    holdpoint: offering('a verb', face),
    store: offering('a store', {
      journal: (...journal: [string, number, number?]) => remoteJournal(remote, ...journal),
      tasks: { watch: face.watch },
    }),
    supervision: { taskOf: (runId: string) => taskOf(remote, runId), refusalOf: () => null },
    runOutcomes: async () => new Map([...rows].map(([id, row]) => [id, { ...NO_OUTCOME, ...row }])),
    stuckRuns: async () => new Map([...rows].flatMap(([id, { stuck }]) => (stuck ? [[id, stuck] as const] : []))),
    runInputs: async (rows: readonly { readonly id: string }[]) => told(rows.map(({ id }) => id)),
    threadInputs: async (ids: readonly string[]) => told(ids),
    [Symbol.asyncDispose]: async () => {},
  }
  return offering('a part', app) as unknown as App
}

/** The verbs that commands use. The server puts on record what it shows, and signs with the token. */
function remoteFace(remote: RemoteHoldpoint, beginnings: Map<string, string>, rows: Map<string, RemoteRunRow>) {
  const paths = new Map<string, RunPath>()
  const noted = <Row extends RemoteRunRow>(row: Row): Row => {
    rows.set(row.id, row)
    if (row.about?.run) beginnings.set(row.id, row.about.run)
    if (row.about?.thread) beginnings.set(row.thread_id, row.about.thread)
    if ('children' in row) for (const child of (row as unknown as RemoteRunNode).children) noted(child)
    return row
  }
  return {
    ...remote,
    holds: async (query: Parameters<RemoteHoldpoint['holds']>[0]) => {
      const holds = await remote.holds(query)
      for (const { run_id, path } of holds as readonly { run_id: string; path?: RunPath }[])
        if (path) paths.set(run_id, path)
      return holds
    },
    runOutline: remote.run,
    runs: async (query: RunQuery = {}) => (await remote.runs({ ...query, about: true })).map(noted),
    runTree: async (query: RunQuery = {}) => (await remote.runTree({ ...query, about: true })).map(noted),
    runPaths: async (ids: readonly string[]) => {
      for (const id of new Set(ids)) if (!paths.has(id)) paths.set(id, (await remote.run(id)).path)
      return paths
    },
    checkpoint: async (id: string) => {
      const view = await remote.runAt(id)
      return { thread_id: view.thread_id, run_id: view.id, seq: view.seq, events: [], view }
    },
    viewAt: async ({ view }: { readonly view: unknown }) => view,
    bundles: { exported: async (threadId: string) => (await remote.thread(threadId)).exported },
    audit: offering('the log', { ...remote.audit, shown: shownBy(remote) }),
    journal: (threadId: string) => remoteJournal(remote, threadId),
    newestSeq: async (threadId: string) => (await remote.thread(threadId)).seq,
    agents: offering('agents', { ...remote.agents, wait: remoteAgentWait(remote) }),
    tasks: offering('tasks', { ...remote.tasks, wait: remoteWait(remote) }),
    decide: (id: string, { input_id, ...said }: DecisionInput) =>
      remote.decide(id, input_id === undefined ? said : { ...said, decision_id: input_id }),
    watch: (onChange: () => void) => watchChanges(remote, onChange),
  }
}

/** The server records by itself that a hold was asked for. */
function shownBy({ audit }: RemoteHoldpoint): Audit['shown'] {
  return async (ids, { inFull }) => {
    if (inFull) await audit.shown(ids)
  }
}

async function taskOf(remote: RemoteHoldpoint, runId: string) {
  const [task] = (await remote.tasks.list({ subject: runId, limit: 1 })).tasks
  return task ? { id: task.task_id, status: task.status, subject: task.run_id } : null
}

/** A part that is not there is refused when it is used. */
function offering<Parts extends object>(what: string, parts: Parts): Parts {
  return new Proxy(parts, {
    get: (target, name, receiver) =>
      typeof name === 'symbol' || name in target || name === 'then'
        ? Reflect.get(target, name, receiver)
        : () => {
            throw serverRefusals.notOffered(what, name)
          },
  })
}

/** The events of a thread so far, from its stream: those behind `since`. */
async function remoteJournal(
  remote: RemoteHoldpoint,
  threadId: string,
  since = 0,
  limit = Number.POSITIVE_INFINITY,
): Promise<readonly JournalEvent[]> {
  const { seq } = await remote.thread(threadId)
  const events: JournalEvent[] = []
  if (seq <= since) return events
  for await (const event of remote.follow(threadId, { since })) {
    if ('ephemeral' in event) continue
    events.push(event)
    if (event.seq >= seq || events.length >= limit) break
  }
  return events
}
