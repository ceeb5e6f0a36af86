import type { LoadQuery, ReplayedRule } from '../../../core/load/load-report.ts'
import type { RestRoute } from '../route/rest-route.ts'
import { described, NAME, object, TEXT, TIME } from '../route/schema-parts.ts'

export const REPORT_ROUTES: readonly RestRoute[] = [
  {
    method: 'GET',
    path: '/v1/report',
    role: 'viewer',
    summary: 'How much people are asked, how they answer, and which rules would have spared them',
    query: {
      since: described(TIME, 'Default: 7 days before `until`.'),
      until: described(TIME, 'Default: now.'),
    },
    answers: { 200: '#LoadReport' },
    answer: async ({ query }, { holdpoint }) => Response.json(await holdpoint.audit.report(query as LoadQuery)),
  },
  {
    method: 'POST',
    path: '/v1/report/replay',
    role: 'viewer',
    summary: 'Replay a rule over the newest approvals: what it would have spared. It allows nothing',
    body: object(
      {
        agent: NAME,
        tool: NAME,
        match: described(
          { type: 'object', additionalProperties: TEXT, minProperties: 1 },
          'Patterns by argument, as in a grant.',
        ),
        last: { type: 'integer', minimum: 1, maximum: 500, description: 'Over so many approvals. Default: 20.' },
      },
      ['agent', 'tool', 'match'],
    ),
    answers: { 200: '#RuleReplay' },
    answer: async ({ body }, { holdpoint }) => Response.json(await holdpoint.audit.replay(body as ReplayedRule)),
  },
]
