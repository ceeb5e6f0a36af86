import { type ReactElement, useState } from 'react'
import type { Json } from '../api/documents.ts'
import { Field } from '../parts/field.tsx'
import { readNumber } from './fields-of.ts'

interface NumberFieldProps {
  readonly title: string
  readonly hint: string | null
  readonly fault: string | null
  readonly isInteger: boolean
  readonly value: number | undefined
  readonly onChange: (value: Json | undefined, isFaulty: boolean) => void
}

/** A text field: a browser's own number field turns some numbers into other ones. */
export function NumberField({ title, hint, fault, isInteger, value, onChange }: NumberFieldProps): ReactElement {
  const [text, setText] = useState(value === undefined ? '' : String(value))
  const [unread, setUnread] = useState<string | null>(null)
  const change = (changed: string) => {
    setText(changed)
    const read = changed.trim() === '' ? { value: undefined } : readNumber(changed, isInteger)
    setUnread('fault' in read ? read.fault : null)
    onChange('fault' in read ? value : read.value, 'fault' in read)
  }
  return (
    <Field label={title} hint={hint} error={unread ?? fault}>
      {control => (
        <input
          {...control}
          type="text"
          inputMode={isInteger ? 'numeric' : 'decimal'}
          autoComplete="off"
          value={text}
          onChange={({ target }) => change(target.value)}
        />
      )}
    </Field>
  )
}
