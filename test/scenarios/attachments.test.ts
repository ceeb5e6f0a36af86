/** What people attach never ends a thread: a model gets what it reads, and they are told of the rest at once. */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { describe, expect, test } from 'vitest'
import { type ContentPart, toolParts } from '../../src/index.ts'
import { openOpenAiServer } from '../../src/testing/index.ts'
import { ALL_WIRES, expectInOrder, messagesOf } from './wires.ts'
import { advanced, aWorkplace, call, started } from './workplace.ts'

const file = (name: string, media_type: string, bytes: string | Uint8Array): ContentPart => ({
  ...{ type: 'file', media_type, name },
  data: Buffer.from(bytes).toString('base64'),
})

const ZIP = Uint8Array.from([0x50, 0x4b, 3, 4, 0, 0, 255, 254, 9])
const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
const docx = file('a.docx', DOCX, ZIP)
const csv = file('tea.csv', 'text/csv', 'tea,3\ncocoa,4\n')
const source = file('cart.ts', 'application/octet-stream', 'export const cart = []\n')
const pdf = file('a.pdf', 'application/pdf', '%PDF-1.7 \0\0')
const cells = [
  { cell_type: 'markdown', source: ['# Sales'] },
  { cell_type: 'code', source: 'total()', outputs: [{ data: { 'text/plain': '7', 'image/png': 'iVBO' } }] },
]
const notebook = file('sales.ipynb', 'application/x-ipynb+json', JSON.stringify({ cells }))

describe.each(ALL_WIRES)('with $model', wire => {
  const worker = { model: wire.model }
  const open = (url: string) => ({ env: wire.env(url) })

  test('texts, code and notebooks are read as texts, PDFs as files, and the sender hears of the rest', async () => {
    await using server = await wire.open({ turns: ['One.', 'Two.'] })
    await using place = await aWorkplace({ ...worker, open: open(server.url) })
    await using holdpoint = await place.open()
    const input = [docx, csv, source, notebook, pdf]
    const begun = await holdpoint.start({ agent: 'worker', input })
    const note = `[file a.docx, ${DOCX}, 9 bytes: this model reads no such file]`
    expect(begun.warnings).toMatchObject([{ code: 'parts_not_read', parts: [note] }])
    const view = await advanced(holdpoint, begun.id)
    expect(view).toMatchObject({
      ...{ answer: 'One.', messages: [{ content: input }, {}] },
      warnings: [{ code: 'context_repaired', parts: ['the file a.docx in a message'] }],
    })
    await using other = await place.open()
    const next = await other.send(begun.thread_id, { text: 'See this, too.', parts: [docx] })
    expect(next.warnings).toMatchObject([{ parts: [note] }])
    expect(await advanced(other, next.run_id)).toMatchObject({ answer: 'Two.', warnings: [{}] })

    expectInOrder(server, 2)
    const [request = ''] = server.requests.map(({ body }) => JSON.stringify(messagesOf(body)))
    for (const text of [note, 'tea,3\ncocoa,4\n', 'export const cart', '# Sales\n\n```\ntotal()\n```\n```\n7\n```'])
      expect(request).toContain(JSON.stringify(text).slice(1, -1))
    expect(request).not.toContain('iVBO')
    expect(request).toContain('data' in pdf ? pdf.data : '')
  })

  test('the files of a tool are read in the same way', async () => {
    await using server = await wire.open({ turns: [{ calls: [call('look')] }, 'Done.'] })
    await using place = await aWorkplace(it => ({
      ...{ ...worker, open: open(server.url) },
      tools: [it.tool('look', { execute: () => toolParts([csv, docx]) })],
    }))
    await using holdpoint = await place.open()
    const { id } = await started(holdpoint)
    expect(await advanced(holdpoint, id)).toMatchObject({
      warnings: [{ parts: ['the file a.docx in the result of look'] }],
    })
    expectInOrder(server, 2)
    const sent = JSON.stringify(server.requests[1]?.body)
    expect(sent).toContain('tea,3')
    expect(sent).toContain('this model reads no such file')
  })
})

test('a file that the package of an unknown provider refuses is left out, on record', async () => {
  await using server = await openOpenAiServer({ turns: ['Done.'] })
  const model = createOpenAICompatible({ name: 'local', baseURL: server.url })('m')
  await using place = await aWorkplace({ model })
  await using holdpoint = await place.open()
  const { id, warnings } = await holdpoint.start({ agent: 'worker', input: [{ type: 'text', text: 'See.' }, docx] })
  expect(warnings).toBe(undefined)
  expect(await advanced(holdpoint, id)).toMatchObject({ answer: 'Done.', warnings: [{ code: 'context_repaired' }] })
  expectInOrder(server, 1)
})
