import { type ComponentType, type ReactElement, useState } from 'react'
import { jsonPath } from '../../../src/core/text/json-path.ts'
import type { Json } from '../api/documents.ts'
import { Button } from '../parts/button.tsx'
import { TextField } from '../parts/field.tsx'
import { Icon } from '../parts/icon.tsx'
import { aroundOf, FieldGroup, type FieldViewProps } from './field-frame.tsx'
import { type FieldShape, isObject } from './fields-of.ts'

interface Row {
  /** Stays with the row as others come and go. */
  readonly id: number
  /** The key of an entry. */
  readonly name: string
  readonly value: Json | undefined
  readonly isFaulty: boolean
}

interface ListFieldProps extends FieldViewProps {
  /** Draws one value. */
  readonly Item: ComponentType<FieldViewProps>
}

/** A list of values, or of keys and values, each in a field of its own. */
export function ListField({ Item, ...props }: ListFieldProps): ReactElement {
  const { field, faults, onChange } = props
  const isKeyed = field.kind === 'entries'
  const item: FieldShape = field.kind === 'list' || field.kind === 'entries' ? field.item : { kind: 'json' }
  const [rows, setRows] = useState<readonly Row[]>(() => rowsOf(props.value))
  const change = (next: readonly Row[]) => {
    setRows(next)
    const isFaulty = next.some(row => row.isFaulty || (isKeyed && entryFault(row, next, item) !== null))
    const isLeftOut = next.length === 0 && !field.isRequired
    onChange(isLeftOut ? undefined : isKeyed ? asObject(next) : asList(next), isFaulty, field.path)
  }
  const put = (id: number, part: Partial<Row>) => change(rows.map(row => (row.id === id ? { ...row, ...part } : row)))
  const { label, hint } = aroundOf(props)
  return (
    <FieldGroup {...{ label, hint }} error={faults[field.path] ?? null}>
      <div className="grid gap-2">
        {rows.map((row, place) => (
          <div key={row.id} className="flex items-start gap-2">
            {isKeyed && (
              <TextField
                label={`Name ${place + 1}`}
                isLabelHidden
                className="w-2/5"
                error={entryFault(row, rows, item)}
                value={row.name}
                onChange={name => put(row.id, { name })}
              />
            )}
            <div className="min-w-0 flex-1">
              <Item
                field={{ ...item, ...itemBase(field.path, isKeyed ? row.name : place, `${field.title} ${place + 1}`) }}
                value={row.value}
                faults={faults}
                onChange={(value, isFaulty) => put(row.id, { value, isFaulty })}
              />
            </div>
            <Button
              look="quiet"
              className="px-3"
              aria-label={`Remove ${field.title} ${place + 1}`}
              onClick={() => change(rows.filter(({ id }) => id !== row.id))}
            >
              <Icon name="cross" />
            </Button>
          </div>
        ))}
        <Button
          className="justify-self-start"
          aria-label={`Add to ${field.title}`}
          onClick={() => change([...rows, { id: nextId(rows), name: '', value: undefined, isFaulty: false }])}
        >
          Add
        </Button>
      </div>
    </FieldGroup>
  )
}

function itemBase(path: string, key: string | number, title: string) {
  return { name: '', path: jsonPath(path, [key]), title, hint: null, isRequired: true, isLabelHidden: true as const }
}

function rowsOf(value: Json | undefined): readonly Row[] {
  const entries = Array.isArray(value)
    ? value.map((each: Json) => ['', each] as const)
    : isObject(value)
      ? Object.entries(value)
      : []
  return entries.map(([name, each], id) => ({ id, name, value: each, isFaulty: false }))
}

function nextId(rows: readonly Row[]): number {
  return Math.max(-1, ...rows.map(({ id }) => id)) + 1
}

function entryFault({ id, name, value }: Row, rows: readonly Row[], { kind }: FieldShape): string | null {
  if (isUntouched({ name, value })) return null
  if (name === '') return 'It needs a name.'
  if (rows.some(each => each.id !== id && each.name === name)) return 'Two have this name.'
  return value === undefined && !TEXTS.has(kind) ? 'It needs a value.' : null
}

/** An empty text is a value. */
const TEXTS: ReadonlySet<FieldShape['kind']> = new Set(['text', 'long-text', 'email', 'url'] as const)

/** A row that was added and not filled in is not there yet. */
function asList(rows: readonly Row[]): Json {
  return rows.flatMap(({ value }) => (value === undefined ? [] : [value]))
}

function asObject(rows: readonly Row[]): Json {
  return Object.fromEntries(rows.filter(row => !isUntouched(row)).map(({ name, value }) => [name, value ?? '']))
}

function isUntouched({ name, value }: Pick<Row, 'name' | 'value'>): boolean {
  return name === '' && value === undefined
}
