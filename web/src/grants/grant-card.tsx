import type { ReactElement } from 'react'
import { Link } from 'wouter'
import { visibleJson } from '../../../src/core/text/visible-text.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Ago, localTime, useNow } from '../parts/time.tsx'
import { LongText } from '../text/long-text.tsx'
import { Visible } from '../text/visible.tsx'
import { coverText, type Grant, standingOf } from './grant-words.ts'

interface CardProps {
  readonly grant: Grant
  /** `null` if the person may not. */
  readonly onRevoke: (() => void) | null
}

const MINUTE = 60_000

export function GrantCard({ grant, onRevoke }: CardProps): ReactElement {
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
