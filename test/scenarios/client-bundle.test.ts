import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { expect, test } from 'vitest'

const MOST_BYTES = 10 * 1024

test('in a bundle for browsers the client kit has at most 10 KB, and needs nothing of Node', async () => {
  const { outputFiles, metafile } = await build({
    stdin: {
      contents: "export { connectHoldpoint, RefusedError, ServerError } from './dist/client/index.js'",
      resolveDir: process.cwd(),
    },
    ...{ bundle: true, minify: true, format: 'esm', platform: 'browser', target: 'es2022' },
    ...{ write: false, metafile: true, logLevel: 'silent' },
  })
  const [file] = outputFiles
  expect(Object.values(metafile.outputs).flatMap(({ imports }) => imports)).toEqual([])
  expect(gzipSync(file?.contents ?? '').length).toBeLessThan(MOST_BYTES)
  expect(file?.text).toContain('connectHoldpoint')
  expect(file?.text).not.toMatch(/\busing\b [\w$]+ ?=/)
})
