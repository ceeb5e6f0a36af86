import { sharedValue } from './shared-value.ts'

/** False while requests get no answer: then nothing is decided here, and a banner says so. */
export const isReachable = sharedValue(navigator.onLine)

/** False from the first 401 on, until the person has signed in again. */
export const isSignedIn = sharedValue(true)

/** How often the network was lost. */
let losses = 0

/**
 * To be called when a request is sent, and what it returns when that has its answer. An answer that was under way while
 * the network was lost says nothing of the network of now.
 */
export function awaitReach(): (answered: boolean) => void {
  const before = losses
  return answered => {
    if (!answered || losses === before) isReachable.set(answered)
  }
}

addEventListener('offline', () => {
  losses += 1
  isReachable.set(false)
})
addEventListener('online', () => isReachable.set(true))
