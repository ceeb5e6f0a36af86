/** The client kit is written from the table of routes: what it sends fits a row, and no row is forgotten. */
import { expect, test } from 'vitest'
import { connectHoldpoint, type RemoteHoldpoint } from '../../src/client/index.ts'
import { checkSchema } from '../../src/hosts/compose/compose.ts'
import { matchRoutes } from '../../src/protocols/http/match-route.ts'
import type { RestRoute } from '../../src/protocols/rest/route/rest-route.ts'
import { REST_ROUTES } from '../../src/protocols/rest/routes/rest-routes.ts'

/** Rows that no verb needs: the other form of something, or a door for programs that are no clients. */
const WITHOUT_VERB: readonly string[] = [
  'GET /healthz',
  'GET /readyz',
  'GET /openapi.json',
  'GET /v1/runs/:id/timeline',
  // Cookies are for browsers.
  'GET /v1/session',
  'POST /v1/session',
  'DELETE /v1/session',
  'GET /v1/push',
  'POST /v1/push',
  'DELETE /v1/push',
  'GET /v1/search',
  'GET /v1/inbox',
  // For programs that speak the frames of a process themselves.
  'POST /v1/agents/:id/attach',
]

const said = { reason: 'fine', decided_by: 'ben', surface: 'code' }

/** Every verb, with all that it takes. */
const VERBS: Readonly<Record<string, (client: RemoteHoldpoint) => Promise<unknown>>> = {
  me: client => client.me(),
  changes: client => client.changes({ since: 3 }).next(),
  hold: client => client.hold('hold_1'),
  holds: client =>
    client.holds({ status: 'open', kind: 'approval', tool: 't', call_id: 'tc_1', limit: 3, after: 'hold_0' }),
  holdInContext: client => client.holdInContext('hold_1'),
  decide: client =>
    client.decide('hold_1', {
      verdict: 'edit',
      arguments: { a: 1 },
      value: null,
      digest: 'sha256:0',
      level: 0,
      ...said,
    }),
  decideMany: client =>
    client.decideMany([{ hold_id: 'hold_1', verdict: 'respond', value: 7, ...said }], { all: true }),
  answer: client => client.answer('hold_1', { text: 'yes', digest: 'sha256:0', decided_by: 'ben', surface: 'code' }),
  assign: client => client.assign('hold_1', { assignee: 'ben', reason: 'she knows' }),
  stopStarted: client => client.stopStarted('hold_1'),
  waitForStarted: client => client.waitForStarted('hold_1', { timeoutMs: 5, signal: AbortSignal.abort() }),
  start: client => client.start({ agent: 'deployer', input: 'deploy' }),
  cancel: client => client.cancel('run_1', { reason: 'no need' }),
  release: client => client.release('run_1'),
  run: client => client.run('run_1'),
  runs: client => client.runs({ status: 'done', thread_id: 'th_1', limit: 3, after: 'run_0', about: true }),
  runTree: client => client.runTree({ status: 'done', limit: 3 }),
  runAt: client => client.runAt('cp_1'),
  send: client => client.send('th_1', { text: 'hello', replyTo: 'hold_1', author: 'ben' }, { whileWaiting: 'queue' }),
  compact: client => client.compact('th_1', { keep: 'the names' }),
  follow: client => client.follow('th_1', { since: 3, until: 'rest' }).next(),
  messages: client => client.messages('th_1'),
  checkpoints: client => client.checkpoints('th_1'),
  thread: client => client.thread('th_1'),
  'grants.list': client => client.grants.list({ agent: 'a', tool: 't', all: true }),
  'grants.suggest': client => client.grants.suggest({ since: '2030-01-01T00:00:00Z' }),
  'grants.add': client =>
    client.grants.add({
      ...{ agent: 'a', tool: 't', match: { command: 'git *' } },
      ...{ name: 'git', expires_at: '2030-02-01T00:00:00Z' },
    }),
  'grants.revoke': client => client.grants.revoke('grant_1'),
  'audit.list': client => client.audit.list({ kind: 'hold.decided', run_id: 'run_1', limit: 3, after: 7 }).next(),
  'audit.head': client => client.audit.head(),
  'audit.shown': client => client.audit.shown(['hold_1'], { digest: 'sha256:0', level: 0 }),
  'audit.explain': client => client.audit.explain('run_1'),
  'audit.report': client => client.audit.report({ since: '2030-01-01T00:00:00Z', until: '2030-02-01T00:00:00Z' }),
  'audit.replay': client => client.audit.replay({ agent: 'a', tool: 't', match: { command: 'git *' }, last: 3 }),
  'tasks.list': client =>
    client.tasks.list({ status: 'paused', kind: 'agent', subject: 'run_1', limit: 3, after: 'task_0' }),
  'tasks.details': client => client.tasks.details('task_1'),
  'tasks.output': client => client.tasks.output('task_1', { stream: 'stderr', invocation: 1, from: 7, limit: 100 }),
  'tasks.invocation': client => client.tasks.invocation('task_1', null),
  'tasks.cancel': client => client.tasks.cancel('task_1', { reason: 'no need' }),
  'tasks.resume': client =>
    client.tasks.resume('task_1', { answer: { choices: null, prompt: 'go on', finish: false }, checkpoint_id: 'cp_1' }),
  'tasks.goOn': client => client.tasks.goOn('task_1'),
  'agents.list': client =>
    client.agents.list({ status: 'idle', agent: 'a', parent_run_id: 'run_1', limit: 3, after: 'task_0' }),
  'agents.find': client => client.agents.find('docs'),
  'agents.definitions': client => client.agents.definitions(),
  'agents.spawn': client =>
    client.agents.spawn({
      ...{ agent: 'a', input: 'go', name: 'docs', title: 'Docs', timeout: 60 },
      ...{ interactive: true, idle_timeout: 1.5, on_idle: 'park', worktree: true },
    }),
  'agents.send': client =>
    client.agents.send('docs', { text: 'more', whileWaiting: 'supersede', author: 'ben', surface: 'cli' }),
  'agents.end': client => client.agents.end('docs'),
  'agents.kill': client => client.agents.kill('docs', { reason: 'no need' }),
  'agents.respawn': client => client.agents.respawn('docs'),
  'agents.remove': client => client.agents.remove('docs', { discard: true }),
  'agents.follow': client => client.agents.follow('docs', { since: 3 }).next(),
  'agents.changes': client => client.agents.changes().next(),
  'agents.fork': client => client.agents.fork('docs', { name: 'other', text: 'go on' }),
}

