import type { PushEndpoint } from '../../../core/notice/push/subscription.ts'
import type { Proof } from '../../http/proof.ts'

/** How browsers subscribe at this server. */
export interface PushSite {
  publicKey(): Promise<string>
  /** @throws RefusedError `push_not_allowed`, `push_needs_sign_in` */
  subscribe(proof: Proof | null, endpoint: PushEndpoint): Promise<void>
  unsubscribe(name: string, endpoint: string): Promise<void>
}

export interface PushKeyDocument {
  /** An uncompressed point of P-256 in base64url: the `applicationServerKey` of `PushManager.subscribe`. */
  readonly public_key: string
}
