import { includesRole } from '../../../core/people/role.ts'
import { problemResponse } from '../../../protocols/http/problem.ts'
import type { Route } from '../../../protocols/http/route.ts'
import type { Metrics } from './open-metrics.ts'

type Scraped = Pick<Metrics, 'scrape' | 'contentType'>

/** For admins, beside the other routes of a server. */
export function metricsRoute(metrics: Scraped): Route {
  return {
    methods: ['GET'],
    path: '/metrics',
    answer: async ({ caller }) => (includesRole(caller.role, 'admin') ? scraped(metrics) : forAdmins(caller.name)),
  }
}

/** For all who reach a port that has nothing else. */
export function openMetricsRoute(metrics: Scraped): Route {
  return { methods: ['GET'], path: '/metrics', isPublic: true, answer: () => scraped(metrics) }
}

async function scraped(metrics: Scraped): Promise<Response> {
  return new Response(await metrics.scrape(), { headers: { 'content-type': metrics.contentType } })
}

function forAdmins(name: string): Response {
  return problemResponse({
    status: 403,
    code: 'role_not_sufficient',
    detail: `The token of ${name} has another role, and this takes the role admin.`,
    hint: 'Ask for a token with that role, or have the server started with --metrics-port.',
  })
}
