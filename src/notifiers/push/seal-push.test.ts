import { createDecipheriv, createECDH, hkdfSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { LONGEST_PUSH, sealPush } from './seal-push.ts'

/** RFC 8291, appendix A. */
const RFC = {
  message: 'When I grow up, I want to be a watermelon',
  sender: 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw',
  receiver: 'q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94',
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  salt: 'DGv6ra1nlYgDCS1FRnbzlw',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  sealed:
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
}

const bytes = (text: string) => Buffer.from(text, 'base64url')

test('a message is sealed as in the example of RFC 8291', () => {
  const chance = { salt: bytes(RFC.salt), privateKey: bytes(RFC.sender), padding: 0 }
  expect(sealPush(RFC, Buffer.from(RFC.message), chance).toString('base64url')).toBe(RFC.sealed)
})

test('every message has the same length, which a push service takes, and no two are alike', () => {
  const sealed = ['', RFC.message, 'x'.repeat(LONGEST_PUSH)].map(text => sealPush(RFC, Buffer.from(text)))
  expect(new Set(sealed.map(({ length }) => length))).toEqual(new Set([2919]))
  expect(sealPush(RFC, Buffer.from(RFC.message))).not.toEqual(sealed[1])
})

test('padding is no part of what the browser reads', () => {
  const sealed = sealPush(RFC, Buffer.from(RFC.message))
  const own = createECDH('prime256v1')
  own.setPrivateKey(bytes(RFC.receiver))
  const [salt, sender] = [sealed.subarray(0, 16), sealed.subarray(21, 86)]
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), own.getPublicKey(), sender])
  const derive = (secret: Buffer, with_: Buffer, about: Buffer | string, length: number) =>
    Buffer.from(hkdfSync('sha256', secret, with_, about, length))
  const shared = derive(own.computeSecret(sender), bytes(RFC.auth), info, 32)
  const key = derive(shared, salt, 'Content-Encoding: aes128gcm\0', 16)
  const decipher = createDecipheriv('aes-128-gcm', key, derive(shared, salt, 'Content-Encoding: nonce\0', 12))
  decipher.setAuthTag(sealed.subarray(-16))
  const text = Buffer.concat([decipher.update(sealed.subarray(86, -16)), decipher.final()])
  expect(text.subarray(0, text.lastIndexOf(2)).toString()).toBe(RFC.message)
})

test('nothing is sealed for a key that is no point of the curve', () => {
  const p256dh = Buffer.concat([Buffer.of(4), Buffer.alloc(64, 7)]).toString('base64url')
  expect(() => sealPush({ ...RFC, p256dh }, Buffer.from('hello'))).toThrow()
})
