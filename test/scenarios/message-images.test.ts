import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type ContentPart, defineTool, type Json, type Plugin, redactSecrets, toolParts } from '../../src/index.ts'
import type { Script } from '../../src/models/script.ts'
import { ended } from './project.ts'
import { ALL_WIRES, expectInOrder, messagesOf, type Wire } from './wires.ts'
import { advanced, aWorkplace, call, started } from './workplace.ts'

const HEADER = '\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x01\0\0\0\x01\x08\x02'
/** The header of a PNG, and every byte that there is. */
const DATA = Buffer.concat([
  Buffer.from(HEADER, 'latin1'),
  Uint8Array.from({ length: 256 }, (_, byte) => byte),
]).toString('base64')
const image: ContentPart = { type: 'image', media_type: 'image/png', data: DATA }
/** As it stands in a request: as a `data:` URL, or as the data beside its type. */
const SHOWN = new RegExp(`image/png[^A-Z]+${DATA.replace(/[+]/g, '\\+')}"`)

/** The requests of a run that one process began, and that another process resumed after an approval. */
async function inTwoProcesses(wire: Wire, turns: Script, input: Json): Promise<readonly string[]> {
  await using server = await wire.open({ turns })
  await using place = await aWorkplace()
  const act = async (env: Record<string, string>) => {
    const child = spawn(process.execPath, [resolve(import.meta.dirname, 'image-process.mjs')], {
      cwd: place.directory,
      env: {
        ...{
          PATH: process.env['PATH'] ?? '',
          STORE: place.file,
          MODEL: wire.model,
          DATA,
          INPUT: JSON.stringify(input),
        },
        ...wire.env(server.url),
        ...env,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    return (await ended(child)).json
  }
  expect(await act({ ACT: 'start' })).toMatchObject({ status: 'waiting' })
  expect(await act({ ACT: 'approve', DATA: '' })).toMatchObject({ status: 'done', answer: 'Done.' })
  expectInOrder(server, turns.length)
  return server.requests.map(({ body }) => JSON.stringify(messagesOf(body)))
}

test.each(ALL_WIRES)('an image in a prompt reaches $model byte for byte, again from another process', async wire => {
  const turns = [{ calls: [call('deploy')] }, 'Done.']
  const requests = await inTwoProcesses(wire, turns, [{ type: 'text', text: 'See this.' }, image] as unknown as Json)
  for (const request of requests) expect(request).toMatch(SHOWN)
})

test.each(ALL_WIRES)('an image that a tool returned reaches $model, again from another process', async wire => {
  const turns = [{ calls: [call('look')] }, { calls: [call('deploy')] }, 'Done.']
  const [first, ...later] = await inTwoProcesses(wire, turns, 'go')
  expect(first).not.toContain(DATA)
  for (const request of later) {
    expect(request).toMatch(SHOWN)
    expect(request).toContain('The screen.')
  }
})

/** A PNG of this size, with as many bytes. */
function png(width: number, bytes: number): string {
  const data = Buffer.alloc(bytes)
  data.write(HEADER, 'latin1')
  data.writeUInt32BE(width, 16)
  return data.toString('base64')
}

const UNFIT: readonly (readonly [what: string, part: ContentPart, note: string])[] = [
  ['of 4.5 MB', { ...image, data: png(1, 4_500_000) }, 'larger than the 3.8 MB'],
  ['of 9,000 pixels', { ...image, data: png(9_000, 100) }, '9000 by 1 pixels'],
  ['of no readable type', { ...image, data: Buffer.from('BM6').toString('base64') }, 'no PNG, JPEG, GIF or WebP'],
]

describe.each(ALL_WIRES)('with $model', wire => {
  test.each(UNFIT)('an image %s leaves the thread alive, with a note in its place', async (_what, part, note) => {
    await using server = await wire.open({ turns: [{ calls: [call('look')] }, 'One.', 'Two.'] })
    await using place = await aWorkplace(it => ({
      model: wire.object(server.url),
      tools: [it.tool('look', { execute: () => toolParts([part]) })],
    }))
    await using holdpoint = await place.open()
    const { id, thread_id } = await holdpoint.start({ agent: 'worker', input: [part] })
    expect(await advanced(holdpoint, id)).toMatchObject({ answer: 'One.', messages: [{ content: [part] }, {}, {}, {}] })
    await using other = await place.open()
    const next = await other.send(thread_id, { text: 'Go on.' })
    expect(await advanced(other, next.run_id)).toMatchObject({ answer: 'Two.' })
    expectInOrder(server, 3)
    const requests = server.requests.map(({ body }) => JSON.stringify(messagesOf(body)))
    expect(requests.map(request => request.split(note).length - 1)).toEqual([1, 2, 2])
  })

  test('an image with a wrong type is sent with its own', async () => {
    const [first] = await inTwoProcesses(wire, [{ calls: [call('deploy')] }, 'Done.'], [
      { ...image, media_type: 'image/jpeg' },
    ] as unknown as Json)
    expect(first).toMatch(SHOWN)
  })
})

test('among more than twenty images a large one is left out for Anthropic, which refuses it there', async () => {
  const wire = ALL_WIRES.find(({ model }) => model.startsWith('anthropic/')) as Wire
  await using server = await wire.open({ turns: ['One.', 'Two.'] })
  await using place = await aWorkplace(() => ({ model: wire.object(server.url) }))
  await using holdpoint = await place.open()
  const large: ContentPart = { ...image, data: png(2_001, 100) }
  const small = Array.from({ length: 19 }, () => image)
  const { id, thread_id } = await holdpoint.start({ agent: 'worker', input: [large, ...small] })
  expect(await advanced(holdpoint, id)).toMatchObject({ answer: 'One.' })
  const next = await holdpoint.send(thread_id, { parts: [image, image] } as never)
  expect(await advanced(holdpoint, next.run_id)).toMatchObject({ answer: 'Two.' })
  expectInOrder(server, 2)
  const [first, second] = server.requests.map(({ body }) => JSON.stringify(body.messages))
  expect(first).not.toContain('left out')
  expect(second).toContain('more than 2000 a side in a request of many images')
})

/** The tool message of a run whose tool returns this. */
async function told(result: unknown, { plugins = [] as Plugin[], open = {} } = {}) {
  const look = defineTool({
    name: 'look',
    inputSchema: { type: 'object' },
    needsApproval: false,
    execute: () => result,
  })
  await using place = await aWorkplace({ script: [{ calls: [call('look')] }, 'Done.'], tools: [look], plugins, open })
  await using holdpoint = await place.open()
  const view = await advanced(holdpoint, (await started(holdpoint)).id)
  expect(view.answer).toBe('Done.')
  return view.messages.find(({ role }) => role === 'tool')
}

test('parts are described in words beside the parts themselves', async () => {
  const parts: ContentPart[] = [{ type: 'text', text: 'The screen.' }, image]
  expect(await told(toolParts(parts))).toMatchObject({ content: 'The screen.\n[image image/png, 282 bytes]', parts })
})

test('JSON that looks like parts stays JSON, and a lone text is a text', async () => {
  expect(await told([image])).toMatchObject({ content: [image] })
  expect(await told([image])).not.toHaveProperty('parts')
  const text = await told(toolParts([{ type: 'text', text: 'hi' }]))
  expect(text).toMatchObject({ content: 'hi' })
  expect(text).not.toHaveProperty('parts')
})

const KEPT_IN_PART = 'It ran to its end; its result could not be kept in full:'

test.each([
  ['too large', toolParts([image]), `[${KEPT_IN_PART} parts[0] has 282 bytes, and the limit is 100 bytes.]`],
  ['empty', toolParts([]), 'It ran to its end; its result has no parts, or only blank texts.'],
  ['no parts', toolParts([{ type: 'video' } as never]), 'possible are text, image, file'],
  ['no base64', toolParts([{ type: 'image', media_type: 'image/png', data: '!!' }]), 'data that is no base64'],
  ['a text too long', toolParts([{ type: 'text', text: 'x'.repeat(200) }]), `x\n[${KEPT_IN_PART} parts[0]`],
  ['a member of JSON', { shot: toolParts([image]) }, 'must be the whole result'],
])('P11: a call whose result is %s has succeeded, with a note in its place', async (_what, result, problem) => {
  const message = await told(result, { open: { messageLimits: { partBytes: 100 } } })
  expect(message).toMatchObject({ is_error: false })
  expect(JSON.stringify(message?.content)).toContain(JSON.stringify(problem).slice(1, -1))
})

/** A plugin that answers each result with this. */
function answering(afterToolExecute: NonNullable<Plugin['hooks']['afterToolExecute']>): Plugin {
  return { name: 'after', hooks: { afterToolExecute } }
}

test('a plugin sees the parts, and may take them away or put others in their place', async () => {
  const seen: unknown[] = []
  const look = answering((_view, _call, { output, parts }) => void seen.push(output, parts))
  await told(toolParts([image]), { plugins: [look] })
  expect(seen).toEqual(['[image image/png, 282 bytes]', [image]])

  const without = await told(toolParts([image]), { plugins: [answering(() => ({ setResult: 'none' }))] })
  expect(without).toMatchObject({ content: 'none' })
  expect(without).not.toHaveProperty('parts')
  const other = await told('text', { plugins: [answering(() => ({ setResult: toolParts([image]) }))] })
  expect(other).toMatchObject({ content: '[image image/png, 282 bytes]', parts: [image] })
})

test('secrets in texts, text files, names and addresses of parts are redacted', async () => {
  const secret = `ghp_${'a1B2'.repeat(9)}`
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  const message = await told(
    toolParts([
      { type: 'text', text: `token ${secret}` },
      { type: 'file', media_type: 'text/plain', data: base64(`token ${secret}`) },
      { type: 'image', media_type: 'image/png', url: `https://example.com/${secret}` },
      image,
    ]),
    { plugins: [redactSecrets()] },
  )
  expect(message).toMatchObject({
    parts: [
      { type: 'text', text: 'token [redacted]' },
      { type: 'file', media_type: 'text/plain', data: base64('token [redacted]') },
      { type: 'text', text: '[image image/png, https://example.com/[redacted]]' },
      image,
    ],
  })
  expect(JSON.stringify(message)).not.toContain(secret)
})
