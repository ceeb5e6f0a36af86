import { ECDH } from 'node:crypto'
import { messageOf } from '../../../core/errors.ts'
import type { PushEndpoint } from '../../../core/notice/push/subscription.ts'
import type { PushSettings } from '../../../core/settings/people/push-settings.ts'
import { makePushKeys } from '../../../notifiers/push/push-keys.ts'
import { refuseUnsafe } from '../../../notifiers/webhook/public-address.ts'
import type { Store } from '../../../ports/store/store.ts'
import type { Proof } from '../../../protocols/http/proof.ts'
import type { PushSite } from '../../../protocols/rest/route/push.ts'
import type { SignIn } from '../../../protocols/rest/route/sign-in.ts'
import { pushKeysOf, type Subscriber, subscribe } from '../../../runtime/access/subscribing.ts'
import type { Tokens } from '../../../runtime/face/tokens.ts'
import { systemIds } from '../../process/system-ids.ts'
import { serverRefusals } from '../../refusals/server-refusals.ts'

interface PushSiteDeps {
  readonly tokens: Pick<Tokens, 'identify'>
  readonly store: Pick<Store, 'access' | 'subscriptions'>
  readonly signIn: Pick<SignIn, 'find'>
  readonly push: PushSettings | null
}

/** Subscribes browsers for people who are signed in, or have a token: the word of a proxy is none that could end. */
export function pushSite({ tokens, store, signIn, push }: PushSiteDeps): PushSite {
  const subscriberOf = async (proof: Proof | null): Promise<Subscriber> => {
    const session = proof?.kind === 'session' ? await signIn.find(proof.text) : null
    const token = proof?.kind === 'token' ? await tokens.identify(proof.text) : null
    if (session) return { session }
    if (token) return { token }
    throw serverRefusals.noPushWithout()
  }
  return {
    publicKey: async () => (await pushKeysOf(store, makePushKeys)).public_key,
    async subscribe(proof, endpoint) {
      refuseEndpoint(endpoint, push?.allow_private ?? false)
      await subscribe({ store, ids: systemIds }, await subscriberOf(proof), endpoint)
    },
    unsubscribe: (name, endpoint) => store.subscriptions.remove({ name, endpoint }),
  }
}

/** What its name leads to is looked at when something is sent. @throws RefusedError `push_not_allowed` */
function refuseEndpoint({ endpoint, p256dh }: PushEndpoint, allowsPrivate: boolean): void {
  const url = URL.parse(endpoint)
  if (!url || !['https:', 'http:'].includes(url.protocol)) throw serverRefusals.noPushService('It is no URL of https.')
  try {
    if (!allowsPrivate) refuseUnsafe(url)
  } catch (thrown) {
    throw serverRefusals.noPushService(messageOf(thrown))
  }
  try {
    ECDH.convertKey(p256dh, 'prime256v1', 'base64url')
  } catch {
    throw serverRefusals.noPushService('The key of the browser is no point of P-256.')
  }
}
