import type { Amount, Count } from '../count.ts'
import { isJsonObject, type Json } from '../text/json.ts'
import { type Groups, membersOf, type PersonOrGroup } from './groups.ts'
import { isSamePerson } from './same-person.ts'

/** The deciders of a tool, an agent or a project. */
export interface DecidersSettings {
  /**
   * Names, or `@group`; `null` for everybody.
   * @minItems 1
   */
  readonly people?: readonly PersonOrGroup[] | null
  /** The requester may not release the hold. */
  readonly not_requester?: boolean
  /** How many different people must approve. Default: 1. */
  readonly quorum?: Count
  /** The deciders may edit a call to do more than was asked. Default: only operators of a server. */
  readonly may_edit?: boolean
}

/** The deciders of one hold: groups are the people who were in them when it was opened. */
export interface Deciders {
  readonly people: readonly string[] | null
  /**
   * Groups without `@`: a person whom a provider or proxy counts among their members decides too. Left out if there are
   * none.
   */
  readonly groups?: readonly string[]
  readonly not_requester: boolean
  readonly quorum: Amount
  /** The deciders may edit a call to do more than was asked. Left out if not. */
  readonly may_edit?: true
}

/** Replaces groups by the people in them. An undefined group has no members. `proven` are groups of a provider or proxy. */
export function decidersOf(
  settings: DecidersSettings | null,
  groups: Groups,
  proven: readonly string[] = [],
): Deciders | null {
  if (settings === null) return null
  const { people = null, not_requester = false, quorum = 1, may_edit = false } = settings
  const named = provenAmong(people, proven)
  return {
    people: people && membersOf(people, groups),
    ...(named.length > 0 && { groups: named }),
    ...{ not_requester, quorum },
    ...(may_edit && { may_edit }),
  }
}

function provenAmong(people: readonly string[] | null, proven: readonly string[]): readonly string[] {
  return proven.filter(group => people?.includes(`@${group}`))
}

/** True if the settings demand certain people, several, or another person than the requester. */
export function demandsPeople(deciders: DecidersSettings | null | undefined): boolean {
  const { people = null, not_requester = false, quorum = 1 } = deciders ?? {}
  return people !== null || not_requester || quorum > 1
}

/** Settings as they are written: a list of people, or an object. @throws Error that names the fault. */
export function readDeciders(written: Json | undefined): DecidersSettings {
  const document = Array.isArray(written) ? { people: written } : written
  if (!isJsonObject(document))
    throw new Error('deciders must be a list of names and @groups, or { people, not_requester, quorum, may_edit }')
  const { people = null, quorum = 1, not_requester, may_edit, notRequester, mayEdit, ...others } = document
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw new Error(`deciders.${unknown}: known: people, not_requester, quorum, may_edit`)
  if (!isPeople(people)) throw new Error('deciders.people: must be a list of names and @groups')
  if (!(Number.isSafeInteger(quorum) && Number(quorum) >= 1))
    throw new Error('deciders.quorum: must be a whole number from 1')
  const settings = {
    people,
    not_requester: trueOrFalse('not_requester', notRequester ?? not_requester),
    quorum: Number(quorum),
    ...(trueOrFalse('may_edit', mayEdit ?? may_edit) && { may_edit: true }),
  }
  refuseUnable(settings)
  return settings
}

function isPeople(people: Json): people is string[] | null {
  return people === null || (Array.isArray(people) && people.length > 0 && people.every(isName))
}

function trueOrFalse(name: string, value: Json = false): boolean {
  if (typeof value === 'boolean') return value
  throw new Error(`deciders.${name}: must be true or false`)
}

/** The members of a group are in another setting. */
function refuseUnable(settings: DecidersSettings): void {
  const problem = settings.people?.some(isGroup) ? null : objectionToDeciders(settings, {})
  if (problem) throw new Error(problem)
}

/**
 * Why these deciders could never decide, in words; `null` if they can. Spellings of one name count once, as they do when
 * people approve.
 */
export function objectionToDeciders(
  { people = null, quorum = 1 }: DecidersSettings,
  groups: Groups,
  proven: readonly string[] = [],
): string | null {
  // The members of a provider's group are known when they sign in.
  if (people === null || provenAmong(people, proven).length > 0) return null
  const members = membersOf(people, groups)
  const distinct = members.filter((name, index) => members.findIndex(other => isSamePerson(other, name)) === index)
  if (distinct.length >= quorum) return null
  if (distinct.length === 0) return `deciders.people: there is nobody in ${people.join(', ')}; say who is, in groups`
  return `deciders.quorum: ${quorum} people must approve, and only ${distinct.length} may (${distinct.join(', ')})`
}

function isGroup(name: string): boolean {
  return name.startsWith('@')
}

function isName(value: Json): boolean {
  return typeof value === 'string' && value.trim() !== ''
}
