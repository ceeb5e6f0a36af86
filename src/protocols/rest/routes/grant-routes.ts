import type { GrantQuery } from '../../../ports/store/grants.ts'
import { type RestRoute, signature } from '../route/rest-route.ts'
import { described, FLAG, NAME } from '../route/schema-parts.ts'

export const GRANT_ROUTES: readonly RestRoute[] = [
  {
    method: 'GET',
    path: '/v1/grants',
    role: 'viewer',
    summary: 'Standing approvals, oldest first',
    query: { agent: NAME, tool: NAME, all: described(FLAG, 'Also those that were revoked or have expired.') },
    answers: { 200: '#Grants' },
    answer: async ({ query }, { holdpoint }) =>
      Response.json({ grants: await holdpoint.grants.list(query as Omit<GrantQuery, 'valid_at'>) }),
  },
  {
    method: 'DELETE',
    path: '/v1/grants/:id',
    role: 'admin',
    summary: 'Revoke a standing approval: from here on its calls are asked about again',
    answers: { 200: '#Grant', 404: 'There is no such grant.' },
    answer: async ({ params: { id = '' }, caller, proof }, { holdpoint }) =>
      Response.json(await holdpoint.grants.revoke(id, signature({ caller, proof }))),
  },
]
