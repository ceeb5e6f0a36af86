import { expect, test } from 'vitest'
import { routesDocument } from '../../scripts/list-routes.ts'
import { VERBS } from '../../src/runtime/face/verbs.ts'

test('each verb of a server, and each route of another protocol, has one row', () => {
  const routes = [...routesDocument().matchAll(/^\| `(\w+ [^`]+)` \|/gm)].map(([, route]) => route)
  expect(new Set(routes).size).toBe(routes.length)
  const served = Object.values(VERBS).flatMap(({ at }) => at ?? [])
  expect(routes).toEqual(expect.arrayContaining(served.map(at => at.replaceAll(/:(\w+)/g, '{$1}'))))
  expect(routes).toEqual(expect.arrayContaining(['POST /api/chat', 'POST /mcp', 'POST /slack/interactions']))
})
