import type { ReactElement } from 'react'
import type { HoldView } from '../api/documents.ts'
import { useMe } from '../api/session.ts'
import { Icon } from '../parts/icon.tsx'
import { clockTime } from '../parts/time.tsx'
import { Visible } from '../text/visible.tsx'

/** Shows how the hold ended, and who ended it; nothing while it is open. */
export function OutcomeBanner({ hold }: { readonly hold: HoldView }): ReactElement {
  const me = useMe()
  return (
    <div role="status" className="empty:hidden">
      {hold.status !== 'open' && <Ended hold={hold} me={me?.name ?? null} />}
    </div>
  )
}

function Ended({ hold, me }: { readonly hold: HoldView; readonly me: string | null }): ReactElement {
  const { look, icon, title } = endOf(hold, me)
  const reason = hold.decision?.reason ?? null
  return (
    <div className={`flex gap-3 rounded-xl px-4 py-3 ${look}`}>
      <Icon name={icon} className="mt-0.5 size-5" />
      <div className="min-w-0">
        <p className="font-semibold">{title}</p>
        {hold.decision && (
          <p className="text-sm">
            {clockTime(hold.decision.at)}
            {hold.decision.surface !== '' && ` · via ${hold.decision.surface}`}
          </p>
        )}
        {reason !== null && (
          <p className="mt-1 whitespace-pre-wrap break-words text-sm" dir="auto">
            <Visible text={`“${reason}”`} />
          </p>
        )}
      </div>
    </div>
  )
}

const SAID = {
  approve: 'approved it',
  reject: 'rejected it',
  edit: 'approved it with changes',
  respond: 'answered',
  cancel: 'cancelled it',
} as const

const GOOD = { look: 'bg-good-soft text-good', icon: 'check' } as const
const BAD = { look: 'bg-bad-soft text-bad', icon: 'cross' } as const
const GONE = { look: 'bg-hover text-text', icon: 'clock' } as const

function endOf({ status, decision, kind, result }: HoldView, me: string | null) {
  if (status === 'expired') return { ...GONE, title: 'It expired before anybody decided' }
  if (status === 'withdrawn') return { ...GONE, title: 'Withdrawn: its run does not wait for this any more' }
  if (status === 'exported') return { ...GONE, title: 'Its session moved to another store, and is decided there' }
  if (!decision) return { ...GONE, title: 'It does not wait any more' }
  const who = decision.decided_by === me ? 'You' : decision.decided_by
  const isNo = decision.verdict === 'reject' || decision.verdict === 'cancel'
  const notRun = isNo && kind === 'approval' && result?.started_at === null ? ', so it does not run' : ''
  return {
    ...(isNo ? BAD : GOOD),
    title: `${who} ${SAID[decision.verdict]}${notRun}`,
  }
}
