import { expect, test } from 'vitest'
import { aProject, effect } from './project.ts'

const talk = [
  { text: 'Shall I proceed?', usage: { input: 10, output: 3 } },
  { text: 'Proceeded.', usage: { input: 20, output: 2 } },
]

test('an answer with text alone pauses where the flag is given', async () => {
  await using project = await aProject({ script: talk })
  const paused = await project.holdpoint('--pause-on-approval', '-o', 'json', 'deploy')
  expect(paused).toMatchObject({
    exit: 10,
    stderr: '',
    json: {
      outcome: 'paused',
      pause_reason: { type: 'input_required', pending_tool_calls: [], questions: [] },
      agent_message: 'Shall I proceed?',
      steps_taken: 1,
    },
  })
})

test('an answer with text alone ends the run where only approvals pause', async () => {
  await using project = await aProject({ script: talk })
  const done = await project.holdpoint('--pause-on', 'approval,question', '-o', 'json', 'deploy')
  expect(done).toMatchObject({ exit: 0, json: { outcome: 'completed', final_message: 'Shall I proceed?' } })
})

test('a text answers a text pause, and the next final text ends the run', async () => {
  await using project = await aProject({ script: talk })
  const paused = await project.holdpoint('--pause-on-approval', '-o', 'json', 'deploy')
  const done = await project.holdpoint('-c', paused.json.checkpoint_id, '-o', 'json', 'yes, proceed')
  expect(done).toMatchObject({
    exit: 0,
    json: {
      outcome: 'completed',
      final_message: 'Proceeded.',
      termination: { type: 'natural_end' },
      steps_taken: 2,
      usage: { input_tokens: 30, output_tokens: 5, total_tokens: 35 },
    },
  })
  expect(await project.messages(done.json.session_id)).toMatchObject([
    { role: 'user', content: 'deploy', author: 'ana' },
    { role: 'assistant', content: 'Shall I proceed?' },
    { role: 'user', content: 'yes, proceed', author: 'ana' },
    { role: 'assistant', content: 'Proceeded.' },
  ])
})

test('a resume with the flag pauses on the next text again', async () => {
  await using project = await aProject({ script: talk })
  const paused = await project.holdpoint('--pause-on-approval', '-o', 'json', 'deploy')
  const first = paused.json.checkpoint_id
  const again = await project.holdpoint('-c', first, '--pause-on-approval', '-o', 'json', 'go on')
  expect(again).toMatchObject({ exit: 10, json: { agent_message: 'Proceeded.', steps_taken: 2 } })
  expect(again.json.checkpoint_id).not.toBe(first)
})

test('--finish accepts the text as final and asks no model', async () => {
  await using project = await aProject({ script: talk })
  const paused = await project.holdpoint('--pause-on-approval', '-o', 'json', 'deploy')
  // Whoever asks the model now finds that there is none.
  await project.write('script.json', 'gone')
  const done = await project.holdpoint('-c', paused.json.checkpoint_id, '--finish', '-o', 'json')
  expect(done).toMatchObject({
    exit: 0,
    stderr: '',
    json: {
      outcome: 'completed',
      final_message: 'Shall I proceed?',
      termination: { type: 'natural_end' },
      steps_taken: 1,
      usage: { total_tokens: 13 },
    },
  })
})

test('a completed conversation goes on with a text', async () => {
  await using project = await aProject({ script: talk })
  const first = await project.holdpoint('-o', 'json', 'deploy')
  const second = await project.holdpoint('-c', first.json.checkpoint_id, '-o', 'json', 'and now?')
  expect(second).toMatchObject({ exit: 0, json: { outcome: 'completed', final_message: 'Proceeded.' } })
  expect(second.json.session_id).toBe(first.json.session_id)
  expect(second.json.run_id).not.toBe(first.json.run_id)
  expect(await project.messages(second.json.session_id)).toHaveLength(4)
})

function question(
  id: string,
  args: Record<string, unknown>,
): { id: string; name: string; args: Record<string, unknown> } {
  return { id, name: 'ask_human', args }
}

const where = question('tc_2', { question: 'Where to?', context: { from: 'here' }, choices: ['staging', 'production'] })

