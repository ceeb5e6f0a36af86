import type { ReactElement } from 'react'
import { holdRemarks } from '../../../src/core/hold-view/hold-remarks.ts'
import { isSameJson, type Json } from '../../../src/core/text/json.ts'
import type { HoldView } from '../api/documents.ts'
import { Section } from '../parts/section.tsx'
import { Differences } from '../text/difference.tsx'
import { Visible } from '../text/visible.tsx'
import { ArgumentsView } from './arguments-view.tsx'
import { PreviewView } from './preview-view.tsx'

/** What a decision is about, in full: it ends where the end of the card is. */
export function Ask({ hold }: { readonly hold: HoldView }): ReactElement {
  const { kind, agent_message, edited, asked_before } = hold
  return (
    <>
      {agent_message !== '' && (
        <blockquote className="border-line border-l-3 pl-4">
          <p className="text-muted text-xs">The agent said</p>
          <p className="mt-0.5 whitespace-pre-wrap break-words" dir="auto">
            <Visible text={agent_message} />
          </p>
        </blockquote>
      )}
      {asked_before !== null && asked_before.differences.length > 0 && (
        <Section title="Different from what was asked before">
          <Differences differences={asked_before.differences} was="asked before" is="asked now" />
        </Section>
      )}
      {kind !== 'question' && kind !== 'input' && hold.arguments !== null && <ArgumentsView hold={hold} />}
      <Remarks texts={holdRemarks(hold)} />
      <PreviewView preview={hold.preview} />
      {edited !== null && edited.length > 0 && (
        <Section title="Changed by the approver">
          <Differences differences={edited} was="asked" is="approved" />
        </Section>
      )}
      <Context hold={hold} />
      <Basis hold={hold} />
    </>
  )
}

/** What is known of the call besides: that an earlier one succeeded, or that it still runs. */
function Remarks({ texts }: { readonly texts: readonly string[] }): ReactElement | null {
  if (texts.length === 0) return null
  return (
    <Section title="Known about it">
      {texts.map(text => (
        <p key={text} className="whitespace-pre-wrap break-words">
          <Visible text={text} />
        </p>
      ))}
    </Section>
  )
}

/** What the agent gave along with a question. Of a call that changed it has the differences, which stand above. */
function Context({ hold: { context, asked_before } }: { readonly hold: HoldView }): ReactElement | null {
  const isRepeated = asked_before !== null && JSON.stringify(Object.keys(context ?? {})) === '["differences"]'
  if (context === null || isRepeated) return null
  return <Given title="Context" value={context} />
}

/** What the tool compares when it goes on: if it is another by then, people are asked anew. */
function Basis({ hold: { basis = null, context } }: { readonly hold: HoldView }): ReactElement | null {
  return basis === null || isSameJson(basis, context) ? null : <Given title="On the basis of" value={basis} />
}

function Given({ title, value }: { readonly title: string; readonly value: Json }): ReactElement {
  return (
    <Section title={title}>
      <pre className="whitespace-pre-wrap break-words rounded-lg bg-sunken p-3 font-mono text-[0.8125rem]">
        <Visible text={typeof value === 'string' ? value : JSON.stringify(value, null, 2)} />
      </pre>
    </Section>
  )
}
