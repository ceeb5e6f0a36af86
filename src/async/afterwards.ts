/**
 * Applies `then` at once to a plain value, and later to a promised one: each promise costs a step some microseconds.
 */
export function afterwards<T, U>(said: T | PromiseLike<T>, then: (said: T) => U | Promise<U>): U | Promise<U> {
  return isPromised(said) ? Promise.resolve(said).then(then) : then(said)
}

/** Runs `work`; `failed` turns an error that it throws, now or later, into a result. */
export function orElse<T>(work: () => T | PromiseLike<T>, failed: (thrown: unknown) => T): T | Promise<T> {
  try {
    const said = work()
    return isPromised(said) ? Promise.resolve(said).catch(failed) : said
  } catch (thrown) {
    return failed(thrown)
  }
}

/** Recognizes promises as `await` does: promises of other libraries count. */
export function isPromised<T>(said: T | PromiseLike<T>): said is PromiseLike<T> {
  if (said instanceof Promise) return true
  return typeof said === 'object' && said !== null && 'then' in said && typeof said.then === 'function'
}
