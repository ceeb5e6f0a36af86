/**
 * Reads the feed into the outbox.
 * T1  A stretch of records leads to its notices once, even if several processes read it: the cursor moves by a
 *     compare-and-set with them.
 * T2  Records that lead to nothing cost no write: the cursor in the store lags by a bounded stretch.
 * T3  A hold whose recipients are unknown, as its row was damaged, blocks no other from being reported.
 * T4  A server that could only push reads nothing as long as no browser is subscribed: the channels that a project names
 *     later begin with what waits then.
 */
import type { AuditRecord } from '../../core/audit/audit.ts'
import type { Hold } from '../../core/hold/hold.ts'
import type { ChannelKind } from '../../core/notice/notice-event.ts'
import { hasReleased, type NoticeRule, noticeRule } from '../../core/notice/notice-rules.ts'
import { subscribersOf } from '../../core/notice/push/subscribers.ts'
import type { Subscription } from '../../core/notice/push/subscription.ts'
import { type Recipient, recipientsOf, watchersOf } from '../../core/notice/recipients.ts'
import type { NewNotice, NoticeBatch } from '../../ports/store/people/notices.ts'
import type { NotifyDeps } from './notify-deps.ts'

const PAGE = 500
/** Records without notices that are read again after a restart, at most. */
const LAG = 5_000
const HOLDS_PAGE = 500

type Batch = Omit<NoticeBatch, 'from' | 'to'>

export class RecordReader {
  readonly #deps: NotifyDeps
  /** The channels that can change what they sent. */
  readonly #changing: readonly ChannelKind[]
  /** The cursor in the store, and how far was read without a notice; `null` before the first look. */
  #place: { readonly stored: number; readonly read: number } | null = null

  constructor(deps: NotifyDeps) {
    this.#deps = deps
    this.#changing = deps.notifiers.filter(({ settle }) => settle !== undefined).map(({ kind }) => kind)
  }

  /** Until the end of the feed. */
  async readAll(): Promise<void> {
    const { store } = this.#deps
    if (await this.#reachesNobody()) return
    for (;;) {
      const place = this.#place ?? (await this.#begin())
      this.#place = place
      const page = await store.feed(place.read, PAGE)
      const to = page.at(-1)?.seq
      if (to === undefined) return
      await this.#take(
        place,
        to,
        page.flatMap(({ record }) => record ?? []),
      )
    }
  }

  /** T4. */
  async #reachesNobody(): Promise<boolean> {
    const { store, notifiers } = this.#deps
    if (notifiers.some(({ kind }) => kind !== 'push')) return false
    return (await store.subscriptions.list({ limit: 1 })).length === 0
  }

  /** A store without notices begins with what waits now: people hear of no past. */
  async #begin(): Promise<{ stored: number; read: number }> {
    const { store } = this.#deps
    const known = await store.notices.place()
    if (known !== null) return { stored: known, read: known }
    const { seq } = await store.auditHead()
    const notices: NewNotice[] = []
    const subscriptions = await store.subscriptions.list()
    for (let after: string | undefined; ; ) {
      const holds = await store.holds({ status: 'open', limit: HOLDS_PAGE, ...(after !== undefined && { after }) })
      notices.push(...holds.flatMap(hold => this.#noticesOrNone(hold, { ...OPENED, subscriptions })))
      after = holds.at(-1)?.id
      if (holds.length < HOLDS_PAGE) break
    }
    await store.notices.enqueue({ from: seq, to: seq, notices, stale: { hold_ids: [], channels: [] } })
    const place = (await store.notices.place()) ?? seq
    return { stored: place, read: place }
  }

  async #take(place: { stored: number; read: number }, to: number, records: readonly AuditRecord[]): Promise<void> {
    const batch = await this.#batchOf(records)
    const isEmpty = batch.notices.length === 0 && batch.stale.hold_ids.length === 0
    if (isEmpty && to - place.stored < LAG) {
      this.#place = { ...place, read: to }
      return
    }
    const isFirst = await this.#deps.store.notices.enqueue({ ...batch, from: place.stored, to })
    this.#place = isFirst ? { stored: to, read: to } : null
  }

  async #batchOf(records: readonly AuditRecord[]): Promise<Batch> {
    const notices: NewNotice[] = []
    const stale = new Set<string>()
    let subscriptions: readonly Subscription[] | null = null
    for (const record of records) {
      const rule = noticeRule(record.kind)
      if (rule?.hears === 'watchers') notices.push(...this.#noticesOfRun(record, rule))
      const hold = rule && (await this.#holdOf(record))
      if (!rule || !hold) continue
      if (rule.isStale && this.#changing.length > 0) stale.add(hold.id)
      subscriptions ??= await this.#deps.store.subscriptions.list()
      notices.push(...this.#noticesOrNone(hold, { record, about: rule.about(record), rule, subscriptions }))
    }
    return { notices, stale: { hold_ids: [...stale], channels: this.#changing } }
  }

  /** `null` also for a call that ran without a hold, or whose hold did not let it run. */
  async #holdOf({ kind, hold_id, call_id, run_id }: AuditRecord): Promise<Hold | null> {
    const { store } = this.#deps
    if (kind !== 'call.finished') return hold_id === null ? null : store.hold(hold_id)
    if (call_id === null || run_id === null) return null
    const [newest] = await store.holds({ run_id, call_id, order: 'newest', limit: 1 })
    return newest && hasReleased(newest) ? newest : null
  }

  /** A run that asks nobody. */
  #noticesOfRun(record: AuditRecord, { event, about }: NoticeRule): NewNotice[] {
    const { run_id, at } = record
    const recipients = run_id === null ? [] : watchersOf(this.#deps.directory, { event, now: this.#deps.clock.now() })
    const of = { hold_id: run_id ?? '', event, about: about(record), at }
    return recipients.map(recipient => this.#noticeTo(recipient, of))
  }

  #noticeTo({ at, ...to }: Recipient, of: Pick<NewNotice, 'hold_id' | 'event' | 'about' | 'at'>): NewNotice {
    return { ...to, ...of, id: this.#deps.ids.next('notice'), next_at: new Date(at).toISOString() }
  }

  /** T3. */
  #noticesOrNone(hold: Hold, occasion: Occasion): NewNotice[] {
    try {
      return this.#noticesOf(hold, occasion)
    } catch (error) {
      this.#deps.tell({ kind: 'notify.failed', error })
      return []
    }
  }

  #noticesOf(hold: Hold, { record, about, rule, subscriptions }: Occasion): NewNotice[] {
    const { directory, signIn, clock } = this.#deps
    const [now, happened] = [clock.now(), record?.at ?? hold.opened_at]
    const recipients = [
      ...recipientsOf(directory, { rule, record, hold, now }),
      ...subscribersOf({ ...directory, signIn }, subscriptions, { event: rule.event, hold, at: happened, now }),
    ]
    const of = { hold_id: hold.id, event: rule.event, about, at: happened }
    return recipients.map(recipient => this.#noticeTo(recipient, of))
  }
}

interface Occasion {
  readonly record: AuditRecord | null
  readonly about: string
  readonly rule: Pick<NoticeRule, 'event' | 'hears'>
  readonly subscriptions: readonly Subscription[]
}

const OPENED: Omit<Occasion, 'subscriptions'> = { record: null, about: '0', rule: { event: 'opened', hears: 'asked' } }
