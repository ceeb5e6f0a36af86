import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Preview } from '../../preview/preview.ts'
import type { JsonObject } from '../../text/json.ts'
import { blockLines } from './block-lines.ts'
import { type Asked, holdBlocks } from './hold-blocks.ts'

const LONG = 'x'.repeat(500)
const PAY: Asked = { kind: 'approval', tool: 'pay', message: 'May pay run?', arguments: { to: 'ana', note: LONG } }

function shown(parts: Preview['parts'], problem: string | null = null): Preview {
  return { parts, problem, basis: null, digest: '' }
}

const TABLE = shown([{ type: 'table', columns: ['amount'], rows: [['7']] }])

test('P9: below an effect only long texts fold, since an effect need not tell of each argument', () => {
  const values = holdBlocks({ ...PAY, preview: TABLE }).filter(({ type }) => type === 'value')
  expect(values).toEqual([
    { type: 'value', title: 'with', value: { to: 'ana' }, isFolded: false },
    { type: 'value', title: 'with', value: { note: LONG }, isFolded: true },
  ])
})

test.each([
  ['no preview', undefined],
  ['a text', shown([{ type: 'text', text: 'The arguments have all that is written.' }])],
  ['a link', shown([{ type: 'link', url: 'https://shop.example' }])],
  ['a preview that failed', shown([], 'no such file')],
])('nothing folds below %s', (_, preview) => {
  const blocks = holdBlocks({ ...PAY, ...(preview && { preview }) })
  expect(blocks).toContainEqual({ type: 'value', title: 'with', value: PAY.arguments, isFolded: false })
})

test('P8: a high risk is told also where nothing is known of what the act reaches', () => {
  const warnings = (hold: Partial<Asked>) =>
    holdBlocks({ ...PAY, ...hold }).flatMap(block => (block.type === 'warning' ? [block.text] : []))
  expect(warnings({ risk: 'high' })).toEqual([expect.stringContaining('HIGH RISK')])
  expect(warnings({ risk: 'high', reaches: ['deletes build'] })).toEqual(['It deletes build'])
  expect(warnings({ arguments: { to: 'p\u0430ypal' } })).toEqual([expect.stringMatching(/^LOOK-ALIKE: .*[^.]$/)])
  expect(warnings({})).toEqual([])
})

test('a preview that failed is told', () => {
  expect(blockLines(holdBlocks({ ...PAY, preview: shown([], 'no such file') }))).toContainEqual({
    what: 'note',
    text: 'There is no preview: no such file',
  })
})

test('P9: each argument is in one block, whatever folds', () => {
  const anyArguments = fc.dictionary(fc.constantFrom('command', 'to', 'note', 'deep'), fc.jsonValue({ maxDepth: 2 }))
  fc.assert(
    fc.property(anyArguments, fc.boolean(), (args, hasEffect) => {
      const blocks = holdBlocks({ ...PAY, arguments: args as JsonObject, ...(hasEffect && { preview: TABLE }) })
      const told = blocks.flatMap(block =>
        block.type === 'command'
          ? [{ command: block.text }]
          : block.type === 'value'
            ? [block.value as JsonObject]
            : [],
      )
      expect(Object.assign({}, ...told)).toEqual(args)
      expect(told.flatMap(Object.keys)).toHaveLength(Object.keys(args).length)
    }),
  )
})
