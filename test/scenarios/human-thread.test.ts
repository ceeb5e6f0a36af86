import { expect, test } from 'vitest'
import { IDLE_TIMEOUT } from '../../src/core/hold/decision.ts'
import { holdOutcome } from '../../src/core/hold-view/hold-words.ts'
import { TranscriptLines } from '../../src/hosts/display/run/transcript-lines.ts'
import { handClock } from '../../src/testing/kit/hand-clock.ts'
import {
  advanced,
  aWorkplace,
  call,
  journalOfThread,
  onlyHold,
  openHold,
  started,
  type Workplace,
} from './workplace.ts'

const ask = (id: string, question: string, more = {}) => call(id, 'ask_human', { question, ...more })

async function asking(turns: Parameters<typeof aWorkplace>[0]): Promise<Workplace> {
  return aWorkplace(turns)
}

test('P8: to reply to the message that asked is to decide its hold', async () => {
  await using place = await asking({
    script: [{ calls: [ask('q1', 'Which region?')] }, 'Thanks.'],
    tools: ['ask_human'],
  })
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await advanced(holdpoint, run.id)
  const question = (await holdpoint.messages(run.thread_id)).find(({ role }) => role === 'agent_question')
  expect(question).toMatchObject({ content: 'Which region?', author: 'worker', tool_call_id: 'q1' })

  const sent = await holdpoint.send(run.thread_id, {
    text: 'eu-west-1',
    author: 'ana',
    surface: 'chat',
    replyTo: question?.id ?? '',
  })
  expect(sent).toEqual({ outcome: 'answered', run_id: run.id })
  expect(await holdpoint.hold(question?.hold_id ?? '')).toMatchObject({
    status: 'decided',
    decision: { verdict: 'respond', value: 'eu-west-1', decided_by: 'ana', surface: 'chat' },
  })
  const reply = (await holdpoint.messages(run.thread_id)).at(-1)
  expect(reply).toMatchObject({
    role: 'human_response',
    content: 'eu-west-1',
    author: 'ana',
    reply_to: question?.id,
    hold_id: question?.hold_id,
  })
  expect(await advanced(holdpoint, run.id)).toMatchObject({ status: 'done', answer: 'Thanks.' })
})

test('several questions are open at once and answered in any order, each with values of its own type', async () => {
  const count = { type: 'integer', minimum: 1 }
  const questions = [
    ask('q1', 'Which region?', { choices: ['eu', 'us'] }),
    ask('q2', 'How many?', { schema: count }),
    ask('q3', 'Anything else?'),
  ]
  await using place = await asking({ script: [{ calls: questions }, 'Thanks.'], tools: ['ask_human'] })
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await advanced(holdpoint, run.id)
  const answer = async (id: string, text: string) =>
    holdpoint.answer((await openHold(holdpoint, id)).id, { text, decided_by: 'ana', surface: 'test' })

  expect(await answer('q2', 'many')).toMatchObject({ outcome: 'refused', error: { code: 'invalid_answer' } })
  expect(await answer('q1', 'asia')).toMatchObject({ outcome: 'refused', error: { code: 'not_a_choice' } })
  for (const [id, text] of [
    ['q3', 'no'],
    ['q2', '3'],
    ['q1', 'us'],
  ] as const)
    expect(await answer(id, text)).toMatchObject({ outcome: 'recorded' })
  const { messages } = await advanced(holdpoint, run.id)
  expect(messages.flatMap(message => (message.role === 'tool' ? [message.content] : []))).toEqual(['us', 3, 'no'])
})

test('a later question comes with the answers to the earlier ones', async () => {
  const script = [{ calls: [ask('q1', 'Which region?')] }, { calls: [ask('q2', 'Which zone?')] }, 'Thanks.']
  await using place = await asking({ script, tools: ['ask_human'] })
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  expect((await advanced(holdpoint, run.id)).answers).toEqual([])
  await holdpoint.answer((await onlyHold(holdpoint)).id, { text: 'eu', decided_by: 'ana', surface: 'test' })
  expect((await advanced(holdpoint, run.id)).answers).toEqual([
    { question: 'Which region?', answer: 'eu', answered_by: 'ana' },
  ])
})

test('an approval is answered in words, and what is unclear leaves it open with a notice in the thread', async () => {
  await using place = await aWorkplace(own => ({
    script: [{ calls: [call('deploy')] }, 'Done.'],
    tools: [own.held('deploy')],
  }))
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await advanced(holdpoint, run.id)
  const { id } = await onlyHold(holdpoint)
  const by = { decided_by: 'ana', surface: 'chat' }

  expect(await holdpoint.answer(id, { text: 'ok, but not on prod', ...by })).toMatchObject({
    outcome: 'refused',
    error: { code: 'unclear_answer' },
  })
  expect((await onlyHold(holdpoint)).id).toBe(id)
  const [question, said, notice] = (await holdpoint.messages(run.thread_id)).slice(-3)
  expect(said).toMatchObject({
    role: 'human_response',
    content: 'ok, but not on prod',
    author: 'ana',
    reply_to: question?.id,
  })
  expect(notice).toMatchObject({ role: 'system', hold_id: id, reply_to: question?.id })

  expect(await holdpoint.answer(id, { text: '/deny not on a Friday', ...by })).toMatchObject({
    outcome: 'recorded',
    decision: { verdict: 'reject', reason: 'not on a Friday' },
  })
  await advanced(holdpoint, run.id)
  expect(place.effects).toEqual([])
})

