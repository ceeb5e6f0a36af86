import { matchesGlob, matchesWords } from './glob.ts'
import type { CommandReading } from './match-command.ts'

/** What permissive patterns are tried on. */
interface Reading {
  readonly as: string | null
  readonly origin?: string
  readonly exact?: string
  readonly commands?: readonly CommandReading[]
}

/** P1: the words of a command count, so that `docs/*` covers one operand and not the words after it. */
export function permits(pattern: string, { as, exact, origin, commands }: Reading): boolean {
  if (exact !== undefined && pattern === exact) return true
  if (as === null) return false
  if (origin !== undefined) return permitsAddress(pattern, as, origin)
  if (commands === undefined) return matchesGlob(pattern, as)
  const literal = commands
    .filter(({ words }) => words.every(pieces => pieces.length === 1))
    .map(({ words }) => words.flat())
  const same = literal.filter(words => words.join(' ') === as)
  return (same.length > 0 ? same : [as.split(' ')]).every(words => matchesWords(pattern, words))
}

/**
 * P1: whether a permissive pattern covers an address. Host and path are matched apart, so that neither
 * `https://*.example.org/*` covers `https://other.example/.example.org/x`, nor `https://example.org*` another host.
 */
function permitsAddress(pattern: string, address: string, origin: string): boolean {
  if (pattern === '*') return true
  const [, head, path = ''] = /^([^/]*\/\/[^/?]*)(.*)$/s.exec(pattern) ?? []
  if (head === undefined) return false
  const isOpen = path === '' && /[^/*]\*$/.test(head)
  const [host, rest] = isOpen ? [head.slice(0, -1), '*'] : [head, path || (head.endsWith('*') ? '*' : '/')]
  return matchesGlob(host, origin) && matchesGlob(rest, address.slice(origin.length))
}
