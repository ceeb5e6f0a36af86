import { expect, test } from 'vitest'
import { contentText } from '../../src/core/message/part-words.ts'
import type { ContentPart } from '../../src/index.ts'
import { advanced, ana, aWorkplace, call, onlyHold } from './workplace.ts'

const png: ContentPart = { type: 'image', media_type: 'image/png', name: 'a.png', data: 'iVBORw0KGgo=' }
const text: ContentPart = { type: 'text', text: 'See this.' }
const WORDS = 'See this.\n[image a.png, image/png, 8 bytes]'

test('a run starts with parts, gets a message of parts, and shows both in words to people', async () => {
  await using place = await aWorkplace({ script: ['One.', 'Two.'] })
  await using holdpoint = await place.open()
  const { id, thread_id } = await holdpoint.start({ agent: 'worker', input: [text, png] })
  expect((await advanced(holdpoint, id)).messages[0]).toEqual({ role: 'user', content: [text, png], author: null })
  const sent = await holdpoint.send(thread_id, { text: 'See this.', parts: [png], author: 'ana' })
  const done = await advanced(holdpoint, sent.run_id)
  expect(done.messages[2]).toEqual({ role: 'user', content: [text, png], author: 'ana' })
  const people = await holdpoint.messages(thread_id)
  expect(people.filter(({ role }) => role === 'user').map(({ content }) => content)).toEqual([WORDS, WORDS])
})

test('a lone text part is stored as the text that it is', async () => {
  await using place = await aWorkplace()
  await using holdpoint = await place.open()
  const { thread_id } = await holdpoint.start({ agent: 'worker', input: [text] })
  const [, received] = await holdpoint.journal(thread_id)
  expect(received?.data).toEqual({ content: 'See this.', author: null, forced_by: null })
})

test('a message of parts is queued behind a hold and delivered whole', async () => {
  await using place = await aWorkplace(it => ({
    tools: [it.held('deploy')],
    script: [{ calls: [call('deploy')] }, 'Done.'],
  }))
  await using holdpoint = await place.open()
  const { id, thread_id } = await holdpoint.start({ agent: 'worker', input: 'go' })
  await advanced(holdpoint, id)
  await holdpoint.send(thread_id, { parts: [png] }, { whileWaiting: 'queue' })
  await holdpoint.decide((await onlyHold(holdpoint)).id, { verdict: 'approve', ...ana })
  const { messages } = await advanced(holdpoint, id)
  expect(messages.filter(({ role }) => role === 'user').map(({ content }) => content)).toEqual(['go', [png]])
})

test('an answer of parts is the result of the question, and a person reads it in words', async () => {
  const ask = { calls: [call('q', 'ask_human', { question: 'What is broken?' })] }
  await using place = await aWorkplace({ tools: ['ask_human'], script: [ask, 'I see.'] })
  await using holdpoint = await place.open()
  const { id } = await holdpoint.start({ agent: 'worker', input: 'go' })
  await advanced(holdpoint, id, { pauseOn: ['question'] })
  const receipt = await holdpoint.answer((await onlyHold(holdpoint)).id, { text: 'See this.', parts: [png], ...ana })
  expect(receipt).toMatchObject({ outcome: 'recorded', decision: { value: WORDS, parts: [text, png] } })
  const { messages } = await advanced(holdpoint, id)
  expect(messages[2]).toMatchObject({ role: 'tool', content: WORDS, parts: [text, png] })
})

test('a text pause is answered with parts', async () => {
  await using place = await aWorkplace({ script: ['What now?', 'Thanks.'] })
  await using holdpoint = await place.open()
  const { id, thread_id } = await holdpoint.start({ agent: 'worker', input: 'go' })
  await advanced(holdpoint, id, { pauseOn: ['input'] })
  expect(await holdpoint.send(thread_id, { parts: [text, png] })).toMatchObject({ outcome: 'answered' })
  const { messages } = await advanced(holdpoint, id, { pauseOn: [] })
  expect(messages[2]).toMatchObject({ role: 'user', content: [text, png] })
})

test('P1: an image beside a yes leaves an approval open', async () => {
  await using place = await aWorkplace(it => ({ tools: [it.held('deploy')], script: [{ calls: [call('deploy')] }] }))
  await using holdpoint = await place.open()
  const { id } = await holdpoint.start({ agent: 'worker', input: 'go' })
  await advanced(holdpoint, id)
  const hold = await onlyHold(holdpoint)
  const receipt = await holdpoint.answer(hold.id, { text: 'yes', parts: [png], ...ana })
  expect(receipt).toMatchObject({ outcome: 'refused', error: { code: 'unclear_answer' } })
  expect((await holdpoint.hold(hold.id))?.status).toBe('open')
})

test('a limit of the project refuses a message, an answer and a start, and nothing is written', async () => {
  await using place = await aWorkplace({ open: { messageLimits: { parts: 1, partBytes: 100 } }, script: ['What now?'] })
  await using holdpoint = await place.open()
  const refusal = { code: 'message_too_large', message: expect.stringContaining('the limit is 1') }
  await expect(holdpoint.start({ agent: 'worker', input: [text, png] })).rejects.toMatchObject(refusal)
  expect(await holdpoint.runs()).toEqual([])
  const { id, thread_id } = await holdpoint.start({ agent: 'worker', input: 'go' })
  await advanced(holdpoint, id, { pauseOn: ['input'] })
  const { seq } = await holdpoint.thread(thread_id)
  await expect(holdpoint.send(thread_id, { text: 'a', parts: [png] })).rejects.toMatchObject(refusal)
  const hold = await onlyHold(holdpoint)
  expect(await holdpoint.answer(hold.id, { parts: [text, png], ...ana })).toMatchObject({
    outcome: 'refused',
    error: refusal,
  })
  expect((await holdpoint.thread(thread_id)).seq).toBe(seq)
  await expect(place.open({ open: { messageLimits: { parts: 0 } } })).rejects.toMatchObject({ code: 'invalid_options' })
})

test('a part is told with its place if it cannot be taken', async () => {
  await using place = await aWorkplace()
  await using holdpoint = await place.open()
  const input = [text, { type: 'image', data: 'iVBORw0KGgo=' } as never]
  await expect(holdpoint.start({ agent: 'worker', input })).rejects.toMatchObject({
    code: 'invalid_message',
    message: expect.stringContaining('parts[1] needs a media_type'),
  })
  expect(contentText([png])).not.toContain('iVBOR')
})
