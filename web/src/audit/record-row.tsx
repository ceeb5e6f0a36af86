import type { ReactElement } from 'react'
import { Link } from 'wouter'
import { visibleJson } from '../../../src/core/text/visible-text.ts'
import type { Documents } from '../api/documents.ts'
import { clockTime, localTime } from '../parts/time.tsx'
import { Visible } from '../text/visible.tsx'

type Row = Documents['AuditRecords']['records'][number]
type AuditRecord = NonNullable<Row['record']>

export function RecordRow({ row: { seq, record, hash, told } }: { readonly row: Row }): ReactElement {
  if (record === null)
    return (
      <li className="border-line border-b py-3 text-bad text-sm">Record {seq} was made unreadable. Verify the log.</li>
    )
  return (
    <li className="border-line border-b">
      <details>
        <summary className="grid min-h-11 cursor-pointer list-none gap-x-4 py-2.5 text-sm hover:bg-hover sm:grid-cols-[9rem_minmax(0,1fr)] [&::-webkit-details-marker]:hidden">
          <time dateTime={record.at} title={localTime(record.at)} className="text-muted text-xs leading-5 tabular-nums">
            {clockTime(record.at)}
          </time>
          <span className={`min-w-0 [overflow-wrap:anywhere] ${told?.tone === 'bad' ? 'text-bad' : ''}`} dir="auto">
            <Visible text={told?.text ?? record.kind} />
          </span>
        </summary>
        <Behind record={record} hash={hash} />
      </details>
    </li>
  )
}

function Behind({ record, hash }: { readonly record: AuditRecord; readonly hash: string }): ReactElement {
  const { hold_id, run_id, thread_id, surface, seq } = record
  const links: readonly (readonly [name: string, href: string | null])[] = [
    ['The hold', hold_id && `/holds/${hold_id}`],
    ['The run over time', run_id && `/runs/${run_id}`],
    ['The conversation', thread_id && `/threads/${thread_id}`],
    ['All about this hold', hold_id && `/audit?show=everything&hold_id=${hold_id}`],
    ['All about this run', run_id && `/audit?show=everything&run_id=${run_id}`],
  ]
  return (
    <div className="grid gap-2 pb-4 text-sm">
      <p className="text-muted text-xs">
        Record {seq}
        {surface !== null && `, via ${surface}`}
      </p>
      <p className="flex flex-wrap gap-x-4 gap-y-1">
        {links.map(
          ([name, href]) =>
            href && (
              <Link key={name} href={href} className="text-accent underline-offset-4 hover:underline">
                {name}
              </Link>
            ),
        )}
      </p>
      <pre className="overflow-x-auto rounded-lg bg-sunken p-3 font-mono text-xs">{visibleJson(record.data)}</pre>
      <p className="break-all font-mono text-muted text-xs">{hash}</p>
    </div>
  )
}
