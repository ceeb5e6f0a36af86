/**
 * Browsers that hear of holds while no page is open.
 * B1  A subscription ends with the session or the token that made it: the store deletes it with them.
 * B2  A store has one pair of keys for good, as browsers subscribe to its public key.
 */
import type { PushEndpoint, PushKeys } from '../../core/notice/push/subscription.ts'
import type { Session } from '../../core/people/session.ts'
import type { Ids } from '../../ports/ids.ts'
import type { Store } from '../../ports/store/store.ts'

export interface SubscribingDeps {
  readonly store: Pick<Store, 'access' | 'subscriptions'>
  readonly ids: Pick<Ids, 'next'>
}

/** A person who subscribes a browser: signed in, or with a token. */
export type Subscriber =
  | { readonly session: Session }
  | { readonly token: { readonly id: string; readonly name: string } }

/** The browsers of one person, at most: the oldest give way, as a browser does not say that it was removed. */
const MOST_BROWSERS = 20

export async function subscribe(
  { store, ids }: SubscribingDeps,
  subscriber: Subscriber,
  endpoint: PushEndpoint,
): Promise<void> {
  const id = ids.next('subscription')
  await store.subscriptions.add({ ...endpoint, id, ...(await originOf(store, subscriber)) }, MOST_BROWSERS)
}

/** B1. */
async function originOf({ access }: SubscribingDeps['store'], subscriber: Subscriber) {
  if ('token' in subscriber)
    return { name: subscriber.token.name, session_id: null, token_id: subscriber.token.id } as const
  const { id, name, proof } = subscriber.session
  const token = proof.kind === 'token' ? await access.find(proof.digest) : null
  return { name, session_id: id, token_id: token?.id ?? null }
}

/** B2. */
export async function pushKeysOf(store: Pick<Store, 'subscriptions'>, make: () => PushKeys): Promise<PushKeys> {
  return (await store.subscriptions.keys()) ?? store.subscriptions.keepKeys(make())
}
