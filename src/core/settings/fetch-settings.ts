import { isJsonObject, type Json } from '../text/json.ts'

/** How `fetch_url` works. */
export interface FetchSettings {
  /** Hosts, each with or without a port, that are fetched although their addresses are private. */
  readonly allow: readonly string[]
}

/** @throws Error that names the fault. */
export function readFetchSettings(written: Json): FetchSettings {
  if (!isJsonObject(written)) throw new Error('fetch_url must be an object')
  const { allow = [], ...others } = written
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw new Error(`fetch_url.${unknown}: known keys are allow`)
  if (!Array.isArray(allow) || !allow.every(isHost))
    throw new Error('fetch_url.allow must be a list of hosts, such as "wiki.corp" or "localhost:8080"')
  return { allow: allow as readonly string[] }
}

function isHost(host: Json): boolean {
  return typeof host === 'string' && /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i.test(host)
}
