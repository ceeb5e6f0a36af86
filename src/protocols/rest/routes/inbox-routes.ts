import type { Hold, HoldStatus } from '../../../core/hold/hold.ts'
import { holdRow } from '../../../core/hold-view/hold-row.ts'
import type { HoldOrder, HoldQuery } from '../../../ports/store/holds.ts'
import { holdsFor } from '../route/holds-for.ts'
import { nextOf, type Paged, USUAL_LIMIT } from '../route/page.ts'
import { principalOf, type RestRoute } from '../route/rest-route.ts'
import { described, FLAG, NAME, PAGE, words } from '../route/schema-parts.ts'

interface InboxQuery extends Omit<HoldQuery, 'status' | 'limit' | 'after' | 'order'>, Paged {
  readonly status?: HoldStatus | 'all'
  readonly mine?: boolean
}

export const INBOX_ROUTES: readonly RestRoute[] = [
  {
    method: 'GET',
    path: '/v1/inbox',
    role: 'viewer',
    summary:
      'Holds as a list shows them, one line each: what is due first comes first, and the newest of those that ended',
    query: {
      status: described(words('open', 'decided', 'expired', 'withdrawn', 'exported', 'all'), 'Default: open.'),
      kind: words('approval', 'question', 'input', 'client_tool', 'in_doubt'),
      ...{ agent: NAME, tool: NAME, assignee: NAME, run_id: NAME, thread_id: NAME },
      mine: described(FLAG, 'As of `/v1/holds`.'),
      ...PAGE,
    },
    answers: { 200: '#Inbox' },
    answer: async ({ query, caller }, { holdpoint }) => {
      const { status = 'open', mine = false, limit = USUAL_LIMIT, ...rest } = query as InboxQuery
      const order: HoldOrder = status === 'open' ? 'due' : 'newest'
      const filter = { ...rest, ...(status !== 'all' && { status }), limit, order }
      const holds = mine ? await holdsFor(holdpoint, caller, filter) : await holdpoint.holds(filter)
      const paths = await holdpoint.runPaths(holds.map(({ run_id }) => run_id))
      const viewer = {
        name: caller.name,
        member_of: caller.member_of ?? null,
        decides: principalOf(caller).rights.decide,
      }
      const row = (hold: Hold) => holdRow(hold, paths.get(hold.run_id) ?? [], viewer)
      return Response.json({ holds: holds.map(row), next: nextOf(holds, limit, ({ id }) => id) })
    },
  },
]
