import type { ReactElement } from 'react'
import type { HoldView } from '../api/documents.ts'
import { Section } from '../parts/section.tsx'
import { LongText, sizeOf } from '../text/long-text.tsx'
import { Visible } from '../text/visible.tsx'

type Preview = NonNullable<HoldView['preview']>
type Part = Preview['parts'][number]

/** P9: what the call would do, as its tool showed it when the hold opened. An approval binds it. */
export function PreviewView({ preview }: { readonly preview: Preview | undefined }): ReactElement | null {
  if (preview === undefined) return null
  const { parts, problem } = preview
  return (
    <Section title="What it would do">
      {problem !== null && (
        <p className="rounded-lg bg-warn-soft px-3 py-2 text-sm text-warn">
          <Visible text={problem} />
        </p>
      )}
      <div className="grid gap-4">
        {parts.map((part, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a hold never change
          <PartView key={place} part={part} />
        ))}
      </div>
    </Section>
  )
}

function PartView({ part }: { readonly part: Part }): ReactElement {
  const { title } = part
  return (
    <figure>
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
          <LongText text={part.text} />
          {sizeOf(part.text) && <p className="mt-2 text-muted text-xs">{sizeOf(part.text)}</p>}
        </div>
      )
    case 'diff':
      return <Diff diff={part.diff} />
    case 'image':
      return (
        <img
          src={`data:${part.media_type};base64,${part.data}`}
          alt={part.title ?? 'The preview, as an image'}
          className="max-w-full rounded-lg border border-line"
        />
      )
    case 'table':
      return <Table columns={part.columns} rows={part.rows} />
    case 'link':
      return <PreviewLink url={part.url} />
  }
}

const LINE_LOOKS: Readonly<Record<string, string>> = {
  '+': 'bg-good-soft text-good',
  '-': 'bg-bad-soft text-bad',
  '@': 'text-muted',
}

/** Each line keeps its sign: no meaning hangs on a colour. */
function Diff({ diff }: { readonly diff: string }): ReactElement {
  if (diff === '') return <p className="text-muted text-sm">Nothing changes.</p>
  const lines = diff.replace(/\n$/, '').split('\n')
  return (
    <pre
      dir="ltr"
      className="overflow-hidden whitespace-pre-wrap break-words rounded-lg border border-line bg-card py-1 font-mono text-[0.8125rem] leading-5 [overflow-wrap:anywhere] [tab-size:4]"
    >
      {lines.map((line, place) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a hold never change
          key={place}
          className={`block min-h-5 px-3 [content-visibility:auto] [contain-intrinsic-size:auto_1.25rem] ${LINE_LOOKS[line[0] ?? ''] ?? ''}`}
        >
          <Visible text={line} />
        </span>
      ))}
    </pre>
  )
}

interface TableProps {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

function Table({ columns, rows }: TableProps): ReactElement {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls is reached by key
    <div className="overflow-x-auto rounded-lg border border-line" tabIndex={0}>
      <table className="w-full text-left text-sm">
        <thead className="bg-sunken text-xs">
          <tr>
            {columns.map(column => (
              <th key={column} scope="col" className="px-3 py-1.5 font-medium">
                <Visible text={column} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, row) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the rows of a hold never change
            <tr key={row} className="border-line border-t">
              {cells.map((cell, place) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: see above
                <td key={place} className="px-3 py-1.5 align-top">
                  <Visible text={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** It shows where it leads before it is followed. */
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
