import { sharedValue } from './shared-value.ts'

/** False while requests get no answer: then nothing is decided here, and a banner says so. */
export const isReachable = sharedValue(navigator.onLine)

/** False from the first 401 on, until the person has signed in again. */
export const isSignedIn = sharedValue(true)

addEventListener('offline', () => isReachable.set(false))
addEventListener('online', () => isReachable.set(true))
