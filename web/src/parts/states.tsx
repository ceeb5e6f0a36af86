import type { ReactElement, ReactNode } from 'react'
import { NoAnswerError, ProblemError } from '../api/problem.ts'
import { Button } from './button.tsx'

/** Nothing to show, and why that is fine. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }): ReactElement {
  return (
    <div className="mx-auto grid h-full max-w-sm place-content-center p-8 text-center">
      <h2 className="font-medium">{title}</h2>
      {children && <div className="mt-1 text-muted text-sm">{children}</div>}
    </div>
  )
}

export function NotFound(): ReactElement {
  return (
    <Empty title="There is nothing here">
      <p>The address may be cut off.</p>
    </Empty>
  )
}

/** Calm bars in place of rows that are on their way. */
export function Loading({ rows = 6 }: { readonly rows?: number }): ReactElement {
  return (
    <div role="status" aria-label="Loading" className="animate-[pulse_2s_ease-in-out_infinite] p-4">
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the bars are all alike
        <div key={row} className="mb-5 grid gap-2">
          <div className="h-4 w-2/5 rounded bg-hover" />
          <div className="h-4 w-4/5 rounded bg-hover" />
        </div>
      ))}
    </div>
  )
}

/** Why something cannot be shown, in the server's words, and the way to try it again. */
export function Trouble({ error, again }: { readonly error: unknown; readonly again?: () => void }): ReactElement {
  const isRefusal = error instanceof ProblemError
  const title = error instanceof NoAnswerError ? 'The server cannot be reached' : 'This cannot be shown'
  return (
    <div role="alert" className="mx-auto grid h-full max-w-md place-content-center p-8 text-center">
      <h2 className="font-medium">{title}</h2>
      <p className="mt-1 text-muted text-sm">{isRefusal ? error.problem.detail : 'The page tries again by itself.'}</p>
      {isRefusal && error.problem.hint && <p className="mt-1 text-muted text-sm">{error.problem.hint}</p>}
      {again && (
        <Button className="mt-4 justify-self-center" onClick={again}>
          Try again
        </Button>
      )}
    </div>
  )
}

interface AlertProps {
  readonly text: string | null
  readonly className?: string
}

/** Why something was not done; nothing while `text` is `null`. */
export function Alert({ text, className = '' }: AlertProps): ReactElement | null {
  if (text === null) return null
  return (
    <p role="alert" className={`text-bad text-sm [overflow-wrap:anywhere] ${className}`}>
      {text}
    </p>
  )
}
