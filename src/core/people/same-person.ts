import { withoutRun } from './agent-actor.ts'

/** What a name may have too much of, or otherwise, and still be read as the same. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu

/** How a client signs, before its name. */
const CLIENT = 'mcp:'

/**
 * True where two signatures must not count as two people: they differ in case, white space, or what nobody sees. To ask
 * whether somebody is who was named, compare exactly instead: both err on the side of no (P1). Clients of MCP sign with
 * what they call themselves, and one may call itself anything: all of them are one.
 */
export function isSamePerson(one: string, other: string): boolean {
  return spelled(one) === spelled(other)
}

function spelled(actor: string): string {
  const name = withoutRun(actor.normalize('NFKC').replaceAll(UNSEEN, '').replaceAll(/\s+/g, ' ').trim().toLowerCase())
  return name.startsWith(CLIENT) ? CLIENT : name
}
