import type { Hold } from '../../core/hold/hold.ts'
import { NotSentError } from '../../core/notice/not-sent.ts'
import { ASKING_EVENTS } from '../../core/notice/notice-event.ts'
import { isCalled } from '../../core/notice/push/subscribers.ts'
import { isStillAddress, isStillAsked } from '../../core/notice/recipients.ts'
import type { StoredNotice } from '../../ports/store/people/notices.ts'
import type { NotifyDeps } from './notify-deps.ts'

type Asked = Pick<NotifyDeps, 'directory' | 'signIn' | 'store'>

/** True if a notice that asks has nothing to ask any more, or asks a person who is not to decide any more. */
export async function isOver(deps: Asked, notice: StoredNotice, hold: Hold): Promise<boolean> {
  if (!ASKING_EVENTS.includes(notice.event)) return false
  if (hold.status !== 'open') return true
  return notice.channel === 'push' ? !(await calls(deps, notice, hold)) : !isStillAsked(deps.directory, notice, hold)
}

/** P1: a browser whose sign-in ended gets nothing, also of what was under way to it. */
async function calls({ store, directory, signIn }: Asked, { address }: StoredNotice, hold: Hold): Promise<boolean> {
  const subscription = await store.subscriptions.find(address)
  return subscription !== null && isCalled({ ...directory, signIn }, subscription, hold)
}

/**
 * P1: a message has arguments and a link that decides, so no person who left meanwhile receives it. `isOver` knows that of
 * a push. @throws NotSentError
 */
export function refuseFormerAddress({ directory }: Asked, notice: StoredNotice): void {
  if (notice.channel === 'push' || isStillAddress(directory, notice)) return
  const { person, channel, address } = notice
  throw new NotSentError(
    'address_removed',
    `${address} is not the ${channel} address of ${person ?? 'the project'} any more.`,
    {
      retry: 'never',
      hint: 'What is asked from now on goes to the address in the configuration.',
    },
  )
}
