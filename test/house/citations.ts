import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'

/** A piece of text, and where it stands in the project. */
export interface Source {
  /** Relative to the root of the project. */
  readonly file: string
  readonly text: string
}

export const DOCUMENTS: readonly string[] = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  ...globSync('docs/**/*.md'),
]
export const CODE: readonly string[] = globSync([
  'src/**/*.ts',
  'test/**/*.ts',
  'bench/**/*.ts',
  'scripts/**/*.ts',
  'examples/**/*.ts',
]).filter(file => !file.includes('node_modules'))

export function read(file: string): Source {
  return { file, text: readFileSync(file, 'utf8') }
}

/** Citations in a source file that lead nowhere: design pages, their headings, and paths of files in comments. */
export function danglingInCode({ file, text }: Source): string[] {
  const comments = text.match(/^\s*(\/\*\*|\*|\/\/).*$|\/\*\*.*\*\/$/gm)?.join('\n') ?? ''
  const pages = [...comments.matchAll(/docs\/[\w./-]+\.md(#[\w-]+)?/g)].map(([cited]) => cited)
  const paths = [...comments.matchAll(PATH)].map(([cited]) => cited)
  const homeless = comments.match(/\bDESIGN\b.{0,12}/g) ?? []
  return [
    ...homeless,
    ...pages.filter(cited => !leadsSomewhere(cited, '.')),
    ...paths.filter(cited => !isFile(cited, dirname(file))),
  ]
}

/** Links, paths of files and names of folders in a page that lead nowhere. */
export function danglingInDocument({ file, text }: Source): string[] {
  const prose = text.replaceAll(/^( *)```[\s\S]*?^\1```/gm, '')
  const links = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link ?? '')
  const dead = links.filter(link => !/^https?:/.test(link) && !leadsSomewhere(link, file))
  return [...dead, ...deadNames(file, prose)]
}

/** `runtime/loop/take-step.ts`: a path from the root, from `src/`, or from where it is named. */
const PATH = /\b(?:[\w-]+\/)+[\w.-]+\.(?:ts|mjs)\b/g

function deadNames(file: string, prose: string): string[] {
  // A page that has its reader save a file may name it.
  const saved = new Set([...prose.matchAll(/Save this as `([^`]+)`/g)].map(([, name]) => name))
  const names = [...prose.matchAll(/`([\w./-]+)`/g)].map(([, name]) => name ?? '').filter(name => !saved.has(name))
  const files = names.filter(name => /[\w-]\.(ts|mjs)$/.test(name))
  const folders = names.filter(name => /^[\w-]+(\/[\w-]+)*\/$/.test(name))
  return [
    ...files.filter(name => !isFile(name, dirname(file)) && !NAMES.has(name)),
    ...folders.filter(name => !existsSync(name) && !existsSync(join('src', name))),
  ]
}

const NAMES: ReadonlySet<string> = new Set(CODE.map(file => basename(file)))

function isFile(path: string, from: string): boolean {
  return ['.', 'src', from].some(root => existsSync(join(root, path)))
}

/** From the root (`.`), or from the page that has the link. */
function leadsSomewhere(link: string, page: string): boolean {
  const [path = '', heading] = link.split('#')
  const target = path === '' ? page : normalize(join(page === '.' ? '.' : dirname(page), path))
  if (!existsSync(target)) return false
  return heading === undefined || headingsOf(target).includes(heading)
}

/** As GitHub names them: the second of two that are equal ends with `-1`. */
function headingsOf(page: string): string[] {
  const headings = readFileSync(page, 'utf8').matchAll(/^#+ (.+)$/gm)
  const names = [...headings].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, '')
      .trim()
      .replaceAll(/\s/g, '-'),
  )
  return Object.values(Object.groupBy(names, name => name)).flatMap((equal = []) =>
    equal.map((name, times) => (times === 0 ? name : `${name}-${times}`)),
  )
}
