import type { ReactElement } from 'react'
import type { HoldView } from '../api/documents.ts'
import { clockTime, localTime } from '../parts/time.tsx'
import { Visible } from '../text/visible.tsx'

export function History({ hold: { history } }: { readonly hold: HoldView }): ReactElement {
  return (
    <section aria-labelledby="history" className="border-line border-t pt-5 text-sm">
      <h2 id="history" className="font-semibold">
        History
      </h2>
      <ol className="mt-2 grid gap-1.5">
        {history.map(({ at, text }) => (
          <li key={`${at} ${text}`} className="grid gap-x-6 sm:grid-cols-[9rem_1fr]">
            <time dateTime={at} title={localTime(at)} className="text-muted">
              {clockTime(at)}
            </time>
            <span className="min-w-0 break-words">
              <Visible text={text} />
            </span>
          </li>
        ))}
      </ol>
    </section>
  )
}
