/** Pushes to this browser: it hears of what waits also while no page is open. Loaded if a person wants notifications. */
import { get, post, remove } from '../api/client.ts'
import type { Documents } from '../api/documents.ts'
import { wordsOf } from '../api/problem.ts'
import { serviceWorker } from './notifications.ts'

/**
 * Subscribes this browser for the person who is signed in; the server forgets it when they sign out. Resolves to why
 * nothing is pushed; `null` if it is.
 */
export async function subscribeToPushes(): Promise<string | null> {
  const registration = await serviceWorker()
  if (!registration || !('pushManager' in registration)) return without('This browser takes no pushes.')
  try {
    const { public_key } = await get<Documents['Push']>('/v1/push')
    const subscription = await subscribed(registration.pushManager, public_key)
    if (subscription === null) return without('This browser reaches no push service.')
    const { endpoint, keys } = subscription.toJSON()
    await post('/v1/push', { endpoint, keys })
    return null
  } catch (thrown) {
    return without(wordsOf(thrown))
  }
}

export async function unsubscribeFromPushes(): Promise<void> {
  const registration = await serviceWorker()
  const subscription = await registration?.pushManager?.getSubscription()
  if (!subscription) return
  await subscription.unsubscribe()
  // The push service refuses it from now on, so the server finds out at last.
  await remove(`/v1/push?endpoint=${encodeURIComponent(subscription.endpoint)}`).catch(() => {})
}

/** `null` if the browser has no push service, or does not reach it. */
async function subscribed(pushes: PushManager, key: string): Promise<PushSubscription | null> {
  const options = { userVisibleOnly: true, applicationServerKey: key }
  try {
    return await pushes.subscribe(options)
  } catch {
    // A subscription to the key of another store that was served at this address has to go first.
    await (await pushes.getSubscription())?.unsubscribe()
    return pushes.subscribe(options).catch(() => null)
  }
}

function without(why: string): string {
  return `${why} Notifications come only while this page is open.`
}
