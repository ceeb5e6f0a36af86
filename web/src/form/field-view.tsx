import type { ReactElement } from 'react'
import type { Json, JsonObject } from '../api/documents.ts'
import { Field } from '../parts/field.tsx'
import { type Faults, faultWithin } from './faults.ts'
import type { Field as FieldOf } from './fields-of.ts'
import { JsonField } from './json-field.tsx'
import { NumberField } from './number-field.tsx'

/** `isFaulty`: the field at `path`, which is this field or one within it, has something that is no value yet. */
export type OnFieldChange = (value: Json | undefined, isFaulty: boolean, path: string) => void

export interface FieldViewProps {
  readonly field: FieldOf
  /** `undefined` if the object has no such key. */
  readonly value: Json | undefined
  readonly faults: Faults
  readonly onChange: OnFieldChange
}

export function FieldView(props: FieldViewProps): ReactElement {
  const { field, value, faults } = props
  const { kind, hint, path } = field
  const onChange = (changed: Json | undefined, isFaulty: boolean) => props.onChange(changed, isFaulty, path)
  const title = field.isRequired ? field.title : `${field.title} (may be left out)`
  const fault = kind === 'json' ? faultWithin(faults, path) : (faults[path] ?? null)
  const choices = kind === 'choice' ? field.choices : kind === 'boolean' ? [true, false] : null
  if (kind === 'group') return <Group {...props} fields={field.fields} />
  if (kind === 'number')
    return <NumberField {...{ title, hint, fault, onChange }} isInteger={field.isInteger} value={value as number} />
  if (kind === 'json')
    return <JsonField {...{ title, hint, fault, value }} onChange={read => onChange(read, read === undefined)} />
  return (
    <Field label={title} hint={hint} error={fault}>
      {control => {
        if (choices) return <Choices control={control} choices={choices} {...props} />
        const text = { ...control, value: String(value ?? ''), dir: 'auto' }
        const change = (changed: string) => onChange(changed === '' && !field.isRequired ? undefined : changed, false)
        return kind === 'text' ? (
          <input {...text} type="text" autoComplete="off" onChange={({ target }) => change(target.value)} />
        ) : (
          <textarea {...text} rows={6} onChange={({ target }) => change(target.value)} />
        )
      }}
    </Field>
  )
}

type Control = Parameters<Parameters<typeof Field>[0]['children']>[0]

interface ChoicesProps extends FieldViewProps {
  readonly control: Control
  readonly choices: readonly Json[]
}

function Choices({ control, choices, field, value, onChange }: ChoicesProps): ReactElement {
  const at = choices.indexOf(value ?? null)
  return (
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
  )
}

interface GroupProps extends FieldViewProps {
  readonly fields: readonly FieldOf[]
}

function Group({ field, fields, value, faults, onChange }: GroupProps): ReactElement {
  const own = (value ?? {}) as JsonObject
  return (
    <fieldset className="grid gap-4 rounded-lg border border-line p-4">
      <legend className="px-1 font-medium text-sm">{field.title}</legend>
      {fields.map(each => (
        <FieldView
          key={each.path}
          field={each}
          value={own[each.name]}
          faults={faults}
          onChange={(changed, isFaulty, path) => onChange(memberChanged(own, each.name, changed), isFaulty, path)}
        />
      ))}
    </fieldset>
  )
}

function memberChanged(value: JsonObject, name: string, member: Json | undefined): JsonObject {
  const { [name]: _, ...rest } = value
  return member === undefined ? rest : { ...value, [name]: member }
}
