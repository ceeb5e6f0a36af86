import { expect, test } from 'vitest'
import type { Caller } from './gate.ts'
import { isProblem } from './problem.ts'
import type { Proof } from './proof.ts'
import { type StreamLimits, type StreamPlace, StreamPlaces } from './stream-places.ts'

const ana: Caller = { name: 'ana', role: 'admin' }
const ben: Caller = { name: 'ben', role: 'viewer' }
const LOOK_MS = 5

interface Scene {
  readonly places: StreamPlaces
  /** Callers by token. */
  readonly known: Map<string, Caller>
  readonly looks: string[]
  readonly stop: AbortController
}

function scene({ perCaller = 2, ...more }: Partial<StreamLimits> = {}): Scene {
  const known = new Map([
    ['token of ana', ana],
    ['other token of ana', ana],
    ['token of ben', ben],
  ])
  const looks: string[] = []
  const stop = new AbortController()
  const identify = async ({ text: token }: Proof) => {
    looks.push(token)
    if (token === 'token of trouble') throw new Error('the disk is gone')
    return known.get(token) ?? null
  }
  const limits = { perCaller, identify, stopping: stop.signal, onError: () => {}, lookMs: LOOK_MS, ...more }
  return { places: new StreamPlaces(limits), known, looks, stop }
}

function taken(places: StreamPlaces, caller: Caller, token: string): StreamPlace {
  const place = places.take({ caller, proof: { kind: 'token', text: token } })
  if (isProblem(place)) throw new TypeError(place.detail)
  return place
}

const later = () => new Promise(resolve => setTimeout(resolve, 4 * LOOK_MS))

test('S1: a caller with all their streams open gets one more when one is over, by whatever token, and others are served', () => {
  const { places } = scene()
  using _first = taken(places, ana, 'token of ana')
  const second = taken(places, ana, 'other token of ana')
  expect(places.take({ caller: ana, proof: { kind: 'token', text: 'token of ana' } })).toMatchObject({
    status: 429,
    code: 'too_many_streams',
  })
  using _bens = taken(places, ben, 'token of ben')
  second[Symbol.dispose]()
  using _third = taken(places, ana, 'token of ana')
  expect(places.size).toBe(3)
})

test('S1: all callers together have a limited number of streams, and one more is told to come again', () => {
  const { places } = scene({ inAll: 2 })
  using _anas = taken(places, ana, 'token of ana')
  const bens = taken(places, ben, 'token of ben')
  const busy = { status: 503, code: 'server_busy', headers: { 'retry-after': '5' } }
  const asked = { caller: ben, proof: { kind: 'token', text: 'token of ben' } } as const
  expect(places.take(asked)).toMatchObject(busy)
  bens[Symbol.dispose]()
  using _again = taken(places, ben, 'token of ben')
})

test('S1: while the open streams are late, no other one opens', () => {
  const turns = { take: () => Promise.resolve(), lagMs: 5_000 }
  const { places } = scene({ turns })
  const asked = { caller: ben, proof: { kind: 'token', text: 'token of ben' } } as const
  expect(places.take(asked)).toMatchObject({ status: 503, code: 'server_busy' })
  turns.lagMs = 20
  using _bens = taken(places, ben, 'token of ben')
})

test('S2: a token that is revoked, or names another caller by now, ends its streams and no others', async () => {
  const { places, known } = scene()
  using one = taken(places, ana, 'token of ana')
  using other = taken(places, ana, 'other token of ana')
  using bens = taken(places, ben, 'token of ben')
  known.delete('token of ana')
  known.set('token of ben', { ...ben, role: 'admin' })
  await later()
  expect([one, other, bens].map(({ signal }) => signal.aborted && signal.reason)).toEqual([
    'token_ended',
    false,
    'token_ended',
  ])
})

test('S2: while the store does not answer, streams stay open', async () => {
  const { places } = scene()
  using place = taken(places, ana, 'token of trouble')
  await later()
  expect(place.signal.aborted).toBe(false)
})

test('P6: no token is looked at once no stream is open', async () => {
  const { places, looks } = scene()
  taken(places, ana, 'token of ana')[Symbol.dispose]()
  await later()
  expect([places.size, looks]).toEqual([0, []])
})

test('S3: a server that is to end ends all streams', () => {
  const { places, stop } = scene()
  using one = taken(places, ana, 'token of ana')
  using bens = taken(places, ben, 'token of ben')
  stop.abort()
  expect([one, bens].map(({ signal }) => signal.reason)).toEqual(['server_ending', 'server_ending'])
})
