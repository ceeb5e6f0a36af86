import { resolve } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { meansDone } from '../../examples/means-done.ts'
import { aProject, type Finished, type Project } from './project.ts'

const example = (name: string) => resolve(import.meta.dirname, `../../examples/${name}.ts`)

const start = (name: string, ...more: string[]) => [
  ...['--agent', example(name), '--pause-on-approval', '-o', 'json', ...more],
]

/** Each time another process, after the one before has exited. */
async function goOn(project: Project, { json }: Finished, ...args: string[]): Promise<Finished> {
  return project.holdpoint('-c', json.checkpoint_id, ...args, '-o', 'json')
}

async function aDirectoryWithLogs(script?: readonly unknown[]): Promise<Project> {
  return aProject({ files: { 'old.log': '', 'older.log': '', 'new.log': '' }, ...(script && { script }) })
}

const logsIn = (project: Project) => ['old.log', 'older.log', 'new.log'].filter(file => project.exists(file))

test('P1: files are deleted once a person approved exactly these', async () => {
  await using project = await aDirectoryWithLogs()
  const paused = await project.holdpoint(...start('delete-files', 'Delete old.log and older.log'))
  const details = { files: ['old.log', 'older.log'] }
  expect(paused).toMatchObject({
    exit: 10,
    json: {
      pause_reason: {
        type: 'tool_approval_required',
        pending_tool_calls: [
          {
            id: 'request',
            name: 'request_approval',
            arguments: { action: 'delete files', reason: 'You asked for it.', details },
            requires_approval: true,
          },
        ],
      },
      resume_hint: `holdpoint -c ${paused.json.checkpoint_id} --approve request`,
    },
  })
  expect(logsIn(project)).toEqual(['old.log', 'older.log', 'new.log'])

  const done = await goOn(project, paused, '--approve', 'request', '--reason', 'they are old')
  expect(done).toMatchObject({ exit: 0, stderr: '', json: { final_message: 'Deleted old.log, older.log.' } })
  expect(logsIn(project)).toEqual(['new.log'])
  expect((await project.messages(done.json.session_id))[2]).toMatchObject({
    tool_call_id: 'request',
    content: { verdict: 'approve', arguments: null, value: null, reason: 'they are old', decided_by: 'ana' },
    is_error: false,
  })
})

test('P1: a person who rejects the deletion keeps the files, and the agent says so', async () => {
  await using project = await aDirectoryWithLogs()
  const paused = await project.holdpoint(...start('delete-files', 'Delete old.log'))
  const done = await goOn(project, paused, '--reject', 'request', '--reason', 'still needed')
  expect(done).toMatchObject({
    exit: 0,
    json: { final_message: 'Nothing was deleted. TOOL_CALL_REJECTED: still needed' },
  })
  expect(logsIn(project)).toEqual(['old.log', 'older.log', 'new.log'])
})

test('P9: a person who approves fewer files has only these deleted', async () => {
  await using project = await aDirectoryWithLogs()
  const paused = await project.holdpoint(...start('delete-files', 'Delete old.log and older.log'))
  const fewer = { action: 'delete files', reason: 'You asked for it.', details: { files: ['older.log'] } }
  const done = await goOn(project, paused, '--edit', `request=${JSON.stringify(fewer)}`)
  expect(done).toMatchObject({ exit: 0, json: { final_message: 'Deleted older.log.' } })
  expect(logsIn(project)).toEqual(['old.log', 'new.log'])
})

const request = {
  id: 'request',
  name: 'request_approval',
  args: { action: 'delete files', reason: 'asked to', details: { files: ['old.log'] } },
}
const deletion = (id: string, ...files: string[]) => ({ id, name: 'delete_files', args: { files } })

/** What became of each call of `delete_files`. */
async function deletions(project: Project, session: string): Promise<string[]> {
  const messages = await project.messages(session)
  return messages.flatMap(({ tool_name, content }) => (tool_name === 'delete_files' ? [content] : []))
}

test('P9: other files than those that were approved are not deleted, and the agent is told what to ask for', async () => {
  await using project = await aDirectoryWithLogs([
    { calls: [request] },
    { calls: [deletion('more', 'old.log', 'new.log')] },
    'Done.',
  ])
  const paused = await project.holdpoint(...start('delete-files', '--model', 'script:script.json', 'Clean up'))
  const done = await goOn(project, paused, '--approve', 'request')
  expect(done.exit).toBe(0)
  expect(await deletions(project, done.json.session_id)).toEqual([
    expect.stringMatching(
      /^APPROVAL_REQUIRED: .*request_approval.*\{"action":"delete files","details":\{"files":\["old\.log","new\.log"\]\}\}/,
    ),
  ])
  expect(logsIn(project)).toEqual(['old.log', 'older.log', 'new.log'])
})

test('P3: one approval covers one deletion, not two of a batch and not a later one', async () => {
  const twice = [deletion('first', 'old.log'), deletion('second', 'old.log')]
  const script = [{ calls: [request] }, { calls: twice }, { calls: [deletion('third', 'old.log')] }, 'Done.']
  await using project = await aDirectoryWithLogs(script)
  const paused = await project.holdpoint(...start('delete-files', '--model', 'script:script.json', 'Clean up'))
  const done = await goOn(project, paused, '--approve', 'request')
  const refused = expect.stringContaining('APPROVAL_REQUIRED')
  expect(await deletions(project, done.json.session_id)).toEqual(['Deleted old.log.', refused, refused])
  expect(logsIn(project)).toEqual(['older.log', 'new.log'])
})

