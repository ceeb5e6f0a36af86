import { useState } from 'react'
import type { HoldView, JsonObject } from '../api/documents.ts'
import { useDraft } from '../parts/draft.ts'

export interface Editing {
  readonly isOpen: boolean
  /** As edited so far. */
  readonly value: JsonObject
  /** True if a field has something that is no value yet. */
  readonly isFaulty: boolean
  /** Why the server refused it: path to message. */
  readonly refused: Readonly<Record<string, string>>
  open(): void
  close(): void
  change(value: JsonObject, isFaulty: boolean): void
  refuse(faults: Readonly<Record<string, string>>): void
  drop(): void
}

/** The arguments as a person is changing them. They are kept until they are sent or dropped. */
export function useEditing(hold: HoldView): Editing {
  const asked = isObject(hold.arguments) ? hold.arguments : {}
  const [value, setValue, dropValue] = useDraft<JsonObject | null>(`arguments.${hold.id}`, null)
  const [isOpen, setOpen] = useState(value !== null)
  const [isFaulty, setFaulty] = useState(false)
  const [refused, setRefused] = useState<Readonly<Record<string, string>>>({})
  return {
    isOpen: isOpen && hold.status === 'open',
    value: value ?? asked,
    ...{ isFaulty, refused },
    open: () => setOpen(true),
    close: () => setOpen(false),
    change: (next, faulty) => {
      setValue(next)
      setFaulty(faulty)
      setRefused({})
    },
    refuse: setRefused,
    drop: () => {
      dropValue()
      setOpen(false)
      setFaulty(false)
      setRefused({})
    },
  }
}

function isObject(value: HoldView['arguments']): value is JsonObject {
  return typeof value === 'object' && value !== null
}
