/** The requests of verbs, from their rows of the table: the parts of the path, then the query or the body. */
import { VERBS, type VerbName } from '../runtime/face/verbs.ts'
import type { Wire, WireRequest } from './wire.ts'

/** The prefix of each kind of key. */
const KEYS = { decision_id: 'dec', startId: 'start', inputId: 'msg' } as const

/** The token signs, so no signature is sent. */
export function verbRequest(name: VerbName, ...args: readonly unknown[]): WireRequest {
  const { at = '', signs, key } = VERBS[name]
  const [method, path = ''] = at.split(' ') as ['GET' | 'POST' | 'DELETE', string?]
  const given = [...args]
  const parts = path.split('/').slice(2)
  const filled = parts.map(part => (part.startsWith(':') ? String(given.shift()) : part))
  const said = (given[0] ?? {}) as Readonly<Record<string, unknown>>
  const unsent = [signs?.as, key, 'surface', 'member_of', said['reason'] === null && 'reason']
  const fields = Object.fromEntries(Object.entries(said).filter(([field]) => !unsent.includes(field)))
  if (method !== 'POST') return { method, path: filled, query: fields }
  const id = key && said[key]
  return { method, path: filled, body: fields, ...(key && { key: typeof id === 'string' ? id : newKey(KEYS[key]) }) }
}

/** The verbs of a part of the face that give the document of the server as it is. */
export function servedVerbs<Verbs>(wire: Wire, part: string): Verbs {
  const isOf = (name: VerbName) => name.startsWith(part) && !name.slice(part.length).includes('.')
  const names = (Object.keys(VERBS) as VerbName[]).filter(name => VERBS[name].at && isOf(name))
  const verbs = names.map(name => [
    name.slice(part.length),
    (...args: readonly unknown[]) => wire.ask(verbRequest(name, ...args)),
  ])
  return Object.fromEntries(verbs) as Verbs
}

/** An id that no other client makes up. Also a page without TLS can make one. */
export function newKey(kind: string): string {
  const bytes = crypto.getRandomValues(new Uint8Array(15))
  return `${kind}_${[...bytes].map(byte => byte.toString(16).padStart(2, '0')).join('')}`
}
