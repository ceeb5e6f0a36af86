import type { ReactElement } from 'react'
import type { HoldView } from '../api/documents.ts'
import { languageOfPath } from '../text/colours/language-of.ts'
import { DataTable } from '../text/data-table.tsx'
import { DiffText } from '../text/diff-text.tsx'
import { LongText, sizeOf } from '../text/long-text.tsx'
import { Visible } from '../text/visible.tsx'
import { placeOf } from './changed-files.tsx'

type Part = NonNullable<HoldView['preview']>['parts'][number]

/** P9: a part of what the call would do, as its tool showed it when the hold opened. An approval binds it. */
export function PartView({ part }: { readonly part: Part }): ReactElement {
  const { title } = part
  return (
    <figure id={part.type === 'diff' && title ? placeOf(title) : undefined} className="scroll-mt-4">
      {title !== undefined && title !== '' && (
        <figcaption className="mb-1 flex items-baseline gap-3 font-medium font-mono text-xs">
          <span className="min-w-0 break-words">
            <Visible text={title} />
          </span>
          {part.type === 'diff' && (
            <span className="ml-auto whitespace-nowrap font-normal font-sans text-muted">
              {part.added} added, {part.removed} removed
            </span>
          )}
        </figcaption>
      )}
      <PartBody part={part} />
    </figure>
  )
}

const BOX = 'rounded-lg border border-line bg-sunken px-3 py-2'

function PartBody({ part }: { readonly part: Part }): ReactElement {
  switch (part.type) {
    case 'text':
      return (
        <div className={BOX}>
          <LongText text={part.text} language={languageOfPath(part.title ?? '')} />
          {sizeOf(part.text) && <p className="mt-2 text-muted text-xs">{sizeOf(part.text)}</p>}
        </div>
      )
    case 'diff':
      return <DiffText diff={part.diff} path={part.title ?? ''} />
    case 'image':
      return (
        <img
          src={`data:${part.media_type};base64,${part.data}`}
          alt={part.title ?? 'The preview, as an image'}
          className="max-w-full rounded-lg border border-line"
        />
      )
    case 'table':
      return <Table columns={part.columns} rows={part.rows} title={part.title} />
    case 'link':
      return <PreviewLink url={part.url} />
  }
}

interface TableProps {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly string[])[]
  readonly title: string | undefined
}

function Table({ columns, rows, title = 'The preview' }: TableProps): ReactElement {
  return <DataTable label={title} head={columns.map(shown)} rows={rows.map(row => row.map(shown))} />
}

function shown(text: string): ReactElement {
  return <Visible text={text} />
}

/** The address is shown before it is followed. */
function PreviewLink({ url }: { readonly url: string }): ReactElement {
  const isWeb = /^https?:\/\//i.test(url)
  const shown = <Visible text={url} />
  if (!isWeb) return <span className="break-all text-sm">{shown}</span>
  return (
    <a href={url} target="_blank" rel="noreferrer noopener" className="break-all text-accent text-sm underline">
      {shown}
    </a>
  )
}
