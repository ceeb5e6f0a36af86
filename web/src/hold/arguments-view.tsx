import { type ReactElement, useState } from 'react'
import { visibleJson } from '../../../src/core/text/visible-text.ts'
import type { HoldView, Json, JsonObject } from '../api/documents.ts'
import { Section } from '../parts/section.tsx'
import { LongText, sizeOf } from '../text/long-text.tsx'
import { Visible } from '../text/visible.tsx'

/** P8, P9: the arguments in full. Nothing is cut, nothing hides, and a text that looks like a number is quoted. */
export function ArgumentsView({ hold }: { readonly hold: HoldView }): ReactElement {
  const { arguments: args, tool_schema, tool } = hold
  const [isJson, setJson] = useState(false)
  const json = visibleJson(args)
  const isWhole = isJson || !isObject(args)
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
      {isWhole ? (
        <Block text={json} />
      ) : (
        <dl className="grid grid-cols-[minmax(0,1fr)] gap-3">
          {Object.entries(args).map(([name, value]) => (
            <Entry key={name} name={name} value={value} about={descriptionOf(tool_schema, name)} />
          ))}
          {Object.keys(args).length === 0 && <p className="text-muted text-sm">It takes none.</p>}
        </dl>
      )}
      {RIGHT_TO_LEFT.test(json) && (
        <p className="mt-2 text-muted text-sm">
          There are letters that are read from right to left: they may stand in another order than they are stored in.
          As JSON, each value is by itself.
        </p>
      )}
    </Section>
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
  /** What the tool says of it. */
  readonly about: string | null
}

function Entry({ name, value, about }: EntryProps): ReactElement {
  const text = shownText(value)
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

function Block({ text }: { readonly text: string }): ReactElement {
  return (
    <div className="rounded-lg border border-line bg-sunken px-3 py-2">
      <LongText text={text} />
    </div>
  )
}

/** A text as it is, if nobody could take it for another value. */
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
