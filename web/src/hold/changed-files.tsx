import { type ReactElement, useMemo } from 'react'
import type { HoldView } from '../api/documents.ts'
import { Section } from '../parts/section.tsx'
import { type FileNode, fileTree } from '../text/file-tree.ts'
import { Visible } from '../text/visible.tsx'

type Part = NonNullable<HoldView['preview']>['parts'][number]
type Diff = Extract<Part, { type: 'diff' }>

/** Fewer are seen at a glance. */
const LEAST = 3

/** The files of a change of many, as a tree that leads to each. It takes the place of nothing: all of them are below. */
export function ChangedFiles({ parts }: { readonly parts: readonly Part[] }): ReactElement | null {
  const diffs = useMemo(() => parts.filter(isNamedDiff), [parts])
  const tree = useMemo(() => fileTree(diffs.map(({ title }) => title ?? '')), [diffs])
  if (diffs.length < LEAST) return null
  return (
    <Section title={`${diffs.length} files change`}>
      <nav aria-label="Files that change" className="rounded-lg border border-line bg-card px-3 py-2">
        <Nodes nodes={tree} diffs={diffs} />
      </nav>
    </Section>
  )
}

function isNamedDiff(part: Part): part is Diff {
  return part.type === 'diff' && part.title !== undefined && part.title !== ''
}

interface NodesProps {
  readonly nodes: readonly FileNode[]
  readonly diffs: readonly Diff[]
}

function Nodes({ nodes, diffs }: NodesProps): ReactElement {
  return (
    <ul className="grid grid-cols-[minmax(0,1fr)] font-mono text-xs">
      {nodes.map(node => (
        <li key={`${node.name} ${node.place}`}>
          {node.place === null ? (
            <>
              <span className="block break-all py-1 text-muted">
                <Visible text={`${node.name}/`} />
              </span>
              <div className="ml-1.5 border-line border-l pl-3">
                <Nodes nodes={node.children} diffs={diffs} />
              </div>
            </>
          ) : (
            <FileLine name={node.name} diff={diffs[node.place]} />
          )}
        </li>
      ))}
    </ul>
  )
}

function FileLine({ name, diff }: { readonly name: string; readonly diff: Diff | undefined }): ReactElement {
  return (
    <button
      type="button"
      onClick={() => document.getElementById(placeOf(diff?.title ?? ''))?.scrollIntoView({ block: 'start' })}
      className="flex min-h-8 w-full items-center gap-3 rounded text-left hover:bg-hover"
    >
      <span className="min-w-0 flex-1 break-all text-accent">
        <Visible text={name} />
      </span>
      <span className="shrink-0 text-muted tabular-nums">
        +{diff?.added} −{diff?.removed}
      </span>
    </button>
  )
}

/** The id of the element that shows the change of a file. */
export function placeOf(title: string): string {
  return `file ${title}`
}
