import { isJsonObject, type Json } from '../text/json.ts'

/**
 * A person, or `@group`.
 * @pattern \S
 */
export type PersonOrGroup = string

/**
 * A person: the name of a group would be read as that of a person who does not exist.
 * @pattern ^(?!@)[\s\S]*\S
 */
export type Person = string

/** Names of groups without the `@`, and who is in them. */
export type Groups = Readonly<Record<string, readonly string[]>>

/** People, with each `@group` replaced by who is in it. */
export function membersOf(people: readonly string[], groups: Groups): string[] {
  return [...new Set(people.flatMap(name => (name.startsWith('@') ? membersOfOne(groups, name.slice(1)) : [name])))]
}

function membersOfOne(groups: Groups, name: string): readonly string[] {
  return (Object.hasOwn(groups, name) ? groups[name] : undefined) ?? []
}

/** Groups as they are written. @throws Error that names the fault. */
export function readGroups(written: Json | undefined): Groups {
  const isFine = (value: Json) => Array.isArray(value) && value.every(isName)
  if (isJsonObject(written) && Object.values(written).every(isFine)) return written as Groups
  throw new Error('groups must be like { "finance": ["ana", "ben"] }, with people in them and no other @group')
}

/** A group inside a group would be read as the name of a person who does not exist. */
function isName(value: Json): boolean {
  return typeof value === 'string' && value.trim() !== '' && !value.startsWith('@')
}
