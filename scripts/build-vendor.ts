/** Bundles each package of `scripts/vendor.ts` into a CommonJS file of `dist/vendor`, with the licences of all that is in it. */
import { globSync, readFileSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'
import { BUNDLE } from './bundle-options.ts'
import { PACKAGES, PARTS } from './vendor.ts'

const OUT = 'dist/vendor'
/** These files require Node's own modules only. A bundler of a user that makes ES modules has no `require` for them. */
const REQUIRE = 'var require=name=>process.getBuiltinModule(name);'

await rm(OUT, { recursive: true, force: true })
const { metafile } = await build({
  entryPoints: Object.entries({ ...PACKAGES, ...PARTS }).map(([name, out]) => ({ in: name, out })),
  outdir: OUT,
  ...BUNDLE,
  banner: { js: REQUIRE },
  metafile: true,
})
await writeFile(`${OUT}/package.json`, '{ "type": "commonjs" }\n')
await writeFile(`${OUT}/LICENSES.txt`, licencesOf(Object.keys(metafile.inputs)))

function licencesOf(inputs: readonly string[]): string {
  const packages = new Set(inputs.map(packageOf).filter(directory => directory !== null))
  const texts = [...packages].toSorted().map(licenceOf)
  return `The files beside this one contain these packages.\n\n${texts.join('\n\n')}\n`
}

function packageOf(input: string): string | null {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(input)?.[0] ?? null
}

/** @throws Error if a package states no licence: it may not be shipped. */
function licenceOf(directory: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as {
    name: string
    version: string
    license?: string
  }
  if (license === undefined) throw new Error(`${name} states no licence`)
  const [file] = globSync(join(directory, '{LICEN[SC]E,licen[sc]e}*'))
  const text = file ? readFileSync(file, 'utf8').trim() : `Licence: ${license}`
  return `${'-'.repeat(80)}\n${name} ${version} (${license})\n\n${text}`
}
