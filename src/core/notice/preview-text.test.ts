import { expect, test } from 'vitest'
import type { Preview } from '../preview/preview.ts'
import { previewInWords } from './preview-text.ts'

const preview = (...parts: Preview['parts']): Preview => ({ parts, basis: null, problem: null, digest: 'sha256:0' })

test('P9: a message says a preview in full', () => {
  const table = { type: 'table', columns: ['runs', 'policy'], rows: [['rm -rf build', 'prompt']] } as const
  expect(previewInWords({ preview: preview({ type: 'text', text: 'Pays 5.' }, table) })).toEqual({
    text: 'Pays 5.\nruns          policy\nrm -rf build  prompt',
    isWhole: true,
  })
  expect(previewInWords({})).toEqual({ text: null, isWhole: true })
})

test('P9: an image cannot be said in words, so such a message has not all of it', () => {
  const image = { type: 'image', media_type: 'image/png', data: 'AAAA' } as const
  expect(previewInWords({ preview: preview(image) })).toEqual({ text: '[image image/png, 3 bytes]', isWhole: false })
})

test('a table with very many rows is said too', () => {
  const rows = Array.from({ length: 200_000 }, () => ['x'])
  expect(previewInWords({ preview: preview({ type: 'table', columns: ['a'], rows }) }).text?.length).toBe(400_001)
})
