import { useQuery } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { Link } from 'wouter'
import { visibleJson } from '../../../src/core/text/visible-text.ts'
import { get, remove } from '../api/client.ts'
import type { Change, Documents } from '../api/documents.ts'
import { isOperator, useMe } from '../api/session.ts'
import { useFresh } from '../api/use-fresh.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Dialog, DialogActions } from '../parts/dialog.tsx'
import { Room } from '../parts/room.tsx'
import { Alert, Empty, Loading, Trouble } from '../parts/states.tsx'
import { Ago, localTime, useNow } from '../parts/time.tsx'
import { LongText } from '../text/long-text.tsx'
import { Visible } from '../text/visible.tsx'
import { coverText, type Grant, standingOf } from './grant-words.ts'
import { SuggestionList } from './suggestion-list.tsx'
import { useGrantChange } from './use-grant-change.ts'

/** Standing approvals: what agents may do without asking, and the way to take that back. */
export function GrantsPage(): ReactElement {
  const [all, setAll] = useState(false)
  const { data, error, refetch } = useQuery({
    queryKey: ['grants', all],
    queryFn: ({ signal }) => get<Documents['Grants']>('/v1/grants', { ...(all && { all }) }, signal),
  })
  useFresh(['grants'], concernsGrants)
  const me = useMe()
  return (
    <Room
      title="Grants"
      about="What agents may do without asking, because a person said so once."
      actions={
        <label className="flex min-h-10 cursor-pointer items-center gap-2 text-muted text-sm">
          <input
            type="checkbox"
            checked={all}
            onChange={() => setAll(!all)}
            className="size-4 cursor-pointer accent-accent"
          />
          Also those that ended
        </label>
      }
    >
      <div className="grid grid-cols-1 gap-8">
        {data ? (
          <Grants grants={data.grants} />
        ) : error ? (
          <Trouble error={error} again={() => void refetch()} />
        ) : (
          <Loading />
        )}
        {isOperator(me) && <SuggestionList />}
      </div>
    </Room>
  )
}

function concernsGrants({ kind }: Change): boolean {
  return ['hold.decided', 'grant.given', 'grant.revoked'].includes(kind)
}

function Grants({ grants }: { readonly grants: readonly Grant[] }): ReactElement {
  const [revoking, setRevoking] = useState<Grant | null>(null)
  const me = useMe()
  const mayRevoke = ({ granted_by }: Grant) => me?.role === 'admin' || (isOperator(me) && granted_by === me?.name)
  if (grants.length === 0)
    return (
      <Empty title="Nothing passes unasked">
        Choose “always allow” when you approve a call, or switch a suggested rule on, and it is listed here.
      </Empty>
    )
  return (
    <>
      <ul className="grid gap-4">
        {grants.toReversed().map(grant => (
          <GrantCard key={grant.id} grant={grant} onRevoke={mayRevoke(grant) ? () => setRevoking(grant) : null} />
        ))}
      </ul>
      {me?.role !== 'admin' && (
        <p className="mt-4 text-muted text-sm">Revoking what others gave takes the role admin.</p>
      )}
      {revoking && <Revoke grant={revoking} onClose={() => setRevoking(null)} />}
    </>
  )
}

function Revoke({ grant, onClose }: { readonly grant: Grant; readonly onClose: () => void }): ReactElement {
  const { busy, trouble, change } = useGrantChange(() => remove(`/v1/grants/${grant.id}`), onClose)
  return (
    <Dialog title={`Revoke “${grant.name}”?`} onClose={onClose}>
      <p>{coverText(grant)} From here on it asks again.</p>
      <Alert text={trouble} className="mt-2" />
      <DialogActions>
        <Button onClick={onClose}>Keep it</Button>
        <Button look="bad" busy={busy} onClick={change}>
          Revoke
        </Button>
      </DialogActions>
    </Dialog>
  )
}

interface CardProps {
  readonly grant: Grant
  /** `null` if the person may not. */
  readonly onRevoke: (() => void) | null
}

const MINUTE = 60_000

function GrantCard({ grant, onRevoke }: CardProps): ReactElement {
  const { name, arguments: args, match, granted_by, granted_at, expires_at, hold_id, uses } = grant
  const standing = standingOf(grant, useNow(MINUTE))
  const isInForce = standing === 'in force'
  return (
    <li className="rounded-xl border border-line bg-card p-4 shadow-card sm:p-5">
      <div className="flex items-start gap-3">
        <h2 className="min-w-0 flex-1 break-words font-semibold">
          <Visible text={name} />
        </h2>
        <Badge look={isInForce ? 'good' : 'plain'}>{standing}</Badge>
      </div>
      <p className="mt-1 text-sm">{coverText(grant)}</p>
      <div className="mt-3 rounded-lg bg-sunken px-3 py-2">
        <LongText text={visibleJson(match ?? args)} />
      </div>
      <div className="mt-3 flex flex-wrap items-center gap-x-4 gap-y-2 text-muted text-sm">
        <span>
          Given by {granted_by} <Ago at={granted_at} />
        </span>
        <span>{expires_at === null ? 'Ends with its run' : `Until ${localTime(expires_at)}`}</span>
        <span>
          Let pass {uses} {uses === 1 ? 'call' : 'calls'}
        </span>
        <Link href={`/holds/${hold_id}`} className="text-accent underline-offset-4 hover:underline">
          What was approved
        </Link>
        {isInForce && onRevoke && (
          <Button look="bad" className="ml-auto" onClick={onRevoke}>
            Revoke
          </Button>
        )}
      </div>
    </li>
  )
}
