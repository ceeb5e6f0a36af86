/**
 * One try to send or change one message.
 * D1  A try that may have arrived is looked for before it is sent again.
 * D2  A message shows the hold as it is now. If the hold changes meanwhile, the message is changed right after.
 * D3  A receiver that opted out is not contacted, until the settings of its channel change or someone retries its
 *     notice.
 * D4  A message that cannot be made, for whatever reason, counts as a failed try: it is given up in the end, and blocks
 *     no other.
 */
import { onAbort } from '../../async/on-abort.ts'
import type { Hold } from '../../core/hold/hold.ts'
import type { Notice } from '../../core/notice/notice.ts'
import { WAITS_FOR_MODEL } from '../../core/notice/notice-event.ts'
import { isStoreGone } from '../../core/store-gone.ts'
import { isOfStore } from '../../core/store-write.ts'
import type { Notifier } from '../../ports/notifier.ts'
import type { ClaimedNotice, NoticeMark } from '../../ports/store/people/notices.ts'
import { markOfFailure } from './failed-try.ts'
import { isOver, refuseFormerAddress } from './is-over.ts'
import { noticeLink } from './notice-link.ts'
import type { NotifyDeps, NotifyEvent } from './notify-deps.ts'
import { shownDigest, shownNotice, shownRun } from './shown-notice.ts'
import { chooseDelivery } from './storm.ts'

/** No try takes longer: a receiver that hangs holds one slot for so long. */
const TRY_MS = 10_000

export interface Delivering extends NotifyDeps {
  readonly notifier: Notifier
  readonly ttl_ms: number
  /** Aborted when the process stops. */
  readonly stop: AbortSignal
  readonly random: () => number
}

/** Sends or changes a claimed notice, with those that belong to it, and marks them. @throws the store's own error */
export async function deliver(deps: Delivering, claim: ClaimedNotice): Promise<void> {
  try {
    await sendOrChange(deps, claim)
  } catch (error) {
    if (isOfStore(error) || isStoreGone(error)) throw error
    // D4.
    await noteFailure(deps, [claim], error)
  }
}

async function sendOrChange(deps: Delivering, claim: ClaimedNotice): Promise<void> {
  if (claim.status !== 'due') return change(deps, claim)
  if (await deps.store.notices.isRefused(claim, deps.settingsOf(claim.channel))) return dropRefused(deps, claim)
  if (claim.event === WAITS_FOR_MODEL) return sendAboutRun(deps, claim)
  const { notices, ...delivery } = await chooseDelivery(deps, claim, {
    digests: deps.notifier.digests,
    ttl_ms: deps.ttl_ms,
  })
  if (delivery.as === 'later') {
    const mark = { status: 'due', next_at: delivery.at, tries: 0, error: null } as const
    await deps.store.notices.mark(notices.map(notice => ({ notice, mark: { ...mark, tries: notice.tries - 1 } })))
    return
  }
  const asking = await openOnes(deps, notices)
  if (delivery.as === 'digest' && asking.length > 1) return sendDigest(deps, asking)
  for (const { notice, hold } of asking) await sendOne(deps, notice, () => shownNotice(deps, notice, hold))
}

/** A run whose model answered meanwhile needs no notice. */
async function sendAboutRun(deps: Delivering, notice: ClaimedNotice): Promise<void> {
  const shown = await shownRun(deps, notice)
  if (shown !== null) return sendOne(deps, notice, async () => shown)
  return mark(deps, notice, { kind: 'notice.dropped', mark: { status: 'dropped', error: null } })
}

/** D3. */
function dropRefused(deps: Delivering, notice: ClaimedNotice): Promise<void> {
  const error = 'Its receiver wants no more notices, so this one was not tried.'
  return mark(deps, notice, { kind: 'notice.dropped', mark: { status: 'dropped', error } })
}

interface Asking {
  readonly notice: ClaimedNotice
  readonly hold: Hold
}

/** The notices that still ask. The others are dropped, unless an earlier try may have brought one to a person. */
async function openOnes(deps: Delivering, notices: readonly ClaimedNotice[]): Promise<Asking[]> {
  const asking: Asking[] = []
  for (const notice of notices) {
    const hold = await deps.store.hold(notice.hold_id)
    if (hold !== null && !(await isOver(deps, notice, hold))) asking.push({ notice, hold })
    else if (hold === null || !notice.is_repeat || !deps.notifier.find)
      await mark(deps, notice, { kind: 'notice.dropped', mark: { status: 'dropped', error: null } })
    else await findAndChange(deps, notice, hold)
  }
  return asking
}

async function sendOne(deps: Delivering, notice: ClaimedNotice, show: () => Promise<Notice>): Promise<void> {
  const { notifier, store } = deps
  await attempt(deps, [notice], async signal => {
    refuseFormerAddress(deps, notice)
    const shown = await show()
    const found = notice.is_repeat ? ((await notifier.find?.(shown, notice.address, { signal })) ?? null) : null
    const earlier = found ? null : ((await store.notices.newestSent(notice))?.sent ?? null)
    const link = found ? null : await noticeLink(deps, shown)
    const context = { signal, earlier, ...(link !== null && { link }) }
    const sent = found ?? (await notifier.send(shown, notice.address, context))
    await mark(deps, notice, { kind: 'notice.sent', mark: { status: 'sent', sent, error: null } })
  })
}

