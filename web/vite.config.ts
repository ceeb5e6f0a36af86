/** Builds the inbox into `dist/web`, which `holdpoint serve` serves. Nothing of it is loaded by the command line. */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import tailwindcss from '@tailwindcss/vite'
import { defineConfig, type Plugin } from 'vite'

const OUT = resolve(import.meta.dirname, '../dist/web')
const compress = promisify(brotliCompress)

/** A smaller file gains nothing. */
const LEAST_BYTES = 1024

/** Each text beside itself as `NAME.br`: compressed once here, and not for each reader. */
const brotli: Plugin = {
  name: 'brotli-beside-each-text',
  apply: 'build',
  closeBundle: async () => {
    const files = await readdir(OUT, { recursive: true, withFileTypes: true })
    const texts = files.filter(file => file.isFile() && /\.(html|js|css|svg)$/.test(file.name))
    await Promise.all(texts.map(({ parentPath, name }) => writeCompressed(join(parentPath, name))))
  },
}

async function writeCompressed(path: string): Promise<void> {
  const text = await readFile(path)
  if (text.length < LEAST_BYTES) return
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY }
  await writeFile(`${path}.br`, await compress(text, { params }))
}

export default defineConfig({
  root: import.meta.dirname,
  plugins: [tailwindcss(), brotli],
  oxc: { jsx: { runtime: 'automatic' } },
  build: {
    outDir: OUT,
    emptyOutDir: true,
    target: ['chrome120', 'firefox121', 'safari17.2'],
    // The policy of the page allows no data in place of a file, and no script in it.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // React's packages mark files for servers, which there are none of here.
    rolldownOptions: { checks: { moduleLevelDirective: false } },
  },
  // In development: `npx vite web`, beside a `holdpoint serve`.
  server: { proxy: { '/v1': process.env['HOLDPOINT_URL'] ?? 'http://127.0.0.1:4747' } },
  logLevel: 'warn',
})
