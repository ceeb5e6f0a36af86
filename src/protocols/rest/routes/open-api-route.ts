import { openApi } from '../route/open-api.ts'
import type { RestRoute } from '../route/rest-route.ts'

/** It tells nothing of what the store holds, so it needs no token. */
export function openApiRoute(routes: readonly RestRoute[]): RestRoute {
  return {
    method: 'GET',
    path: '/openapi.json',
    role: null,
    summary: 'These routes, as OpenAPI 3.1',
    answers: { 200: 'An OpenAPI document.' },
    answer: async (_, { documents, version, others }) =>
      Response.json(openApi(routes, { schemas: await documents(), version, others: others() })),
  }
}