test('a strict project takes only a plain yes, and denies everything else', async () => {
  await using place = await aWorkplace(own => ({
    script: [{ calls: [call('deploy')] }, 'Done.'],
    tools: [own.held('deploy')],
    open: { approvalAnswers: 'strict' },
  }))
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await advanced(holdpoint, run.id)
  const { id } = await onlyHold(holdpoint)
  expect(await holdpoint.answer(id, { text: 'ok', decided_by: 'ana', surface: 'chat' })).toMatchObject({
    outcome: 'recorded',
    decision: { verdict: 'reject', reason: 'ok' },
  })
})

test('the thread tells of what time did, one message for each thing, while the model sees none of it', async () => {
  const clock = handClock()
  await using place = await aWorkplace(own => ({
    script: [{ calls: [call('deploy')] }, 'Done.'],
    tools: [
      own.held('deploy', {
        due: { seconds: 100, remindAfter: [50], escalation: [{ assignee: 'eve', seconds: 100 }], finally: 'reject' },
      }),
    ],
    open: { clock },
  }))
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await advanced(holdpoint, run.id)
  for (const _ of [1, 2, 3, 4, 5]) {
    clock.advance(50_000)
    await holdpoint.expireHolds()
  }
  const view = await advanced(holdpoint, run.id)
  const system = (await holdpoint.messages(run.thread_id)).flatMap(({ role, content }) =>
    role === 'system' ? [content] : [],
  )
  expect(system).toEqual([
    'Reminder 1: nobody has decided yet.',
    expect.stringMatching(/^Nobody decided in time: escalated to eve \(level 1\), until 2030-01-01T00:03:20/),
    'Nobody decided in time, so it was rejected.',
  ])
  expect(view.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
  expect(view.messages[2]).toMatchObject({
    is_error: true,
    content: 'TOOL_CALL_REJECTED: nobody decided until 2030-01-01T00:03:20.000Z.',
  })
})

test('a message names its author and the checkpoint behind it, and says whether it waits for an answer', async () => {
  await using place = await asking({
    script: [{ text: 'A question first.', calls: [ask('q1', 'Which region?')] }, 'Thanks.'],
    tools: ['ask_human'],
  })
  await using holdpoint = await place.open()
  const run = await holdpoint.start({ agent: 'worker', input: 'go', author: 'ana' })
  const paused = await advanced(holdpoint, run.id)
  const before = await holdpoint.messages(run.thread_id)
  expect(before.map(({ role, author, requires_response }) => [role, author, requires_response])).toEqual([
    ['user', 'ana', false],
    ['assistant', 'worker', false],
    ['agent_question', 'worker', true],
  ])
  expect(before.at(-1)).toMatchObject({ checkpoint_id: paused.checkpoint_id })
  expect(before[0]?.checkpoint_id).not.toBe(paused.checkpoint_id)
  const hold = await onlyHold(holdpoint)
  const principal = { name: 'ana', kind: 'person', groups: [], proven: 'claimed', rights: { see: true, decide: true } }
  expect(await holdpoint.holdInContext(hold.id, principal as never)).toMatchObject({
    checkpoint_id: paused.checkpoint_id,
  })

  await holdpoint.answer(hold.id, { text: 'eu', decided_by: 'ben', surface: 'test' })
  const answered = await holdpoint.messages(run.thread_id)
  expect(answered.some(({ requires_response }) => requires_response)).toBe(false)
  // Nothing is behind the answer so far that one could go on from.
  expect(answered.at(-1)).toMatchObject({ author: 'ben', checkpoint_id: null, reply_to: before.at(-1)?.id })
})

test('a question and the last answer reply to the message of a person that the agent had heard last', async () => {
  await using place = await asking({
    script: [{ calls: [ask('q1', 'Which region?')] }, 'Done in eu-west-1.', 'Also there.'],
    tools: ['ask_human'],
    pauseOn: ['approval', 'question', 'input'],
  })
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await advanced(holdpoint, run.id)
  await holdpoint.decide((await onlyHold(holdpoint)).id, {
    verdict: 'respond',
    value: 'eu-west-1',
    decided_by: 'ana',
    surface: 'test',
  })
  await advanced(holdpoint, run.id)
  await holdpoint.send(run.thread_id, { text: 'and in us-east-1?', author: 'ben' })
  await advanced(holdpoint, run.id)
  const messages = await holdpoint.messages(run.thread_id)
  const named = new Map(messages.map(({ id, content }) => [id, content]))
  const replies = messages.flatMap(({ role, content, reply_to }) =>
    role === 'agent_question' || (role === 'assistant' && content !== '')
      ? [[content, named.get(reply_to ?? '') ?? null]]
      : [],
  )
  expect(replies).toEqual([
    ['Which region?', 'go'],
    ['Done in eu-west-1.', 'eu-west-1'],
    [expect.stringContaining('text alone'), 'eu-west-1'],
    ['Also there.', 'and in us-east-1?'],
    [expect.stringContaining('text alone'), 'and in us-east-1?'],
  ])
})

test('that an agent ended because it was idle is said in words', async () => {
  await using place = await asking({ script: ['Ready.'], pauseOn: ['input'] })
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await advanced(holdpoint, run.id)
  const idle = { verdict: 'approve', reason: IDLE_TIMEOUT, decided_by: 'holdpoint', surface: 'holdpoint' } as const
  await holdpoint.decide((await onlyHold(holdpoint)).id, idle)
  const [hold] = await holdpoint.holds({ run_id: run.id })
  expect(hold && holdOutcome(hold)).toBe('ended because it was idle for too long')
  expect((await holdpoint.messages(run.thread_id)).at(-1)?.content).toBe('ended because it was idle for too long')
  const lines = new TranscriptLines('worker')
  const told = (await journalOfThread(holdpoint, run.thread_id)).map(event => lines.hear(event)).join('')
  expect(told).toContain('! ended because it was idle for too long')
  expect(told).not.toContain('says that this is all')
})
