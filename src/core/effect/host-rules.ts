import { bracketed, isAddress, readPort, spellHost } from './host-name.ts'

/** Which hosts a command may reach: one rule, as people write it. */
export interface HostRule {
  readonly permits: boolean
  /** In the one spelling of `spellHost`. */
  readonly host: string
  /** True for `*.host`: every name under the host, and not the host itself. */
  readonly isUnder: boolean
  /** `web` is 80 and 443. */
  readonly port: number | 'web' | 'any'
}

export interface HostRuleFault {
  /** What is wrong with the rule, to be read after its name or place. */
  readonly problem: string
}

export type Reach = 'permitted' | 'refused' | 'unknown'

/**
 * Reads `example.com`, `example.com:8080`, `example.com:*`, `*.example.com`, `127.0.0.1:80`, `[::1]:80`. Without a
 * port a rule permits 80 and 443. With `!` before it a rule refuses, without a port all ports.
 */
export function readHostRule(text: string): HostRule | HostRuleFault {
  const permits = !text.startsWith('!')
  const plain = permits ? text : text.slice(1)
  const shape = /^(?<under>\*\.)?(?<host>\[[^\]]*\]|[^:]*)(?::(?<port>.*))?$/su.exec(plain)
  const { under, host = '', port } = shape?.groups ?? {}
  const fault = faultOf(plain, host, under !== undefined)
  if (fault !== null) return { problem: fault }
  const spelled = spellHost(host)
  if (spelled === null) return { problem: `must name a host, and ${JSON.stringify(host)} is none` }
  if (under !== undefined && isAddress(spelled))
    return { problem: `must name a host after "*.", not the address ${spelled}` }
  const ports = readPorts(port, permits)
  if (ports === null)
    return { problem: `must have a port from 1 to 65535 or "*" after the colon, not ${JSON.stringify(port)}` }
  return { permits, host: spelled, isUnder: under !== undefined, port: ports }
}

/** A refusal wins over every permission. A host that cannot be spelled is refused. */
export function reachOf(rules: readonly HostRule[], host: string, port: number): Reach {
  const spelled = spellHost(host)
  if (spelled === null) return 'refused'
  const found = rules.filter(rule => meetsHost(rule, spelled) && meetsPort(rule, port))
  if (found.some(rule => !rule.permits)) return 'refused'
  return found.length > 0 ? 'permitted' : 'unknown'
}

/** The rule in its shortest spelling. */
export function hostRuleText({ permits, host, isUnder, port }: HostRule): string {
  const isShort = port === (permits ? 'web' : 'any')
  const ports = { web: '', any: ':*' }[port] ?? `:${port}`
  return `${permits ? '' : '!'}${isUnder ? '*.' : ''}${bracketed(host)}${isShort ? '' : ports}`
}

const WEB = [80, 443]

function meetsHost({ host, isUnder }: HostRule, spelled: string): boolean {
  return isUnder ? spelled.endsWith(`.${host}`) : spelled === host
}

function meetsPort({ port: wanted }: HostRule, port: number): boolean {
  return wanted === 'any' || (wanted === 'web' ? WEB.includes(port) : wanted === port)
}

function readPorts(text: string | undefined, permits: boolean): HostRule['port'] | null {
  if (text === undefined) return permits ? 'web' : 'any'
  return text === '*' ? 'any' : readPort(text)
}

const BRACKETS = /^(\*\.)?\[[^\]]*\](:|$)/

/** What people write instead of a rule, with the way to write it. */
function faultOf(plain: string, host: string, isUnder: boolean): string | null {
  if (plain.includes('://')) return 'must be a host, not a URL: leave out what is before "//" and after the host'
  if (/[/?#@]/.test(plain)) return 'must be a host with at most a port: no path and no user'
  if ((plain.match(/:/g) ?? []).length > 1 && !BRACKETS.test(plain))
    return 'must have an IPv6 address in brackets: [::1]:80'
  if (host === '*' && !isUnder) return 'must name a host: "*" for all hosts is not possible, "*.example.com" is'
  if (host.includes('*')) return 'may have "*" only at its beginning, before a dot: *.example.com'
  return host === '' ? 'must name a host' : null
}
