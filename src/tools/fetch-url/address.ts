import { ToolError } from '../../core/errors.ts'
import { isAddress, isNameOfThisMachine, isPublicAddress } from '../../core/network/public-address.ts'

/** The URL of `text`, without its fragment. @throws ToolError INVALID_URL */
export function addressOf(text: string, base?: string): URL {
  const url = URL.canParse(text, base) ? new URL(text, base) : null
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === '')
    throw new ToolError('INVALID_URL', `${JSON.stringify(shortened(text))} is no address of http or https.`)
  if (url.username !== '' || url.password !== '')
    throw new ToolError('INVALID_URL', 'An address with a name or a password before its host is not fetched.')
  url.hash = ''
  return url
}

function shortened(text: string): string {
  return text.length <= 200 ? text : `${text.slice(0, 200)}…`
}

/** The host of a URL as resolvers take it. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '')
}

/** Whether settings allow a host (`wiki.corp`), or one port of it (`wiki.corp:8080`), although its address is private. */
export function isAllowed(url: URL, allow: readonly string[]): boolean {
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  const names = [url.hostname, hostOf(url)].flatMap(host => [host, `${host}:${port}`])
  return allow.some(name => names.includes(name.toLowerCase()))
}

/** Refuses what no resolver is asked about: an address in numbers, and names of this machine. @throws ToolError */
export function refusePrivate(url: URL): void {
  const host = hostOf(url)
  if ((isAddress(host) && !isPublicAddress(host)) || isNameOfThisMachine(host)) throw privateAddress(host)
}

export function privateAddress(host: string): ToolError {
  return new ToolError(
    'PRIVATE_ADDRESS',
    `${host} is an address of this machine or of a private network, and is not fetched. ` +
      'A person may allow it by fetch_url.allow in the settings of the project.',
  )
}
