import { withoutRun } from './agent-actor.ts'
import { skeletonOf } from './look-alikes.ts'

/** Characters that do not show: two names that differ only in them read as the same. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu

/** How a client signs, before its name. */
const CLIENT = 'mcp:'

/**
 * True if two signatures must not count as two people: they differ in case, white space, characters that do not show, or
 * letters that look alike. To check whether a person is the one who was named, compare exactly instead. Both err on the side of no (P1).
 * MCP clients choose their own names, so all of them count as one.
 */
export function isSamePerson(one: string, other: string): boolean {
  const [left, right] = [plain(one), plain(other)]
  return spelled(left) === spelled(right) || skeletonOf(left) === skeletonOf(right)
}

function plain(actor: string): string {
  return actor.normalize('NFKC').replaceAll(UNSEEN, '').replaceAll(/\s+/g, ' ').trim()
}

function spelled(actor: string): string {
  const name = withoutRun(actor.toLowerCase())
  return name.startsWith(CLIENT) ? CLIENT : name
}
