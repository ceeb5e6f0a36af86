/**
 * The command line as several files, its parts: a process reads and compiles those alone that it uses. A module imports
 * one of its own part as in any bundle, and one of another part from the table of modules that each part exports.
 * The modules of cold parts are functions. esbuild hoists what modules declare that are loaded late, so V8 made
 * thousands of closures, and kept as many in the compiled code, for commands that a process is not.
 */
import { readFile } from 'node:fs/promises'
import { dirname, relative, resolve } from 'node:path'
import { type BuildOptions, build, type Metafile, type Plugin, transform } from 'esbuild'
import { parseAst } from 'rolldown/parseAst'
import { SYNTAX } from './bundle-options.ts'

const ENTRY = 'src/hosts/entry/main.ts'
/** All that the first frame of a chat needs. */
const FRAME = 'src/hosts/terminal/run-chat.ts'
/** What these import at once is all that a plain run or resume needs. */
const RUN = [
  'src/hosts/headless/run-headless.ts',
  'src/hosts/headless/run-request.ts',
  'src/models/open-model.ts',
  'src/stores/sqlite/sqlite-store.ts',
  'src/tools/read-command/inspect-command.ts',
  'src/tools/read-command/preview-command.ts',
  'src/tools/run-command/spawn-command.ts',
]
/** Folders of cold modules that only some commands load. */
const FOLDERS = {
  serve: ['src/hosts/server/', 'src/protocols/'],
  postgres: ['src/stores/postgres/'],
} as const

export type Part = 'main' | 'chat' | 'run' | 'rest' | keyof typeof FOLDERS

export const PARTS: readonly Part[] = ['main', 'chat', 'run', 'rest', 'serve', 'postgres']

const HOT: ReadonlySet<Part> = new Set<Part>(['main', 'chat', 'run'])

/** Writes a file for each part. `main` exports what `src/hosts/entry/main.ts` does, too. */
export async function buildParts(options: BuildOptions): Promise<void> {
  const { metafile } = await build({ ...options, entryPoints: [ENTRY], metafile: true, write: false })
  const homes = homesOf(metafile)
  const shared = sharedModules(metafile, homes)
  for (const part of PARTS) {
    const { outdir, ...others } = options
    await build({
      ...others,
      stdin: { contents: tableOf(shared.filter(path => homes.get(path) === part)), resolveDir: '.' },
      outfile: `${outdir}/${part}.js`,
      plugins: [...(options.plugins ?? []), modulesOf(part, { homes, define: options.define ?? {} })],
    })
  }
}

function homesOf({ inputs }: Metafile): ReadonlyMap<string, Part> {
  const [main, frame, run] = [[ENTRY], [FRAME], RUN].map(roots => importedAtOnce(roots, inputs))
  return new Map(
    Object.keys(inputs).map(path => {
      if (main?.has(path) || (frame?.has(path) && run?.has(path))) return [path, 'main']
      if (frame?.has(path)) return [path, 'chat']
      return [path, run?.has(path) ? 'run' : coldHomeOf(path)]
    }),
  )
}

function coldHomeOf(path: string): Part {
  const found = Object.entries(FOLDERS).find(([, folders]) => folders.some(folder => path.startsWith(folder)))
  return found ? (found[0] as Part) : 'rest'
}

/** @throws Error if a root is not of the bundle: the list is old. */
function importedAtOnce(roots: readonly string[], inputs: Metafile['inputs']): ReadonlySet<string> {
  const found = new Set<string>()
  const left = [...roots]
  for (let path = left.pop(); path !== undefined; path = left.pop()) {
    const input = inputs[path]
    if (!input) throw new Error(`The command line has no ${path}, which it is said to load.`)
    if (found.has(path)) continue
    found.add(path)
    left.push(
      ...input.imports.filter(({ kind, external }) => kind === 'import-statement' && !external).map(each => each.path),
    )
  }
  return found
}

/** Those that a module of another part imports. */
function sharedModules({ inputs }: Metafile, homes: ReadonlyMap<string, Part>): readonly string[] {
  const shared = new Set<string>([ENTRY])
  for (const [path, { imports }] of Object.entries(inputs))
    for (const each of imports)
      if (!each.external && isOurs(each.path) && homes.get(each.path) !== homes.get(path)) shared.add(each.path)
  return [...shared]
}

/** A package comes into the part that imports it. */
function isOurs(path: string): boolean {
  return path.startsWith('src/')
}

function tableOf(paths: readonly string[]): string {
  const rows = paths.map(path => `${JSON.stringify(path)}: () => require("./${path}"),\n`)
  const main = paths.includes(ENTRY) ? `main: () => require("./${ENTRY}").main(),\n` : ''
  return `module.exports = {\n${main}${rows.join('')}}\n`
}

interface Modules {
  readonly homes: ReadonlyMap<string, Part>
  readonly define: Record<string, string>
}

/** Cold ones are in a namespace of their own, because esbuild takes a file of this package for a module, whatever is in it. */
function modulesOf(part: Part, { homes, define }: Modules): Plugin {
  return {
    name: 'modules-of-a-part',
    setup: ({ onResolve, onLoad }) => {
      onResolve({ filter: /./, namespace: 'elsewhere' }, ({ path }) => ({ path, external: true }))
      onResolve({ filter: /^\.{1,2}\/.*\.ts$/ }, ({ path, resolveDir }) => {
        const file = relative('.', resolve(resolveDir, path))
        if (homes.get(file) !== part) return { path: file, namespace: 'elsewhere' }
        return HOT.has(part) ? null : { path: file, namespace: 'cold' }
      })
      onLoad({ filter: /./, namespace: 'elsewhere' }, ({ path }) => ({
        contents: `module.exports = require("./${homes.get(path)}.js")[${JSON.stringify(path)}]()`,
      }))
      onLoad({ filter: /./, namespace: 'cold' }, async ({ path }) => {
        const { code } = await transform(await readFile(path, 'utf8'), { loader: 'ts', ...SYNTAX, define })
        return { contents: withAssignedExports(code, path), loader: 'js', resolveDir: dirname(resolve(path)) }
      })
    },
  }
}

/** With `exports` esbuild takes the file for CommonJS, and so keeps it in a function. Its imports stay what they are. */
function withAssignedExports(code: string, path: string): string {
  const names: string[] = []
  let text = code
  for (const node of parseAst(code).body.toReversed()) {
    if (node.type === 'ExportDefaultDeclaration' || node.type === 'ExportAllDeclaration')
      throw new Error(`${path} exports in a form that is not known here.`)
    if (node.type !== 'ExportNamedDeclaration') continue
    if (!node.declaration) throw new Error(`${path} exports in a form that is not known here.`)
    text = text.slice(0, node.start) + text.slice(node.declaration.start)
    names.push(...declaredNames(node.declaration))
  }
  return `${text}\n${names.map(name => `exports.${name} = ${name}\n`).join('')}exports.__esModule = true\n`
}

type Declaration = NonNullable<
  Extract<ReturnType<typeof parseAst>['body'][number], { type: 'ExportNamedDeclaration' }>['declaration']
>

function declaredNames(declaration: Declaration): string[] {
  if (declaration.type === 'VariableDeclaration')
    return declaration.declarations.flatMap(({ id }) => (id.type === 'Identifier' ? [id.name] : []))
  return 'id' in declaration && declaration.id?.type === 'Identifier' ? [declaration.id.name] : []
}
