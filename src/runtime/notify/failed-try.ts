import { messageOf } from '../../core/errors.ts'
import { askedDelay, MOST_TRIES, retryDelay } from '../../core/notice/backoff.ts'
import { NotSentError, type Retry } from '../../core/notice/not-sent.ts'
import { keptText } from '../../core/text/kept-text.ts'
import type { Clock } from '../../ports/clock.ts'
import type { ClaimedNotice, NoticeMark } from '../../ports/store/people/notices.ts'
import type { NotifyDeps } from './notify-deps.ts'

interface TryDeps extends Pick<NotifyDeps, 'settingsOf'> {
  readonly clock: Pick<Clock, 'now'>
  /** Aborted if the process stops: then the try does not count. */
  readonly stop: AbortSignal
  readonly random: () => number
}

/** The mark of a notice after a failed try: it is due again later, or given up. */
export function markOfFailure(deps: TryDeps, notice: ClaimedNotice, error: unknown): NoticeMark {
  const { clock, stop, random, settingsOf } = deps
  if (stop.aborted) return stoppedTry(notice, clock.now())
  const retry: Retry = error instanceof NotSentError ? error.retry : 'later'
  if (retry === 'gone') return { status: 'dropped', next_at: null, tries: 0, error: keptText(messageOf(error)) }
  const isLast = retry === 'never' || retry === 'address_off' || notice.tries >= MOST_TRIES
  const wait = typeof retry === 'object' ? askedDelay(retry.after_ms) : retryDelay(notice.tries, random())
  return {
    status: isLast ? 'failed' : notice.status,
    next_at: isLast ? null : isoTime(clock.now() + wait),
    tries: notice.tries,
    unsure: retry === 'later' && notice.status === 'due',
    error: keptText(messageOf(error)),
    ...(retry === 'address_off' && { refused_with: settingsOf(notice.channel) }),
  }
}

/** Another process takes it up at once. */
function stoppedTry({ status, tries, error }: ClaimedNotice, now: number): NoticeMark {
  return { status, next_at: isoTime(now), tries: tries - 1, unsure: status === 'due', error }
}

function isoTime(time: number): string {
  return new Date(time).toISOString()
}
