import type { RestRoute } from '../route/rest-route.ts'
import { AGENT_ROUTES } from './agents/agent-routes.ts'
import { ATTENDING_ROUTES } from './agents/attending-routes.ts'
import { AUDIT_ROUTES } from './audit-routes.ts'
import { DECISION_ROUTES } from './decision-routes.ts'
import { GRANT_ROUTES } from './grant-routes.ts'
import { HEALTH_ROUTES } from './health-routes.ts'
import { HOLD_ROUTES } from './hold-routes.ts'
import { INBOX_ROUTES } from './inbox-routes.ts'
import { openApiRoute } from './open-api-route.ts'
import { REPORT_ROUTES } from './report-routes.ts'
import { RUN_ROUTES } from './run-routes.ts'
import { SEARCH_ROUTES } from './search-routes.ts'
import { SESSION_ROUTES } from './session-routes.ts'
import { STREAM_ROUTES } from './stream-routes.ts'
import { TASK_ROUTES } from './task-routes.ts'
import { THREAD_ROUTES } from './thread-routes.ts'

const ROUTES: readonly RestRoute[] = [
  ...HOLD_ROUTES,
  ...INBOX_ROUTES,
  ...DECISION_ROUTES,
  ...RUN_ROUTES,
  ...THREAD_ROUTES,
  ...SEARCH_ROUTES,
  ...STREAM_ROUTES,
  ...TASK_ROUTES,
  ...AGENT_ROUTES,
  ...ATTENDING_ROUTES,
  ...GRANT_ROUTES,
  ...AUDIT_ROUTES,
  ...REPORT_ROUTES,
  ...SESSION_ROUTES,
  ...HEALTH_ROUTES,
]

/** All that the server does, as data, and the page that tells it to programs. */
export const REST_ROUTES: readonly RestRoute[] = [...ROUTES, openApiRoute(ROUTES)]
