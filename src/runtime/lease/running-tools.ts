/** The tools that run in this process, also those whose run was let go of: nothing stops a promise that never settles. */
const RUNNING = new Map<string, Set<string>>()

/** Until it is disposed of, the tool of this call runs for this owner of leases. `key`: its idempotency key. */
export function noteRunning(owner: string, key: string): Disposable {
  const keys = RUNNING.get(owner) ?? new Set()
  RUNNING.set(owner, keys.add(key))
  return { [Symbol.dispose]: () => void keys.delete(key) }
}

/** `null` if that owner runs no tools in this process. */
export function runsHere(owner: string, key: string): boolean | null {
  return RUNNING.get(owner)?.has(key) ?? null
}
