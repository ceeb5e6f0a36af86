import { type ReactElement, useState } from 'react'
import { visibleJson } from '../../../src/core/text/visible-text.ts'
import type { HoldView, Json, JsonObject } from '../api/documents.ts'
import { Section } from '../parts/section.tsx'
import { LongText, sizeOf } from '../text/long-text.tsx'
import { Visible } from '../text/visible.tsx'

interface ArgumentsViewProps {
  /** The arguments, or those of them that are shown together. */
  readonly args: Json
  readonly hold: HoldView
  readonly isFolded: boolean
}

/** P8, P9: the arguments in full. Nothing is cut, nothing hides, and a text that looks like a number is quoted. */
export function ArgumentsView({ args, hold: { tool_schema, tool }, isFolded }: ArgumentsViewProps): ReactElement {
  const [isOpen, open] = useState(!isFolded)
  const [isJson, setJson] = useState(false)
  const json = visibleJson(args)
  const isWhole = isJson || !isObject(args)
  if (!isOpen) return <Folded json={json} onOpen={() => open(true)} />
  return (
    <Section
      title={tool === null ? 'Arguments' : `What ${tool} is called with`}
      aside={
        <span className="flex items-baseline gap-3">
          {isWhole && sizeOf(json)}
          <button
            type="button"
            aria-pressed={isJson}
            onClick={() => setJson(!isJson)}
            className="rounded px-1 text-accent hover:underline"
          >
            {isJson ? 'As fields' : 'As JSON'}
          </button>
        </span>
      }
    >
      {isWhole ? <Block text={json} /> : <Entries args={args} schema={tool_schema} />}
      {RIGHT_TO_LEFT.test(json) && (
        <p className="mt-2 text-muted text-sm">
          There are letters that are read from right to left: they may stand in another order than they are stored in.
          As JSON, each value is by itself.
        </p>
      )}
    </Section>
  )
}

/** The long texts that the effect above was made from: their end, and the way to all of them. */
function Folded({ json, onOpen }: { readonly json: string; readonly onOpen: () => void }): ReactElement {
  return (
    <button
      type="button"
      onClick={onOpen}
      className="flex min-h-11 w-full items-baseline gap-3 rounded-lg border border-line px-3 py-2 text-left text-sm hover:bg-hover"
    >
      <span className="shrink-0 font-medium">Show the arguments</span>
      <span className="min-w-0 flex-1 truncate text-right font-mono text-muted text-xs" dir="ltr">
        …{json.slice(-FOLDED_END).replaceAll(/\s+/g, ' ')}
      </span>
    </button>
  )
}

/** In code units. */
const FOLDED_END = 60

function Entries({ args, schema }: { readonly args: JsonObject; readonly schema: JsonObject | null }): ReactElement {
  return (
    <dl className="grid grid-cols-[minmax(0,1fr)] gap-2">
      {Object.entries(args).map(([name, value]) => (
        <Entry key={name} name={name} value={value} about={descriptionOf(schema, name)} />
      ))}
      {Object.keys(args).length === 0 && <p className="text-muted text-sm">It takes no arguments.</p>}
    </dl>
  )
}

const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function descriptionOf(schema: JsonObject | null, name: string): string | null {
  const properties = schema?.['properties']
  const property = isObject(properties ?? null) ? (properties as JsonObject)[name] : null
  const description = isObject(property ?? null) ? (property as JsonObject)['description'] : null
  return typeof description === 'string' ? description : null
}

interface EntryProps {
  readonly name: string
  readonly value: Json
  /** The description of the field in the schema of the tool. */
  readonly about: string | null
}

function Entry({ name, value, about }: EntryProps): ReactElement {
  const text = shownText(value)
  if (text.length <= GLANCE && !text.includes('\n')) return <Glance name={name} text={text} about={about} />
  const size = typeof value === 'string' ? sizeOf(value) : null
  return (
    <div>
      <dt className="mb-1 flex flex-wrap items-baseline gap-x-2 text-xs">
        <span className="font-medium font-mono">
          <Visible text={name} />
        </span>
        {about && (
          <span className="text-muted">
            <Visible text={about} />
          </span>
        )}
        {size && <span className="ml-auto text-muted">{size}</span>}
      </dt>
      <dd>
        <Block text={text} />
      </dd>
    </div>
  )
}

/** A value that is read at a glance, beside its name. */
function Glance({ name, text, about }: Omit<EntryProps, 'value'> & { readonly text: string }): ReactElement {
  return (
    <div className="grid grid-cols-[6rem_minmax(0,1fr)] sm:grid-cols-[9rem_minmax(0,1fr)] items-baseline gap-x-4 border-line border-b pb-1.5">
      <dt className="break-words font-medium font-mono text-xs">
        <Visible text={name} />
      </dt>
      <dd className="whitespace-pre-wrap break-words font-mono text-[0.8125rem]">
        <Visible text={text} />
        {about && (
          <span className="ml-3 font-sans text-muted text-xs">
            <Visible text={about} />
          </span>
        )}
      </dd>
    </div>
  )
}

function Block({ text }: { readonly text: string }): ReactElement {
  return (
    <div className="rounded-lg border border-line bg-sunken px-3 py-2">
      <LongText text={text} />
    </div>
  )
}

/** A text without quotes, unless it could be taken for another value. */
function shownText(value: Json): string {
  if (typeof value !== 'string') return visibleJson(value)
  const isGlance = value.length <= GLANCE && !value.includes('\n')
  return isGlance && (value !== value.trim() || isLikeJson(value)) ? JSON.stringify(value) : value
}

/** In code units: a longer text is not taken for a number or a word. */
const GLANCE = 80

function isLikeJson(text: string): boolean {
  return /^(|true|false|null|-?[\d.]+([eE][+-]?\d+)?|["{[].*)$/s.test(text)
}
