import { type ReactElement, useMemo, useRef } from 'react'
import { differences } from '../../../src/core/text/differences.ts'
import type { HoldView, Json, JsonObject } from '../api/documents.ts'
import { Icon } from '../parts/icon.tsx'
import { Differences } from '../text/difference.tsx'

/** P9: what is different from the version that the person opened. Nothing is shown while there is no difference. */
export function ChangedNote({ hold }: { readonly hold: HoldView }): ReactElement {
  const first = useRef(hold)
  const changes = useMemo(
    () => (hold.status === 'open' ? differences(partsOf(first.current), partsOf(hold), Number.POSITIVE_INFINITY) : []),
    [hold],
  )
  return (
    <div role="status" className="grid gap-3 empty:hidden">
      {changes.length > 0 && (
        <>
          <p className="flex gap-2.5 rounded-lg bg-warn-soft px-3 py-2 text-sm text-warn">
            <Icon name="alert" className="mt-0.5 size-4.5" />
            <span>
              <strong>This changed while you had it open.</strong> Below is what waits now.
            </span>
          </p>
          <Differences differences={changes} was="as you opened it" is="now" />
        </>
      )}
    </div>
  )
}

function partsOf({ tool, tool_schema: schema, arguments: args, ...hold }: HoldView): JsonObject {
  const { message, assignee, due_at, who_may_decide } = hold
  const preview = (hold.preview?.parts ?? null) as Json
  return { tool, schema, arguments: args, preview, message, asks: assignee, due: due_at, who_may_decide }
}
