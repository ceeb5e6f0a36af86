import type { ReactElement, ReactNode } from 'react'
import type { Json } from '../api/documents.ts'
import { type Faults, faultWithin } from './faults.ts'
import type { Field } from './fields-of.ts'

/** `isFaulty`: the field at `path`, which is this field or one within it, has something that is no value yet. */
export type OnFieldChange = (value: Json | undefined, isFaulty: boolean, path: string) => void

export interface FieldViewProps {
  readonly field: Field
  /** `undefined` if the object has no such key. */
  readonly value: Json | undefined
  readonly faults: Faults
  readonly onChange: OnFieldChange
}

/** The label, the hint and the fault of a field. A fault within a value that is one control belongs to that control. */
export function aroundOf({ field, faults }: Pick<FieldViewProps, 'field' | 'faults'>) {
  const { title, isRequired, hint, path, isLabelHidden = false } = field
  const label = isRequired ? title : `${title} (may be left out)`
  return { label, isLabelHidden, hint, error: faultWithin(faults, path) }
}

interface FieldGroupProps extends Omit<ReturnType<typeof aroundOf>, 'isLabelHidden'> {
  readonly children: ReactNode
}

/** Several controls with one name. */
export function FieldGroup({ label, hint, error, children }: FieldGroupProps): ReactElement {
  return (
    <fieldset aria-invalid={error ? true : undefined} className="min-w-0">
      <legend className="mb-1 font-medium text-sm">{label}</legend>
      {hint && <p className="mb-1.5 text-muted text-sm">{hint}</p>}
      {children}
      {error && (
        <p role="alert" className="mt-1.5 text-bad text-sm">
          {error}
        </p>
      )}
    </fieldset>
  )
}
