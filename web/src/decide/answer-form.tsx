import { type FormEvent, type ReactElement, useEffect, useRef, useState } from 'react'
import type { Outcome } from '../api/decisions.ts'
import type { HoldView, Json, JsonObject } from '../api/documents.ts'
import { ObjectForm } from '../form/arguments-form.tsx'
import { type Faults, withoutFaultsAt } from '../form/faults.ts'
import { FieldView } from '../form/field-view.tsx'
import { fieldsOf, soleFieldOf } from '../form/fields-of.ts'
import { firstValue } from '../form/first-value.ts'
import { JsonField } from '../form/json-field.tsx'
import { focusFault, sendByKey } from '../form/send-by-key.ts'
import { useDraft } from '../parts/draft.ts'
import { Section } from '../parts/section.tsx'
import { ANSWER_NAMES, answerWay, formIdOf } from './answer-way.ts'
import type { Bar } from './bar.ts'
import { Choices } from './choices.tsx'
import { faultsIn } from './use-decision.ts'

/** In the card: what takes more room than the bar below it has. The button that sends it stays in the bar. */
export function AnswerForm({ bar }: { readonly bar: Bar }): ReactElement | null {
  const { hold, panel } = bar
  const way = answerWay(hold)
  if (hold.status !== 'open' || panel !== 'answer' || !bar.may('respond')) return null
  if (way === 'form') return <SchemaForm bar={bar} schema={hold.response_schema ?? {}} />
  return way === 'many-choices' ? <Choices bar={bar} /> : null
}

interface SchemaFormProps {
  readonly bar: Bar
  readonly schema: JsonObject
}

function SchemaForm({ bar, schema }: SchemaFormProps): ReactElement {
  const { hold, deciding } = bar
  const start = firstValue(schema) ?? (schema['type'] === 'object' ? {} : null)
  const [value, setValue] = useDraft<Json>(`value.${hold.id}`, start)
  const [isFaulty, setFaulty] = useState(false)
  const [faults, mend] = useFaults(deciding.outcome)
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (deciding.outcome?.outcome === 'refused') focusFault(form.current)
  }, [deciding.outcome])
  const send = (event: FormEvent) => {
    event.preventDefault()
    if (isFaulty) focusFault(form.current)
    else bar.choose({ verdict: 'respond', value })
  }
  const change = (changed: Json | undefined, faulty: boolean, path: string) => {
    if (changed !== undefined) setValue(changed)
    setFaulty(faulty)
    mend(path)
  }
  return (
    <form id={formIdOf(hold)} ref={form} noValidate onSubmit={send} onKeyDown={sendByKey}>
      <Section title={ANSWER_NAMES[hold.kind]}>
        <SchemaFields hold={hold} schema={schema} value={value} faults={faults} onChange={change} />
      </Section>
    </form>
  )
}

interface SchemaFieldsProps {
  readonly hold: HoldView
  readonly schema: JsonObject
  readonly value: Json
  readonly faults: Faults
  readonly onChange: (value: Json | undefined, isFaulty: boolean, path: string) => void
}

/** Fields for an object, one field for another value, and JSON for what has none. */
function SchemaFields({ hold, schema, value, faults, onChange }: SchemaFieldsProps): ReactElement {
  const title = ANSWER_NAMES[hold.kind]
  // As the value was first: a field is not to become another one while a person types.
  const [sole] = useState(() => soleFieldOf(schema, value ?? undefined, title))
  const [isObject] = useState(() => fieldsOf(schema, value) !== null)
  if (isObject) return <ObjectForm schema={schema} value={value as JsonObject} faults={faults} onChange={onChange} />
  if (sole) return <FieldView field={sole} value={value ?? undefined} faults={faults} onChange={onChange} />
  return (
    <JsonField
      title={title}
      hint="As JSON: a text goes in quotes."
      value={value ?? undefined}
      fault={Object.values(faults)[0] ?? null}
      onChange={read => onChange(read, read === undefined, '')}
    />
  )
}

/** The faults of the last refusal, without the fields that were changed since. */
function useFaults(outcome: Outcome | null): readonly [Faults, (path: string) => void] {
  const [left, setLeft] = useState<{ readonly of: Outcome | null; readonly faults: Faults }>({ of: null, faults: {} })
  const told = outcome?.outcome === 'refused' ? faultsIn(outcome.problem) : {}
  const faults = left.of === outcome ? left.faults : told
  return [faults, path => setLeft({ of: outcome, faults: withoutFaultsAt(faults, path) })]
}
