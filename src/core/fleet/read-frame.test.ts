import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DEEPEST_FRAME, FRAME_PROTOCOL } from './frames.ts'
import { readAgentFrame, readClientFrame, readHello } from './read-frame.ts'

const line = (frame: object) => JSON.stringify(frame)
const HELLO = { type: 'hello', protocol: FRAME_PROTOCOL, token: 't', role: 'writer', actor: 'ana' }

test.each([
  { type: 'user_message', input_id: 'i1', text: 'good', mode: 'steer', files: [{ path: 'a.png' }] },
  { type: 'decide', input_id: 'i2', hold_id: 'h', verdict: 'approve', seen: { digest: 'sha256:1', level: 0 } },
  { type: 'take_writer', input_id: 'i3' },
  { type: 'end', input_id: 'i4', when: 'after_turn' },
  { type: 'ping', n: 7 },
])('a frame comes back as it was: $type', frame => {
  expect(readClientFrame(line(frame))).toEqual({ frame })
})

test('names of other programs for the same frames are taken', () => {
  expect(readClientFrame(line({ type: 'UserMessage', input_id: 'i', text: 'x' }))).toMatchObject({
    frame: { type: 'user_message' },
  })
  for (const type of ['EndInput', 'end_input'])
    expect(readClientFrame(line({ type, input_id: 'i' }))).toMatchObject({ frame: { type: 'end' } })
})

test('the first line is a hello, and no later one is', () => {
  expect(readHello(line({ ...HELLO, since: 3 }))).toEqual({ frame: { ...HELLO, since: 3 } })
  expect(readHello(line({ type: 'ping', n: 1 }))).toMatchObject({ fault: { code: 'bad_frame' } })
  expect(readClientFrame(line(HELLO))).toMatchObject({ fault: { code: 'bad_frame' } })
})

test.each<[what: string, frame: object | string, names: string]>([
  ['no JSON', '{"type":', 'one JSON object'],
  ['a list', '[]', 'one JSON object'],
  ['an unknown type', { type: 'explode' }, '"explode"'],
  ['no type', { input_id: 'i' }, 'nothing'],
  ['an unknown field', { type: 'ping', n: 1, verbose: true }, '"verbose"'],
  ['a field that is missing', { type: 'user_message', input_id: 'i' }, 'text'],
  ['a field of another kind', { type: 'ping', n: 'one' }, 'n is missing or does not fit'],
  ['an unknown field of a file', { type: 'user_message', input_id: 'i', text: 'x', files: [{ url: 'x' }] }, 'files'],
  ['an id that is too long', { type: 'take_writer', input_id: 'x'.repeat(10_000) }, 'input_id'],
  ['an empty id', { type: 'take_writer', input_id: ' ' }, 'input_id'],
])('%s is told, and the frame is not taken', (_what, frame, names) => {
  const read = readClientFrame(typeof frame === 'string' ? frame : line(frame))
  expect(read).toMatchObject({ fault: { code: 'bad_frame', message: expect.stringContaining(names) } })
})

test('the fault of a frame names the frame, if that had an id', () => {
  expect(readClientFrame(line({ type: 'end', input_id: 'i9', when: 'soon' }))).toMatchObject({
    fault: { input_id: 'i9' },
  })
})

test(`a frame of more than ${DEEPEST_FRAME} levels is not taken, however deep it is`, () => {
  const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
  const decide = (levels: number) =>
    `{"type":"decide","input_id":"i","hold_id":"h","verdict":"respond","value":${deep(levels)}}`
  expect(readClientFrame(decide(DEEPEST_FRAME - 1))).toHaveProperty('frame')
  expect(readClientFrame(decide(DEEPEST_FRAME))).toHaveProperty('fault')
  expect(readClientFrame(decide(200_000))).toHaveProperty('fault')
})

test('no text makes a reader throw', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), text => {
      readHello(text)
      readClientFrame(text)
      readAgentFrame(text)
    }),
  )
})

test('a frame of a later version of an agent is passed over', () => {
  expect(readAgentFrame(line({ type: 'pong', n: 1 }))).toEqual({ type: 'pong', n: 1 })
  expect(readAgentFrame(line({ type: 'of a later version' }))).toBeNull()
  expect(readAgentFrame('no frame')).toBeNull()
})
