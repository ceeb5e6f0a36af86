import { createContext, Script } from 'node:vm'
import type { TryPattern } from '../../../core/pattern/try-pattern.ts'

/** A pattern that needs longer needs for ever. */
const DEADLINE_MS = 200

const SCRIPT = new Script('new RegExp(source, "u").test(text)')

/** Another context alone can be stopped in the middle of an expression. */
export const tryWithin: TryPattern = (source, text) => {
  try {
    return SCRIPT.runInContext(createContext({ source, text }), { timeout: DEADLINE_MS }) === true
  } catch (thrown) {
    if (isLate(thrown)) return false
    throw thrown
  }
}

/** The error may belong to the other context, so its class cannot be checked. */
function isLate(thrown: unknown): boolean {
  const { code } = (thrown ?? {}) as { readonly code?: unknown }
  return code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
}
