/**
 * Events, as they happen.
 * W1  Each durable event comes once, in order, with its `seq` as the id. A client that comes back gets what it missed.
 * W2  A run never waits for a client, and never learns that one is gone.
 */
import { merged } from '../../../async/merged.ts'
import { RefusedError } from '../../../core/errors.ts'
import { eventStream, type StreamEvent } from '../../http/event-stream.ts'
import { isProblem, problemResponse } from '../../http/problem.ts'
import { changeDocument } from '../route/change-document.ts'
import { positionOf } from '../route/position.ts'
import type { RestRoute, RestSite } from '../route/rest-route.ts'
import { described, words } from '../route/schema-parts.ts'
import { STREAM_OPTIONS, sinceParameter, UNKNOWN_POSITION } from '../route/streams.ts'

interface StreamQuery {
  readonly since?: number
  readonly until?: 'rest'
}

type Face = RestSite['holdpoint']

export const STREAM_ROUTES: readonly RestRoute[] = [
  {
    method: 'GET',
    path: '/v1/threads/:id/events',
    role: 'viewer',
    type: 'text/event-stream',
    summary: 'Every event of a thread so far, then live, with pieces of text and output as they come',
    query: {
      since: sinceParameter('0, the beginning.'),
      until: described(words('rest'), 'Ends the stream with `rest` when the newest run waits or is done.'),
    },
    answers: {
      200: '#ThreadStream',
      204: 'With `until=rest`: the run rests, and the client has all of its events.',
      404: 'There is no such thread.',
      409: UNKNOWN_POSITION,
    },
    answer: async ({ params: { id = '' }, query, request, place }, { holdpoint }) => {
      const { since: given, until } = query as StreamQuery
      const newest = await holdpoint.newestSeq(id)
      const position = positionOf(request, { since: given, beginning: 0, newest })
      if (isProblem(position)) return problemResponse(position)
      const { since } = position
      if (until === 'rest' && since === newest && (await newestRun(holdpoint, id))?.status !== 'running')
        // It tells an EventSource not to come back.
        return new Response(null, { status: 204 })
      return eventStream(place, signal => threadEvents(holdpoint, { id, since, until }, signal), STREAM_OPTIONS)
    },
  },
  {
    method: 'GET',
    path: '/v1/changes',
    role: 'viewer',
    type: 'text/event-stream',
    summary: 'What happens in all threads, in ids: holds, decisions, runs, tasks, processes of agents',
    query: { since: sinceParameter('the newest, so that only what comes is told.') },
    answers: { 200: '#ChangeStream', 409: UNKNOWN_POSITION },
    answer: async ({ query, request, place }, { holdpoint }) => {
      const { seq: newest } = await holdpoint.audit.head()
      const position = positionOf(request, { since: (query as StreamQuery).since, beginning: newest, newest })
      if (isProblem(position)) return problemResponse(position)
      return eventStream(place, signal => changes(holdpoint, position.since, signal), STREAM_OPTIONS)
    },
  },
]

interface ThreadStream extends Required<Pick<StreamQuery, 'since'>> {
  readonly id: string
  readonly until: 'rest' | undefined
}

async function* threadEvents(
  holdpoint: Face,
  { id, since, until }: ThreadStream,
  signal: AbortSignal,
): AsyncGenerator<StreamEvent> {
  const events = holdpoint.follow(id, { since, signal, ...(until && { until }) })
  for await (const event of events) yield { event: event.kind, data: event, ...('seq' in event && { id: event.seq }) }
  if (until === undefined || signal.aborted) return
  const run = await newestRun(holdpoint, id)
  yield { event: 'rest', data: { thread_id: id, run_id: run?.id ?? null, status: run?.status ?? null } }
}

async function newestRun(holdpoint: Face, thread_id: string) {
  return (await holdpoint.runs({ thread_id, limit: 1 }))[0]
}

/** The position comes first: a client whose connection breaks before the first change has a place to come back to. */
async function* changes(holdpoint: Face, since: number, signal: AbortSignal): AsyncGenerator<StreamEvent> {
  yield { id: since, event: 'position', data: { seq: since } }
  yield* merged(records(holdpoint, since, signal), agents(holdpoint, signal))
}

async function* records(holdpoint: Face, since: number, signal: AbortSignal): AsyncGenerator<StreamEvent> {
  for await (const { seq, record } of holdpoint.audit.follow({ since, signal }))
    if (record) yield { id: seq, event: record.kind, data: changeDocument(record) }
}

/** They are on no record, so they have no id. A store that can have no agents tells of none. */
async function* agents(holdpoint: Face, signal: AbortSignal): AsyncGenerator<StreamEvent> {
  try {
    for await (const { task_ids } of holdpoint.agents.changes({ signal }))
      yield { event: AGENTS_CHANGED, data: { kind: AGENTS_CHANGED, task_ids } }
  } catch (thrown) {
    if (!(thrown instanceof RefusedError)) throw thrown
  }
}

const AGENTS_CHANGED = 'agents.changed'
