import { type ComponentType, type ReactElement, useState } from 'react'
import type { Json, JsonObject } from '../api/documents.ts'
import { Field, TextField } from '../parts/field.tsx'
import { aroundOf, FieldGroup, type FieldViewProps } from './field-frame.tsx'
import type { Field as FieldOf } from './fields-of.ts'
import { JsonField } from './json-field.tsx'
import { ListField } from './list-field.tsx'
import { localText, offsetOf, type TimeKind, writtenTime } from './local-time.ts'
import { readNumber } from './read-value.ts'

export function FieldView(props: FieldViewProps): ReactElement {
  const Shown = VIEWS[props.field.kind]
  return <Shown {...props} />
}

const VIEWS: Readonly<Record<FieldOf['kind'], ComponentType<FieldViewProps>>> = {
  text: LineField,
  email: LineField,
  url: LineField,
  'long-text': LinesField,
  date: TimeField,
  time: TimeField,
  'date-time': TimeField,
  number: NumberField,
  boolean: ChoiceField,
  choice: ChoiceField,
  choices: ChoicesField,
  list: SeveralField,
  entries: SeveralField,
  group: Group,
  json: WholeField,
}

/** Browsers change what is typed into their own fields for addresses: a keyboard that fits them is enough. */
const KEYBOARDS = { text: 'text', email: 'email', url: 'url' } as const

function LineField(props: FieldViewProps): ReactElement {
  const { field, value, onChange } = props
  return (
    <TextField
      {...aroundOf(props)}
      type="text"
      inputMode={KEYBOARDS[field.kind as keyof typeof KEYBOARDS]}
      autoComplete="off"
      value={String(value ?? '')}
      onChange={text => onChange(keptText(field, text), false, field.path)}
    />
  )
}

function LinesField(props: FieldViewProps): ReactElement {
  const { field, value, onChange } = props
  return (
    <TextField
      {...aroundOf(props)}
      rows={4}
      value={String(value ?? '')}
      onChange={text => onChange(keptText(field, text), false, field.path)}
    />
  )
}

/** An empty field that may be left out is left out. */
function keptText({ isRequired }: FieldOf, text: string): string | undefined {
  return text === '' && !isRequired ? undefined : text
}

const TIME_INPUTS: Readonly<Record<TimeKind, string>> = { date: 'date', time: 'time', 'date-time': 'datetime-local' }

/** In the clock of the reader, and written with its distance from UTC. */
function TimeField(props: FieldViewProps): ReactElement {
  const { field, value, onChange } = props
  const kind = field.kind as TimeKind
  const [text, setText] = useState(() => localText(kind, String(value ?? '')) ?? '')
  const { hint, ...around } = aroundOf(props)
  const clock = kind === 'date' ? null : `In your clock, UTC${offsetOf(new Date()).replace('Z', '+00:00')}.`
  return (
    <TextField
      {...around}
      hint={[hint, clock].filter(Boolean).join(' ')}
      type={TIME_INPUTS[kind]}
      step={kind === 'date' ? undefined : 1}
      value={text}
      onChange={changed => {
        setText(changed)
        onChange(keptText(field, writtenTime(kind, changed)), false, field.path)
      }}
    />
  )
}

/** A text field: a browser's own number field turns some numbers into other ones. */
function NumberField(props: FieldViewProps): ReactElement {
  const { field, value, onChange } = props
  const isInteger = field.kind === 'number' && field.isInteger
  const [text, setText] = useState(value === undefined ? '' : String(value))
  const [unread, setUnread] = useState<string | null>(null)
  const { error, ...around } = aroundOf(props)
  return (
    <TextField
      {...around}
      error={unread ?? error}
      type="text"
      inputMode={isInteger ? 'numeric' : 'decimal'}
      autoComplete="off"
      value={text}
      onChange={changed => {
        setText(changed)
        const read = changed.trim() === '' ? { value: undefined } : readNumber(changed, isInteger)
        setUnread('fault' in read ? read.fault : null)
        onChange('fault' in read ? value : read.value, 'fault' in read, field.path)
      }}
    />
  )
}

function ChoiceField(props: FieldViewProps): ReactElement {
  const { field, value, onChange } = props
  const choices: readonly Json[] = field.kind === 'choice' ? field.choices : [true, false]
  const at = value === undefined ? -1 : choices.indexOf(value)
  return (
    <Field {...aroundOf(props)}>
      {control => (
        <select
          {...control}
          value={at < 0 ? '' : at}
          onChange={({ target }) =>
            onChange(target.value === '' ? undefined : choices[Number(target.value)], false, field.path)
          }
        >
          {(at < 0 || !field.isRequired) && <option value="">–</option>}
          {choices.map((choice, index) => (
            <option key={String(choice)} value={index}>
              {choice === true ? 'yes' : choice === false ? 'no' : String(choice)}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

/** Those that are checked, in the order in which they are offered. */
function ChoicesField(props: FieldViewProps): ReactElement {
  const { field, value, onChange } = props
  const choices = field.kind === 'choices' ? field.choices : []
  const chosen = Array.isArray(value) ? (value as readonly Json[]) : []
  const toggle = (choice: Json) => {
    const next = choices.filter(each => (each === choice ? !chosen.includes(each) : chosen.includes(each)))
    onChange(next.length === 0 && !field.isRequired ? undefined : next, false, field.path)
  }
  return (
    <FieldGroup {...aroundOf(props)}>
      <div className="flex flex-wrap gap-2">
        {choices.map(choice => (
          <label
            key={String(choice)}
            className="flex min-h-11 max-w-full items-center gap-2 rounded-lg border border-strong-line bg-card px-3 has-[:checked]:border-accent has-[:checked]:bg-accent-soft sm:min-h-10"
          >
            <input
              type="checkbox"
              checked={chosen.includes(choice)}
              onChange={() => toggle(choice)}
              className="size-4.5 shrink-0 accent-accent"
            />
            <span className="min-w-0 [overflow-wrap:anywhere]">{String(choice)}</span>
          </label>
        ))}
      </div>
    </FieldGroup>
  )
}

function SeveralField(props: FieldViewProps): ReactElement {
  return <ListField {...props} Item={FieldView} />
}

function Group({ field, value, faults, onChange }: FieldViewProps): ReactElement {
  const own = (value ?? {}) as JsonObject
  const fields = field.kind === 'group' ? field.fields : []
  return (
    <fieldset className="grid min-w-0 gap-4 rounded-lg border border-line p-4">
      <legend className="px-1 font-medium text-sm">{aroundOf({ field, faults }).label}</legend>
      {faults[field.path] !== undefined && (
        <p role="alert" className="text-bad text-sm">
          {faults[field.path]}
        </p>
      )}
      {fields.map(each => (
        <FieldView
          key={each.path}
          field={each}
          value={own[each.name]}
          faults={faults}
          onChange={(changed, isFaulty, path) => onChange(withMember(own, each.name, changed), isFaulty, path)}
        />
      ))}
    </fieldset>
  )
}

/** Without the member if there is no value for it. */
export function withMember(value: JsonObject, name: string, member: Json | undefined): JsonObject {
  if (member !== undefined) return { ...value, [name]: member }
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== name))
}

function WholeField(props: FieldViewProps): ReactElement {
  const { field, value, onChange } = props
  const { label, hint, error } = aroundOf(props)
  return (
    <JsonField
      {...{ title: label, hint, fault: error, value }}
      onChange={read => onChange(read, read === undefined, field.path)}
    />
  )
}
