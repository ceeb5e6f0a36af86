import type { ReactElement } from 'react'
import { Button } from '../parts/button.tsx'
import { Field } from '../parts/field.tsx'
import type { Bar } from './bar.ts'

interface ReasonPanelProps {
  readonly bar: Bar
  readonly reason: string
  readonly onChange: (reason: string) => void
}

/** A no, and why: the agent reads it. */
export function ReasonPanel({ bar, reason, onChange }: ReasonPanelProps): ReactElement {
  const { hold, deciding, isWaiting, show, choose } = bar
  const word = hold.kind === 'question' ? 'Decline' : hold.kind === 'in_doubt' ? 'It failed' : 'Reject'
  return (
    <form
      className="grid gap-3"
      onSubmit={event => {
        event.preventDefault()
        choose({ verdict: 'reject', ...(reason.trim() !== '' && { reason: reason.trim() }) })
      }}
    >
      <Field label="Why? The agent reads it.">
        {control => (
          <textarea
            {...control}
            // biome-ignore lint/a11y/noAutofocus: the person has just asked for this field
            autoFocus
            rows={2}
            dir="auto"
            value={reason}
            onChange={({ target }) => onChange(target.value)}
          />
        )}
      </Field>
      <div className="flex justify-end gap-2">
        <Button look="quiet" onClick={() => show(null)}>
          Back
        </Button>
        <Button look="bad" type="submit" busy={deciding.isBusy} disabled={isWaiting}>
          {isWaiting ? 'Waits for the network' : word}
        </Button>
      </div>
    </form>
  )
}
