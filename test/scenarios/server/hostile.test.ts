import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openHoldpoint } from '../../../src/index.ts'
import { REST_ROUTES } from '../../../src/protocols/rest/routes/rest-routes.ts'
import { aProject, effect, type Project } from '../project.ts'
import { manyTokens } from './many-callers.ts'
import { aServer, type ServerProcess } from './server-process.ts'

const script = [{ text: 'I will deploy.', calls: [effect('tc_1', 'applied')] }, 'Deployed.']

let project: Project
let server: ServerProcess
let ids: readonly string[] = []
/** One caller alone would mostly be told to wait. */
let tokens: readonly string[] = []
beforeAll(async () => {
  project = await aProject({ script, policy: { default: 'prompt' } })
  const paused = await project.holdpoint('--pause-on-approval', '-o', 'json', 'deploy')
  const { run_id, session_id, checkpoint_id, pause_reason } = paused.json
  ids = [run_id, session_id, checkpoint_id, pause_reason.pending_tool_calls[0].hold_id]
  server = await aServer(project, '--no-work')
  tokens = await manyTokens(project, 20, 'admin')
})
afterAll(async () => {
  await server?.[Symbol.asyncDispose]()
  await project?.[Symbol.asyncDispose]()
})

/** Everything that a request could change, beside the record of refusals and looks. */
async function standing(): Promise<string> {
  await using holdpoint = await openHoldpoint({ store: `sqlite:${project.path('.holdpoint/holdpoint.db')}` })
  const [runs, holds, grants] = [await holdpoint.runs(), await holdpoint.holds(), await holdpoint.grants.list()]
  const journals = await Promise.all(runs.map(({ thread_id }) => holdpoint.journal(thread_id)))
  return JSON.stringify({ runs, holds, grants, journals })
}

/** `HOLDPOINT_HOSTILE=all` sends all of them. */
const REQUESTS = process.env['HOLDPOINT_HOSTILE'] === 'all' ? 10_000 : 600
/** The routes of the other protocols, which have no table that can be read here. */
const OTHER_PATHS = [
  ...['/mcp', '/api/chat', '/api/chat/:id/stream', '/api/chat/:id/messages'],
  ...['/ag-ui/:id', '/ag-ui/info', '/agent/:id/run', '/agent/:id/connect', '/metrics', '/openapi.json'],
]

const METHODS = ['GET', 'POST', 'DELETE', 'PUT', 'PATCH', 'HEAD', 'OPTIONS']
const id = () => fc.oneof(fc.constantFrom(...ids), fc.string({ maxLength: 30 }), fc.constant('%00'), fc.constant('..'))
const word = fc.oneof(
  fc.string({ maxLength: 20, unit: 'binary' }),
  fc.constantFrom('open', 'all', '-1', '1e9', '__proto__'),
)
/** No verdict of a word that means one: what is sent here must not be a decision. */
const body = fc.oneof(
  fc.json({ maxDepth: 4 }),
  fc.string({ maxLength: 100 }),
  fc
    .record({
      verdict: fc.constantFrom('respond', 'approved', '', 'Approve'),
      value: fc.jsonValue(),
      arguments: fc.jsonValue(),
    })
    .map(each => JSON.stringify(each)),
  fc.record({ verdict: fc.constant('approve'), decided_by: fc.string() }).map(each => JSON.stringify(each)),
  fc
    .record({ verdict: fc.constant('approve'), seen: fc.record({ digest: fc.string() }) })
    .map(each => JSON.stringify(each)),
  fc
    .record({ verdict: fc.constant('edit'), arguments: fc.jsonValue(), grant: fc.jsonValue() })
    .map(each => JSON.stringify(each)),
  fc.record({ decisions: fc.array(fc.jsonValue()), all: fc.jsonValue() }).map(each => JSON.stringify(each)),
  fc.record({ reason: fc.integer() }).map(each => JSON.stringify(each)),
)

test('P2: whatever is sent to any route, the server never fails, and nothing is changed', {
  timeout: REQUESTS > 600 ? 900_000 : 120_000,
}, async () => {
  const before = await standing()
  const request = fc.record({
    path: fc
      .constantFrom(...REST_ROUTES.map(({ path }) => path), ...OTHER_PATHS)
      .chain(path => id().map(one => path.replace(':id', encodeURIComponent(one)))),
    method: fc.constantFrom(...METHODS),
    query: fc.array(fc.tuple(word, word), { maxLength: 3 }),
    type: fc.constantFrom('application/json', 'text/plain', 'application/json; charset=latin1', ''),
    body,
    key: fc.constantFrom(null, 'k', ''),
    caller: fc.nat({ max: 19 }),
  })
  await fc.assert(
    fc.asyncProperty(request, async ({ path, method, query, type, body: text, key, caller }) => {
      // A cancel takes an empty object, and is then no mistake.
      fc.pre(!(path.endsWith('/cancel') && /^\s*\{\s*\}\s*$/.test(text)))
      const search = query.length > 0 ? `?${new URLSearchParams(query)}` : ''
      const hasBody = !['GET', 'HEAD'].includes(method)
      const answer = await fetch(`${server.url}${path}${search}`, {
        method,
        headers: {
          authorization: `Bearer ${tokens[caller]}`,
          ...(type !== '' && { 'content-type': type }),
          ...(key !== null && { 'idempotency-key': key }),
        },
        ...(hasBody && { body: text }),
      })
      // A stream has no end.
      await (answer.headers.get('content-type')?.startsWith('text/event-stream')
        ? answer.body?.cancel()
        : answer.arrayBuffer())
      if (answer.status === 429) await new Promise(resolve => setTimeout(resolve, 100))
      expect(answer.status).toBeLessThan(500)
    }),
    { numRuns: REQUESTS },
  )
  expect(await standing()).toBe(before)
  expect(server.said.filter(line => !/clients send|people decide|runs are|listening/.test(line))).toEqual([])
  expect((await project.holdpoint('audit', 'verify')).exit).toBe(0)
})
