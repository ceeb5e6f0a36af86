import type { RunQuery } from '../ports/store/runs.ts'
import { newKey } from './new-key.ts'
import { collected, pages } from './pages.ts'
import type { RemoteRun, RemoteRunNode, RemoteRunQuery, RemoteRunRow, RemoteRuns } from './remote-holdpoint.ts'
import type { Wire } from './wire.ts'

/** A run in full, as the server names its fields. */
export type RunDocument = Omit<RemoteRun, 'id' | 'answer' | 'steps'> & {
  readonly run_id: string
  readonly agent: string
  readonly agent_message: string
  readonly steps_taken: number
}

type RowDocument = Omit<RemoteRunRow, 'id' | 'ended' | 'lease'> & {
  readonly run_id: string
  readonly termination: { readonly type: string } | null
  readonly advancing_by: string | null
  readonly children?: readonly RowDocument[]
}

interface RowPage {
  readonly runs: readonly RowDocument[]
  readonly next: string | null
}

export function runVerbs(wire: Wire): RemoteRuns {
  return {
    start: async ({ agent, input, startId = newKey('start') }) => {
      const body = { input, ...(agent !== undefined && { agent }) }
      const started = await wire.ask<{ run_id: string; thread_id: string; checkpoint_id: string }>({
        ...{ method: 'POST', path: ['threads'], body, key: startId },
      })
      const { run_id: id, thread_id, checkpoint_id } = started
      return { id, thread_id, status: 'running', checkpoint_id }
    },
    cancel: async (runId, { reason } = {}) => {
      const body = typeof reason === 'string' ? { reason } : {}
      const request = { method: 'POST', path: ['runs', runId, 'cancel'], body } as const
      const { outcome, run } = await wire.ask<{ outcome: 'cancelled' | 'requested' | 'done'; run: RunDocument }>(
        request,
      )
      return { outcome, run: runOf(run) }
    },
    release: runId => wire.ask({ method: 'POST', path: ['runs', runId, 'release'], body: {} }),
    run: async id =>
      runOf(
        await wire.get<RunDocument & Pick<Awaited<ReturnType<RemoteRuns['run']>>, 'path' | 'exported'>>(['runs', id]),
      ),
    runs: ({ limit, after, ...query } = {}) =>
      collected(
        pages<RemoteRunRow>(
          async place => {
            const { runs, next } = await wire.get<RowPage>(['runs'], { ...query, ...place })
            return { rows: runs.map(rowOf), next }
          },
          { ...(limit !== undefined && { limit }), ...(after !== undefined && { after }) },
        ),
      ),
    runTree: async query => {
      const { runs } = await wire.get<RowPage>(['runs'], treeQuery(query))
      return runs.map(nodeOf)
    },
    timeline: runId => wire.get(['runs', runId, 'timeline']),
    runAt: async checkpointId => runOf(await wire.get<RunDocument & { seq: number }>(['checkpoints', checkpointId])),
  }
}

/** A tree has no pages. */
const MOST_IN_A_TREE = 500

function treeQuery({ limit = MOST_IN_A_TREE, ...query }: RemoteRunQuery = {}): RunQuery & { readonly tree: true } {
  return { ...query, limit: Math.min(limit, MOST_IN_A_TREE), tree: true }
}

export function runOf<Document extends RunDocument>({
  run_id: id,
  agent: _,
  agent_message: answer,
  steps_taken: steps,
  ...run
}: Document): Omit<Document, keyof RunDocument> & RemoteRun {
  return { id, answer, steps, ...run } as unknown as Omit<Document, keyof RunDocument> & RemoteRun
}

function rowOf({ run_id: id, termination, advancing_by, children: _, ...row }: RowDocument): RemoteRunRow {
  const lease = advancing_by === null ? null : { owner: advancing_by }
  return { id, ...row, ended: termination?.type ?? null, lease }
}

function nodeOf(document: RowDocument): RemoteRunNode {
  return { ...rowOf(document), children: (document.children ?? []).map(nodeOf) }
}
