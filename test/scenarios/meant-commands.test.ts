/** What was typed as a command is never sent to an agent. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aProject, command, type Project } from './project.ts'

describe('at the start of a run', () => {
  let project: Project
  beforeAll(async () => {
    project = await aProject({ script: ['Done.'] })
  })
  afterAll(() => project[Symbol.asyncDispose]())

  test.each([
    [['--aprove', 'tc_1'], 'Did you mean `--approve`?'],
    [['--modle', 'x', 'go'], 'Did you mean `--model`?'],
    [['holds', '--asignee=ben'], 'Did you mean `--assignee`?'],
    [['tasks', 'shwo', 'task_1'], 'holdpoint tasks show task_1'],
    [['audit', 'verfy'], 'holdpoint audit verify'],
    [['threads', 'lst'], 'holdpoint threads list'],
    [['help', 'aprove'], 'holdpoint help approve'],
    [['help', 'nothing-like-it'], 'holdpoint --help'],
    [['policy', 'check', 'ls', '-la'], "Unknown option '-l'.\n  Quote the command"],
    [['show'], '`holdpoint runs` or `holdpoint holds` shows the ids.'],
    [['cancel'], '`holdpoint runs` or `holdpoint holds` shows the ids.'],
    [['audit', 'explain'], '`holdpoint runs` shows the ids.'],
    [['approve', '--aprove'], "Unknown option '--aprove'.\n"],
  ])('%j is refused with the word that was meant', async (words, suggestion) => {
    const { exit, stderr } = await project.holdpoint(...words)
    expect(exit).toBe(2)
    expect(stderr).toContain(suggestion)
  })

  test.each([
    [['aprove', 'hold_1'], 'unknown_command', 'holdpoint approve hold_1'],
    [['aprov', 'tc_1', 'tc_2'], 'unknown_command', 'holdpoint approve tc_1 tc_2'],
    [['hodls'], 'unknown_command', 'holdpoint holds'],
    [['Holds'], 'unknown_command', 'holdpoint holds'],
    [['rnus'], 'unknown_command', 'holdpoint runs'],
    [['tsk', 'list'], 'unknown_command', 'holdpoint tasks list'],
    [['halp'], 'unknown_command', 'holdpoint help'],
    [['server'], 'unknown_command', 'holdpoint serve'],
    [['status'], 'unknown_command', 'holdpoint runs'],
    [['statu'], 'unknown_command', 'holdpoint runs'],
    [['pendng'], 'unknown_command', 'holdpoint holds'],
    [['agents'], 'misplaced_command', 'holdpoint agents'],
    [['agent'], 'unknown_command', 'holdpoint agents'],
    [['config'], 'unknown_command', '--help'],
    [['create', 'shop'], 'unknown_command', 'holdpoint new NAME'],
    [['nwe', 'shop'], 'unknown_command', 'holdpoint new shop'],
    [['setup'], 'unknown_command', 'holdpoint init'],
    [['resume', 'cp_r45tx3e6fs4ax99c'], 'unknown_command', '-c CHECKPOINT'],
    [['cp_r45tx3e6fs4ax99cgr947ra6tw'], 'unknown_command', 'holdpoint -c cp_r45tx3e6fs4ax99cgr947ra6tw'],
    [['run_1c7jzs21p5sn8k6z'], 'unknown_command', 'holdpoint show run_1c7jzs21p5sn8k6z'],
    [['aprove hold_1'], 'unknown_command', 'holdpoint approve hold_1'],
    [['approve tc_1'], 'unknown_command', 'holdpoint approve tc_1'],
    [['bless', 'hold_1'], 'unquoted_prompt', "'bless hold_1'"],
    [['fix', 'the', 'build'], 'unquoted_prompt', "'fix the build'"],
    [['fix', '--', 'the', 'build'], 'unquoted_prompt', "'fix the build'"],
    [['aprove', '--', 'hold_1'], 'unknown_command', 'holdpoint approve hold_1'],
    [['-', 'now'], 'unquoted_prompt', "'- now'"],
  ])('%j is refused as %s with a suggestion, and runs nothing', async (words, code, suggestion) => {
    const refused = await project.holdpoint('-o', 'json', ...words)
    expect(refused).toMatchObject({ exit: 2, json: { outcome: 'refused', error: { code } } })
    expect(refused.json.error.hint).toContain(suggestion)
    expect(refused.json.error.hint).toContain('--')
    expect(project.exists('.holdpoint')).toBe(false)
  })

  test('flags before the word change nothing', async () => {
    const refused = await project.holdpoint('--json', '--max-steps', '3', 'aprove', 'hold_1')
    expect(refused).toMatchObject({ exit: 2, json: { error: { code: 'unknown_command' } } })
    expect(project.exists('.holdpoint')).toBe(false)
  })
})

test.each([
  ['hello'],
  ['go'],
  ['lint'],
  ['summary'],
  ['deploy'],
  ['list the files'],
  ['approve the pull request'],
  ['explain hold_1 to me'],
])('the prompt %j is sent to an agent', async prompt => {
  await using project = await aProject({ script: ['Done.'] })
  expect(await project.holdpoint(prompt)).toMatchObject({ exit: 0, stdout: 'Done.\n' })
})

test.each([
  ['--', 'aprove', 'hold_1'],
  ['--', 'status'],
  ['--json', '--', 'runs'],
])('behind -- %j is a prompt', async (...args) => {
  await using project = await aProject({ script: ['Done.'] })
  expect((await project.holdpoint(...args)).exit).toBe(0)
})

test('a word of an answer may be like a command, but several words are refused', async () => {
  const ask = { id: 'tc_1', name: 'ask_human', args: { question: 'What now?' } }
  await using project = await aProject({ script: [{ calls: [ask] }, 'Done.'] })
  const paused = await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
  const resume = ['-c', paused.json.checkpoint_id, '-o', 'json']
  const refused = await project.holdpoint(...resume, 'yes', 'proceed')
  expect(refused).toMatchObject({ exit: 2, json: { error: { code: 'unquoted_prompt' } } })
  expect((await project.holdpoint(...resume, 'status')).exit).toBe(0)
})

test('a mistyped command with a checkpoint decides nothing', async () => {
  await using project = await aProject({ script: [{ calls: [command('tc_1', 'true')] }, 'Done.'] })
  const paused = await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
  const refused = await project.holdpoint('-c', paused.json.checkpoint_id, '-o', 'json', 'aprove', 'tc_1')
  expect(refused).toMatchObject({ exit: 2, json: { error: { code: 'unknown_command' } } })
})
