import { type ReactElement, useState } from 'react'
import { visibleJson } from '../../../src/core/text/visible-text.ts'
import type { Json } from '../api/documents.ts'
import { CONTROL, Field } from '../parts/field.tsx'
import { readJson } from './fields-of.ts'

interface JsonFieldProps {
  readonly title: string
  readonly hint: string | null
  readonly fault: string | null
  readonly value: Json | undefined
  /** `undefined` while the text is no JSON. */
  readonly onChange: (value: Json | undefined) => void
}

/** P9: characters that would hide are written as `\uXXXX`, and stay the same JSON. */
export function JsonField({ title, hint, fault, value, onChange }: JsonFieldProps): ReactElement {
  const [text, setText] = useState(value === undefined ? '' : visibleJson(value))
  const [unread, setUnread] = useState<string | null>(null)
  const change = (changed: string) => {
    setText(changed)
    const read = readJson(changed)
    setUnread('fault' in read ? read.fault : null)
    onChange('fault' in read ? undefined : read.value)
  }
  return (
    <Field label={title} hint={hint ?? 'As JSON.'} error={unread ?? fault}>
      {control => (
        <textarea
          {...control}
          className={`${CONTROL} font-mono text-[0.8125rem]`}
          spellCheck={false}
          rows={Math.min(Math.max(text.split('\n').length, 2), 20)}
          value={text}
          onChange={({ target }) => change(target.value)}
        />
      )}
    </Field>
  )
}
