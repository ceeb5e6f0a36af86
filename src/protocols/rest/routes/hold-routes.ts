import type { Hold, HoldStatus } from '../../../core/hold/hold.ts'
import { objectionToDigest } from '../../../core/hold/objection-to-digest.ts'
import { unknownHold } from '../../../core/hold/unknown-hold.ts'
import type { HoldQuery } from '../../../ports/store/holds.ts'
import type { Holds } from '../../../runtime/face/holds.ts'
import { holdsFor } from '../route/holds-for.ts'
import { nextOf, type Paged, USUAL_LIMIT } from '../route/page.ts'
import { principalOf, type RestRoute, surfaceOf } from '../route/rest-route.ts'
import { described, FLAG, NAME, PAGE, SEEN, words } from '../route/schema-parts.ts'

interface Seen {
  readonly digest?: string
  readonly level?: number
}

interface HoldsQuery extends Omit<HoldQuery, 'status' | 'limit' | 'after'>, Paged {
  readonly status?: HoldStatus | 'all'
  readonly mine?: boolean
}

export const HOLD_ROUTES: readonly RestRoute[] = [
  {
    method: 'GET',
    path: '/v1/holds',
    role: 'viewer',
    summary: 'What waits for a decision, oldest first',
    query: {
      status: described(words('open', 'decided', 'expired', 'withdrawn', 'exported', 'all'), 'Default: open.'),
      kind: words('approval', 'question', 'input', 'client_tool', 'in_doubt'),
      agent: NAME,
      tool: NAME,
      assignee: NAME,
      call_id: NAME,
      run_id: NAME,
      thread_id: NAME,
      mine: described(
        FLAG,
        'Only those that are assigned to the caller, or that the caller may decide. Default: false.',
      ),
      ...PAGE,
    },
    answers: { 200: '#Holds' },
    answer: async ({ query, caller }, { holdpoint }) => {
      const { status = 'open', mine = false, limit = USUAL_LIMIT, ...rest } = query as HoldsQuery
      const filter = { ...rest, ...(status !== 'all' && { status }), limit }
      const holds = mine ? await holdsFor(holdpoint, caller, filter) : await holdpoint.holds(filter)
      const paths = await holdpoint.runPaths(holds.map(({ run_id }) => run_id))
      const placed = holds.map(hold => ({ ...hold, path: paths.get(hold.run_id) ?? [] }))
      return Response.json({ holds: placed, next: nextOf(holds, limit, ({ id }) => id) })
    },
  },
  {
    method: 'GET',
    path: '/v1/holds/:id',
    role: 'viewer',
    summary: 'A hold with all that helps to decide it; that the caller was shown it goes on record',
    query: { view: described(words('full', 'plain'), '`plain`: as a list has it, and nothing goes on record.') },
    answers: { 200: '#HoldView', 404: 'There is no such hold.' },
    answer: async ({ params: { id = '' }, query, caller, proof, request }, { holdpoint }) => {
      if ('view' in query && query.view === 'plain') return Response.json(await plainHold(holdpoint, id))
      const view = await holdpoint.holdInContext(id, principalOf(caller))
      if (view === null) throw unknownHold(id)
      // P10. A client that asks only whether something changed is not shown the hold again. Only the client knows how much
      // of it a person had in view, and says so by itself.
      const isNew = request.method === 'GET' && !request.headers.has('if-none-match')
      if (view.status === 'open' && isNew)
        await holdpoint.audit.shown([id], { to: caller.name, surface: surfaceOf(proof), inFull: false })
      return Response.json(view)
    },
  },
  {
    method: 'POST',
    path: '/v1/holds/:id/shown',
    role: 'viewer',
    summary: 'Say that the caller had all of a hold in view, to its end; it goes on record if the hold is open',
    body: SEEN,
    answers: { 200: '#Hold', 404: 'There is no such hold.', 412: 'The hold is not what the caller saw.' },
    answer: async ({ params: { id = '' }, body, caller, proof }, { holdpoint }) => {
      const hold = await plainHold(holdpoint, id)
      const objection = objectionToDigest(hold, { verdict: 'approve', ...(body as Seen) }, hold.digest)
      if (objection) throw objection
      if (hold.status === 'open')
        await holdpoint.audit.shown([id], { to: caller.name, surface: surfaceOf(proof), inFull: true })
      return Response.json(hold)
    },
  },
]

/** For a program that looks something up: no person was shown it. @throws RefusedError `unknown_hold` */
async function plainHold(holdpoint: Pick<Holds, 'hold'>, id: string): Promise<Hold> {
  const hold = await holdpoint.hold(id)
  if (hold === null) throw unknownHold(id)
  return hold
}
