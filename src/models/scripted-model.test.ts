import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Message } from '../core/journal/message.ts'
import type { ModelRequest } from '../ports/agent/model.ts'
import type { InferencePart } from '../ports/agent/model-part.ts'
import { openScriptedModel } from './scripted-model.ts'

const user: Message = { role: 'user', content: 'go', author: null }
const assistant: Message = { role: 'assistant', content: 'done', tool_calls: [] }

const request = (more: Partial<ModelRequest> = {}): ModelRequest => ({
  system: null,
  messages: [user],
  tools: [],
  signal: new AbortController().signal,
  onPart: () => {},
  ...more,
})

const textInto = (pieces: string[]) => (part: InferencePart) => {
  if (part.kind === 'text.delta') pieces.push(part.data.delta)
}

async function scripted(text: string, name = 'script.yaml') {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'holdpoint-'))
  const file = join(directory.path, name)
  await writeFile(file, text)
  return await openScriptedModel(`script:${name}`, file)
}

const DEPLOY = `
- text: I am about to apply the changes.
  calls: [ { id: tc_1, name: run_command, args: { command: "echo applied >> effects.log" } } ]
  usage: { input: 100, output: 20 }
- text: Deployment complete.
`

test('a turn gives its text, calls and usage', async () => {
  const model = await scripted(DEPLOY)
  expect(model.id).toBe('script:script.yaml')
  expect(await model.answer(request())).toEqual({
    text: 'I am about to apply the changes.',
    calls: [
      { id: 'tc_1', name: 'run_command', arguments: '{"command":"echo applied >> effects.log"}', metadata: null },
    ],
    usage: { input_tokens: 100, output_tokens: 20, total_tokens: 120 },
    finish_reason: 'tool-calls',
  })
})

test('the turn is chosen by the assistant messages alone, in any process and as often as asked', async () => {
  const messages = [user, assistant, user]
  for (const model of [await scripted(DEPLOY), await scripted(DEPLOY)]) {
    expect((await model.answer(request({ messages }))).text).toBe('Deployment complete.')
    expect((await model.answer(request({ messages }))).text).toBe('Deployment complete.')
  }
})

test('past its last turn it says that the script ended, without calls', async () => {
  const answer = await (await scripted(DEPLOY)).answer(request({ messages: [user, assistant, user, assistant, user] }))
  expect(answer).toMatchObject({ text: '(script ended)', calls: [], finish_reason: 'stop', usage: { total_tokens: 0 } })
})

test('an empty list has ended from the start', async () => {
  expect((await (await scripted('[]')).answer(request())).text).toBe('(script ended)')
})

test('the text is streamed in pieces that add up to it', async () => {
  const pieces: string[] = []
  const { text } = await (await scripted(DEPLOY)).answer(request({ onPart: textInto(pieces) }))
  expect(pieces.length).toBeGreaterThan(1)
  expect(pieces.join('')).toBe(text)
})

test('text and calls are told in parts, each with its start and end', async () => {
  const parts: InferencePart[] = []
  await (await scripted(DEPLOY)).answer(request({ onPart: part => parts.push(part) }))
  expect(parts.filter(({ kind }) => kind !== 'text.delta')).toEqual([
    { kind: 'text.start', data: { id: 'text' } },
    { kind: 'text.end', data: { id: 'text' } },
    { kind: 'tool_input.start', data: { call_id: 'tc_1', name: 'run_command' } },
    { kind: 'tool_input.delta', data: { call_id: 'tc_1', delta: '{"command":"echo applied >> effects.log"}' } },
    { kind: 'tool_input.end', data: { call_id: 'tc_1' } },
  ])
})

test('a JSON script reads the same', async () => {
  const model = await scripted('[{"text": "a", "calls": []}, "b"]', 'script.json')
  expect((await model.answer(request())).text).toBe('a')
  expect((await model.answer(request({ messages: [user, assistant, user] }))).text).toBe('b')
})

