/**
 * Bundles the library into `dist/lib`: a process that imports it reads a few dozen files less, which is two thirds of the
 * cost (docs/decisions/0012-bundled-library.md). The entries share their parts, so a class is the same in all. What is
 * imported when it is used stays a file of its own, and packages are files of `dist/vendor`. Types are made by tsc; those that
 * an entry leads to are copied.
 */
import { existsSync, readFileSync } from 'node:fs'
import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'
import { DEFINED } from './defined.ts'
import { vendored } from './vendor.ts'

const OUT = 'dist/lib'
/** Of all files, as tsc made them: it keeps them, and makes again what changed. */
const TYPES = 'node_modules/.cache/tsc/types'
const ENTRIES = {
  index: 'src/index.ts',
  'store-rules': 'src/store-rules.ts',
  testing: 'src/testing/index.ts',
} as const
/** Files that look for others beside them rely on being in `dist/lib`, so the entries of the package only lead there. */
const DOORS: Readonly<Record<keyof typeof ENTRIES, string>> = {
  index: 'dist/index.js',
  'store-rules': 'dist/store-rules.js',
  testing: 'dist/testing/index.js',
}

await rm(OUT, { recursive: true, force: true })
await build({
  entryPoints: ENTRIES,
  outdir: OUT,
  chunkNames: '[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  packages: 'external',
  plugins: [vendored],
  define: DEFINED,
  minifySyntax: true,
  sourcemap: 'linked',
  logLevel: 'warning',
})
await openDoor('index', './lib/index.js')
await openDoor('store-rules', './lib/store-rules.js')
await openDoor('testing', '../lib/testing.js')

async function openDoor(name: keyof typeof ENTRIES, target: string): Promise<void> {
  await mkdir(dirname(DOORS[name]), { recursive: true })
  await writeFile(DOORS[name], `export * from '${target}'\n`)
}

await copyTypes()

/** A type that no entry leads to helps no user, and may name a package that is not installed. */
async function copyTypes(): Promise<void> {
  const needed = new Set<string>()
  for (const door of Object.values(DOORS)) collect(door.replace(/^dist\/(.*)\.js$/, '$1.d.ts'), needed)
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
