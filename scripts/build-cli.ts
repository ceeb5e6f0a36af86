/**
 * Bundles the command line into `dist/cli`. Our own code is one file, whose parts are run when they are used; each
 * package that is not always needed is a file of its own in `vendor/`. CommonJS, because loading it, and Node's own
 * modules through it, takes half the time (docs/decisions/0003-one-file-command-line.md).
 */
import { chmod, readFile, rm, writeFile } from 'node:fs/promises'
import { relative, resolve } from 'node:path'
import { type BuildOptions, build, type Plugin } from 'esbuild'

const OUT = 'dist/cli'

const PACKAGES: Readonly<Record<string, string>> = {
  '@ai-sdk/anthropic': 'anthropic',
  '@ai-sdk/google': 'google',
  '@ai-sdk/openai': 'openai',
  '@ai-sdk/openai-compatible': 'openai-compatible',
  '@cfworker/json-schema': 'json-schema',
  '@hono/node-server': 'node-server',
  '@modelcontextprotocol/client': 'mcp-client',
  'jsonc-parser': 'jsonc-parser',
  unbash: 'unbash',
  yaml: 'yaml',
}

/** Parts of packages: files of ours that name what is used, so that the rest is left out. */
const PARTS: Readonly<Record<string, string>> = {
  'src/protocols/mcp/offer/sdk.ts': 'mcp-server',
}

const ofPackages: Plugin = {
  name: 'packages-in-files-of-their-own',
  setup: ({ onResolve }) => {
    // A file of its own, because the compile cache serves only what is loaded after it was enabled.
    onResolve({ filter: /^\.\/main\.ts$/ }, () => ({ path: './main.js', external: true }))
    onResolve({ filter: /^[^.]/ }, ({ path, kind }) => {
      const name = PACKAGES[path]
      return name && kind === 'dynamic-import' ? { path: `./vendor/${name}.js`, external: true } : null
    })
    onResolve({ filter: /^\.\.?\/.*\/sdk\.ts$/ }, ({ path, resolveDir, kind }) => {
      const name = PARTS[relative('.', resolve(resolveDir, path))]
      return name && kind === 'dynamic-import' ? { path: `./vendor/${name}.js`, external: true } : null
    })
  },
}

const common: BuildOptions = {
  bundle: true,
  minifySyntax: true,
  minifyWhitespace: true,
  platform: 'node',
  target: 'node24',
  format: 'cjs',
  mainFields: ['module', 'main'],
  logLevel: 'warning',
  legalComments: 'linked',
}

await rm(OUT, { recursive: true, force: true })
await build({
  ...common,
  entryPoints: ['src/hosts/entry/bin.ts', 'src/hosts/entry/main.ts'],
  outdir: OUT,
  plugins: [ofPackages],
  define: { 'import.meta.dirname': '__dirname', 'import.meta.filename': '__filename' },
})
// It knows nothing of the command line, and is to start fast and stay small. Nobody reads its stack traces.
await build({
  ...common,
  minifyIdentifiers: true,
  entryPoints: [{ in: 'src/hosts/supervisor/main.ts', out: 'supervise' }],
  outdir: OUT,
  plugins: [ofPackages],
  define: { 'import.meta.dirname': '__dirname', 'import.meta.filename': '__filename' },
})
await build({
  ...common,
  entryPoints: Object.entries({ ...PACKAGES, ...PARTS }).map(([name, out]) => ({ in: name, out })),
  outdir: `${OUT}/vendor`,
})
for (const name of ['bin', 'main', 'supervise']) await requireInPlaceOfImport(`${OUT}/${name}.js`)
await writeFile(`${OUT}/package.json`, '{ "type": "commonjs" }\n')
await chmod(`${OUT}/bin.js`, 0o755)

/** A known file or a module of Node's own is there at once by `require`; only files of users need the loader of `import`. */
async function requireInPlaceOfImport(path: string): Promise<void> {
  const text = await readFile(path, 'utf8')
  await writeFile(
    path,
    text.replaceAll(/\bimport\("(node:[\w/]+|\.\/[\w/-]+\.js)"\)/g, 'Promise.resolve().then(()=>require("$1"))'),
  )
}
