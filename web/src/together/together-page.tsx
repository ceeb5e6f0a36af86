import { useQueryClient } from '@tanstack/react-query'
import { type ReactElement, useCallback, useState } from 'react'
import { Link, useSearch } from 'wouter'
import { isReachable } from '../api/connection.ts'
import { decideTogether } from '../api/decisions.ts'
import type { HoldView } from '../api/documents.ts'
import { useShared } from '../api/shared-value.ts'
import { useHolds } from '../hold/use-hold.ts'
import { Button } from '../parts/button.tsx'
import { TextField } from '../parts/field.tsx'
import { Icon } from '../parts/icon.tsx'
import { Empty, Loading } from '../parts/states.tsx'
import { Entry } from './entry.tsx'
import { isMarked, type Marks } from './marks.ts'
import { sumOf } from './sum-of.ts'

/** So many are read with care at once. */
const MOST = 50

/** `/together?holds=a,b`: several holds below each other, each in full and with a mark, and one decision for the marked. */
export function TogetherPage(): ReactElement {
  const ids = [...new Set((new URLSearchParams(useSearch()).get('holds') ?? '').split(',').filter(Boolean))].slice(
    0,
    MOST,
  )
  const holds = useHolds(ids)
  const [seen, see] = useState<ReadonlySet<string>>(new Set())
  const [marks, mark] = useState<Marks>({})
  const onSeen = useCallback((id: string) => see(known => (known.has(id) ? known : new Set([...known, id]))), [])
  if (ids.length === 0)
    return <Empty title="Nothing is chosen">Choose holds in the inbox with x, then decide them together.</Empty>
  if (holds === null) return <Loading rows={4} />
  const marked = holds.filter(hold => isMarked(hold, marks, seen))
  return (
    <div className="flex h-full flex-col">
      <div className="min-h-0 flex-1 overflow-y-auto overscroll-contain" tabIndex={-1}>
        <div className="mx-auto grid max-w-3xl grid-cols-[minmax(0,1fr)] gap-4 px-4 py-5 sm:px-8">
          <Link href="/" className="flex min-h-11 items-center gap-1 text-muted text-sm">
            <Icon name="back" /> Inbox
          </Link>
          <header>
            <h1 className="font-semibold text-2xl">{headingOf(holds)}</h1>
            <p className="mt-1 text-muted text-sm">
              Read each to its end: it gets its mark then. What has more risk you mark yourself. Take a mark away to
              leave one undecided.
            </p>
          </header>
          {holds.map(hold => (
            <Entry
              key={hold.id}
              hold={hold}
              wasSeen={seen.has(hold.id)}
              isMarked={marked.includes(hold)}
              onSeen={onSeen}
              onMark={is => mark(known => ({ ...known, [hold.id]: is }))}
            />
          ))}
        </div>
      </div>
      <Bar marked={marked} />
    </div>
  )
}

/** `12 refunds` has no grammar that is right for every title, so the tool stands by itself. */
function headingOf(holds: readonly HoldView[]): string {
  const open = holds.filter(({ status }) => status === 'open').length
  const tools = new Set(holds.map(({ tool }) => tool))
  const [only] = tools.size === 1 ? tools : []
  return `${open} to decide${only ? `: ${only}` : ''}`
}

/** The decision, always in view. */
function Bar({ marked }: { readonly marked: readonly HoldView[] }): ReactElement {
  const [isRejecting, reject] = useState(false)
  const [reason, setReason] = useState('')
  const [all, setAll] = useState(false)
  const [told, tell] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const isWaiting = !useShared(isReachable)
  const queries = useQueryClient()
  const decide = async (verdict: 'approve' | 'reject') => {
    setBusy(true)
    try {
      const receipts = await decideTogether(
        marked,
        { verdict, ...(verdict === 'reject' && reason.trim() !== '' && { reason: reason.trim() }) },
        all,
      )
      tell(wordsOf(receipts, all))
      reject(false)
    } catch (thrown) {
      tell(thrown instanceof Error ? thrown.message : String(thrown))
    } finally {
      setBusy(false)
      void queries.invalidateQueries({ queryKey: ['hold'] })
    }
  }
  const isOff = marked.length === 0 || isWaiting
  const sum = sumOf(marked)
  return (
    <div className="shrink-0 border-line border-t bg-card pb-[env(safe-area-inset-bottom)]">
      <div className="mx-auto grid max-w-3xl grid-cols-[minmax(0,1fr)] gap-3 px-4 py-3 sm:px-8">
        <p role="status" aria-live="polite" className="text-sm empty:hidden">
          {told}
        </p>
        {marked.length > 0 && (
          <p className="text-muted text-sm">
            {marked.length} marked{sum !== null && `. Together ${sum}`}
          </p>
        )}
        {isRejecting && (
          <TextField label="Why? The agents read it." autoFocus rows={2} value={reason} onChange={setReason} />
        )}
        <div className="flex flex-wrap items-center gap-2">
          {isRejecting ? (
            <>
              <Button look="bad" busy={isBusy} disabled={isOff} onClick={() => void decide('reject')}>
                Reject the {marked.length} marked
              </Button>
              <Button look="quiet" onClick={() => reject(false)}>
                Back
              </Button>
            </>
          ) : (
            <>
              <Button look="good" busy={isBusy} disabled={isOff} onClick={() => void decide('approve')}>
                <Icon name="check" /> {approveWords(marked.length, isWaiting)}
              </Button>
              <Button look="bad" disabled={isOff || isBusy} onClick={() => reject(true)}>
                <Icon name="cross" /> Reject…
              </Button>
            </>
          )}
          <label className="ml-auto flex min-h-11 items-center gap-2 text-sm">
            <input type="checkbox" checked={all} onChange={() => setAll(!all)} className="size-5 accent-accent" />
            <span>
              All or none <span className="text-muted">(if one cannot be recorded, none is)</span>
            </span>
          </label>
        </div>
      </div>
    </div>
  )
}

function approveWords(count: number, isWaiting: boolean): string {
  if (isWaiting) return 'Waits for the network'
  return count === 0 ? 'Mark what you have checked' : `Approve the ${count} marked`
}

function wordsOf(receipts: Awaited<ReturnType<typeof decideTogether>>, all: boolean): string {
  const refused = receipts.flatMap(receipt => {
    if (receipt.outcome === 'already_decided') return [`${receipt.winner.decided_by} decided one of them first.`]
    return receipt.outcome === 'refused' ? [receipt.error.message] : []
  })
  if (refused.length === 0) return `${receipts.length} ${receipts.length === 1 ? 'is' : 'are'} recorded.`
  const recorded = all ? 'Nothing was recorded.' : `${receipts.length - refused.length} are recorded.`
  return [recorded, ...refused].join(' ')
}
