/**
 * Bundles the command line into `dist/cli`. Our own code is a few files, the parts; each package that is not always
 * needed is a file of `dist/vendor`. CommonJS, because loading it, and Node's own modules through it, takes half the
 * time (docs/decisions/0003-command-line-in-parts.md).
 */
import { hash } from 'node:crypto'
import { chmod, readFile, rm, writeFile } from 'node:fs/promises'
import { type BuildOptions, build, type Plugin } from 'esbuild'
import { BUNDLE } from './bundle-options.ts'
import { DEFINED } from './defined.ts'
import { buildParts, PARTS } from './parts.ts'
import { PEERS, vendored } from './vendor.ts'

const OUT = 'dist/cli'

/** Files of their own, because the compile cache serves only what is loaded after it was enabled. */
const mainApart: Plugin = {
  name: 'main-in-a-file-of-its-own',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^\.\/main(-help)?\.ts$/ }, ({ path }) => ({ path: path.replace(/ts$/, 'js'), external: true }))
  },
}

/** The help lists the commands and runs none. */
const withoutCommands: Plugin = {
  name: 'help-without-commands',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^\./ }, ({ path, kind }) => (kind === 'dynamic-import' ? { path, external: true } : null))
  },
}

const common: BuildOptions = {
  ...BUNDLE,
  outdir: OUT,
  plugins: [mainApart, vendored],
  external: PEERS,
  define: { ...DEFINED, 'import.meta.dirname': '__dirname', 'import.meta.filename': '__filename' },
}

await rm(OUT, { recursive: true, force: true })
await buildParts(common)
await build({ ...common, plugins: [withoutCommands, vendored], entryPoints: ['src/hosts/entry/main-help.ts'] })
// It knows nothing of the command line, and is to start fast and stay small. Nobody reads its stack traces.
await build({
  ...common,
  minifyIdentifiers: true,
  entryPoints: [{ in: 'src/hosts/supervisor/main.ts', out: 'supervise' }],
})
for (const name of [...PARTS, 'main-help', 'supervise']) await requireInPlaceOfImport(`${OUT}/${name}.js`)
for (const part of PARTS) await finish(`${OUT}/${part}.js`)
// Code that is loaded with its compiled code has no `import` of its own: files of users are imported by this one.
await writeFile(`${OUT}/import-file.cjs`, 'module.exports=url=>import(url)\n')
// Compiled code that is kept is of these very texts.
const HOLDPOINT_BUILD = JSON.stringify(await digestOfParts())
await build({ ...common, define: { ...common.define, HOLDPOINT_BUILD }, entryPoints: ['src/hosts/entry/bin.ts'] })
await requireInPlaceOfImport(`${OUT}/bin.js`)
await writeFile(`${OUT}/package.json`, '{ "type": "commonjs" }\n')
await chmod(`${OUT}/bin.js`, 0o755)

/** @throws Error if it is not ASCII: V8 keeps other texts in twice the space, and loads them slower. */
async function finish(path: string): Promise<void> {
  const text = await readFile(path, 'utf8')
  const [odd] = /.{0,40}\P{ASCII}.{0,10}/u.exec(text) ?? []
  if (odd) throw new Error(`${path} has a character that is not ASCII; write its code point: ${odd}`)
  await writeFile(
    path,
    text
      .replaceAll(/\bawait import\(/g, 'await require("./import-file.cjs")(')
      .replace('__toESM=(mod,isNodeMode,target)=>', '$&mod?.__esModule?mod:'),
  )
}

async function digestOfParts(): Promise<string> {
  const texts = await Promise.all(PARTS.map(part => readFile(`${OUT}/${part}.js`, 'utf8')))
  return hash('sha256', texts.join(''))
}

/** A known file or a module of Node's own is there at once by `require`; only files of users need the loader of `import`. */
async function requireInPlaceOfImport(path: string): Promise<void> {
  const text = await readFile(path, 'utf8')
  await writeFile(
    path,
    text.replaceAll(
      /\bimport\("(node:[\w/]+|\.\/[\w/-]+\.js|\.\.\/vendor\/[\w-]+\.js)"\)/g,
      'Promise.resolve().then(()=>require("$1"))',
    ),
  )
}
