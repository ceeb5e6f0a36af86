/**
 * Modules that a plain run or resume does not load become functions of the bundle. esbuild hoists the functions of a
 * module that is loaded late, so V8 made thousands of closures, and kept as many in the compiled code, for commands that
 * this process is not. In a function of its own a module costs nothing until it is loaded.
 */
import { readFile } from 'node:fs/promises'
import { dirname, relative, resolve } from 'node:path'
import { type BuildOptions, build, type Metafile, type Plugin, transform } from 'esbuild'
import { parseAst } from 'rolldown/parseAst'

/** A module that these import at once, or one of these, stays as it is. */
const HOT = [
  'src/hosts/entry/main.ts',
  'src/hosts/headless/run-headless.ts',
  'src/hosts/headless/run-request.ts',
  'src/models/open-model.ts',
  'src/stores/sqlite/sqlite-store.ts',
  'src/tools/read-command/inspect-command.ts',
  'src/tools/read-command/preview-command.ts',
  'src/tools/run-command/spawn-command.ts',
]

export async function withColdModules(options: BuildOptions): Promise<BuildOptions> {
  const { metafile } = await build({ ...options, metafile: true, write: false })
  const hot = importedAtOnce(metafile)
  return { ...options, plugins: [...(options.plugins ?? []), coldUnless(hot, options.define ?? {})] }
}

/** @throws Error if a path of `HOT` is not of the bundle: the list is old. */
function importedAtOnce({ inputs }: Metafile): Set<string> {
  const found = new Set<string>()
  const left = [...HOT]
  for (let path = left.pop(); path !== undefined; path = left.pop()) {
    const input = inputs[path]
    if (!input) throw new Error(`The command line has no ${path}, which a resume is said to load.`)
    if (found.has(path)) continue
    found.add(path)
    left.push(
      ...input.imports.filter(({ kind, external }) => kind === 'import-statement' && !external).map(each => each.path),
    )
  }
  return found
}

/** They are in a namespace of their own, because esbuild takes a file of this package for a module, whatever is in it. */
function coldUnless(hot: ReadonlySet<string>, define: Record<string, string>): Plugin {
  return {
    name: 'cold-modules',
    setup: ({ onResolve, onLoad }) => {
      onResolve({ filter: /^\.{1,2}\/.*\.ts$/ }, ({ path, resolveDir }) => {
        const file = relative('.', resolve(resolveDir, path))
        return hot.has(file) ? null : { path: file, namespace: 'cold' }
      })
      onLoad({ filter: /./, namespace: 'cold' }, async ({ path }) => {
        const { code } = await transform(await readFile(path, 'utf8'), { loader: 'ts', target: 'node24', define })
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
