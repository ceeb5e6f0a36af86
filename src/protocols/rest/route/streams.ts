/** Parts of the routes that stream. */

import { described, type Schema, whole } from '../../../core/text/json-schema.ts'
import type { StreamOptions } from '../../http/event-stream.ts'

const RETRY_MS = 1_000

export const STREAM_OPTIONS: StreamOptions = {
  retryMs: RETRY_MS,
  farewell: reason => ({ event: 'bye', data: { reason } }),
}

export const UNKNOWN_POSITION = 'There is no such id here: the store was replaced. `newest` is the newest id.'

export function sinceParameter(beginning: string): Schema<number> {
  return described(whole(0), `The last id that the client has. Default: ${beginning}`)
}
