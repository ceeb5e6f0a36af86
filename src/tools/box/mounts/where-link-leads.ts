import { readlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'

interface Sides {
  readonly workdir: string
  readonly view: string
}

/** As many as the kernel follows. */
const MOST_LINKS = 40

/**
 * Follows a link name by name, as the kernel does: `link/..` is beside what the link leads to. The result is a path in
 * the directory, or an absolute one outside.
 */
export function whereLinkLeads(sides: Sides, path: string): string {
  return follow(sides, [], { left: path.split('/'), links: 0 })
}

interface Rest {
  readonly left: readonly string[]
  /** Links that were followed. */
  readonly links: number
}

function follow(sides: Sides, at: readonly string[], { left, links }: Rest): string {
  const [next, ...rest] = left
  if (next === undefined) return at.join('/')
  if (next === '' || next === '.') return follow(sides, at, { left: rest, links })
  if (next !== '..') return followName(sides, at, next, { left: rest, links })
  return at.length === 0 ? resolve(sides.workdir, '..', ...rest) : follow(sides, at.slice(0, -1), { left: rest, links })
}

function followName(sides: Sides, at: readonly string[], name: string, { left, links }: Rest): string {
  const target = targetOf(join(sides.view, ...at, name))
  if (target === null) return follow(sides, [...at, name], { left, links })
  const inside = target.startsWith('/') ? below(sides.workdir, target) : target
  if (inside === null || links === MOST_LINKS) return resolve('/', target, ...left)
  return follow(sides, target.startsWith('/') ? [] : at, { left: [...inside.split('/'), ...left], links: links + 1 })
}

function below(workdir: string, target: string): string | null {
  if (target === workdir) return ''
  return target.startsWith(`${workdir}/`) ? target.slice(workdir.length + 1) : null
}

/** `null` if it is no link, or is not there. */
function targetOf(path: string): string | null {
  try {
    return readlinkSync(path)
  } catch {
    return null
  }
}
