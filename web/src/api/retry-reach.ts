import { open } from './client.ts'
import { isReachable } from './connection.ts'

const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 15_000

/**
 * While no request gets an answer the server is asked again by itself, so that one fault in passing keeps no person from
 * deciding. Ends with the function that it returns.
 */
export function retryReach(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let wait = FIRST_WAIT_MS
  const ask = async () => {
    await open('/v1/me', {}).catch(() => {})
    timer = undefined
    wait = Math.min(wait * 2, LONGEST_WAIT_MS)
    look()
  }
  const look = () => {
    if (isReachable.get()) wait = FIRST_WAIT_MS
    else timer ??= setTimeout(() => void ask(), wait)
  }
  look()
  const end = isReachable.subscribe(look)
  return () => {
    end()
    clearTimeout(timer)
  }
}
