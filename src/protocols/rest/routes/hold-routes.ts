import { unknownHold } from '../../../core/deciding/unknown-hold.ts'
import { HOLD_KINDS, HOLD_STATUSES, type Hold } from '../../../core/hold/hold.ts'
import { isFor } from '../../../core/hold/may-decide.ts'
import { objectionToDigest } from '../../../core/hold/objection-to-digest.ts'
import { holdRow } from '../../../core/hold-view/hold-row.ts'
import { described, type FitsAll, FLAG, words } from '../../../core/text/json-schema.ts'
import type { HoldOrder, HoldQuery } from '../../../ports/store/holds.ts'
import type { Holds } from '../../../runtime/face/holds.ts'
import { holdResults } from '../../../runtime/holds/hold-results.ts'
import type { Caller } from '../../http/gate.ts'
import { nextOf, USUAL_LIMIT } from '../route/page.ts'
import { type Asked, principalOf, type RestRoute, type RestSite, route, verb } from '../route/rest-route.ts'
import { NAME, PAGE, SEEN } from '../route/schema-parts.ts'

const INBOX_QUERY = {
  status: described(words(...HOLD_STATUSES, 'all'), 'Default: open.'),
  kind: words(...HOLD_KINDS),
  ...{ agent: NAME, tool: NAME, assignee: NAME, run_id: NAME, thread_id: NAME },
  mine: described(FLAG, 'Only those that are assigned to the caller, or that the caller may decide. Default: false.'),
  ...PAGE,
}
const HOLDS_QUERY = { ...INBOX_QUERY, call_id: NAME }

export const HOLD_ROUTES: readonly RestRoute[] = [
  verb('holds', {
    summary: 'What waits for a decision, oldest first',
    query: HOLDS_QUERY,
    answers: { 200: '#Holds' },
    call: async (asked, { holdpoint }) => {
      const { holds, next, pathOf } = await pageOf(asked, holdpoint, 'opened')
      return { holds: holds.map(hold => ({ ...hold, path: pathOf(hold) })), next }
    },
  }),
  route('GET /v1/inbox', 'viewer', {
    summary:
      'Holds as a list shows them, one line each: what is due first comes first, and the newest of those that ended',
    query: INBOX_QUERY,
    answers: { 200: '#Inbox' },
    call: async (asked, { holdpoint }) => {
      const { status = 'open' } = asked.query
      const { holds, next, pathOf } = await pageOf(asked, holdpoint, status === 'open' ? 'due' : 'newest')
      const { name, member_of = null } = asked.caller
      const viewer = { name, member_of, decides: principalOf(asked.caller).rights.decide }
      const results = await holdResults(holdpoint, holds)
      return {
        holds: holds.map(hold => holdRow(hold, pathOf(hold), viewer, results.get(hold.id) ?? null)),
        next,
      }
    },
  }),
  verb('holdInContext', {
    summary: 'A hold with all that helps to decide it; that the caller was shown it goes on record',
    query: { view: described(words('full', 'plain'), '`plain`: as a list has it, and nothing goes on record.') },
    answers: { 200: '#HoldView', 404: 'There is no such hold.' },
    call: async ({ id, query, caller, by, request }, { holdpoint }) => {
      if (query.view === 'plain') return plainHold(holdpoint, id)
      const view = await holdpoint.holdInContext(id, principalOf(caller))
      if (view === null) throw unknownHold(id)
      // P10. A client that asks only whether something changed is not shown the hold again. Only the client knows how much
      // of it a person had in view, and says so by itself.
      const isNew = request.method === 'GET' && !request.headers.has('if-none-match')
      if (view.status === 'open' && isNew)
        await holdpoint.audit.shown([id], { to: by.by, surface: by.surface, inFull: false })
      return view
    },
  }),
  verb('audit.shown', {
    summary: 'Say that the caller had all of a hold in view, to its end; it goes on record if the hold is open',
    body: SEEN,
    answers: { 200: '#Hold', 404: 'There is no such hold.', 412: 'The hold is not what the caller saw.' },
    call: async ({ id, body: seen, by }, { holdpoint }) => {
      const hold = await plainHold(holdpoint, id)
      const objection = objectionToDigest(hold, { verdict: 'approve', ...seen }, hold.digest)
      if (objection) throw objection
      if (hold.status === 'open') await holdpoint.audit.shown([id], { to: by.by, surface: by.surface, inFull: true })
      return hold
    },
  }),
]

/** A hold for a program that looks something up: no person was shown it. @throws RefusedError `unknown_hold` */
async function plainHold(holdpoint: Pick<Holds, 'hold'>, id: string): Promise<Hold> {
  const hold = await holdpoint.hold(id)
  if (hold === null) throw unknownHold(id)
  return hold
}

async function pageOf(
  { query, caller }: Asked<FitsAll<typeof HOLDS_QUERY>>,
  holdpoint: RestSite['holdpoint'],
  order: HoldOrder,
) {
  const { status = 'open', mine = false, limit = USUAL_LIMIT, ...rest } = query
  const filter = { ...rest, ...(status !== 'all' && { status }), limit, order }
  const holds = mine ? await holdsFor(holdpoint, caller, filter) : await holdpoint.holds(filter)
  const paths = await holdpoint.runPaths(holds.map(({ run_id }) => run_id))
  const pathOf = ({ run_id }: Hold) => paths.get(run_id) ?? []
  return { holds, next: nextOf(holds, limit, ({ id }) => id), pathOf }
}

/** Pages are read until so many are for this person. */
async function holdsFor(
  holdpoint: Pick<Holds, 'holds'>,
  { name, member_of }: Caller,
  filter: HoldQuery & { readonly limit: number },
): Promise<readonly Hold[]> {
  const { limit } = filter
  const found: Hold[] = []
  for (let { after } = filter, isLast = false; !isLast && found.length < limit; ) {
    const page = await holdpoint.holds({ ...filter, ...(after !== undefined && { after }) })
    found.push(...page.filter(hold => isFor(hold, name, member_of ?? undefined)))
    after = page.at(-1)?.id
    isLast = page.length < limit
  }
  return found.slice(0, limit)
}
