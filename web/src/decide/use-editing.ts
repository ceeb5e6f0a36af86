import { useState } from 'react'
import type { HoldView, JsonObject } from '../api/documents.ts'
import { type Faults, withoutFaultsAt } from '../form/faults.ts'
import { useDraft } from '../parts/draft.ts'

export interface Editing {
  readonly isOpen: boolean
  /** The arguments as edited so far. */
  readonly value: JsonObject
  /** True if a field has something that is no value yet. */
  readonly isFaulty: boolean
  /** Why the server refused it: path to message. */
  readonly refused: Faults
  open(): void
  close(): void
  /** `path` is that of the field that was changed. */
  change(value: JsonObject, isFaulty: boolean, path: string): void
  refuse(faults: Faults): void
  drop(): void
}

/** The arguments as a person is changing them. They are kept until they are sent or dropped. */
export function useEditing(hold: HoldView): Editing {
  const asked = isObject(hold.arguments) ? hold.arguments : {}
  const [value, setValue, dropValue] = useDraft<JsonObject | null>(`arguments.${hold.id}`, null)
  const [isOpen, setOpen] = useState(value !== null)
  const [isFaulty, setFaulty] = useState(false)
  const [refused, setRefused] = useState<Faults>({})
  return {
    isOpen: isOpen && hold.status === 'open',
    value: value ?? asked,
    ...{ isFaulty, refused },
    open: () => setOpen(true),
    close: () => setOpen(false),
    change: (next, faulty, path) => {
      setValue(next)
      setFaulty(faulty)
      setRefused(withoutFaultsAt(refused, path))
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
