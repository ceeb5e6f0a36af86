import { expect, test } from 'vitest'
import type { Holdpoint } from '../../src/index.ts'
import { advanced, ana, aWorkplace, call, onlyHold } from './workplace.ts'

const HELD = [{ calls: [call('deploy')] }, 'Done.', 'Again.']

/** A run that waits for an approval, in a store of its own. */
async function aWaitingRun() {
  const place = await aWorkplace(it => ({ tools: [it.held('deploy')], script: HELD }))
  const holdpoint = await place.open()
  const { id, thread_id } = await holdpoint.start({ agent: 'worker', input: 'go' })
  await advanced(holdpoint, id)
  return { place, holdpoint, id, thread_id, [Symbol.asyncDispose]: () => place[Symbol.asyncDispose]() }
}

const queue = { whileWaiting: 'queue' } as const

async function said(holdpoint: Holdpoint, threadId: string): Promise<unknown[]> {
  const { messages } = await holdpoint.thread(threadId)
  return messages.flatMap(message => (message.role === 'user' ? [message.content] : []))
}

test('P2: of 50 senders of one message through several stores at once, one sends it and 49 are told where it is', async () => {
  await using it = await aWaitingRun()
  const faces = [it.holdpoint, ...(await Promise.all([1, 2, 3, 4].map(() => it.place.open())))]
  const message = { text: 'Hurry.', author: 'ana', inputId: 'm-1' }
  const sent = await Promise.all(
    Array.from({ length: 50 }, (_, n) => (faces[n % faces.length] as Holdpoint).send(it.thread_id, message, queue)),
  )
  const { seq } = await it.holdpoint.thread(it.thread_id)
  expect(sent.filter(({ outcome }) => outcome === 'queued')).toHaveLength(1)
  expect(sent.filter(({ outcome }) => outcome === 'duplicate')).toEqual(
    Array.from({ length: 49 }, () => ({ outcome: 'duplicate', run_id: it.id, seq })),
  )
  const queued = (await it.holdpoint.journal(it.thread_id)).filter(({ kind }) => kind === 'message.queued')
  expect(queued.map(event => [event.seq, event.data])).toEqual([
    [seq, { content: 'Hurry.', author: 'ana', supersede: false, input_id: 'm-1' }],
  ])
  for (const face of faces) await face[Symbol.asyncDispose]()
})

test('P2: of 50 senders to a thread at rest one starts a run', async () => {
  await using place = await aWorkplace({ script: ['One.', 'Two.'] })
  const faces = await Promise.all([1, 2, 3].map(() => place.open()))
  const [holdpoint] = faces as [Holdpoint]
  const { id, thread_id } = await holdpoint.start({ agent: 'worker', input: 'go' })
  await advanced(holdpoint, id)
  const sent = await Promise.all(
    Array.from({ length: 50 }, (_, n) => (faces[n % 3] as Holdpoint).send(thread_id, { text: 'more', inputId: 'm-1' })),
  )
  expect(sent.filter(({ outcome }) => outcome === 'started')).toHaveLength(1)
  expect(sent.filter(({ outcome }) => outcome === 'duplicate')).toHaveLength(49)
  expect(await holdpoint.runs({ thread_id })).toHaveLength(2)
  for (const face of faces) await face[Symbol.asyncDispose]()
})

test('a message that was taken is a duplicate whatever the run does by then', async () => {
  await using it = await aWaitingRun()
  const message = { text: 'Hurry.', inputId: 'm-1' }
  await it.holdpoint.send(it.thread_id, message, queue)
  // Where it would be refused now, and where it would start another run.
  expect(await it.holdpoint.send(it.thread_id, message)).toMatchObject({ outcome: 'duplicate' })
  await it.holdpoint.decide((await onlyHold(it.holdpoint)).id, { verdict: 'approve', ...ana })
  await advanced(it.holdpoint, it.id)
  expect(await it.holdpoint.send(it.thread_id, message)).toMatchObject({ outcome: 'duplicate', run_id: it.id })
  expect(await said(it.holdpoint, it.thread_id)).toEqual(['go', 'Hurry.'])
})

test('an id that another message of the thread has is refused, and a message of another thread may have it', async () => {
  await using it = await aWaitingRun()
  await it.holdpoint.send(it.thread_id, { text: 'Hurry.', author: 'ana', inputId: 'm-1' }, queue)
  const { seq } = await it.holdpoint.thread(it.thread_id)
  for (const other of [
    { text: 'Wait.', author: 'ana' },
    { text: 'Hurry.', author: 'ben' },
  ])
    await expect(it.holdpoint.send(it.thread_id, { ...other, inputId: 'm-1' }, queue)).rejects.toMatchObject({
      code: 'input_id_taken',
      details: { seq },
    })
  expect((await it.holdpoint.thread(it.thread_id)).seq).toBe(seq)
  const elsewhere = await it.holdpoint.start({ agent: 'worker', input: 'go' })
  expect(await it.holdpoint.send(elsewhere.thread_id, { text: 'Wait.', inputId: 'm-1' })).toMatchObject({
    outcome: 'queued',
  })
})

test('an answer to a text pause and a reply in words are one each, however often they are sent', async () => {
  await using place = await aWorkplace(it => ({ tools: [it.held('deploy')], script: ['What now?', ...HELD] }))
  await using holdpoint = await place.open()
  const { id, thread_id } = await holdpoint.start({ agent: 'worker', input: 'go' })
  await advanced(holdpoint, id, { pauseOn: ['input', 'approval'] })
  const answer = { text: 'Deploy.', inputId: 'm-1' }
  expect(await holdpoint.send(thread_id, answer)).toEqual({ outcome: 'answered', run_id: id })
  expect(await holdpoint.send(thread_id, answer)).toMatchObject({ outcome: 'duplicate', run_id: id })
  await advanced(holdpoint, id)
  const reply = { text: 'yes', author: 'ana', replyTo: (await onlyHold(holdpoint)).id, inputId: 'm-2' }
  expect(await holdpoint.send(thread_id, reply)).toEqual({ outcome: 'answered', run_id: id })
  expect(await holdpoint.send(thread_id, reply)).toMatchObject({ outcome: 'duplicate', run_id: id })
  await expect(holdpoint.send(thread_id, { ...reply, text: 'no' })).rejects.toMatchObject({ code: 'input_id_taken' })
  expect(await said(holdpoint, thread_id)).toEqual(['go', 'Deploy.'])
})

test.each(['', ' ', 7, 'a'.repeat(201)])('an id that is none is refused: %j', async inputId => {
  await using it = await aWaitingRun()
  await expect(
    it.holdpoint.send(it.thread_id, { text: 'Hurry.', inputId: inputId as string }, queue),
  ).rejects.toMatchObject({ code: 'invalid_message' })
})

test('a fork knows the messages that it began with', async () => {
  await using it = await aWaitingRun()
  await it.holdpoint.send(it.thread_id, { text: 'Hurry.', inputId: 'm-1' }, queue)
  await it.holdpoint.decide((await onlyHold(it.holdpoint)).id, { verdict: 'approve', ...ana })
  const { checkpoint_id } = await advanced(it.holdpoint, it.id)
  const fork = await it.holdpoint.fork(checkpoint_id ?? '')
  expect(await it.holdpoint.send(fork.thread_id, { text: 'Hurry.', inputId: 'm-1' })).toMatchObject({
    outcome: 'duplicate',
  })
})
