/** Paths as a tree. Directories that hold nothing but one directory share a line with it. */
export interface FileNode {
  /** `src/core` for directories that share a line. */
  readonly name: string
  /** The place of the file in the list of paths; `null` for a directory. */
  readonly place: number | null
  readonly children: readonly FileNode[]
}

interface Placed {
  readonly parts: readonly string[]
  readonly place: number
}

/** In the order of the paths: what is shown first below is first here. */
export function fileTree(paths: readonly string[]): readonly FileNode[] {
  return nodesOf(paths.map((path, place) => ({ parts: path.split('/').filter(part => part !== ''), place })))
}

function nodesOf(files: readonly Placed[]): readonly FileNode[] {
  const groups = Map.groupBy(files, ({ parts, place }) => (parts.length > 1 ? (parts[0] ?? '') : place))
  return [...groups].map(([name, inside]) => {
    if (typeof name === 'number') return { name: inside[0]?.parts[0] ?? '', place: name, children: [] }
    return joined(name, nodesOf(inside.map(({ parts, place }) => ({ parts: parts.slice(1), place }))))
  })
}

function joined(name: string, children: readonly FileNode[]): FileNode {
  const [only] = children
  if (children.length === 1 && only?.place === null)
    return { name: `${name}/${only.name}`, place: null, children: only.children }
  return { name, place: null, children }
}
