import type { RestRoute } from '../route/rest-route.ts'

export const CALLER_ROUTES: readonly RestRoute[] = [
  {
    method: 'GET',
    path: '/v1/me',
    role: 'viewer',
    summary: 'The name that the token signs with, its role, and the version of the server',
    answers: { 200: '#Caller' },
    answer: async ({ caller: { name, role } }, { version }) => Response.json({ name, role, version }),
  },
]
