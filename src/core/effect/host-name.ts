/**
 * The one spelling of a host, for rules and for connections: lower case, IDN as punycode, no dot at the end, addresses
 * in their usual form and without brackets (`0x7f.1` is `127.0.0.1`, `[::ffff:1.2.3.4]` is `1.2.3.4`).
 * `null` if it names no host.
 */
export function spellHost(text: string): string | null {
  if (text === '' || text.length > LONGEST || BAD.test(text)) return null
  if (text.includes(':') || text.startsWith('[')) return spellAddress(text)
  const found = hostnameOf(text)?.replace(/\.$/, '')
  if (found === undefined || found.length > LONGEST || found.includes('[')) return null
  return found.split('.').every(label => LABEL.test(label)) ? found : null
}

export function isIpv4(host: string): boolean {
  return /^\d+\.\d+\.\d+\.\d+$/.test(host)
}

export function isAddress(host: string): boolean {
  return host.includes(':') || isIpv4(host)
}

/** A host as it is written before a port. */
export function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}

/** A port in plain digits; `null` if it is none. */
export function readPort(text: string): number | null {
  if (!/^[1-9]\d{0,4}$/.test(text)) return null
  const port = Number(text)
  return port <= 65_535 ? port : null
}

/** The longest name in DNS. */
const LONGEST = 253
/** What no host has, and what the parser of URLs would cut off, decode or split at. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it finds
const BAD = /[\u0000-\u0020\u007f-\u00a0"#%/<>?@\\^`{|}]/
const LABEL = /^[a-z0-9_-]{1,63}$/

function spellAddress(text: string): string | null {
  const inner = /^\[([0-9a-f:.]+)\]$/i.exec(text)?.[1] ?? (/^[0-9a-f:.]+$/i.test(text) ? text : null)
  const found = inner === null ? null : hostnameOf(`[${inner}]`)
  if (!found) return null
  const plain = found.slice(1, -1)
  const mapped = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(plain)
  return mapped ? asIpv4(mapped[1] ?? '', mapped[2] ?? '') : plain
}

/** Two groups of IPv6, in hexadecimal digits, as an address of IPv4. */
export function asIpv4(high: string, low: string): string {
  const [first, second] = [Number.parseInt(high, 16), Number.parseInt(low, 16)]
  return [first >> 8, first & 255, second >> 8, second & 255].join('.')
}

/** Browsers, curl and Node read numbers in hosts as the URL standard says. */
function hostnameOf(host: string): string | null {
  const address = `http://${host}/`
  return URL.canParse(address) ? new URL(address).hostname : null
}
