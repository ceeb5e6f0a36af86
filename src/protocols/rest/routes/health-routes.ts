import { problemResponse } from '../../http/problem.ts'
import type { RestRoute } from '../route/rest-route.ts'

export const HEALTH_ROUTES: readonly RestRoute[] = [
  {
    method: 'GET',
    path: '/healthz',
    role: null,
    summary: 'Whether the process answers',
    answers: { 200: '#Health' },
    answer: async () => Response.json({ status: 'ok' }),
  },
  {
    method: 'GET',
    path: '/readyz',
    role: null,
    summary: 'Whether the store answers, and the server is not about to end',
    answers: { 200: '#Health', 503: 'It takes no requests now.' },
    answer: async (_, { holdpoint, stopping, degraded }) => {
      if (stopping.aborted)
        return problemResponse({ status: 503, code: 'server_ending', detail: 'This server is ending.' })
      try {
        await holdpoint.runs({ limit: 1 })
        const parts = await degraded()
        return Response.json({ status: 'ready', ...(parts.length > 0 && { degraded: parts }) })
      } catch {
        // The reason may name files; the log has it.
        return problemResponse({ status: 503, code: 'store_unavailable', detail: 'The store does not answer.' })
      }
    },
  },
]
