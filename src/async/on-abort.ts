/** The signal of a wait that nothing ends early. */
export const NEVER: AbortSignal = new AbortController().signal

/** Calls back once: when the signal is aborted, or now if it is already. Disposing of it first prevents the call. */
export function onAbort(signal: AbortSignal, callBack: () => void): Disposable {
  if (signal.aborted) {
    callBack()
    return { [Symbol.dispose]: () => {} }
  }
  signal.addEventListener('abort', callBack, { once: true })
  return { [Symbol.dispose]: () => signal.removeEventListener('abort', callBack) }
}

/** Resolves when the signal is aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise(resolve => onAbort(signal, resolve))
}

/** Waits for `work` until the signal is aborted. @throws the reason of the signal, at once */
export async function orAborted<T>(work: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  using _stop = onAbort(signal, () => reject(signal.reason))
  return await Promise.race([promise, work])
}
