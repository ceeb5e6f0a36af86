/**
 * One try to send or change one message.
 * D1  A try that may have arrived is looked for before it is sent again.
 * D2  A message shows the hold as it is now. If the hold changes meanwhile, the message is changed right after.
 * D3  A receiver that wants no more is met no more, until the settings of its channel change or someone retries its notice.
 * D4  What cannot be told, for whatever reason, counts as a failed try: it is given up in the end, and keeps out no other.
 */
import { onAbort } from '../../async/on-abort.ts'
import type { Hold } from '../../core/hold/hold.ts'
import { NotSentError } from '../../core/notice/not-sent.ts'
import type { Notice } from '../../core/notice/notice.ts'
import { ASKING_EVENTS } from '../../core/notice/notice-event.ts'
import { digestText, noticeText } from '../../core/notice/notice-text.ts'
import { isStillAddress, isStillAsked } from '../../core/notice/recipients.ts'
import { isStoreGone } from '../../core/store-gone.ts'
import { isOfStore } from '../../core/store-write.ts'
import type { Notifier } from '../../ports/notifier.ts'
import type { ClaimedNotice, NoticeMark } from '../../ports/store/people/notices.ts'
import { markOfFailure } from './failed-try.ts'
import { noticeLink } from './notice-link.ts'
import type { NotifyEvent, NotifySite } from './notify-site.ts'
import { chooseDelivery } from './storm.ts'

/** No try takes longer: a receiver that hangs holds one slot for so long. */
const TRY_MS = 10_000

export interface Delivering extends NotifySite {
  readonly notifier: Notifier
  readonly ttl_ms: number
  /** Aborted when the process stops. */
  readonly stop: AbortSignal
  readonly random: () => number
}

/** Sends or changes a claimed notice, with those that belong to it, and marks them. @throws the store's own error */
export async function deliver(site: Delivering, claim: ClaimedNotice): Promise<void> {
  try {
    await sendOrChange(site, claim)
  } catch (error) {
    if (isOfStore(error) || isStoreGone(error)) throw error
    // D4.
    await noteFailure(site, [claim], error)
  }
}

async function sendOrChange(site: Delivering, claim: ClaimedNotice): Promise<void> {
  if (claim.status !== 'due') return change(site, claim)
  if (await site.store.notices.isRefused(claim, site.settingsOf(claim.channel))) return dropRefused(site, claim)
  const { notices, ...delivery } = await chooseDelivery(site, claim, {
    digests: site.notifier.digests,
    ttl_ms: site.ttl_ms,
  })
  if (delivery.as === 'later') {
    const mark = { status: 'due', next_at: delivery.at, tries: 0, error: null } as const
    await site.store.notices.mark(notices.map(notice => ({ notice, mark: { ...mark, tries: notice.tries - 1 } })))
    return
  }
  const asking = await openOnes(site, notices)
  if (delivery.as === 'digest' && asking.length > 1) return sendDigest(site, asking)
  for (const { notice, hold } of asking) await sendOne(site, notice, hold)
}

/** D3. */
function dropRefused(site: Delivering, notice: ClaimedNotice): Promise<void> {
  const error = 'Its receiver wants no more notices, so this one was not tried.'
  return mark(site, notice, { kind: 'notice.dropped', mark: { status: 'dropped', error } })
}

interface Asking {
  readonly notice: ClaimedNotice
  readonly hold: Hold
}

/** The notices that still ask. The others are dropped, unless an earlier try may have brought one to a person. */
async function openOnes(site: Delivering, notices: readonly ClaimedNotice[]): Promise<Asking[]> {
  const asking: Asking[] = []
  for (const notice of notices) {
    const hold = await site.store.hold(notice.hold_id)
    if (hold !== null && !isOver(site, notice, hold)) asking.push({ notice, hold })
    else if (hold === null || !notice.is_repeat || !site.notifier.find)
      await mark(site, notice, { kind: 'notice.dropped', mark: { status: 'dropped', error: null } })
    else await findAndChange(site, notice, hold)
  }
  return asking
}

function isOver({ directory }: Delivering, notice: ClaimedNotice, hold: Hold): boolean {
  return ASKING_EVENTS.includes(notice.event) && (hold.status !== 'open' || !isStillAsked(directory, notice, hold))
}

