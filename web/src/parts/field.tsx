import { type ReactElement, useId } from 'react'

interface FieldControl {
  readonly id: string
  readonly className: string
  readonly 'aria-invalid': true | undefined
  readonly 'aria-describedby': string | undefined
}

interface FieldProps {
  readonly label: string
  /** What to fill in, below the label. */
  readonly hint?: string | null
  readonly error?: string | null
  readonly className?: string
  readonly children: (control: FieldControl) => ReactElement
}

export const CONTROL =
  'w-full min-h-11 rounded-lg border border-strong-line bg-card px-3 py-2 text-text placeholder:text-muted aria-[invalid]:border-bad sm:min-h-10'

/** A control with its label, its hint, and why its value does not fit. */
export function Field({ label, hint = null, error = null, className = '', children }: FieldProps): ReactElement {
  const id = useId()
  const told = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ')
  return (
    <div className={className}>
      <label htmlFor={id} className="mb-1 block font-medium text-sm">
        {label}
      </label>
      {hint && (
        <p id={`${id}-hint`} className="mb-1.5 text-muted text-sm">
          {hint}
        </p>
      )}
      {children({
        id,
        className: CONTROL,
        'aria-invalid': error ? true : undefined,
        'aria-describedby': told || undefined,
      })}
      {error && (
        <p id={`${id}-error`} role="alert" className="mt-1.5 text-bad text-sm">
          {error}
        </p>
      )}
    </div>
  )
}
