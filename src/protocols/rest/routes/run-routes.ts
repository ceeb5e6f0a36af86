import { runTimeline } from '../../../core/timeline/run-timeline.ts'
import type { RunQuery } from '../../../ports/store/runs.ts'
import type { RunNode } from '../../../runtime/views/run-path.ts'
import { nextOf, type Paged, USUAL_LIMIT } from '../route/page.ts'
import { type RestRoute, type RestSite, surfaceOf } from '../route/rest-route.ts'
import { begunRowDocument, runDocument, runRowDocument } from '../route/run-documents.ts'
import { described, FLAG, NAME, object, PAGE, TEXT, words } from '../route/schema-parts.ts'

const UNKNOWN = { 404: 'There is no such run.' }

interface RunsQuery extends RunQuery, Paged {
  readonly about?: boolean
  readonly tree?: boolean
}

export const RUN_ROUTES: readonly RestRoute[] = [
  {
    method: 'GET',
    path: '/v1/runs',
    role: 'viewer',
    summary: 'Runs, newest first',
    query: {
      status: words('running', 'waiting', 'done'),
      run_id: described(NAME, 'That run alone.'),
      thread_id: NAME,
      parent_run_id: NAME,
      about: described(FLAG, 'Also the beginning of the message that began each run.'),
      tree: described(FLAG, 'Each below the run whose agent started it.'),
      ...PAGE,
    },
    answers: { 200: '#Runs' },
    answer: async ({ query }, { holdpoint, beginningsOf }) => {
      const { limit = USUAL_LIMIT, about = false, tree = false, ...filter } = query as RunsQuery
      const asked = { ...filter, limit }
      const rows = tree ? await holdpoint.runTree(asked) : await holdpoint.runs(asked)
      const documentOf = about ? await begunRow(rows, beginningsOf) : runRowDocument
      // A tree has parents that the query excludes, so no cursor can be read from it.
      const next = tree ? null : nextOf(rows, limit, ({ id }) => id)
      return Response.json({ runs: rows.map(row => nested(row, documentOf)), next })
    },
  },
  {
    method: 'GET',
    path: '/v1/runs/:id',
    role: 'viewer',
    summary: 'A run as it stands, or as it ended, with the runs whose agents led to it',
    answers: { 200: '#Run', ...UNKNOWN },
    answer: async ({ params: { id = '' } }, { holdpoint }) => {
      const view = await holdpoint.run(id)
      const path = (await holdpoint.runPaths([id])).get(id) ?? []
      return Response.json({ ...runDocument(view), path, exported: await holdpoint.bundles.exported(view.thread_id) })
    },
  },
  {
    method: 'GET',
    path: '/v1/runs/:id/explanation',
    role: 'viewer',
    summary: 'What released each effect of a run, and what did not run',
    answers: { 200: '#ExplainedRun', ...UNKNOWN },
    answer: async ({ params: { id = '' } }, { holdpoint }) => Response.json(await holdpoint.audit.explain(id)),
  },
  {
    method: 'GET',
    path: '/v1/runs/:id/timeline',
    role: 'viewer',
    summary: 'A run over time: what its model, its tools and its people each took',
    answers: { 200: '#RunTimeline', ...UNKNOWN },
    answer: async ({ params: { id = '' } }, { holdpoint }) => {
      const { thread_id } = await holdpoint.run(id)
      return Response.json(runTimeline(id, await holdpoint.journal(thread_id)))
    },
  },
  {
    method: 'POST',
    path: '/v1/runs/:id/cancel',
    role: 'operator',
    summary: 'End a run for good; what it waits for is withdrawn',
    body: object({ reason: TEXT }),
    answers: { 200: '#Cancelled', ...UNKNOWN },
    answer: async ({ params: { id = '' }, body, caller: { name: by } }, { holdpoint }) => {
      const { reason = null } = body as { readonly reason?: string }
      const { outcome, run } = await holdpoint.cancel(id, { by, reason })
      return Response.json({ outcome, run: runDocument(run) })
    },
  },
  {
    method: 'POST',
    path: '/v1/runs/:id/release',
    role: 'operator',
    summary: 'Free a run from a process on a host that is gone',
    body: object({}),
    answers: {
      200: '#ReleasedLease',
      ...UNKNOWN,
      409: 'No process works on it (`not_leased`), or its process lives (`owner_alive`).',
    },
    answer: async ({ params: { id = '' }, caller: { name: by }, proof }, { holdpoint }) =>
      Response.json(await holdpoint.release(id, { by, surface: surfaceOf(proof) })),
  },
]

type Row = RunNode | Omit<RunNode, 'children'>
type DocumentOf = (row: Omit<RunNode, 'children'>) => object

async function begunRow(rows: readonly Row[], beginningsOf: RestSite['beginningsOf']): Promise<DocumentOf> {
  const beginnings = await beginningsOf(rows.flatMap(withChildren))
  return row => begunRowDocument(row, beginnings)
}

function withChildren(row: Row): Row[] {
  return [row, ...('children' in row ? row.children.flatMap(withChildren) : [])]
}

function nested(row: Row, documentOf: DocumentOf): object {
  if (!('children' in row)) return documentOf(row)
  const { children, ...own } = row
  return { ...documentOf(own), children: children.map(child => nested(child, documentOf)) }
}
