import { type FormEvent, type ReactElement, useState } from 'react'
import type { Outcome } from '../api/decisions.ts'
import type { HoldView, Json, JsonObject } from '../api/documents.ts'
import { ObjectForm } from '../form/arguments-form.tsx'
import { type Faults, withoutFaultsAt } from '../form/faults.ts'
import { fieldsOf } from '../form/fields-of.ts'
import { JsonField } from '../form/json-field.tsx'
import { Button } from '../parts/button.tsx'
import { useDraft } from '../parts/draft.ts'
import { Field } from '../parts/field.tsx'
import type { Bar } from './bar.ts'
import { faultsIn } from './faults-in.ts'

/** Choices as buttons, a form for a schema, and text for everything else. */
export function AnswerPanel({ bar }: { readonly bar: Bar }): ReactElement | null {
  const { hold } = bar
  if (!bar.may('respond')) return null
  if (hold.choices !== null) return <Choices bar={bar} choices={hold.choices} />
  const schema = hold.response_schema
  if (schema === null && hold.kind !== 'client_tool' && hold.kind !== 'in_doubt') return <TextAnswer bar={bar} />
  return schema?.['type'] === 'string' ? <TextAnswer bar={bar} /> : <TypedAnswer bar={bar} />
}

function Choices({ bar, choices }: { readonly bar: Bar; readonly choices: readonly string[] }): ReactElement {
  return (
    <fieldset className="flex flex-wrap gap-2">
      <legend className="mb-1.5 font-medium text-sm">Choose the answer</legend>
      {choices.map(choice => (
        <Button
          key={choice}
          look="primary"
          className="max-w-full whitespace-normal break-words py-2"
          disabled={bar.isWaiting}
          busy={bar.deciding.isBusy}
          onClick={() => bar.choose({ verdict: 'respond', value: choice })}
        >
          {choice}
        </Button>
      ))}
    </fieldset>
  )
}

const LABELS: Readonly<Record<HoldView['kind'], string>> = {
  approval: 'Answer',
  question: 'Your answer',
  input: 'What comes next',
  client_tool: 'The result of the call',
  in_doubt: 'It happened: the result of the call',
}

function TextAnswer({ bar }: { readonly bar: Bar }): ReactElement {
  const { hold, deciding } = bar
  const [text, setText, drop] = useDraft(`answer.${hold.id}`, '')
  const send = (event: FormEvent) => {
    event.preventDefault()
    if (text.trim() === '') return
    bar.choose({ verdict: 'respond', value: text })
  }
  return (
    <form className="grid gap-3" onSubmit={send}>
      <Field label={LABELS[hold.kind]} error={faultOf(bar)}>
        {control => (
          <textarea {...control} rows={3} dir="auto" value={text} onChange={({ target }) => setText(target.value)} />
        )}
      </Field>
      <Send bar={bar} isReady={text.trim() !== '' && !deciding.isBusy} onDrop={text === '' ? null : drop} />
    </form>
  )
}

function TypedAnswer({ bar }: { readonly bar: Bar }): ReactElement {
  const { hold, deciding } = bar
  const schema = hold.response_schema
  const [value, setValue] = useDraft<Json>(`value.${hold.id}`, schema?.['type'] === 'object' ? {} : '')
  const [isFaulty, setFaulty] = useState(false)
  const [faults, mend] = useFaults(deciding.outcome)
  const send = (event: FormEvent) => {
    event.preventDefault()
    if (!isFaulty) bar.choose({ verdict: 'respond', value })
  }
  const isForm = schema !== null && fieldsOf(schema, value) !== null
  return (
    <form className="grid max-h-[50dvh] gap-3 overflow-y-auto p-0.5" onSubmit={send}>
      {isForm ? (
        <ObjectForm
          schema={schema}
          value={value as JsonObject}
          faults={faults}
          onChange={(changed, faulty, path) => {
            setValue(changed)
            setFaulty(faulty)
            mend(path)
          }}
        />
      ) : (
        <JsonField
          title={LABELS[hold.kind]}
          hint="As JSON: a text goes in quotes."
          value={value}
          fault={faultOf(bar)}
          onChange={read => {
            setFaulty(read === undefined)
            if (read !== undefined) setValue(read)
          }}
        />
      )}
      <Send bar={bar} isReady={!isFaulty && !deciding.isBusy} onDrop={null} />
    </form>
  )
}

/** Those of the last refusal, without the fields that were changed since. */
function useFaults(outcome: Outcome | null): readonly [Faults, (path: string) => void] {
  const [left, setLeft] = useState<{ readonly of: Outcome | null; readonly faults: Faults }>({ of: null, faults: {} })
  const told = outcome?.outcome === 'refused' ? faultsIn(outcome.problem) : {}
  const faults = left.of === outcome ? left.faults : told
  return [faults, path => setLeft({ of: outcome, faults: withoutFaultsAt(faults, path) })]
}

function faultOf({ deciding: { outcome } }: Bar): string | null {
  return outcome?.outcome === 'refused' ? outcome.problem.detail : null
}

interface SendProps {
  readonly bar: Bar
  readonly isReady: boolean
  readonly onDrop: (() => void) | null
}

function Send({ bar, isReady, onDrop }: SendProps): ReactElement {
  const { isWaiting, deciding } = bar
  return (
    <div className="flex justify-end gap-2">
      {onDrop && (
        <Button look="quiet" onClick={onDrop}>
          Clear
        </Button>
      )}
      <Button look="primary" type="submit" disabled={!isReady || isWaiting} busy={deciding.isBusy}>
        {isWaiting ? 'Waits for the network' : 'Send the answer'}
      </Button>
    </div>
  )
}
