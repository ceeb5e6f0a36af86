import { expect, test } from 'vitest'
import { CODE, DOCUMENTS, danglingInCode, danglingInDocument, read } from './citations.ts'

test('every page, heading and file that a comment cites is there', () => {
  expect(CODE.length).toBeGreaterThan(600)
  expect(CODE.flatMap(file => danglingInCode(read(file)).map(cited => `${file}: ${cited}`))).toEqual([])
})

test('every link, file and folder that a document names is there', () => {
  expect(DOCUMENTS.length).toBeGreaterThan(20)
  expect(DOCUMENTS.flatMap(file => danglingInDocument(read(file)).map(cited => `${file}: ${cited}`))).toEqual([])
})

test.each([
  ['a page', '/** docs/design/no-such-page.md */', 'docs/design/no-such-page.md'],
  ['a heading', '/** docs/design/calls.md#no-such-heading */', 'docs/design/calls.md#no-such-heading'],
  ['a file', '// As runtime/loop/no-such-move.ts does.', 'runtime/loop/no-such-move.ts'],
  ['a section of a page that is elsewhere', ' * DESIGN §4.2.', 'DESIGN §4.2.'],
])('a comment that cites %s that is not there is found', (_what, text, cited) => {
  expect(danglingInCode({ file: 'src/core/run/tool-call.ts', text })).toEqual([cited])
})

test.each([
  ['a page', '[design](../design/none.md)', '../design/none.md'],
  ['a heading', '[calls](../design/calls.md#none)', '../design/calls.md#none'],
  ['a heading of its own', '[below](#none)', '#none'],
  ['a file', 'In `runtime/loop/none.ts`.', 'runtime/loop/none.ts'],
  ['a file without its folder', 'In `none.ts`.', 'none.ts'],
  ['a folder', 'In `runtime/none/`.', 'runtime/none/'],
])('a document that names %s that is not there is found', (_what, text, cited) => {
  expect(danglingInDocument({ file: 'docs/design/stores.md', text })).toEqual([cited])
})

test('what is there is not called dangling', () => {
  const comment = '/** docs/design/calls.md#statuses, core/run/tool-call.ts and ./profile.ts */'
  const page =
    'Save this as `agent.ts`. [statuses](../design/calls.md#statuses), `runtime/loop/`, `src/index.ts`, `next-move.ts` in ```sh\nnone/x.ts\n```'
  expect(danglingInCode({ file: 'src/core/run/tool-call.ts', text: comment })).toEqual([])
  expect(danglingInDocument({ file: 'docs/design/stores.md', text: page })).toEqual([])
})
