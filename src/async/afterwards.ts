/** Goes on with what is there at once, and with what is promised later: each promise costs a step some microseconds. */
export function afterwards<T, U>(said: T | PromiseLike<T>, then: (said: T) => U | Promise<U>): U | Promise<U> {
  return isPromised(said) ? Promise.resolve(said).then(then) : then(said)
}

/** As `afterwards`, with `failed` for what is thrown, now or later. */
export function orElse<T>(work: () => T | PromiseLike<T>, failed: (thrown: unknown) => T): T | Promise<T> {
  try {
    const said = work()
    return isPromised(said) ? Promise.resolve(said).catch(failed) : said
  } catch (thrown) {
    return failed(thrown)
  }
}

/** As `await` sees it: promises of other libraries count. */
export function isPromised<T>(said: T | PromiseLike<T>): said is PromiseLike<T> {
  if (said instanceof Promise) return true
  return typeof said === 'object' && said !== null && 'then' in said && typeof said.then === 'function'
}
