import { type ReactElement, useState } from 'react'
import { visibleJson } from '../../../src/core/text/visible-text.ts'
import type { Json } from '../api/documents.ts'
import { TextField } from '../parts/field.tsx'
import { readJson } from './read-value.ts'

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
    <TextField
      label={title}
      hint={hint ?? 'As JSON.'}
      error={unread ?? fault}
      isCode
      spellCheck={false}
      rows={Math.min(Math.max(text.split('\n').length, 2), 20)}
      value={text}
      onChange={change}
    />
  )
}
