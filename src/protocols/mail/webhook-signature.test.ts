import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { objectionToSignature } from './webhook-signature.ts'

const NOW = 1_800_000_000_000
const SECRET = `whsec_${Buffer.from('a secret of this test').toString('base64')}`
const bytes = new TextEncoder().encode('{"text":"approve"}')

function signed({ body = bytes, key = 'a secret of this test', time = String(NOW / 1000) } = {}): Headers {
  const signature = createHmac('sha256', key).update(`msg_1.${time}.`).update(body).digest('base64')
  return new Headers({ 'webhook-id': 'msg_1', 'webhook-timestamp': time, 'webhook-signature': `v1,${signature}` })
}

const objection = (headers: Headers, secrets: readonly string[] = [SECRET]) =>
  objectionToSignature({ headers, bytes }, secrets, NOW)

test('a body that one of the secrets signed just now is believed', () => {
  expect(objection(signed())).toBeNull()
  expect(objection(signed({ key: 'plain' }), [SECRET, 'plain'])).toBeNull()
})

test('one of several signatures is enough', () => {
  const headers = signed()
  headers.set('webhook-signature', `v1a,xyz v1,AAAA ${headers.get('webhook-signature')}`)
  expect(objection(headers)).toBeNull()
})

test.each([
  ['another secret', signed({ key: 'another' })],
  ['another body', signed({ body: new TextEncoder().encode('{"text":"deny"}') })],
  ['no time', signed({ time: 'soon' })],
])('P1: a signature of %s is not believed', (_what, headers) => {
  expect(objection(headers)).not.toBeNull()
})

test('P1: a signature that was shortened, is old or lies ahead is not believed', () => {
  const short = signed()
  short.set('webhook-signature', short.get('webhook-signature')?.slice(0, 20) ?? '')
  expect(objection(short)).toBe('signature_invalid')
  expect(objection(signed({ time: String(NOW / 1000 - 301) }))).toBe('signature_old')
  expect(objection(signed({ time: String(NOW / 1000 + 301) }))).toBe('signature_old')
  const none = signed()
  none.delete('webhook-signature')
  expect(objection(none)).toBe('signature_missing')
})
