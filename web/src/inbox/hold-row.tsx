import { memo, type ReactElement } from 'react'
import { Link } from 'wouter'
import { visibleLine } from '../../../src/core/text/visible-text.ts'
import type { HoldRow } from '../api/documents.ts'
import { Badge } from '../parts/badge.tsx'
import { Icon } from '../parts/icon.tsx'
import { KIND_ICONS, KIND_NAMES } from '../parts/kinds.ts'
import { Ago, DueIn } from '../parts/time.tsx'

/** Two lines, and high enough for a thumb. */
export const ROW_PX = 48

interface RowProps {
  readonly row: HoldRow
  /** The query string of the list, which stays as it is while a hold is open. */
  readonly search: string
  readonly isOpen: boolean
  readonly isAtCursor: boolean
  readonly isChosen: boolean
  readonly onChoose: (id: string) => void
}

export const Row = memo(({ row, search, isOpen, isAtCursor, isChosen, onChoose }: RowProps): ReactElement => {
  const { id } = row
  return (
    <div
      data-cursor={isAtCursor || undefined}
      className={`group relative flex h-full border-line border-b ${isOpen ? 'bg-accent-soft' : 'hover:bg-hover'} data-[cursor]:shadow-[inset_3px_0_0_var(--color-accent)]`}
    >
      <Lead row={row} isChosen={isChosen} onChoose={onChoose} />
      <Link
        href={`/holds/${id}${search}`}
        aria-current={isOpen ? 'true' : undefined}
        className="grid min-w-0 flex-1 grid-cols-[minmax(0,1fr)] content-center pr-4 outline-offset-[-2px]"
      >
        <Title row={row} />
        <Whose row={row} />
      </Link>
    </div>
  )
})

/** The act in words. A tool without words of its own is named, with what it is called with. */
function Title({ row: { kind, title, tool, summary, is_cut } }: Pick<RowProps, 'row'>): ReactElement {
  const isNameAlone = tool !== null && title === tool
  return (
    <span className="min-w-0 truncate text-sm leading-5" dir="auto">
      <span className="font-medium">{title || KIND_NAMES[kind]}</span>
      {isNameAlone && summary !== tool && <span className="ml-2 font-mono text-[0.8125rem]">{summary}</span>}
      {isNameAlone && is_cut && '…'}
    </span>
  )
}

/** The kind. Holds that can be decided together are selected by it. */
function Lead({ row, isChosen, onChoose }: Pick<RowProps, 'row' | 'isChosen' | 'onChoose'>): ReactElement {
  const { id, kind, status, title } = row
  const icon = <Icon name={KIND_ICONS[kind]} className="col-start-1 row-start-1 size-5 group-has-[:checked]:hidden" />
  const place = 'grid w-12 shrink-0 place-items-center text-muted'
  if (status !== 'open' || kind !== 'approval') return <span className={place}>{icon}</span>
  return (
    <label className={`${place} cursor-pointer [&:has(:focus-visible)>svg]:hidden [&:hover>svg]:hidden`}>
      <span className="sr-only">{`Select: ${title}`}</span>
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

/** Only what is out of the ordinary has a mark. */
function Marks({ row }: { readonly row: HoldRow }): ReactElement {
  return (
    <span className="-my-0.5 inline-flex shrink-0 gap-1 empty:hidden">
      <RiskMark row={row} />
      {row.has_look_alikes && row.status === 'open' && <Badge look="warn">look-alike</Badge>}
    </span>
  )
}

function RiskMark({ row: { risk, overrides_never, kind, reaches } }: { readonly row: HoldRow }): ReactElement | null {
  if (overrides_never) return <Badge look="bad">policy says never</Badge>
  if (kind === 'in_doubt') return <Badge look="bad">in doubt</Badge>
  if (risk === 'override') return <Badge look="bad">refused before</Badge>
  return risk === 'high' ? <Badge look="warn">{badgeOf(reaches[0])}</Badge> : null
}

/** The verb of what it reaches: `deletes`. */
function badgeOf(reach: string | undefined): string {
  const verb = reach?.split(' ', 1)[0] ?? ''
  return verb === '' || verb === 'may' || verb === 'does' ? 'high risk' : verb
}

/** The decision, and in red what failed of it. */
function Ended({ row: { outcome, result } }: { readonly row: HoldRow }): ReactElement {
  if (result?.tone !== 'bad') return <span className="min-w-0 truncate">{outcome} ·</span>
  return <span className="min-w-0 truncate text-bad">{`${outcome}. ${visibleLine(result.text)}`}</span>
}

/** What the run was asked for, the agents that ask, and who may decide. */
function Whose({ row }: { readonly row: HoldRow }): ReactElement {
  const { agent, path, status, assignee, may_decide, approvals, task, tool, title } = row
  const asks = path.length > 1 ? path.map(step => step.agent).join(' › ') : agent
  const isOpen = status === 'open'
  return (
    <span className="flex min-w-0 items-center gap-1.5 text-muted text-xs leading-4">
      <Marks row={row} />
      {!isOpen && <Ended row={row} />}
      {approvals.need > 1 && isOpen && (
        <span className="shrink-0 whitespace-nowrap">
          {approvals.have} of {approvals.need} approvals ·
        </span>
      )}
      {assignee !== null && isOpen && <span className="shrink-0">asks {assignee} ·</span>}
      <span className="min-w-0 shrink-[999] truncate" dir="auto">
        {[asks, ...(tool === null || tool === title ? [] : [tool]), visibleLine(task?.text ?? '')]
          .filter(part => part !== '')
          .join(' · ')}
      </span>
      <span className="ml-auto inline-flex shrink-0 items-center gap-1 whitespace-nowrap pl-2">
        {may_decide === false && (
          <>
            <Icon name="lock" className="size-3.5" />
            not yours ·
          </>
        )}
        {row.due_at !== null && isOpen ? <DueIn at={row.due_at} /> : <Ago at={row.opened_at} />}
      </span>
    </span>
  )
}
