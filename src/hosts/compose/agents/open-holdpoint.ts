import type { Holdpoint } from '../../../runtime/face/holdpoint.ts'
import type { OpenOptions } from '../open-options.ts'

/**
 * Opens the store, and with it the runtime. Close it with `await using` or its `Symbol.asyncDispose`. In a process that
 * runs within an agent, all its verbs sign as that agent (docs/security.md). @throws RefusedError or StoreError
 */
export async function openHoldpoint(options: OpenOptions = {}): Promise<Holdpoint> {
  // Most of the library: a program that only defines agents does not wait for it.
  const { openForProgram } = await import('../compose.ts')
  return openForProgram(options)
}
