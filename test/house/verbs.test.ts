/** Every verb of the face is checked: its route has the role of its row, and its caller signs as the row says. */
import { expect, test } from 'vitest'
import { ROLES } from '../../src/core/people/role.ts'
import { signAsAgent } from '../../src/hosts/compose/agents/sign-as-agent.ts'
import { openRest } from '../../src/protocols/rest/open-rest.ts'
import { REST_ROUTES } from '../../src/protocols/rest/routes/rest-routes.ts'
import type { Holdpoint } from '../../src/runtime/face/holdpoint.ts'
import { FACE_PARTS, type Signature, VERBS, type Verb } from '../../src/runtime/face/verbs.ts'

const BOT = 'agent:bot/run_1'
const rows: readonly (readonly [string, Verb])[] = Object.entries(VERBS)

test.each(rows.filter(([, { at }]) => at))(
  'the server has %s, for callers of the role of its row',
  (_, { at, role }) => {
    const route = REST_ROUTES.find(({ method, path }) => `${method} ${path}` === at)
    expect(route?.role).toBe(role)
  },
)

const guarded = REST_ROUTES.flatMap((route, place) =>
  ROLES.slice(0, route.role === null ? 0 : ROLES.indexOf(route.role)).map(
    role => [`${route.method} ${route.path}`, role, place] as const,
  ),
)

test.each(guarded)('%s refuses a caller of the role %s before it does anything', async (name, role, place) => {
  const request = new Request('http://127.0.0.1/', { method: name.split(' ')[0] ?? '' })
  const exchange = { request, url: new URL(request.url), caller: { name: 'ben', role }, params: {} }
  const response = await openRest({} as never).routes[place]?.answer(exchange as never)
  expect(response?.status).toBe(403)
  expect(await response?.json()).toMatchObject({ code: 'role_not_sufficient' })
})

const signed = rows.flatMap(([name, { signs }]) => (signs ? [[name, signs] as const] : []))

test.each(signed)('P1: within an agent, %s is signed by the agent, whatever name is given', (name, signs) => {
  const asked: unknown[] = []
  const face = signAsAgent(noting(asked), BOT)
  const [part = '', own = part] = name.split('.')
  const verbs = Reflect.get(part === own ? { face } : face, part === own ? 'face' : part) as Record<string, unknown>
  ;(verbs[own] as (...args: readonly unknown[]) => void)(...argumentsFor(signs))
  expect(asked).toHaveLength(1)
  expect(JSON.stringify(asked)).not.toContain('ana')
  expect(JSON.stringify(asked)).toContain(BOT)
})

/** Signed by a person. */
function argumentsFor({ argument, each, field, as }: Signature): readonly unknown[] {
  const said = { [as]: 'ana', surface: 'code' }
  const given = field ? { [field]: said } : said
  return [...(argument === 0 ? [] : ['id']), each ? [given] : given]
}

/** A face whose verbs note what they are given. */
function noting(asked: unknown[]): Holdpoint {
  const verbs = () =>
    new Proxy(
      {},
      {
        get:
          () =>
          (...args: readonly unknown[]) =>
            asked.push(args),
      },
    )
  const parts = Object.fromEntries(FACE_PARTS.map(part => [part, verbs()]))
  return new Proxy(parts, {
    get: (target, name) => Reflect.get(target, name) ?? Reflect.get(verbs(), name),
  }) as unknown as Holdpoint
}
