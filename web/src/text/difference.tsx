import type { ReactElement } from 'react'
import type { Json } from '../api/documents.ts'
import { Visible } from './visible.tsx'

interface DifferencesProps {
  readonly differences: readonly { readonly path: string; readonly was: Json; readonly is: Json }[]
  /** The names of the two sides. */
  readonly was: string
  readonly is: string
}

/** Place by place, with a sign before each side: no meaning hangs on a colour. */
export function Differences({ differences, was, is }: DifferencesProps): ReactElement {
  return (
    <ul className="grid gap-3">
      {differences.map(each => (
        <li key={each.path} className="overflow-hidden rounded-lg border border-line">
          <p className="border-line border-b bg-card px-3 py-1.5 font-medium font-mono text-xs">
            <Visible text={each.path} />
          </p>
          {each.was !== null && <Side sign="−" name={was} value={each.was} look="bg-bad-soft text-bad" />}
          {each.is !== null && <Side sign="+" name={is} value={each.is} look="bg-good-soft text-good" />}
        </li>
      ))}
    </ul>
  )
}

interface SideProps {
  readonly sign: string
  readonly name: string
  readonly value: Json
  readonly look: string
}

function Side({ sign, name, value, look }: SideProps): ReactElement {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  return (
    <div className={`flex gap-2 px-3 py-1.5 font-mono text-[0.8125rem] ${look}`}>
      <span aria-hidden="true" className="select-none">
        {sign}
      </span>
      <span className="sr-only">{name}: </span>
      <pre dir="ltr" className="min-w-0 whitespace-pre-wrap break-words [overflow-wrap:anywhere]">
        <Visible text={text} />
      </pre>
    </div>
  )
}
