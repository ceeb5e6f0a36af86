import type { ReactElement } from 'react'
import type { HoldView, JsonObject } from '../api/documents.ts'
import type { Editing } from '../decide/use-editing.ts'
import { ArgumentsForm } from '../form/arguments-form.tsx'
import { Ask } from './ask.tsx'

interface AskOrEditProps {
  readonly hold: HoldView
  readonly editing: Editing
  /** Sends the changes. */
  readonly onSend: () => void
}

/** The request of a hold, or the form in which a person changes it. */
export function AskOrEdit({ hold, editing, onSend }: AskOrEditProps): ReactElement {
  if (!editing.isOpen) return <Ask hold={hold} />
  return (
    <ArgumentsForm
      onSend={onSend}
      schema={hold.tool_schema}
      value={editing.value}
      before={hold.arguments as JsonObject}
      onChange={editing.change}
      faults={editing.refused}
    />
  )
}