interface Requested {
  readonly method: string
  readonly url: URL
  readonly headers: Headers
  readonly body: object | undefined
}

/** The one request of a verb. */
async function requestOf(verb: keyof typeof VERBS): Promise<Requested> {
  const asked: Requested[] = []
  const refuse = async (input: unknown, { method = 'GET', headers, body }: RequestInit = {}) => {
    asked.push({
      ...{ method, url: new URL(String(input)), headers: new Headers(headers) },
      body: typeof body === 'string' ? JSON.parse(body) : undefined,
    })
    return Response.json(
      { code: 'busy', detail: 'no' },
      { status: 409, headers: { 'content-type': 'application/problem+json' } },
    )
  }
  await VERBS[verb]?.(connectHoldpoint({ url: 'http://127.0.0.1:1', token: 't', fetch: refuse })).catch(() => {})
  const [request, ...more] = asked
  if (!request || more.length > 0) throw new TypeError(`${verb} sends ${asked.length} requests`)
  return request
}

function routeOf({ method, url }: Requested): RestRoute | undefined {
  const routes = REST_ROUTES.filter(route => route.method === method)
  const [match] = matchRoutes(
    routes.map(({ path }) => ({ path, methods: [], answer: async () => new Response() })),
    url.pathname,
  )
  return routes.find(({ path }) => path === match?.route.path)
}

test.each(Object.keys(VERBS))('%s sends what its route takes, and no name that signs', async verb => {
  const request = await requestOf(verb)
  const route = routeOf(request)
  expect(route, request.url.pathname).toBeDefined()
  expect(Object.keys(route?.query ?? {})).toEqual(expect.arrayContaining([...request.url.searchParams.keys()]))
  if (route?.body) expect(await checkSchema(route.body, request.body as never, 'body')).toMatchObject({ ok: true })
  else expect(request.body).toBeUndefined()
  expect(JSON.stringify(request.body ?? {})).not.toMatch(/decided_by|surface|author/)
  expect(request.headers.has('idempotency-key')).toBe(route?.takesKey === true)
})

test('each route has a verb, or is one that no client of this kind needs', async () => {
  const used = await Promise.all(Object.keys(VERBS).map(async verb => routeOf(await requestOf(verb))))
  const names = (routes: readonly (RestRoute | undefined)[]) => routes.map(route => `${route?.method} ${route?.path}`)
  const unused = names(REST_ROUTES.filter(route => !used.includes(route)))
  expect(unused.filter(name => !WITHOUT_VERB.includes(name))).toEqual([])
})