async function sendDigest(deps: Delivering, asking: readonly Asking[]): Promise<void> {
  const { notifier, store } = deps
  const [first] = asking
  if (!first) return
  const notices = asking.map(({ notice }) => notice)
  await attempt(deps, notices, async signal => {
    refuseFormerAddress(deps, first.notice)
    const holds = asking.map(({ hold }) => hold)
    const digest = await shownDigest(deps, first.notice, holds)
    const earlier = first.notice.is_repeat ? await notifier.find?.(digest, first.notice.address, { signal }) : null
    const sent = earlier ?? (await notifier.send(digest, first.notice.address, { signal, earlier: null }))
    const done = { status: 'sent', sent, digest: first.notice.id, error: null, next_at: null, tries: 0 } as const
    await store.notices.mark(notices.map(notice => ({ notice, mark: done })))
    for (const notice of notices) deps.tell({ kind: 'notice.sent', notice })
  })
}

async function findAndChange(deps: Delivering, notice: ClaimedNotice, hold: Hold): Promise<void> {
  await attempt(deps, [notice], async signal => {
    const shown = await shownNotice(deps, notice, hold)
    const earlier = (await deps.notifier.find?.(shown, notice.address, { signal })) ?? null
    if (earlier === null)
      return mark(deps, notice, { kind: 'notice.dropped', mark: { status: 'dropped', error: null } })
    const sent = (await deps.notifier.settle?.(earlier, shown, { signal })) ?? earlier
    await mark(deps, notice, { kind: 'notice.changed', mark: { status: 'changed', sent, error: null } })
  })
}

/** Changes a message that was sent to what is true now. */
async function change(deps: Delivering, claim: ClaimedNotice): Promise<void> {
  const { notifier, store } = deps
  const mates = claim.digest === null ? [] : await store.notices.claimWith(claim, { limit: 500, ttl_ms: deps.ttl_ms })
  const notices = [claim, ...mates]
  await attempt(deps, notices, async signal => {
    const shown =
      claim.digest === null ? await changedNotice(deps, claim) : await changedDigest(deps, claim.digest, claim)
    const sent = shown && claim.sent && (await notifier.settle?.(claim.sent, shown, { signal }))
    const done = { ...(sent && { sent }), error: null, next_at: null, tries: 0 }
    const marks = notices.map(async notice => {
      const isOpen = (await store.hold(notice.hold_id))?.status === 'open'
      return { notice, mark: { ...done, status: isOpen ? 'sent' : 'changed' } as const }
    })
    await store.notices.mark(await Promise.all(marks))
    for (const notice of notices) deps.tell({ kind: 'notice.changed', notice })
  })
}

async function changedNotice(deps: Delivering, claim: ClaimedNotice): Promise<Notice | null> {
  const hold = await deps.store.hold(claim.hold_id)
  return hold && (await shownNotice(deps, claim, hold))
}

async function changedDigest(deps: Delivering, digest: string, claim: ClaimedNotice): Promise<Notice> {
  const told = (await deps.store.notices.list({ digest })).toReversed()
  const holds = await Promise.all(told.map(({ hold_id }) => deps.store.hold(hold_id)))
  return shownDigest(
    deps,
    { ...claim, id: digest },
    holds.filter(hold => hold !== null),
  )
}

type Done = Omit<NoticeMark, 'next_at' | 'tries'>

async function mark(
  deps: Delivering,
  notice: ClaimedNotice,
  {
    kind,
    mark: done,
  }: { readonly kind: Exclude<NotifyEvent['kind'], 'notice.failed' | 'notify.failed'>; readonly mark: Done },
): Promise<void> {
  await deps.store.notices.mark([{ notice, mark: { ...done, next_at: null, tries: 0 } }])
  deps.tell({ kind, notice })
}

/** A failure is noted with the time of the next try, and none gets any further. */
async function attempt(
  deps: Delivering,
  notices: readonly ClaimedNotice[],
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const limit = new AbortController()
  using _timer = abortAfter(deps, limit)
  // A signal made of others would stay in memory for as long as the process lives.
  using _stop = onAbort(deps.stop, () => limit.abort(deps.stop.reason))
  try {
    await work(limit.signal)
  } catch (error) {
    await noteFailure(deps, notices, error)
  }
}

async function noteFailure(deps: Delivering, notices: readonly ClaimedNotice[], error: unknown): Promise<void> {
  const marked = notices.map(notice => ({ notice, mark: markOfFailure(deps, notice, error) }))
  await deps.store.notices.mark(marked)
  // A process that stops has not failed.
  if (!deps.stop.aborted)
    for (const { notice, mark } of marked)
      if (mark.status === 'dropped') deps.tell({ kind: 'notice.dropped', notice })
      else deps.tell({ kind: 'notice.failed', notice, error, retry_at: mark.next_at })
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