test('a question of the agent pauses the run, with its context and choices', async () => {
  await using project = await aProject({ script: [{ text: 'One thing first.', calls: [where] }] })
  const paused = await project.holdpoint('--pause-on-approval', '-o', 'json', 'deploy')
  expect(paused.exit).toBe(10)
  expect(paused.json.pause_reason).toEqual({
    type: 'question_asked',
    pending_tool_calls: [],
    questions: [
      {
        id: 'tc_2',
        hold_id: expect.stringMatching(/^hold_/),
        question: 'Where to?',
        context: { from: 'here' },
        choices: ['staging', 'production'],
        response_schema: null,
      },
    ],
  })
})

const answers: readonly [title: string, args: (asked: { id: string; hold_id: string }) => string[]][] = [
  ['--answer and the id of the call', ({ id }) => ['--answer', `${id}=staging`]],
  ['--answer and the id of the hold', ({ hold_id }) => ['--answer', `${hold_id}=staging`]],
  ['a text, where it is the only open question', () => ['staging']],
]

test.for(answers)('a question is answered with %s', async ([, args]) => {
  await using project = await aProject({ script: [{ calls: [where] }, 'Going there.'] })
  const paused = await project.holdpoint('--pause-on-approval', '-o', 'json', 'deploy')
  const [asked] = paused.json.pause_reason.questions
  const done = await project.holdpoint('-c', paused.json.checkpoint_id, '-o', 'json', ...args(asked))
  expect(done).toMatchObject({ exit: 0, json: { outcome: 'completed', final_message: 'Going there.' } })
  const [, , result] = await project.messages(done.json.session_id)
  expect(result).toEqual({
    role: 'tool',
    tool_call_id: 'tc_2',
    tool_name: 'ask_human',
    content: 'staging',
    is_error: false,
  })
})

test('a question that is rejected is declined, and the model is told why', async () => {
  await using project = await aProject({ script: [{ calls: [where] }, 'Then not.'] })
  const paused = await project.holdpoint('--pause-on-approval', '-o', 'json', 'deploy')
  const done = await project.holdpoint(
    '-c',
    paused.json.checkpoint_id,
    '--reject',
    'tc_2',
    '--reason',
    'ask ben',
    '-o',
    'json',
  )
  expect(done.exit).toBe(0)
  const [, , result] = await project.messages(done.json.session_id)
  expect(result).toMatchObject({ content: 'QUESTION_DECLINED: ask ben', is_error: true })
})

test('a question beside a call that needs approval waits with it, and both are decided at once', async () => {
  await using project = await aProject({ script: [{ calls: [effect('tc_1', 'one'), where] }, 'Done.'], policy: {} })
  const paused = await project.holdpoint('--pause-on-approval', '-o', 'json', 'deploy')
  expect(paused.json.pause_reason).toMatchObject({
    type: 'tool_approval_required',
    pending_tool_calls: [{ id: 'tc_1', requires_approval: true }],
    questions: [{ id: 'tc_2' }],
  })
  const both = ['--approve', 'tc_1', '--answer', 'tc_2=production']
  const done = await project.holdpoint('-c', paused.json.checkpoint_id, ...both, '-o', 'json')
  expect(done).toMatchObject({ exit: 0, json: { outcome: 'completed' } })
  expect(await project.effects()).toEqual(['one'])
})

test('a question that is left open while a call is approved stays open, and nothing of the batch runs before it is answered', async () => {
  await using project = await aProject({ script: [{ calls: [effect('tc_1', 'one'), where] }, 'Done.'], policy: {} })
  const first = await project.holdpoint('--pause-on-approval', '-o', 'json', 'deploy')
  const second = await project.holdpoint('-c', first.json.checkpoint_id, '--approve', 'tc_1', '-o', 'json')
  expect(second).toMatchObject({
    exit: 10,
    json: { pause_reason: { type: 'question_asked', questions: [{ id: 'tc_2' }] } },
  })
  expect(await project.effects()).toEqual([])

  const done = await project.holdpoint('-c', second.json.checkpoint_id, '-o', 'json', 'staging')
  expect(done).toMatchObject({ exit: 0, json: { outcome: 'completed' } })
  expect(await project.effects()).toEqual(['one'])
})

test('where nobody can be asked, a question is refused and the run goes on', async () => {
  await using project = await aProject({ script: [{ calls: [where] }, 'Then I guess.'] })
  const done = await project.holdpoint('-o', 'json', 'deploy')
  expect(done).toMatchObject({ exit: 0, json: { outcome: 'completed', final_message: 'Then I guess.' } })
  const [, , result] = await project.messages(done.json.session_id)
  expect(result).toMatchObject({ is_error: true, content: expect.stringMatching(/^TOOL_CALL_FORBIDDEN: /) })
})
