/** Chooses the recipients of a record, and the address by which each gets it. */
import type { AuditRecord } from '../audit/audit.ts'
import type { Hold } from '../hold/hold.ts'
import { askedPeople, isFor } from '../hold/may-decide.ts'
import { type Groups, membersOf } from '../people/groups.ts'
import { foldedAddress } from '../people/mail-address.ts'
import { afterQuiet } from '../people/quiet-hours.ts'
import type { ChannelKind, NoticeEvent } from './notice-event.ts'
import { callFailed, type NoticeRule } from './notice-rules.ts'
import { PERSONAL_CHANNELS, type People, type PersonalChannel } from './person.ts'

/** The people, programs and channels of a project. */
export interface NoticeDirectory {
  readonly people: People
  readonly groups: Groups
  /** The channels that reach people. */
  readonly personal: readonly PersonalChannel[]
  /** The channels that tell approvers, in a message of its own, that what they approved failed. */
  readonly followUps: readonly PersonalChannel[]
  /** The address of all comments; `null` without such a channel. A comment mentions its person. */
  readonly githubIssue: string | null
  /** Addresses used if no person is asked, or none can be reached. */
  readonly project: readonly { readonly channel: ChannelKind; readonly address: string }[]
  readonly programs: readonly {
    readonly channel: ChannelKind
    readonly address: string
    readonly events: readonly NoticeEvent[]
  }[]
}

export interface Recipient {
  readonly person: string | null
  readonly channel: ChannelKind
  readonly address: string
  /** The time of the notice, in milliseconds since 1970. */
  readonly at: number
}

interface Occasion {
  readonly rule: Pick<NoticeRule, 'event' | 'hears'>
  /** `null` for a hold that waited when notices began. */
  readonly record: Pick<AuditRecord, 'actor' | 'surface' | 'data'> | null
  readonly hold: Hold
  /** Milliseconds since 1970. */
  readonly now: number
}

/** Who hears of a hold. Each address once. */
export function recipientsOf(directory: NoticeDirectory, occasion: Occasion): Recipient[] {
  const { rule, now } = occasion
  const hearers = rule.hears === 'watchers' ? [] : HEARERS[rule.hears](directory, occasion)
  return distinct([...hearers, ...programsFor(directory, { event: rule.event, now })])
}

interface Told {
  readonly event: NoticeEvent
  /** Milliseconds since 1970. */
  readonly now: number
}

/** Who hears of a run that asks nobody: the channel of the project, and people who name the event in `want`. */
export function watchersOf(directory: NoticeDirectory, { event, now }: Told): Recipient[] {
  const wanting = Object.entries(directory.people).filter(([, { want }]) => want[event] !== undefined)
  const people = wanting.flatMap(([person]) => addressesOf(directory, { person, event, now }))
  const project = directory.project.map(place => ({ person: null, ...place, at: now }))
  return distinct([...people, ...project, ...programsFor(directory, { event, now })])
}

function programsFor({ programs }: NoticeDirectory, { event, now }: Told): Recipient[] {
  return programs
    .filter(({ events }) => events.includes(event))
    .map(({ channel, address }) => ({ person: null, channel, address, at: now }))
}

type Hearers = (directory: NoticeDirectory, occasion: Occasion) => Recipient[]

const HEARERS: Record<Exclude<NoticeRule['hears'], 'watchers'>, Hearers> = {
  programs: () => [],
  asked(directory, { rule, hold, now }) {
    // A hold that was decided since then asks no approver any more.
    if (hold.status !== 'open') return []
    const people = askedNow(hold, directory.groups)
    const reached = people.flatMap(person => addressesOf(directory, { person, event: rule.event, now }))
    const isUnknown = people.length === 0 || people.some(person => !Object.hasOwn(directory.people, person))
    if (reached.length > 0 || !isUnknown) return reached
    return directory.project.map(place => ({ person: null, ...place, at: now }))
  },
  approvers(directory, { rule, record, hold, now }) {
    if (directory.followUps.length === 0 || !callFailed(hold, record?.data ?? {})) return []
    return approversOf(hold)
      .flatMap(person => addressesOf(directory, { person, event: rule.event, now }))
      .filter(({ channel }) => (directory.followUps as readonly ChannelKind[]).includes(channel))
  },
  actor(directory, { record, now, rule }) {
    const { actor, surface } = record ?? {}
    // Other surfaces answer at once.
    if (!actor || surface !== 'mail') return []
    return addressesOf(directory, { person: actor, event: rule.event, now }).filter(
      ({ channel }) => channel === surface,
    )
  },
}

