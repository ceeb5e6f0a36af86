/** A push service on loopback, with the browsers behind it. It refuses what real ones refuse (RFC 8030, 8188, 8291, 8292). */
import { createDecipheriv, createECDH, createPublicKey, type ECDH, hkdfSync, randomBytes, verify } from 'node:crypto'
import { type WireAnswer, type WireRequest, WireServer } from './wire-server.ts'

/** What arrived at a browser. */
export interface Pushed {
  readonly headers: WireRequest['headers']
  readonly claims: { readonly aud: string; readonly exp: number; readonly sub: string }
  /** Bytes of the body, as the push service sees it. */
  readonly length: number
  // biome-ignore lint/suspicious/noExplicitAny: documents are checked by the tests that read them
  readonly message: any
}

/** As `PushSubscription.toJSON()` in a browser. */
export interface SubscriptionJson {
  readonly endpoint: string
  readonly keys: { readonly p256dh: string; readonly auth: string }
}

const MOST_BYTES = 4_096
const DAY_S = 86_400
const TAG_BYTES = 16
const KEY_AT = 21

/** One browser at the service. */
export class PushedBrowser {
  readonly pushed: Pushed[] = []
  /** True once its person removed it. */
  isGone = false
  readonly subscription: SubscriptionJson
  /** The key of the server that it subscribed to. */
  readonly serverKey: string
  readonly #pair: ECDH = createECDH('prime256v1')
  readonly #auth = randomBytes(16)

  constructor(endpoint: string, serverKey: string) {
    this.serverKey = serverKey
    const p256dh = this.#pair.generateKeys('base64url')
    this.subscription = { endpoint, keys: { p256dh, auth: this.#auth.toString('base64url') } }
  }

  /** Opens a body as a browser does. @throws if it was not sealed for this one */
  opened(body: Buffer): string {
    const [salt, size, length] = [body.subarray(0, 16), body.readUInt32BE(16), body.readUInt8(20)]
    const sender = body.subarray(KEY_AT, KEY_AT + length)
    const record = body.subarray(KEY_AT + length)
    if (record.length > size) throw new TypeError('more than one record')
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), this.#pair.getPublicKey(), sender])
    const shared = derived(this.#pair.computeSecret(sender), this.#auth, info, 32)
    const key = derived(shared, salt, 'Content-Encoding: aes128gcm\0', 16)
    const decipher = createDecipheriv('aes-128-gcm', key, derived(shared, salt, 'Content-Encoding: nonce\0', 12))
    decipher.setAuthTag(record.subarray(-TAG_BYTES))
    const text = Buffer.concat([decipher.update(record.subarray(0, -TAG_BYTES)), decipher.final()])
    return text.subarray(0, text.lastIndexOf(2)).toString()
  }
}

function derived(secret: Buffer, salt: Buffer, info: Buffer | string, length: number): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, info, length))
}

export class PushService implements AsyncDisposable {
  readonly wire: WireServer = new WireServer(request => this.#take(request))
  readonly #browsers = new Map<string, PushedBrowser>()

  static async open(): Promise<PushService> {
    const service = new PushService()
    await service.wire.listen()
    return service
  }

  /** A browser that subscribed to the key of a server. */
  browser(serverKey: string): PushedBrowser {
    const path = `/push/${this.#browsers.size + 1}`
    const browser = new PushedBrowser(`${this.wire.url}${path}`, serverKey)
    this.#browsers.set(path, browser)
    return browser
  }

  #take(request: WireRequest): WireAnswer {
    const browser = this.#browsers.get(request.path)
    if (!browser) return refusal(404, 'no such subscription')
    if (browser.isGone) return refusal(410, 'unsubscribed')
    const claims = this.#claimsOf(request, browser)
    const objection = typeof claims === 'string' ? refusal(403, claims) : objectionTo(request)
    if (objection || typeof claims === 'string') return objection ?? refusal(403, 'no claims')
    const message: unknown = JSON.parse(browser.opened(request.bytes))
    browser.pushed.push({ headers: request.headers, claims, length: request.bytes.length, message })
    return { status: 201, body: '' }
  }

  /** Or why they do not count. */
  #claimsOf({ headers }: WireRequest, { serverKey }: PushedBrowser): Pushed['claims'] | string {
    const written = /^vapid t=([\w-]+)\.([\w-]+)\.([\w-]+), ?k=([\w-]+)$/.exec(headers.authorization ?? '')
    if (!written) return 'no vapid'
    const [, head = '', body = '', signature = '', key = ''] = written
    if (key !== serverKey) return 'the key of another server'
    if (!isSigned(`${head}.${body}`, signature, key)) return 'a bad signature'
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as Pushed['claims']
    const now = Date.now() / 1000
    if (claims.aud !== this.wire.url) return 'the audience of another service'
    if (!(claims.exp > now && claims.exp <= now + DAY_S)) return 'an end in the past, or too late'
    return /^(mailto:|https:)/.test(claims.sub) ? claims : 'no contact'
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.wire[Symbol.asyncDispose]()
  }
}

function isSigned(text: string, signature: string, point: string): boolean {
  const bytes = Buffer.from(point, 'base64url')
  const [x = '', y = ''] = [bytes.subarray(1, 33), bytes.subarray(33)].map(half => half.toString('base64url'))
  const key = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' })
  return verify('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url'))
}

function objectionTo({ method, headers, bytes }: WireRequest): WireAnswer | null {
  if (method !== 'POST') return refusal(405, 'no POST')
  if (!/^\d+$/.test(String(headers['ttl'] ?? ''))) return refusal(400, 'no TTL')
  if (headers['content-encoding'] !== 'aes128gcm') return refusal(415, 'another encoding')
  if (bytes.length > MOST_BYTES) return refusal(413, 'too long')
  if (!/^[\w-]{1,32}$/.test(String(headers['topic'] ?? 'none'))) return refusal(400, 'no topic')
  if (!['very-low', 'low', 'normal', 'high'].includes(String(headers['urgency'] ?? 'normal')))
    return refusal(400, 'no urgency')
  return null
}

function refusal(status: number, body: string): WireAnswer {
  return { status, body }
}