test('P1: where a run does not pause for approval, nobody approves in words either', async () => {
  await using project = await aDirectoryWithLogs()
  const args = ['--agent', example('delete-files'), '-o', 'json', 'Delete old.log']
  const done = await project.holdpoint(...args)
  expect(done.json.final_message).toMatch(/^Nothing was deleted\. TOOL_CALL_FORBIDDEN: .*does not pause for approval/)
  expect(logsIn(project)).toEqual(['old.log', 'older.log', 'new.log'])
})

test('several questions are answered one after the other, each by a process of its own', async () => {
  await using project = await aProject()
  const name = await project.holdpoint(...start('set-up-service', 'Set up a service'))
  expect(questionOf(name)).toMatchObject({ id: 'name', question: 'What is the service called?', choices: null })

  const region = await goOn(project, name, '--answer', 'name=the "shop"')
  expect(questionOf(region)).toMatchObject({ id: 'region', choices: ['eu', 'us'] })
  expect(await goOn(project, region, '--answer', 'region=mars')).toMatchObject({
    exit: 2,
    json: { error: { code: 'not_a_choice' } },
  })

  const replicas = await goOn(project, region, '--answer', 'region=eu')
  expect(questionOf(replicas)).toMatchObject({
    id: 'replicas',
    earlier_answers: [
      { question: 'What is the service called?', answer: 'the "shop"', answered_by: 'ana' },
      { question: 'Where shall it run?', answer: 'eu', answered_by: 'ana' },
    ],
  })
  // Looking again shows people the same.
  const { stdout } = await project.holdpoint('-c', replicas.json.checkpoint_id)
  expect(stdout).toContain('Answered before:\n    What is the service called? the "shop" (ana)\n')
  expect(await goOn(project, replicas, '--answer', 'replicas=a few')).toMatchObject({
    exit: 2,
    json: { error: { code: 'invalid_answer' } },
  })

  const done = await goOn(project, replicas, '--answer', 'replicas=3')
  expect(done).toMatchObject({ exit: 0, json: { final_message: 'Set up ["the \\"shop\\"","eu",3].' } })
})

test('a draft is revised until feedback says that it is good', async () => {
  await using project = await aProject()
  const first = await project.holdpoint(...start('refine-draft', 'Write a slogan'))
  expect(questionOf(first)).toMatchObject({ id: 'draft-1', context: { draft: 'Waiting made easy', round: 1 } })
  const second = await goOn(project, first, '--answer', 'draft-1=nothing looks good here')
  expect(questionOf(second)).toMatchObject({
    id: 'draft-2',
    context: { draft: 'Waiting made easy (nothing looks good here)', round: 2 },
  })
  const done = await goOn(project, second, '--answer', 'draft-2=Perfect!')
  expect(done).toMatchObject({
    exit: 0,
    json: { final_message: 'Final: Waiting made easy (nothing looks good here)' },
  })
})

test('a draft that nobody is content with is revised three times and no more', async () => {
  await using project = await aProject()
  let said = await project.holdpoint(...start('refine-draft', 'Write a slogan'))
  for (const round of [1, 2, 3]) {
    expect(questionOf(said)).toMatchObject({ id: `draft-${round}` })
    said = await goOn(project, said, '--answer', `draft-${round}=looks good but make it shorter`)
  }
  expect(said).toMatchObject({ exit: 0, json: { final_message: expect.stringMatching(/^Final after 3 rounds: /) } })
})

function questionOf({ exit, json }: Finished): unknown {
  expect({ exit, type: json.pause_reason?.type }).toEqual({ exit: 10, type: 'question_asked' })
  expect(json.pause_reason.questions).toHaveLength(1)
  return json.pause_reason.questions[0]
}

test.each([
  ...['looks good', 'Looks good!', 'Perfect!', 'perfect.', 'LGTM', 'done', ' Approved\n', 'ship it', 'Ship it!!'],
  ...["That's it.", 'That’s it', 'Perfect, thanks!', 'all good thank you'],
])('%j ends the refinement of a draft', feedback => {
  expect(meansDone(feedback)).toBe(true)
})

test.each([
  ...['', '.', 'nothing looks good here', 'looks good but make it shorter', 'looks good?', 'not perfect'],
  ...['almost perfect', 'perfect it', 'not done', 'done?', 'undone', 'I cannot say that it is perfect', 'thanks'],
  ...['looks good. But shorter.', 'ship it tomorrow', 'not approved', 'constructor', 'make it perfect'],
])('%j asks for another round', feedback => {
  expect(meansDone(feedback)).toBe(false)
})

test('praise with one more word before it or behind it asks for another round', () => {
  const praise = fc.constantFrom('looks good', 'perfect', 'lgtm', 'done', 'approved', 'ship it')
  fc.assert(
    fc.property(praise, fc.constantFrom('not', 'but', 'nearly', 'never', 'no', 'if', 'except'), (said, word) => {
      expect([`${word} ${said}`, `${said} ${word}`, `${said}, ${word}`].map(meansDone)).toEqual([false, false, false])
    }),
  )
})
