/** Whom pushes reach: browsers of people who may decide a hold, by the rights that their sign-ins have today. */
import type { Hold } from '../../hold/hold.ts'
import { isFor } from '../../hold/may-decide.ts'
import type { Membership } from '../../people/membership.ts'
import { afterQuiet } from '../../people/quiet-hours.ts'
import { includesRole } from '../../people/role.ts'
import { memberToday, sessionToday } from '../../settings/people/session-today.ts'
import type { SignInSettings } from '../../settings/people/sign-in-settings.ts'
import { ASKING_EVENTS, type NoticeEvent } from '../notice-event.ts'
import { askedNow, type NoticeDirectory, type Recipient } from '../recipients.ts'
import type { Subscription } from './subscription.ts'

export interface PushDirectory extends Pick<NoticeDirectory, 'people' | 'groups'> {
  readonly signIn: SignInSettings | null
}

interface Occasion {
  readonly event: NoticeEvent
  readonly hold: Hold
  /** ISO time of the event: a browser hears nothing of what was before it subscribed. */
  readonly at: string
  /** Milliseconds since 1970. */
  readonly now: number
}

export function subscribersOf(
  directory: PushDirectory,
  subscriptions: readonly Subscription[],
  { event, hold, at, now }: Occasion,
): Recipient[] {
  if (hold.status !== 'open' || !ASKING_EVENTS.includes(event)) return []
  return subscriptions
    .filter(({ created_at }) => created_at <= at)
    .filter(subscription => isCalled(directory, subscription, hold))
    .map(({ id, name }) => {
      const quiet = Object.hasOwn(directory.people, name) ? (directory.people[name]?.quiet ?? null) : null
      return { person: name, channel: 'push', address: id, at: quiet === null ? now : afterQuiet(quiet, now) }
    })
}

/** Whether the hold asks the person of this browser now. If it is assigned, it asks the assignee alone. */
export function isCalled({ groups, signIn }: PushDirectory, subscription: Subscription, hold: Hold): boolean {
  const person = sessionToday(subscription, signIn)
  // P1: by a damaged row nobody hears more.
  if (person === null || person.unreadable || !includesRole(person.role, 'decider')) return false
  const { name } = person
  const member = memberToday(person, signIn)
  if (hold.assignee === null) return isFor(hold, name, member ?? undefined)
  return askedNow(hold, groups).includes(name) || isMemberOf(hold.assignee, member)
}

function isMemberOf(assignee: string, member: Membership | null): boolean {
  return member?.groups.some(group => assignee === `@${group}`) ?? false
}
