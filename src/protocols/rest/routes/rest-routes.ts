import { openApi } from '../route/open-api.ts'
import { type RestRoute, route } from '../route/rest-route.ts'
import { AGENT_ROUTES } from './agents/agent-routes.ts'
import { ATTENDING_ROUTES } from './agents/attending-routes.ts'
import { AUDIT_ROUTES } from './audit-routes.ts'
import { DECISION_ROUTES } from './decision-routes.ts'
import { GRANT_ROUTES } from './grant-routes.ts'
import { HEALTH_ROUTES } from './health-routes.ts'
import { HOLD_ROUTES } from './hold-routes.ts'
import { PUSH_ROUTES } from './push-routes.ts'
import { RUN_ROUTES } from './run-routes.ts'
import { SESSION_ROUTES } from './session-routes.ts'
import { STREAM_ROUTES } from './stream-routes.ts'
import { TASK_ROUTES } from './task-routes.ts'
import { THREAD_ROUTES } from './thread-routes.ts'

const ROUTES: readonly RestRoute[] = [
  ...HOLD_ROUTES,
  ...DECISION_ROUTES,
  ...RUN_ROUTES,
  ...THREAD_ROUTES,
  ...STREAM_ROUTES,
  ...TASK_ROUTES,
  ...AGENT_ROUTES,
  ...ATTENDING_ROUTES,
  ...GRANT_ROUTES,
  ...AUDIT_ROUTES,
  ...SESSION_ROUTES,
  ...PUSH_ROUTES,
  ...HEALTH_ROUTES,
]

/** All routes as data, for the server and for `/openapi.json`. The table has nothing of the store. */
export const REST_ROUTES: readonly RestRoute[] = [
  ...ROUTES,
  route('GET /openapi.json', null, {
    summary: 'These routes, as OpenAPI 3.1',
    answers: { 200: 'An OpenAPI document.' },
    call: async (_, { documents, version, others }) =>
      openApi(ROUTES, { schemas: await documents(), version, others: others() }),
  }),
]
