import { type ComponentProps, type ReactElement, type ReactNode, useId } from 'react'

interface FieldControl {
  readonly id: string
  readonly className: string
  readonly 'aria-invalid': true | undefined
  readonly 'aria-describedby': string | undefined
}

interface FieldProps {
  readonly label: string
  /** True if only a screen reader needs it. */
  readonly isLabelHidden?: boolean
  /** An instruction, below the label. */
  readonly hint?: string | null | undefined
  readonly error?: string | null | undefined
  readonly className?: string | undefined
  readonly children: (control: FieldControl) => ReactElement
}

export const CONTROL =
  'w-full min-h-11 rounded-lg border border-strong-line bg-card px-3 py-2 text-text placeholder:text-muted aria-[invalid]:border-bad sm:min-h-10'

/** A control with its label, its hint, and why its value does not fit. */
export function Field(props: FieldProps): ReactElement {
  const { label, isLabelHidden = false, hint = null, error = null, className = '', children } = props
  const id = useId()
  const told = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ')
  return (
    <div className={className}>
      <label htmlFor={id} className={isLabelHidden ? 'sr-only' : 'mb-1 block font-medium text-sm'}>
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

interface TextFieldProps
  extends Omit<FieldProps, 'children'>,
    Omit<
      ComponentProps<'input'> & ComponentProps<'textarea'>,
      'children' | 'className' | 'onChange' | 'ref' | 'value'
    > {
  readonly value: string
  /** True for a font in which all letters are equally wide. */
  readonly isCode?: boolean
  readonly onChange: (value: string) => void
}

/** A field for text: of one line, unless `rows` are given. */
export function TextField(props: TextFieldProps): ReactElement {
  const { label, isLabelHidden = false, hint, error, className, isCode = false, onChange, ...input } = props
  const Control = input.rows === undefined ? 'input' : 'textarea'
  const look = isCode ? { className: `${CONTROL} font-mono text-[0.8125rem]` } : { dir: 'auto' }
  return (
    <Field {...{ label, isLabelHidden, hint, error, className }}>
      {control => <Control {...control} {...look} {...input} onChange={({ target }) => onChange(target.value)} />}
    </Field>
  )
}

interface SelectFieldProps extends Omit<FieldProps, 'children'> {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly children: ReactNode
}

/** A field with a list of options. */
export function SelectField({ value, onChange, children, ...field }: SelectFieldProps): ReactElement {
  return (
    <Field {...field}>
      {control => (
        <select {...control} value={value} onChange={({ target }) => onChange(target.value)}>
          {children}
        </select>
      )}
    </Field>
  )
}
