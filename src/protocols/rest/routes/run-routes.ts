import { RUN_STATUSES } from '../../../core/journal/thread.ts'
import { described, FLAG, object, TEXT, words } from '../../../core/text/json-schema.ts'
import { runTimeline } from '../../../core/timeline/run-timeline.ts'
import type { RunNode } from '../../../runtime/views/run-path.ts'
import { nextOf, USUAL_LIMIT } from '../route/page.ts'
import { type RestRoute, type RestSite, verb } from '../route/rest-route.ts'
import { begunRowDocument, runDocument, runRowDocument } from '../route/run-documents.ts'
import { NAME, PAGE } from '../route/schema-parts.ts'

const UNKNOWN = { 404: 'There is no such run.' }

export const RUN_ROUTES: readonly RestRoute[] = [
  verb('runs', {
    summary: 'Runs, newest first',
    query: {
      status: words(...RUN_STATUSES),
      run_id: described(NAME, 'That run alone.'),
      ...{ thread_id: NAME, parent_run_id: NAME },
      about: described(FLAG, 'Also the beginning of the message that began each run.'),
      tree: described(FLAG, 'Each below the run whose agent started it.'),
      ...PAGE,
    },
    answers: { 200: '#Runs' },
    call: async ({ query }, { holdpoint, beginningsOf }) => {
      const { limit = USUAL_LIMIT, about = false, tree = false, ...filter } = query
      const asked = { ...filter, limit }
      const rows = tree ? await holdpoint.runTree(asked) : await holdpoint.runs(asked)
      const documentOf = about ? await begunRow(rows, beginningsOf) : runRowDocument
      // A tree has parents that the query excludes, so no cursor can be read from it.
      const next = tree ? null : nextOf(rows, limit, ({ id }) => id)
      return { runs: rows.map(row => nested(row, documentOf)), next }
    },
  }),
  verb('run', {
    summary: 'A run as it stands, or as it ended, with the runs whose agents led to it',
    answers: { 200: '#Run', ...UNKNOWN },
    call: async ({ id }, { holdpoint }) => {
      const view = await holdpoint.runOutline(id)
      const path = (await holdpoint.runPaths([id])).get(id) ?? []
      return { ...runDocument(view), path, exported: await holdpoint.bundles.exported(view.thread_id) }
    },
  }),
  verb('audit.explain', {
    summary: 'What released each effect of a run, and what did not run',
    answers: { 200: '#ExplainedRun', ...UNKNOWN },
  }),
  verb('timeline', {
    summary: 'A run over time: what its model, its tools and its people each took',
    answers: { 200: '#RunTimeline', ...UNKNOWN },
    call: async ({ id }, { holdpoint }) => {
      const { thread_id, stuck } = await holdpoint.runOutline(id)
      return { ...runTimeline(id, await holdpoint.journal(thread_id)), stuck }
    },
  }),
  verb('cancel', {
    summary: 'End a run for good; what it waits for is withdrawn',
    body: object({ reason: TEXT }),
    answers: { 200: '#Cancelled', ...UNKNOWN },
    call: async ({ id, body, caller: { name: by } }, { holdpoint }) => {
      const { outcome, run } = await holdpoint.cancel(id, { by, ...body })
      return { outcome, run: runDocument(run) }
    },
  }),
  verb('release', {
    summary: 'Free a run from a process on a host that is gone',
    answers: {
      200: '#ReleasedLease',
      ...UNKNOWN,
      409: 'No process works on it (`not_leased`), or its process lives (`owner_alive`).',
    },
  }),
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
