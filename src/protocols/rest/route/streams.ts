/** Parts of the routes that stream. */
import type { JsonObject } from '../../../core/text/json.ts'
import type { StreamOptions } from '../../http/event-stream.ts'

const RETRY_MS = 1_000

export const STREAM_OPTIONS: StreamOptions = {
  retryMs: RETRY_MS,
  farewell: reason => ({ event: 'bye', data: { reason } }),
}

export const UNKNOWN_POSITION = 'There is no such id here: the store was replaced. `newest` is the newest id.'

export function sinceParameter(beginning: string): JsonObject {
  return { type: 'integer', minimum: 0, description: `The last id that the client has. Default: ${beginning}` }
}
