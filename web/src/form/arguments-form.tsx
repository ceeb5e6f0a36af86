import { type ReactElement, useMemo, useState } from 'react'
import { differences } from '../../../src/core/text/differences.ts'
import type { Json, JsonObject } from '../api/documents.ts'
import { Section } from '../parts/section.tsx'
import { Differences } from '../text/difference.tsx'
import type { Faults } from './faults.ts'
import { FieldView, withMember } from './field-view.tsx'
import { fieldsOf } from './fields-of.ts'
import { JsonField } from './json-field.tsx'
import { isSendKey } from './send-by-key.ts'

interface ArgumentsFormProps {
  readonly schema: JsonObject | null
  readonly value: JsonObject
  /** The arguments that the agent asked for. */
  readonly before: JsonObject
  /** Why the server refused it: path to message. */
  readonly faults: Faults
  /** `path` is that of the field that was changed. */
  readonly onChange: (value: JsonObject, isFaulty: boolean, path: string) => void
  /** Ctrl+Enter. */
  readonly onSend: () => void
}

/** A typed field for each argument, and below them what is different from what was asked. */
export function ArgumentsForm({ schema, value, before, faults, onChange, onSend }: ArgumentsFormProps): ReactElement {
  const changes = useMemo(() => differences(before, value, Number.POSITIVE_INFINITY), [before, value])
  return (
    <>
      <Section title="Change what it is called with">
        <fieldset aria-label="Arguments" className="min-w-0" onKeyDown={event => isSendKey(event) && onSend()}>
          <ObjectForm schema={schema} value={value} faults={faults} onChange={onChange} />
        </fieldset>
      </Section>
      <Section title="Different from what was asked">
        {changes.length === 0 ? (
          <p className="text-muted text-sm">Nothing yet.</p>
        ) : (
          <Differences differences={changes} was="asked" is="changed" />
        )}
      </Section>
    </>
  )
}

type ObjectFormProps = Omit<ArgumentsFormProps, 'before' | 'onSend'>

export function ObjectForm({ schema, value, faults, onChange }: ObjectFormProps): ReactElement {
  // The fields are those of the value as it was first: a field is not to become another one while a person types.
  const [fields] = useState(() => fieldsOf(schema, value))
  const [faulty, setFaulty] = useState<ReadonlySet<string>>(new Set())
  const note = (path: string, isFaulty: boolean) => {
    const next = new Set(faulty)
    if (isFaulty) next.add(path)
    else next.delete(path)
    setFaulty(next)
    return next.size > 0
  }
  if (fields === null)
    return (
      <JsonField
        title="Arguments as JSON"
        hint={null}
        value={value}
        fault={Object.values(faults)[0] ?? null}
        onChange={read => {
          const isObject = read !== undefined && isJsonObject(read)
          onChange(isObject ? read : value, note('', !isObject), '')
        }}
      />
    )
  return (
    <div className="grid gap-4">
      {fields.map(field => (
        <FieldView
          key={field.path}
          field={field}
          value={value[field.name]}
          faults={faults}
          onChange={(changed, isFaulty, path) =>
            onChange(withMember(value, field.name, changed), note(path, isFaulty), path)
          }
        />
      ))}
    </div>
  )
}

function isJsonObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
