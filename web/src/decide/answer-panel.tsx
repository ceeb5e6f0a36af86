import { type FormEvent, type ReactElement, useState } from 'react'
import type { Json } from '../api/documents.ts'
import { JsonField } from '../form/json-field.tsx'
import { focusFault, isSendKey } from '../form/send-by-key.ts'
import { useDraft } from '../parts/draft.ts'
import { TextField } from '../parts/field.tsx'
import { ANSWER_NAMES, answerWay, formIdOf } from './answer-way.ts'
import type { Bar } from './bar.ts'
import { Choices } from './choices.tsx'
import { faultsIn } from './use-decision.ts'

/** In the bar: what can be answered without leaving it. */
export function AnswerPanel({ bar }: { readonly bar: Bar }): ReactElement | null {
  if (!bar.may('respond')) return null
  const way = answerWay(bar.hold)
  if (way === 'few-choices') return <Choices bar={bar} />
  return way === 'text' ? <WrittenAnswer bar={bar} /> : null
}

/** Words. The result of a call may be any JSON, so it may be written as that. */
function WrittenAnswer({ bar }: { readonly bar: Bar }): ReactElement {
  const { hold, deciding } = bar
  const [text, setText] = useDraft(`answer.${hold.id}`, '')
  const [json, setJson] = useState<JsonAnswer | null>(null)
  const label = ANSWER_NAMES[hold.kind]
  const { outcome } = deciding
  const fault = outcome?.outcome === 'refused' ? (Object.values(faultsIn(outcome.problem))[0] ?? null) : null
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (json === null && text.trim() !== '') bar.choose({ verdict: 'respond', value: text })
    else if (json?.value !== undefined) bar.choose({ verdict: 'respond', value: json.value })
    else focusFault(event.currentTarget)
  }
  return (
    <form
      id={formIdOf(hold)}
      noValidate
      onSubmit={send}
      onKeyDown={event => {
        if (isSendKey(event)) event.currentTarget.requestSubmit()
      }}
      className="grid gap-2"
    >
      {json === null ? (
        <TextField label={label} error={fault} rows={2} value={text} onChange={setText} />
      ) : (
        <JsonField
          title={label}
          hint="As JSON: a text goes in quotes."
          fault={fault}
          value={undefined}
          onChange={value => setJson({ value })}
        />
      )}
      {(hold.kind === 'client_tool' || hold.kind === 'in_doubt') && (
        <button
          type="button"
          onClick={() => setJson(json === null ? { value: undefined } : null)}
          className="min-h-9 justify-self-start rounded text-accent text-sm hover:underline"
        >
          {json === null ? 'Write it as JSON' : 'Write it as text'}
        </button>
      )}
    </form>
  )
}

interface JsonAnswer {
  /** `undefined` while the text is no JSON. */
  readonly value: Json | undefined
}
