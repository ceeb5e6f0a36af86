import type { RunQuery } from '../../../ports/store/runs.ts'
import { nextOf, type Paged, USUAL_LIMIT } from '../route/page.ts'
import type { RestRoute } from '../route/rest-route.ts'
import { runDocument, runRowDocument } from '../route/run-documents.ts'
import { NAME, object, PAGE, TEXT, words } from '../route/schema-parts.ts'

const UNKNOWN = { 404: 'There is no such run.' }

export const RUN_ROUTES: readonly RestRoute[] = [
  {
    method: 'GET',
    path: '/v1/runs',
    role: 'viewer',
    summary: 'Runs, newest first',
    query: { status: words('running', 'waiting', 'done'), thread_id: NAME, parent_run_id: NAME, ...PAGE },
    answers: { 200: '#Runs' },
    answer: async ({ query }, { holdpoint }) => {
      const { limit = USUAL_LIMIT, ...filter } = query as RunQuery & Paged
      const rows = await holdpoint.runs({ ...filter, limit })
      return Response.json({ runs: rows.map(runRowDocument), next: nextOf(rows, limit, ({ id }) => id) })
    },
  },
  {
    method: 'GET',
    path: '/v1/runs/:id',
    role: 'viewer',
    summary: 'A run as it stands, or as it ended',
    answers: { 200: '#Run', ...UNKNOWN },
    answer: async ({ params: { id = '' } }, { holdpoint }) => Response.json(runDocument(await holdpoint.run(id))),
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
]
