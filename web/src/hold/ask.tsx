import type { ReactElement } from 'react'
import { ARGUMENTS, type Block, holdBlocks } from '../../../src/core/hold-view/blocks/hold-blocks.ts'
import type { Json } from '../../../src/core/text/json.ts'
import type { HoldView } from '../api/documents.ts'
import { Section } from '../parts/section.tsx'
import { Differences } from '../text/difference.tsx'
import { Prose } from '../text/prose.tsx'
import { Visible } from '../text/visible.tsx'
import { ArgumentsView } from './arguments-view.tsx'
import { ChangedFiles } from './changed-files.tsx'
import { PartView } from './preview-view.tsx'

/** The request in full: the effect first, then the arguments. Its end is the end of the card. */
export function Ask({ hold }: { readonly hold: HoldView }): ReactElement {
  const { agent_message, edited, asked_before } = hold
  return (
    <>
      {asked_before !== null && asked_before.differences.length > 0 && (
        <Section title="Different from what was asked before">
          <Differences differences={asked_before.differences} was="asked before" is="asked now" />
        </Section>
      )}
      <Blocks hold={hold} />
      {edited !== null && edited.length > 0 && (
        <Section title="Changed by the approver">
          <Differences differences={edited} was="asked" is="approved" />
        </Section>
      )}
      {agent_message !== '' && (
        <blockquote className="border-line border-l-3 pl-4">
          <p className="text-muted text-xs">The agent said</p>
          <div className="mt-0.5">
            <Prose text={agent_message} />
          </div>
        </blockquote>
      )}
    </>
  )
}

function Blocks({ hold }: { readonly hold: HoldView }): ReactElement {
  const blocks = holdBlocks(hold)
  const remarks = blocks.flatMap(block => (block.type === 'remark' ? [block.text] : []))
  return (
    <>
      {remarks.length > 0 && (
        <Section title="What is known about it">
          {remarks.map(text => (
            <p key={text} className="whitespace-pre-wrap break-words">
              <Visible text={text} />
            </p>
          ))}
        </Section>
      )}
      <ChangedFiles parts={hold.preview?.parts ?? NO_PARTS} />
      {blocks.map((block, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: what a hold asks has one order
        <BlockView key={place} block={block} hold={hold} />
      ))}
    </>
  )
}

const NO_PARTS = [] as const

interface BlockViewProps {
  readonly block: Block
  readonly hold: HoldView
}

/** Warnings are above, remarks are together, and choices are the buttons of the answer. */
function BlockView({ block, hold }: BlockViewProps): ReactElement | null {
  switch (block.type) {
    case 'prose':
      return <Prose text={block.text} />
    case 'command':
      return <Given title="The command" value={block.text} />
    case 'part':
      return <PartView part={block.part} />
    case 'value':
      return block.title === ARGUMENTS ? (
        <ArgumentsView args={block.value} hold={hold} isFolded={block.isFolded} />
      ) : isRepeated(block.title, hold) ? null : (
        <Given title={titleOf(block.title)} value={block.value} />
      )
    default:
      return null
  }
}

function titleOf(title: string): string {
  return title.charAt(0).toUpperCase() + title.slice(1)
}

/** A call that the approver changed has its differences as context, which are shown above. An answer's schema is its form. */
function isRepeated(title: string, { context, asked_before }: HoldView): boolean {
  if (title === 'the answer must match') return true
  return (
    title === 'context' && asked_before !== null && JSON.stringify(Object.keys(context ?? {})) === '["differences"]'
  )
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
