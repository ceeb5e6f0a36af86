/**
 * Events, as they happen.
 * W1  Each durable event is sent once, in order, with its `seq` as the id. A client that reconnects gets what it
 *     missed.
 * W2  A run never waits for a client, and never learns that one is gone.
 */
import { merged } from '../../../async/merged.ts'
import type { AuditRecord } from '../../../core/audit/audit.ts'
import { RefusedError } from '../../../core/errors.ts'
import { described, words } from '../../../core/text/json-schema.ts'
import { eventStream, type StreamEvent } from '../../http/event-stream.ts'
import { isProblem, problemResponse } from '../../http/problem.ts'
import { positionOf } from '../route/position.ts'
import { type RestRoute, type RestSite, verb } from '../route/rest-route.ts'
import { STREAM_OPTIONS, sinceParameter, UNKNOWN_POSITION } from '../route/streams.ts'

type Face = RestSite['holdpoint']

export const STREAM_ROUTES: readonly RestRoute[] = [
  verb('follow', {
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
    call: async ({ id, query: { since: given, until }, request, place }, { holdpoint }) => {
      const newest = await holdpoint.newestSeq(id)
      const position = positionOf(request, { since: given, beginning: 0, newest })
      if (isProblem(position)) return problemResponse(position)
      const { since } = position
      if (until === 'rest' && since === newest && (await newestRun(holdpoint, id))?.status !== 'running')
        // 204 keeps an EventSource from reconnecting.
        return new Response(null, { status: 204 })
      return eventStream(place, signal => threadEvents(holdpoint, { id, since, until }, signal), STREAM_OPTIONS)
    },
  }),
  verb('changes', {
    type: 'text/event-stream',
    summary: 'What happens in all threads, in ids: holds, decisions, runs, tasks, processes of agents',
    query: { since: sinceParameter('the newest, so that only what comes is told.') },
    answers: { 200: '#ChangeStream', 409: UNKNOWN_POSITION },
    call: async ({ query: { since }, request, place }, { holdpoint }) => {
      const { seq: newest } = await holdpoint.audit.head()
      const position = positionOf(request, { since, beginning: newest, newest })
      if (isProblem(position)) return problemResponse(position)
      return eventStream(place, signal => changes(holdpoint, position.since, signal), STREAM_OPTIONS)
    },
  }),
]

interface ThreadStream {
  readonly id: string
  readonly since: number
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

/** The position is sent first: a client whose connection breaks before the first change can return to it. */
async function* changes(holdpoint: Face, since: number, signal: AbortSignal): AsyncGenerator<StreamEvent> {
  yield { id: since, event: 'position', data: { seq: since } }
  yield* merged(records(holdpoint, since, signal), agents(holdpoint, signal))
}

async function* records(holdpoint: Face, since: number, signal: AbortSignal): AsyncGenerator<StreamEvent> {
  for await (const { seq, record } of holdpoint.audit.follow({ since, signal }))
    if (record) yield { id: seq, event: record.kind, text: changeText(record) }
}

/** All who follow get the same record, and the same text of it. */
const TEXTS = new WeakMap<AuditRecord, string>()

function changeText(record: AuditRecord): string {
  const text = TEXTS.get(record) ?? JSON.stringify(changeDocument(record))
  TEXTS.set(record, text)
  return text
}

/** Changes of agents are on no record, so they have no id. A store without agents has none. */
async function* agents(holdpoint: Face, signal: AbortSignal): AsyncGenerator<StreamEvent> {
  try {
    for await (const { task_ids } of holdpoint.agents.changes({ signal }))
      yield { event: AGENTS_CHANGED, data: { kind: AGENTS_CHANGED, task_ids } }
  } catch (thrown) {
    if (!(thrown instanceof RefusedError)) throw thrown
  }
}

const AGENTS_CHANGED = 'agents.changed'

/** A change in ids: a client looks up the texts. */
function changeDocument({ seq, at, kind, data, ...subject }: AuditRecord): object {
  const { thread_id, run_id, hold_id, call_id, actor, surface } = subject
  const task_id = typeof data['task_id'] === 'string' ? { task_id: data['task_id'] } : {}
  return { seq, at, kind, thread_id, run_id, hold_id, call_id, ...task_id, actor, surface }
}
