import type { ReactElement } from 'react'
import { callAct } from '../../../src/core/hold-view/blocks/act-words.ts'
import { visibleJson } from '../../../src/core/text/visible-text.ts'
import { Icon } from '../parts/icon.tsx'
import { LongText } from '../text/long-text.tsx'
import type { ShownCall } from './conversation.ts'

interface CardProps {
  readonly call: ShownCall
  /** While it runs: the end of what it has printed. */
  readonly printed: string
}

/** A call in one line, with its arguments and result in full in the details. Its output is shown while it runs. */
export function CallCard({ call: { name, arguments: args, result }, printed }: CardProps): ReactElement {
  const act = callAct(name, args)
  const isPrinting = result === null && printed !== ''
  return (
    <div className="overflow-hidden rounded-lg border border-line bg-card text-sm">
      <details className="group">
        <summary className="flex min-h-10 list-none items-center gap-2 px-3 hover:bg-hover [&::-webkit-details-marker]:hidden">
          <Icon name="terminal" className="size-4 text-muted" />
          <span className="min-w-0 truncate font-medium">{act}</span>
          <span className="min-w-0 flex-1 truncate font-mono text-muted text-xs">{!act.includes(name) && name}</span>
          {result === null && <span className="text-muted text-xs">{isPrinting ? 'runs' : 'no result yet'}</span>}
          <Icon name="next" className="size-3.5 text-muted group-open:rotate-90" />
        </summary>
        <div className="grid gap-2 border-line border-t p-3">
          <Part title="Arguments" text={typeof args === 'string' ? args : visibleJson(args)} />
          {result !== null && <Part title="Result" text={textOf(result.content)} />}
        </div>
      </details>
      {isPrinting && <Printed text={printed} />}
    </div>
  )
}

const LINES = 12

/** The newest lines of the output. */
function Printed({ text }: { readonly text: string }): ReactElement {
  const lines = text.replace(/\n$/, '').split('\n').slice(-LINES).join('\n')
  return (
    <div className="border-line border-t bg-sunken px-3 py-2">
      <LongText text={lines} />
    </div>
  )
}

function Part({ title, text }: { readonly title: string; readonly text: string }): ReactElement {
  return (
    <div>
      <p className="mb-1 text-muted text-xs">{title}</p>
      <div className="rounded-md bg-sunken px-3 py-2">
        <LongText text={text} />
      </div>
    </div>
  )
}

function textOf(content: unknown): string {
  return typeof content === 'string' ? content : visibleJson(content as never)
}
