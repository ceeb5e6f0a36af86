/**
 * Seals a message for one browser, so that its push service cannot read it: RFC 8291, which is one record of `aes128gcm`
 * (RFC 8188) under keys that both sides derive.
 */
import { createCipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto'
import type { PushEndpoint } from '../../core/notice/push/subscription.ts'

const SALT_BYTES = 16
const KEY_BYTES = 16
const NONCE_BYTES = 12
const SHARED_BYTES = 32
const RECORD_BYTES = 4096
/** The octet behind the text of the last record. */
const LAST_RECORD = 2
/** Each message has this length without its frame: what waits does not show by how long it is. Some services take no more. */
const TEXT_BYTES = 2816

/** The longest message in bytes. */
export const LONGEST_PUSH = TEXT_BYTES

/** What is random in a sealed message. */
export interface SealChance {
  readonly salt: Uint8Array
  /** The private scalar of the sender, for this one message. */
  readonly privateKey: Uint8Array
  /** Without the last octet. Default: as much as makes all messages equally long. */
  readonly padding?: number
}

/** @throws if the public key of the browser is no point of P-256 */
export function sealPush(
  { p256dh, auth }: Pick<PushEndpoint, 'p256dh' | 'auth'>,
  message: Uint8Array,
  chance: Partial<SealChance> = {},
): Buffer {
  const { salt = randomBytes(SALT_BYTES), padding = TEXT_BYTES - message.length } = chance
  const sender = createECDH('prime256v1')
  if (chance.privateKey) sender.setPrivateKey(chance.privateKey)
  else sender.generateKeys()
  const receiverKey = Buffer.from(p256dh, 'base64url')
  const senderKey = sender.getPublicKey()
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), receiverKey, senderKey])
  const shared = derived(sender.computeSecret(receiverKey), Buffer.from(auth, 'base64url'), info, SHARED_BYTES)
  const key = derived(shared, salt, Buffer.from('Content-Encoding: aes128gcm\0'), KEY_BYTES)
  const nonce = derived(shared, salt, Buffer.from('Content-Encoding: nonce\0'), NONCE_BYTES)
  const cipher = createCipheriv('aes-128-gcm', key, nonce)
  const text = Buffer.concat([message, Buffer.of(LAST_RECORD), Buffer.alloc(padding)])
  return Buffer.concat([headerOf(salt, senderKey), cipher.update(text), cipher.final(), cipher.getAuthTag()])
}

/** The salt, the size of a record, and the public key of the sender with its length. */
function headerOf(salt: Uint8Array, senderKey: Buffer): Buffer {
  const size = Buffer.alloc(4)
  size.writeUInt32BE(RECORD_BYTES)
  return Buffer.concat([salt, size, Buffer.of(senderKey.length), senderKey])
}

function derived(secret: Buffer, salt: Uint8Array, info: Buffer, length: number): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, info, length))
}
