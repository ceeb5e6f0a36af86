import { ToolError } from '../../core/errors.ts'
import type { CallFacts } from '../../core/policy/policy.ts'
import type { Json } from '../../core/text/json.ts'
import { addressOf } from './address.ts'

/** How patterns read an address: as the one that is asked, without its fragment. */
export function inspectUrl(written: Json): CallFacts {
  try {
    if (typeof written !== 'string') throw new ToolError('INVALID_URL', 'The address is no text.')
    const url = addressOf(written)
    const reading = { as: url.href, origin: url.origin, among: [written, ...spellings(url)] }
    return { readings: { url: reading }, unclear: null, protected: null }
  } catch (thrown) {
    if (!(thrown instanceof ToolError)) throw thrown
    const text = typeof written === 'string' ? written : JSON.stringify(written)
    return { readings: { url: { as: null, among: [text] } }, unclear: thrown.message, protected: null }
  }
}

/** The same address as a rule that restricts may write it: by another scheme, without the port or the last dot of the host. */
function spellings({ href, protocol, hostname, port, pathname, search }: URL): string[] {
  const host = hostname.replace(/\.$/, '')
  const hosts = [...new Set([host, ...(port === '' ? [] : [`${host}:${port}`])])]
  const paths = [...new Set([`${pathname}${search}`, decoded(`${pathname}${search}`)])]
  const origins = [...new Set(['https:', 'http:', protocol])].flatMap(scheme => hosts.map(each => `${scheme}//${each}`))
  return [href, ...hosts, ...[...origins, ...hosts].flatMap(origin => paths.map(path => `${origin}${path}`))]
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
