import { memo, type ReactElement } from 'react'
import { Link } from 'wouter'
import type { HoldRow } from '../api/documents.ts'
import { Badge } from '../parts/badge.tsx'
import { Icon } from '../parts/icon.tsx'
import { KIND_ICONS, KIND_NAMES } from '../parts/kinds.ts'
import { Ago, DueIn } from '../parts/time.tsx'

export const ROW_PX = 92

interface RowProps {
  readonly row: HoldRow
  /** Of the list, so that it stays as it is behind the hold. */
  readonly search: string
  readonly isOpen: boolean
  readonly isAtCursor: boolean
  readonly isChosen: boolean
  readonly onChoose: (id: string) => void
}

export const Row = memo(({ row, search, isOpen, isAtCursor, isChosen, onChoose }: RowProps): ReactElement => {
  const { id, kind, tool, summary, is_cut, status } = row
  const name = tool ?? KIND_NAMES[kind]
  return (
    <div
      data-cursor={isAtCursor || undefined}
      className={`group relative flex h-full border-line border-b ${isOpen ? 'bg-accent-soft' : 'hover:bg-hover'} data-[cursor]:shadow-[inset_3px_0_0_var(--color-accent)]`}
    >
      <Lead row={row} isChosen={isChosen} onChoose={onChoose} />
      <Link
        href={`/holds/${id}${search}`}
        aria-current={isOpen ? 'true' : undefined}
        className="grid min-w-0 flex-1 content-center gap-0.5 py-2 pr-4 outline-offset-[-2px]"
      >
        <span className="flex items-baseline gap-2">
          <span className="truncate font-semibold">{name}</span>
          <Marks row={row} />
          <span className="ml-auto shrink-0 whitespace-nowrap text-muted text-xs">
            {row.due_at !== null && status === 'open' ? <DueIn at={row.due_at} /> : <Ago at={row.opened_at} />}
          </span>
        </span>
        <span
          className={`truncate text-sm ${kind === 'approval' || kind === 'in_doubt' ? 'font-mono text-[0.8125rem]' : ''}`}
          dir="auto"
        >
          {summary}
          {is_cut && '…'}
        </span>
        <Whose row={row} />
      </Link>
    </div>
  )
})

/** The kind. Holds that can be decided together are selected by it. */
function Lead({ row, isChosen, onChoose }: Pick<RowProps, 'row' | 'isChosen' | 'onChoose'>): ReactElement {
  const { id, kind, status, tool, summary } = row
  const icon = <Icon name={KIND_ICONS[kind]} className="col-start-1 row-start-1 size-5 group-has-[:checked]:hidden" />
  const place = 'grid w-12 shrink-0 place-items-center text-muted'
  if (status !== 'open' || kind !== 'approval') return <span className={place}>{icon}</span>
  return (
    <label className={`${place} cursor-pointer [&:has(:focus-visible)>svg]:hidden [&:hover>svg]:hidden`}>
      <span className="sr-only">{`Select ${tool}: ${summary}`}</span>
      {icon}
      <input
        type="checkbox"
        checked={isChosen}
        onChange={() => onChoose(id)}
        className="col-start-1 row-start-1 size-5 cursor-pointer accent-accent opacity-0 checked:opacity-100 hover:opacity-100 focus-visible:opacity-100"
      />
    </label>
  )
}

function Marks({ row: { destructive, overrides_never, kind } }: { readonly row: HoldRow }): ReactElement | null {
  if (overrides_never) return <Badge look="bad">policy says never</Badge>
  if (kind === 'in_doubt') return <Badge look="warn">in doubt</Badge>
  return destructive ? <Badge look="warn">destructive</Badge> : null
}

/** The agents that ask, and who may decide. */
function Whose({ row }: { readonly row: HoldRow }): ReactElement {
  const { agent, path, status, assignee, may_decide, approvals, outcome } = row
  const asks = path.length > 1 ? path.map(step => step.agent).join(' › ') : agent
  return (
    <span className="flex min-w-0 items-center gap-1.5 text-muted text-xs">
      <span className="truncate">{asks}</span>
      {status !== 'open' && <span className="truncate">· {outcome}</span>}
      {approvals.need > 1 && status === 'open' && (
        <span className="whitespace-nowrap">
          · {approvals.have} of {approvals.need} approvals
        </span>
      )}
      {assignee !== null && status === 'open' && <span className="truncate">· asks {assignee}</span>}
      {may_decide === false && (
        <span className="ml-auto inline-flex items-center gap-1 whitespace-nowrap">
          <Icon name="lock" className="size-3.5" />
          not yours
        </span>
      )}
    </span>
  )
}