test('a YAML list may be written with brackets', async () => {
  expect((await (await scripted('[ { text: a } ]')).answer(request())).text).toBe('a')
})

test('calls without an id are numbered by turn and place', async () => {
  const model = await scripted('- calls: [ { name: a }, { name: b, id: mine }, { name: c } ]\n')
  expect((await model.answer(request())).calls.map(({ id }) => id)).toEqual(['call_0_0', 'mine', 'call_0_2'])
})

test('raw arguments are sent as they are, and none are an empty object', async () => {
  const model = await scripted('- calls: [ { name: a, raw_args: "{broken" }, { name: b } ]\n')
  expect((await model.answer(request())).calls.map(call => call.arguments)).toEqual(['{broken', '{}'])
})

test('an error fails the turn each time it is asked for', async () => {
  const model = await scripted('- { text: partly, error: { message: overloaded, retryable: true } }\n')
  for (let asking = 0; asking < 3; asking++) {
    const pieces: string[] = []
    const answer = model.answer(request({ onPart: textInto(pieces) }))
    await expect(answer).rejects.toMatchObject({ name: 'ModelError', message: 'overloaded', retryable: true })
    expect(pieces).toEqual(['partly'])
  }
})

test('an error with a number of times lets the turn pass afterwards', async () => {
  const model = await scripted('- { text: at last, error: { message: no, times: 2 } }\n')
  await expect(model.answer(request())).rejects.toMatchObject({ retryable: false })
  await expect(model.answer(request())).rejects.toThrow('no')
  expect((await model.answer(request())).text).toBe('at last')
})

test('an abort ends the delay at once, with the reason', async () => {
  const model = await scripted('- { text: late, delay_ms: 60000 }\n')
  const giveUp = new AbortController()
  const answer = model.answer(request({ signal: giveUp.signal }))
  giveUp.abort('enough')
  await expect(answer).rejects.toBe('enough')
})

test('an abort ends the streaming of the text, with the reason', async () => {
  const model = await scripted(DEPLOY)
  const giveUp = new AbortController()
  const pieces: string[] = []
  const onPart: ModelRequest['onPart'] = part => {
    textInto(pieces)(part)
    if (part.kind === 'text.delta') giveUp.abort('enough')
  }
  await expect(model.answer(request({ signal: giveUp.signal, onPart }))).rejects.toBe('enough')
  expect(pieces).toHaveLength(1)
})

test('a signal that is already aborted asks nothing', async () => {
  const model = await scripted('- { error: { message: no, times: 1 } }\n')
  await expect(model.answer(request({ signal: AbortSignal.abort('enough') }))).rejects.toBe('enough')
  await expect(model.answer(request())).rejects.toThrow('no')
})

test('a delay comes before the answer', async () => {
  const model = await scripted('- { text: late, delay_ms: 30 }\n')
  const began = performance.now()
  await model.answer(request())
  expect(performance.now() - began).toBeGreaterThan(25)
})

test('a file that is not there is refused by name', async () => {
  await expect(openScriptedModel('script:x', join(tmpdir(), 'no-such-script.yaml'))).rejects.toMatchObject({
    name: 'RefusedError',
    code: 'invalid_script',
    message: expect.stringMatching(/no-such-script\.yaml cannot be used: it cannot be read \(ENOENT/),
  })
})

test.each([
  ['broken YAML', '- text: "a\n- text: b\n', /at line \d+, column \d+\.$/],
  ['broken JSON', '[{"text": "a"}', /at line \d+, column \d+\.$/],
  ['a key that stands twice', '- text: a\n  text: b\n', /unique at line 2, column 3\.$/],
  ['an empty file', '', /it is empty, not a list of turns/],
  ['a wrong shape', '- calls: [ { id: a } ]\n', /turn 1, calls\[0\] has no name/],
])('%s is refused with its place', async (_name, text, message) => {
  await expect(scripted(text)).rejects.toMatchObject({
    code: 'invalid_script',
    message: expect.stringMatching(message),
  })
})
