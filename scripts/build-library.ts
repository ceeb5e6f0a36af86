/**
 * Bundles the library into `dist/lib`: a process that imports it reads a few dozen files less, which is two thirds of the
 * cost (docs/decisions/0012-bundled-library.md). The entries share their parts, so a class is the same in all. What is
 * imported when it is used stays a file of its own, and packages are files of `dist/vendor`. Types are made by tsc; those that
 * an entry leads to are copied.
 */
import { existsSync, readFileSync } from 'node:fs'
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type CodeSplittingGroup, type Plugin, rolldown } from 'rolldown'
import { DEFINED } from './defined.ts'
import { vendorOf } from './vendor.ts'

const OUT = 'dist/lib'
/** Of all files, as tsc made them: it keeps them, and makes again what changed. */
const TYPES = 'node_modules/.cache/tsc/types'
const ENTRIES = {
  index: 'src/index.ts',
  'store-rules': 'src/store-rules.ts',
  langgraph: 'src/langgraph/index.ts',
  testing: 'src/testing/index.ts',
} as const
/** Files that look for others beside them rely on being in `dist/lib`, so the entries of the package only lead there. */
const DOORS: Readonly<Record<keyof typeof ENTRIES, string>> = {
  index: 'dist/index.js',
  'store-rules': 'dist/store-rules.js',
  langgraph: 'dist/langgraph/index.js',
  testing: 'dist/testing/index.js',
}

const CLIENT = 'dist/client/index.js'

/** Most programs need none of its functions, and loading it takes longer than most of a resume's commits. */
const LATE = 'node:fs/promises'

/**
 * All that `import` loads is one file, and what opening a store in SQLite adds is a second one: finding, reading and
 * compiling forty takes three times as long.
 */
const GROUPS: CodeSplittingGroup[] = [
  { name: 'at-once', test: /\/src\/index\.ts$/ },
  { name: 'opened', test: /\/src\/(hosts\/compose\/compose|stores\/sqlite\/sqlite-store|store-rules)\.ts$/ },
]

/** Packages stay what users install, and those of `dist/vendor` are led there. */
const packagesApart: Plugin = {
  name: 'packages-apart',
  resolveId: {
    filter: { id: /^[^./]|\/sdk\.ts$/ },
    handler: (path, importer, { kind }) => {
      if (importer === undefined) return null
      const vendor = vendorOf(path, dirname(importer), kind === 'dynamic-import')
      return vendor ? { id: vendor, external: true } : /^[^./]/.test(path) ? { id: path, external: true } : null
    },
  },
}

await rm(OUT, { recursive: true, force: true })
const bundle = await rolldown({
  input: { ...ENTRIES },
  platform: 'node',
  plugins: [packagesApart],
  transform: { target: 'node24', define: { ...DEFINED } },
  // The command line loads some of what the library loads at once only when it is used.
  checks: { ineffectiveDynamicImport: false },
})
const { output } = await bundle.write({
  dir: OUT,
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
  codeSplitting: { groups: GROUPS },
  comments: { legal: true, annotation: false, jsdoc: false },
  sourcemap: true,
  // A trace names the file and the line in the repository; the texts would be a sixth of the package.
  sourcemapExcludeSources: true,
})
for (const { type, fileName } of output) if (type === 'chunk') await takeBuiltinsAsTheyAre(join(OUT, fileName))

/** `import` of a module of Node's own makes a facade, which touches all that Node would load when it is used. */
async function takeBuiltinsAsTheyAre(path: string): Promise<void> {
  const text = await readFile(path, 'utf8')
  const taken = text
    .replaceAll(/\bimport ?\{([^}]*)\} ?from ?"(node:[\w/]+)";/g, (_, names: string, name: string) =>
      name === LATE ? takenLate(names) : takenNow(names, name),
    )
    .replaceAll(/\bimport (\w+) from ?"(node:[\w/]+)";/g, 'const $1=process.getBuiltinModule("$2");')
  if (/\bfrom ?"node:/.test(taken))
    throw new Error(`${path} imports a module of Node in a form that is not known here.`)
  await writeFile(path, taken)
}

function takenNow(names: string, name: string): string {
  return `const {${names.replaceAll(' as ', ':')}}=process.getBuiltinModule("${name}");`
}

function takenLate(names: string): string {
  const each = names.split(',').map(text => text.trim().split(' as '))
  return each.map(([name = '', own = name]) => takenAtCall(name, own)).join('')
}

function takenAtCall(name: string, own: string): string {
  if (name === 'constants') return `const ${own}=process.getBuiltinModule("node:fs").constants;`
  return `const ${own}=(...given)=>process.getBuiltinModule("${LATE}").${name}(...given);`
}

await openDoor('index', './lib/index.js')
await openDoor('store-rules', './lib/store-rules.js')
await openDoor('langgraph', '../lib/langgraph.js')
await openDoor('testing', '../lib/testing.js')
await buildClient()

async function openDoor(name: keyof typeof ENTRIES, target: string): Promise<void> {
  await mkdir(dirname(DOORS[name]), { recursive: true })
  await writeFile(DOORS[name], `export * from '${target}'\n`)
}

/** Pages load it, so it shares no file with the library, and none of its syntax is newer than browsers. */
async function buildClient(): Promise<void> {
  const client = await rolldown({ input: 'src/client/index.ts', platform: 'browser', transform: { target: 'es2022' } })
  await client.write({
    ...{ file: CLIENT, format: 'esm', comments: { jsdoc: false } },
    ...{ sourcemap: true, sourcemapExcludeSources: true },
  })
}

await copyTypes()

/** A type that no entry leads to helps no user, and may name a package that is not installed. */
async function copyTypes(): Promise<void> {
  const needed = new Set<string>()
  for (const door of [...Object.values(DOORS), CLIENT]) collect(door.replace(/^dist\/(.*)\.js$/, '$1.d.ts'), needed)
  await Promise.all(
    [...needed].map(async file => {
      await mkdir(dirname(join('dist', file)), { recursive: true })
      await copyFile(join(TYPES, file), join('dist', file))
    }),
  )
}

/** Each type that `file` leads to, itself included; both are paths in `TYPES`. */
function collect(file: string, found: Set<string>): void {
  if (found.has(file)) return
  if (!existsSync(join(TYPES, file))) throw new Error(`There is no ${file}, which another type imports.`)
  found.add(file)
  const text = readFileSync(join(TYPES, file), 'utf8')
  for (const [, path = ''] of text.matchAll(/(?:\bfrom |\bimport\()['"](\.[^'"]+)['"]/g)) {
    collect(join(dirname(file), path.replace(/\.[jt]s$/, '.d.ts')), found)
  }
}
