import type { QuietHours } from '../people/quiet-hours.ts'
import type { NoticeEvent } from './notice-event.ts'

/** The channels that reach one person. */
export type PersonalChannel = (typeof PERSONAL_CHANNELS)[number]

export const PERSONAL_CHANNELS = ['slack', 'mail', 'github'] as const

/** How a person is reached, and recognized when they answer. */
export interface PersonSettings {
  /** Addresses by channel: a mail address, the id of a member of Slack, a login at GitHub. */
  readonly addresses: Readonly<Partial<Record<PersonalChannel, string>>>
  readonly quiet: QuietHours | null
  /** The channels for an event; every one that has an address, if the event is left out. */
  readonly want: Readonly<Partial<Record<NoticeEvent, readonly PersonalChannel[]>>>
}

/** People by name, as deciders and assignees are named. */
export type People = Readonly<Record<string, PersonSettings>>
