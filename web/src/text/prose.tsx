import { memo, type ReactElement, useMemo } from 'react'
import type { Inline } from '../../../src/core/text/markdown/inline.ts'
import { type ListItem, type MarkdownBlock, markdownOf } from '../../../src/core/text/markdown/markdown.ts'
import { languageOfFence } from './colours/language-of.ts'
import { DataTable } from './data-table.tsx'
import { LongText } from './long-text.tsx'
import { Visible } from './visible.tsx'

/** Text of this many code units or more is shown as it is: nobody reads it as a message. */
const LONGEST = 100_000

/**
 * P9: the words of an agent, with its Markdown drawn. Elements only: no HTML of the agent, no image, nothing that is
 * fetched, and what hides is a mark as everywhere.
 */
export const Prose = memo(({ text }: { readonly text: string }): ReactElement => {
  const blocks = useMemo(() => (text.length < LONGEST ? markdownOf(text) : null), [text])
  return blocks === null ? <LongText text={text} /> : <Blocks blocks={blocks} />
})

/** The same within one line: no blocks. */
export function Words({ of }: { readonly of: readonly Inline[] }): ReactElement {
  return (
    <>
      {of.map((node, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a text that changes is drawn anew
        <Word key={place} node={node} />
      ))}
    </>
  )
}

function Word({ node }: { readonly node: Inline }): ReactElement {
  switch (node.kind) {
    case 'text':
      return <Visible text={node.text} />
    case 'code':
      return (
        <code
          dir="ltr"
          className="rounded bg-sunken px-1 py-0.5 font-mono text-[0.875em] ring-1 ring-line [overflow-wrap:anywhere]"
        >
          <Visible text={node.text} />
        </code>
      )
    case 'link':
      return <WordsWithAddress of={node.of} url={node.url} />
    default: {
      const Tag = TAGS[node.kind]
      return (
        <Tag>
          <Words of={node.of} />
        </Tag>
      )
    }
  }
}

const TAGS = { strong: 'strong', emphasis: 'em', struck: 'del' } as const

/** The address is in view before it is followed, and only it is the link. */
function WordsWithAddress({ of, url }: { readonly of: readonly Inline[]; readonly url: string }): ReactElement {
  const isWeb = /^https?:\/\//i.test(url)
  const address = <Visible text={url} />
  return (
    <>
      <Words of={of} />
      <span className="text-muted"> (</span>
      {isWeb ? (
        <a
          href={url}
          target="_blank"
          rel="noreferrer noopener"
          className="text-accent underline underline-offset-2 [overflow-wrap:anywhere]"
        >
          {address}
        </a>
      ) : (
        <span className="font-mono text-[0.875em] [overflow-wrap:anywhere]">{address}</span>
      )}
      <span className="text-muted">)</span>
    </>
  )
}

function Blocks({ blocks }: { readonly blocks: readonly MarkdownBlock[] }): ReactElement {
  return (
    <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-2.5">
      {blocks.map((block, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a text that changes is drawn anew
        <Block key={place} block={block} />
      ))}
    </div>
  )
}

/** A heading of an agent looks like one, and is none of the page. */
const LARGE = 2

function Block({ block }: { readonly block: MarkdownBlock }): ReactElement {
  switch (block.kind) {
    case 'heading':
      return (
        <p dir="auto" className={`mt-1.5 font-semibold first:mt-0 ${block.level <= LARGE ? 'text-lg' : ''}`}>
          <Words of={block.of} />
        </p>
      )
    case 'paragraph':
      return (
        <p dir="auto" className="whitespace-pre-wrap [overflow-wrap:anywhere]">
          <Words of={block.of} />
        </p>
      )
    case 'code':
      return <Code info={block.info} text={block.text} />
    case 'quote':
      return (
        <blockquote className="border-line border-l-3 pl-3 text-muted">
          <Blocks blocks={block.of} />
        </blockquote>
      )
    case 'list':
      return <List items={block.items} />
    case 'table':
      return <DataTable head={block.head.map(asWords)} rows={block.rows.map(row => row.map(asWords))} />
    case 'rule':
      return <hr className="border-line" />
  }
}

function asWords(of: readonly Inline[]): ReactElement {
  return <Words of={of} />
}

function Code({ info, text }: { readonly info: string; readonly text: string }): ReactElement {
  return (
    <figure className="rounded-lg border border-line bg-sunken px-3 py-2">
      {info !== '' && (
        <figcaption className="mb-1 text-muted text-xs">
          <Visible text={info} />
        </figcaption>
      )}
      <LongText text={text} language={languageOfFence(info)} />
    </figure>
  )
}

/** Numbers stay as they were written. */
function List({ items }: { readonly items: readonly ListItem[] }): ReactElement {
  const isNumbered = /\d/.test(items[0]?.marker ?? '')
  const Tag = isNumbered ? 'ol' : 'ul'
  return (
    <Tag className="grid gap-1">
      {items.map(({ marker, of }, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a text that changes is drawn anew
        <li key={place} className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-2">
          <span className={`text-muted ${isNumbered ? 'min-w-5 text-right tabular-nums' : 'min-w-3 text-center'}`}>
            {isNumbered ? marker : '•'}
          </span>
          <Blocks blocks={of} />
        </li>
      ))}
    </Tag>
  )
}
