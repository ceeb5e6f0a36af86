import type { ChannelKind } from '../../core/notice/notice-event.ts'
import type { NoticeDirectory } from '../../core/notice/recipients.ts'
import type { SignInSettings } from '../../core/settings/people/sign-in-settings.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Ids } from '../../ports/ids.ts'
import type { Notifier } from '../../ports/notifier.ts'
import type { ClaimedNotice } from '../../ports/store/people/notices.ts'
import type { Store } from '../../ports/store/store.ts'

/** An event of a notice, for logs. */
export type NotifyEvent =
  | { readonly kind: 'notice.sent' | 'notice.changed' | 'notice.dropped'; readonly notice: ClaimedNotice }
  | {
      readonly kind: 'notice.failed'
      readonly notice: ClaimedNotice
      readonly error: unknown
      /** ISO time of the next try; `null` if it was the last one. */
      readonly retry_at: string | null
    }
  /** The store could not be read or written; it is tried again. */
  | { readonly kind: 'notify.failed'; readonly error: unknown }

export interface NotifyDeps {
  readonly store: Pick<
    Store,
    'auditHead' | 'feed' | 'hold' | 'holds' | 'journal' | 'links' | 'notices' | 'run' | 'subscriptions' | 'watchFeed'
  >
  readonly clock: Clock
  readonly ids: Ids
  readonly directory: NoticeDirectory
  /** By which people are signed in whose browsers get pushes. */
  readonly signIn: SignInSettings | null
  readonly notifiers: readonly Notifier[]
  /** The digest of the settings of a channel. */
  readonly settingsOf: (channel: ChannelKind) => string
  /** How people reach the server, without a slash at its end; `null` without links. */
  readonly baseUrl: string | null
  readonly tell: (event: NotifyEvent) => void
}
