/** D2: a message shows its hold, and what came of it, as they are now. */
import type { Hold } from '../../core/hold/hold.ts'
import { type HoldResult, holdResult } from '../../core/hold-view/hold-result.ts'
import type { JournalEvent } from '../../core/journal/event.ts'
import { fold } from '../../core/journal/fold.ts'
import { digestText } from '../../core/notice/digest-text.ts'
import type { Notice } from '../../core/notice/notice.ts'
import type { HoldNoticeEvent } from '../../core/notice/notice-event.ts'
import { hasReleased } from '../../core/notice/notice-rules.ts'
import { noticeText, runNoticeText } from '../../core/notice/notice-text.ts'
import type { ClaimedNotice } from '../../ports/store/people/notices.ts'
import type { NotifyDeps } from './notify-deps.ts'

type Showing = Pick<NotifyDeps, 'baseUrl' | 'clock' | 'store'>

export async function shownNotice(deps: Showing, notice: ClaimedNotice, hold: Hold): Promise<Notice> {
  const { clock, baseUrl, store } = deps
  const { id, at, about, person } = notice
  const event = notice.event as HoldNoticeEvent
  const url = baseUrl && `${baseUrl}/holds/${hold.id}`
  const result = await new Results(store).of(hold)
  const text = noticeText(hold, { event, about, person, now: clock.now(), result })
  return { id, event, at, person, hold, result, holds: [], run: null, url, text }
}

/** `null` once its model answered, or the run is over. */
export async function shownRun(
  { clock, baseUrl, store, directory }: Showing & Pick<NotifyDeps, 'directory'>,
  { id, event, at, person, hold_id: run_id }: ClaimedNotice,
): Promise<Notice | null> {
  const row = await store.run(run_id)
  const run = row && fold(row.thread_id, await store.journal(row.thread_id)).run
  if (row === null || run?.id !== run_id || run.termination || !run.outage) return null
  const { thread_id, agent } = row
  const waiting = { id: run_id, thread_id, agent, outage: run.outage }
  const zone = (person === null ? null : directory.people[person]?.quiet?.zone) ?? null
  const text = runNoticeText(waiting, { now: clock.now(), zone })
  const url = baseUrl && `${baseUrl}/threads/${thread_id}`
  return { id, event, at, person, hold: null, result: null, holds: [], run: waiting, url, text }
}

export async function shownDigest(
  { clock, baseUrl, store }: Showing,
  { id, at, person }: Pick<ClaimedNotice, 'id' | 'at' | 'person'>,
  holds: readonly Hold[],
): Promise<Notice> {
  const results = new Results(store)
  const asked: { readonly hold: Hold; readonly result: HoldResult | null }[] = []
  for (const hold of holds) asked.push({ hold, result: await results.of(hold) })
  const text = digestText(asked, { baseUrl, now: clock.now(), person })
  const url = baseUrl && `${baseUrl}/`
  return { id, event: 'digest', at, person, hold: null, result: null, holds, run: null, url, text }
}

/** What came of holds. Each journal is read once, and only for a call that was let run. */
class Results {
  readonly #store: Showing['store']
  readonly #journals = new Map<string, Promise<readonly JournalEvent[]>>()

  constructor(store: Showing['store']) {
    this.#store = store
  }

  async of(hold: Hold): Promise<HoldResult | null> {
    if (hold.call_id === null || !hasReleased(hold)) return null
    const { thread_id } = hold
    const events = this.#journals.get(thread_id) ?? this.#store.journal(thread_id)
    this.#journals.set(thread_id, events)
    return holdResult(hold, await events)
  }
}
