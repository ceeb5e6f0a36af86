/** The value itself, or the last one of an async iterable: earlier ones were progress. */
export async function lastValue(value: unknown): Promise<unknown> {
  if (!isAsyncIterable(value)) return value
  let last: unknown
  for await (const next of value) last = next
  return last
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}