/** Those who voted for it, and the one who decided. */
function approversOf({ votes, decision }: Hold): string[] {
  return [...new Set([...votes, ...(decision ? [decision] : [])].map(({ decided_by }) => decided_by))]
}

/** The assignee; otherwise the deciders by name, without those who cannot decide or have voted. */
export function askedNow(hold: Hold, groups: Groups): string[] {
  const { assignee, level, escalation } = hold
  const levelPeople = escalation[level - 1]?.people
  if (assignee !== null) {
    const isOfLevel = levelPeople !== undefined && escalation[level - 1]?.assignee === assignee
    return isOfLevel ? [...levelPeople] : membersOf([assignee], groups)
  }
  return [...new Set(askedPeople(hold))].filter(person => isFor(hold, person))
}

type Addressed = Pick<Recipient, 'person' | 'channel' | 'address'> & { readonly event: NoticeEvent }

/**
 * False if the settings name another address by now, or none. Addresses of programs are looked up when a notice is
 * sent.
 */
export function isStillAddress(directory: NoticeDirectory, { person, channel, address, event }: Addressed): boolean {
  const isHere = (each: { readonly channel: ChannelKind; readonly address: string }) =>
    each.channel === channel && each.address === address
  if (person !== null) return addressesOf(directory, { person, event, now: 0 }).some(isHere)
  return !(PERSONAL_CHANNELS as readonly ChannelKind[]).includes(channel) || directory.project.some(isHere)
}

/** False if others are asked by now: a person who was asked in the night gets nothing in the morning. */
export function isStillAsked(
  { groups }: Pick<NoticeDirectory, 'groups'>,
  { person }: Pick<Addressed, 'person'>,
  hold: Hold,
): boolean {
  return person === null || askedNow(hold, groups).includes(person)
}

function addressesOf(
  { people, personal, githubIssue }: NoticeDirectory,
  { person, event, now }: { readonly person: string; readonly event: NoticeEvent; readonly now: number },
): Recipient[] {
  const settings = Object.hasOwn(people, person) ? people[person] : undefined
  if (!settings) return []
  const { addresses, quiet, want } = settings
  const at = quiet === null ? now : afterQuiet(quiet, now)
  return personal
    .filter(channel => want[event]?.includes(channel) ?? true)
    .flatMap(channel => {
      const own = addresses[channel]
      const address = channel === 'github' && own !== undefined ? githubIssue : own
      return address ? [{ person, channel, address, at }] : []
    })
}

function distinct(recipients: readonly Recipient[]): Recipient[] {
  return [
    ...new Map(recipients.map(each => [`${each.channel} ${each.address}`, each] as const).toReversed()).values(),
  ].toReversed()
}

/** The person who has this address; `null` if none does, or several do. */
export function personAt(people: People, channel: PersonalChannel, address: string): string | null {
  const isSame =
    channel === 'slack' ? (own: string) => own === address : (own: string) => sameIgnoringCase(own, address)
  const matching = Object.entries(people).filter(([, { addresses }]) => {
    const own = addresses[channel]
    return own !== undefined && isSame(own)
  })
  return matching.length === 1 ? (matching[0]?.[0] ?? null) : null
}

function sameIgnoringCase(one: string, other: string): boolean {
  return foldedAddress(one) === foldedAddress(other)
}
