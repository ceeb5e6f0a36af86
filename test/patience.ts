import { availableParallelism, loadavg } from 'node:os'

const IDLE_MS = 20_000
const MOST_TIMES = 6

/**
 * The longest that a test waits for what something else brings about, in whole ms. It follows the load of the machine, so
 * that a wait fails only for what does not happen.
 */
export function patienceMs(): number {
  const [running = 0] = loadavg()
  return Math.round(IDLE_MS * Math.min(MOST_TIMES, Math.max(1, running / availableParallelism())))
}
