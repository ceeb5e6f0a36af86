import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { get, remove } from '../api/client.ts'
import type { Change, Documents } from '../api/documents.ts'
import { ProblemError } from '../api/problem.ts'
import { useMe } from '../api/session.ts'
import { useFresh } from '../api/use-fresh.ts'
import { Button } from '../parts/button.tsx'
import { Dialog, DialogActions } from '../parts/dialog.tsx'
import { Room } from '../parts/room.tsx'
import { Empty, Loading, Trouble } from '../parts/states.tsx'
import { GrantCard } from './grant-card.tsx'
import { coverText, type Grant } from './grant-words.ts'

/** Standing approvals: what agents may do without asking, and the way to take that back. */
export function GrantsPage(): ReactElement {
  const [all, setAll] = useState(false)
  const { data, error, refetch } = useQuery({
    queryKey: ['grants', all],
    queryFn: ({ signal }) => get<Documents['Grants']>('/v1/grants', { ...(all && { all }) }, signal),
  })
  useFresh(['grants'], concernsGrants)
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
      {data ? (
        <Grants grants={data.grants} />
      ) : error ? (
        <Trouble error={error} again={() => void refetch()} />
      ) : (
        <Loading />
      )}
    </Room>
  )
}

function concernsGrants({ kind }: Change): boolean {
  return kind === 'hold.decided' || kind === 'grant.revoked'
}

function Grants({ grants }: { readonly grants: readonly Grant[] }): ReactElement {
  const [revoking, setRevoking] = useState<Grant | null>(null)
  const mayRevoke = useMe()?.role === 'admin'
  if (grants.length === 0)
    return (
      <Empty title="Nothing passes unasked">
        Choose “always allow” when you approve a call, and it is listed here.
      </Empty>
    )
  return (
    <>
      <ul className="grid gap-4">
        {grants.toReversed().map(grant => (
          <GrantCard key={grant.id} grant={grant} onRevoke={mayRevoke ? () => setRevoking(grant) : null} />
        ))}
      </ul>
      {!mayRevoke && <p className="mt-4 text-muted text-sm">To revoke one takes the role admin.</p>}
      {revoking && <Revoke grant={revoking} onClose={() => setRevoking(null)} />}
    </>
  )
}

function Revoke({ grant, onClose }: { readonly grant: Grant; readonly onClose: () => void }): ReactElement {
  const queries = useQueryClient()
  const [busy, setBusy] = useState(false)
  const [trouble, setTrouble] = useState<string | null>(null)
  const revoke = async () => {
    setBusy(true)
    try {
      await remove(`/v1/grants/${grant.id}`)
      await queries.invalidateQueries({ queryKey: ['grants'] })
      onClose()
    } catch (thrown) {
      setTrouble(thrown instanceof ProblemError ? thrown.message : 'The server cannot be reached. Try it again.')
      setBusy(false)
    }
  }
  return (
    <Dialog title={`Revoke “${grant.name}”?`} onClose={onClose}>
      <p>{coverText(grant)} From here on it asks again.</p>
      {trouble !== null && (
        <p role="alert" className="mt-2 text-bad text-sm">
          {trouble}
        </p>
      )}
      <DialogActions>
        <Button onClick={onClose}>Keep it</Button>
        <Button look="bad" busy={busy} onClick={() => void revoke()}>
          Revoke
        </Button>
      </DialogActions>
    </Dialog>
  )
}
