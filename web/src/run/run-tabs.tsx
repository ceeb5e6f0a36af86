import type { ReactElement } from 'react'
import { Link } from 'wouter'

interface TabsProps {
  readonly runId: string | null
  readonly threadId: string
  readonly here: 'thread' | 'timeline'
}

const TAB =
  'inline-flex min-h-11 items-center border-transparent border-b-2 text-muted text-sm hover:text-text aria-[current]:border-accent aria-[current]:font-medium aria-[current]:text-text'

/** The views of one piece of work. */
export function RunTabs({ runId, threadId, here }: TabsProps): ReactElement {
  return (
    <nav aria-label="Views" className="mb-6 flex gap-6 border-line border-b">
      <Link href={`/threads/${threadId}`} className={TAB} aria-current={here === 'thread' ? 'page' : undefined}>
        Conversation
      </Link>
      {runId !== null && (
        <Link href={`/runs/${runId}`} className={TAB} aria-current={here === 'timeline' ? 'page' : undefined}>
          Timeline
        </Link>
      )}
    </nav>
  )
}