/** P1: a message has arguments and a link that decides, so it goes to no person who left meanwhile. @throws NotSentError */
function refuseFormerAddress({ directory }: Delivering, notice: ClaimedNotice): void {
  if (isStillAddress(directory, notice)) return
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

async function sendOne(site: Delivering, notice: ClaimedNotice, hold: Hold): Promise<void> {
  const { notifier, store } = site
  await attempt(site, [notice], async signal => {
    refuseFormerAddress(site, notice)
    const shown = shownNotice(site, notice, hold)
    const found = notice.is_repeat ? ((await notifier.find?.(shown, notice.address, { signal })) ?? null) : null
    const earlier = found ? null : ((await store.notices.newestSent(notice))?.sent ?? null)
    const link = found ? null : await noticeLink(site, shown)
    const context = { signal, earlier, ...(link !== null && { link }) }
    const sent = found ?? (await notifier.send(shown, notice.address, context))
    await mark(site, notice, { kind: 'notice.sent', mark: { status: 'sent', sent, error: null } })
  })
}

async function sendDigest(site: Delivering, asking: readonly Asking[]): Promise<void> {
  const { notifier, store } = site
  const [first] = asking
  if (!first) return
  const notices = asking.map(({ notice }) => notice)
  await attempt(site, notices, async signal => {
    refuseFormerAddress(site, first.notice)
    const digest = shownDigest(
      site,
      first.notice,
      asking.map(({ hold }) => hold),
    )
    const found = first.notice.is_repeat ? await notifier.find?.(digest, first.notice.address, { signal }) : null
    const sent = found ?? (await notifier.send(digest, first.notice.address, { signal, earlier: null }))
    const done = { status: 'sent', sent, digest: first.notice.id, error: null, next_at: null, tries: 0 } as const
    await store.notices.mark(notices.map(notice => ({ notice, mark: done })))
    for (const notice of notices) site.tell({ kind: 'notice.sent', notice })
  })
}

async function findAndChange(site: Delivering, notice: ClaimedNotice, hold: Hold): Promise<void> {
  await attempt(site, [notice], async signal => {
    const shown = shownNotice(site, notice, hold)
    const found = (await site.notifier.find?.(shown, notice.address, { signal })) ?? null
    if (found === null) return mark(site, notice, { kind: 'notice.dropped', mark: { status: 'dropped', error: null } })
    const sent = (await site.notifier.settle?.(found, shown, { signal })) ?? found
    await mark(site, notice, { kind: 'notice.changed', mark: { status: 'changed', sent, error: null } })
  })
}

/** Changes a message that was sent to what is true now. */
async function change(site: Delivering, claim: ClaimedNotice): Promise<void> {
  const { notifier, store } = site
  const mates = claim.digest === null ? [] : await store.notices.claimWith(claim, { limit: 500, ttl_ms: site.ttl_ms })
  const notices = [claim, ...mates]
  await attempt(site, notices, async signal => {
    const shown =
      claim.digest === null ? await changedNotice(site, claim) : await changedDigest(site, claim.digest, claim)
    const sent = shown && claim.sent && (await notifier.settle?.(claim.sent, shown, { signal }))
    const done = { ...(sent && { sent }), error: null, next_at: null, tries: 0 }
    const marks = notices.map(async notice => {
      const isOpen = (await store.hold(notice.hold_id))?.status === 'open'
      return { notice, mark: { ...done, status: isOpen ? 'sent' : 'changed' } as const }
    })
    await store.notices.mark(await Promise.all(marks))
    for (const notice of notices) site.tell({ kind: 'notice.changed', notice })
  })
}

async function changedNotice(site: Delivering, claim: ClaimedNotice): Promise<Notice | null> {
  const hold = await site.store.hold(claim.hold_id)
  return hold && shownNotice(site, claim, hold)
}

async function changedDigest(site: Delivering, digest: string, claim: ClaimedNotice): Promise<Notice> {
  const told = (await site.store.notices.list({ digest })).toReversed()
  const holds = await Promise.all(told.map(({ hold_id }) => site.store.hold(hold_id)))
  return shownDigest(
    site,
    { ...claim, id: digest },
    holds.filter(hold => hold !== null),
  )
}

type Done = Omit<NoticeMark, 'next_at' | 'tries'>

async function mark(
  site: Delivering,
  notice: ClaimedNotice,
  {
    kind,
    mark: done,
  }: { readonly kind: Exclude<NotifyEvent['kind'], 'notice.failed' | 'notify.failed'>; readonly mark: Done },
): Promise<void> {
  await site.store.notices.mark([{ notice, mark: { ...done, next_at: null, tries: 0 } }])
  site.tell({ kind, notice })
}

/** A failure is noted with the time of the next try, and none gets any further. */
async function attempt(
  site: Delivering,
  notices: readonly ClaimedNotice[],
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const limit = new AbortController()
  using _timer = abortAfter(site, limit)
  // A signal made of others would stay in memory for as long as the process lives.
  using _stop = onAbort(site.stop, () => limit.abort(site.stop.reason))
  try {
    await work(limit.signal)
  } catch (error) {
    await noteFailure(site, notices, error)
  }
}

async function noteFailure(site: Delivering, notices: readonly ClaimedNotice[], error: unknown): Promise<void> {
  const marked = notices.map(notice => ({ notice, mark: markOfFailure(site, notice, error) }))
  await site.store.notices.mark(marked)
  // A process that stops has not failed.
  if (!site.stop.aborted)
    for (const { notice, mark } of marked) site.tell({ kind: 'notice.failed', notice, error, retry_at: mark.next_at })
}

function abortAfter({ clock }: Delivering, limit: AbortController): Disposable {
  const over = new AbortController()
  void clock.sleep(TRY_MS, over.signal).then(
    () => limit.abort(new TryTooLong()),
    () => {},
  )
  return { [Symbol.dispose]: () => over.abort() }
}

class TryTooLong extends Error {
  constructor() {
    super(`there was no answer within ${TRY_MS / 1000} s`)
  }
}

function shownNotice({ clock, baseUrl }: Delivering, notice: ClaimedNotice, hold: Hold): Notice {
  const { id, event, at, about, person } = notice
  const url = baseUrl && `${baseUrl}/holds/${hold.id}`
  const text = noticeText(hold, { event, about, person, now: clock.now() })
  return { id, event, at, person, hold, holds: [], url, text }
}

function shownDigest({ baseUrl }: Delivering, { id, at, person }: ClaimedNotice, holds: readonly Hold[]): Notice {
  return { id, event: 'digest', at, person, hold: null, holds, url: baseUrl && `${baseUrl}/`, text: digestText(holds) }
}
