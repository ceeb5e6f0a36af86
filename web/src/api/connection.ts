import { sharedValue } from './shared-value.ts'

/** False while requests get no answer: then nothing is decided here, and a banner explains why. */
export const isReachable = sharedValue(navigator.onLine)

/** False from the first 401 on, until the person has signed in again. */
export const isSignedIn = sharedValue(true)

/** How often the network was lost. */
let losses = 0

/**
 * Call it when a request is sent, and call its result when the answer is there. An answer to a request that was sent
 * before the network was lost proves nothing about the network now.
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
