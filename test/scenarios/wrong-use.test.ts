import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openOpenAiServer } from '../../src/testing/servers/openai-server.ts'
import { aProject, command, effect, type Project } from './project.ts'
import { wholeProject } from './whole-project.ts'

/** What is done wrong, with which arguments, the code it is refused with, and what the refusal has to say. */
type Wrong = readonly [title: string, args: (at: Scene) => string[], code: string, says?: readonly string[]]

interface Scene {
  readonly checkpoint: string
  /** Hold ids of the pending calls and questions, by call id. */
  readonly holds: Readonly<Record<string, string>>
}

interface Situation {
  readonly turns: readonly (object | string)[]
  /** Run one after the other; each gets the checkpoint of the one before. */
  readonly steps: readonly ((checkpoint: string) => string[])[]
}

/**
 * One project is enough for many wrong uses, since each of them must leave it as it was. The model is a server that
 * counts how often it is asked.
 */
function refusedIn(title: string, { turns, steps }: Situation, cases: readonly Wrong[]): void {
  describe(title, () => {
    let project: Project
    let server: Awaited<ReturnType<typeof openOpenAiServer>>
    let scene: Scene

    beforeAll(async () => {
      server = await openOpenAiServer({ turns })
      project = await aProject({
        env: { OPENAI_COMPATIBLE_BASE_URL: server.url, HOLDPOINT_MODEL: 'openai-compatible/counted' },
        policy: {
          tools: { write_file: 'auto' },
          rules: [{ tool: 'run_command', match: { command: 'rm *' }, policy: 'never' }],
        },
        files: {
          'broken.json': '{ "default": ',
          'wrong-policy.json': '{"default":"perhaps"}',
          'agent.txt': 'no agent',
          'bytes.txt': 'x',
        },
      })
      scene = { checkpoint: '', holds: {} }
      for (const step of steps) {
        const { json } = await project.holdpoint('-o', 'json', ...step(scene.checkpoint))
        const { pending_tool_calls = [], questions = [] } = json.pause_reason ?? {}
        const holds = [...pending_tool_calls, ...questions].map(({ id, hold_id }) => [id, hold_id])
        scene = { checkpoint: json.checkpoint_id, holds: Object.fromEntries(holds) }
      }
    })

    afterAll(async () => {
      await project[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    })

    test.for(cases)('%s is refused and changes nothing', async ([, args, code, says = []]) => {
      const [before, asked] = [await wholeProject(project), server.requests.length]
      const refused = await project.holdpoint('-o', 'json', ...args(scene))
      expect(refused).toMatchObject({ exit: 2, stderr: '', json: { outcome: 'refused', error: { code } } })
      const { message, hint } = refused.json.error
      expect(hint).toEqual(expect.any(String))
      for (const word of says) expect(`${message} ${hint}`).toContain(word)
      expect(server.requests).toHaveLength(asked)
      expect(await wholeProject(project)).toEqual(before)
    })
  })
}

const batch = [
  effect('tc_1', 'one'),
  effect('tc_2', 'two'),
  { id: 'tc_3', name: 'write_file', args: { path: 'three.txt', content: '3' } },
]

const resume =
  (...args: string[]) =>
  ({ checkpoint }: Scene): string[] => ['-c', checkpoint, ...args]

const start =
  (...args: string[]) =>
  (): string[] => [...args, 'go']

refusedIn(
  'where calls wait for approval',
  { turns: [{ text: '', calls: batch }, 'Done.'], steps: [() => ['--pause-on-approval', 'go']] },
  [
    ['an id that is not pending', resume('--approve', 'tc_9'), 'unknown_id', ['tc_9', 'tc_1', 'tc_2']],
    ['an unknown id beside a known one', resume('--approve', 'tc_1', '--reject', 'tc_9'), 'unknown_id', ['tc_9']],
    ['a hold id that is not pending', resume('--approve', 'hold_0000000000000000'), 'unknown_id', ['tc_1', 'tc_2']],
    ['the same id both ways', resume('--approve', 'tc_1', '--reject', 'tc_1'), 'decided_both_ways', ['tc_1']],
    [
      'an approval and an edit of the same id',
      resume('--approve', 'tc_1', '--edit', 'tc_1={"command":"true"}'),
      'decided_both_ways',
      ['tc_1'],
    ],
    [
      'two edits of the same id',
      resume('--edit', 'tc_1={"command":"true"}', '--edit', 'tc_1={"command":"false"}'),
      'decided_both_ways',
      ['tc_1'],
    ],
    [
      'the same hold both ways, by its own id and by that of its call',
      at => ['-c', at.checkpoint, '--approve', 'tc_1', '--reject', at.holds['tc_1'] ?? ''],
      'decided_both_ways',
    ],
    ['--approve-all with --reject-all', resume('--approve-all', '--reject-all'), 'approve_and_reject_all'],
    ['decisions together with a text', resume('--approve', 'tc_1', 'and hurry'), 'decisions_with_text'],
    ['a text where calls are pending', resume('yes, proceed'), 'calls_pending', ['tc_1', 'tc_2']],
    ['--finish where calls are pending', resume('--finish'), 'calls_pending', ['tc_1']],
    ['--finish together with a decision', resume('--finish', '--approve', 'tc_1'), 'finish_with_more'],
    ['an empty text', resume(''), 'empty_answer'],
    ['a rejection of a call that needs no approval', resume('--reject', 'tc_3'), 'needs_no_approval', ['tc_3']],
    ['an answer to a call that asks nothing', resume('--answer', 'tc_1=yes'), 'verdict_not_possible', ['approve']],
    ['an answer that names nothing', resume('--answer', 'yes'), 'invalid_arguments', ['--answer ID=TEXT']],
    ['an empty answer to a call', resume('--answer', 'tc_1= '), 'empty_answer', ['tc_1']],
    ['an edit that is no JSON', resume('--edit', 'tc_1={command'), 'invalid_arguments', ['tc_1']],
    ['an edit that is no object', resume('--edit', 'tc_1=["ls"]'), 'invalid_arguments', ['tc_1']],
    ['an edit that does not fit the tool', resume('--edit', 'tc_1={"cmd":"ls"}'), 'invalid_arguments', ['command']],
    ['an edit that names nothing', resume('--edit', '{"command":"ls"}'), 'invalid_arguments', ['--edit ID=JSON']],
    [
      'an edit from a file that is not there',
      resume('--edit', 'tc_1=@missing.json'),
      'unreadable_file',
      ['missing.json'],
    ],
    [
      'an edit into what policy never allows',
      resume('--edit', 'tc_1={"command":"rm -r ."}'),
      'forbidden_edit',
      ['rm *'],
    ],
    [
      'an edit that does not fit beside an approval',
      resume('--approve', 'tc_1', '--edit', 'tc_2={}'),
      'invalid_arguments',
      ['tc_2'],
    ],
    ['a reason without a decision', resume('--reason', 'because'), 'reason_alone'],
    [
      'a checkpoint that is not there',
      () => ['-c', 'cp_0123456789abcdef0123456789', '--approve', 'tc_1'],
      'unknown_checkpoint',
      ['holdpoint runs'],
    ],
    [
      'a checkpoint that is no id at all',
      () => ['-c', 'latest', '--approve', 'tc_1'],
      'unknown_checkpoint',
      ['latest'],
    ],
    [
      'a checkpoint with other letters at its end',
      at => ['-c', `${at.checkpoint.slice(0, -2)}ii`, '--approve', 'tc_1'],
      'unknown_checkpoint',
    ],
    ['a decision without a checkpoint', () => ['--approve', 'tc_1'], 'no_checkpoint', ['-c']],
    ['a fork without a checkpoint', () => ['--fork', 'go'], 'no_checkpoint', ['-c']],
    ['an unknown id for a fork', resume('--fork', '--approve', 'tc_9'), 'unknown_id', ['tc_1']],
    [
      'an unknown tool for the rest of the run',
      resume('--approve', 'tc_1', '-t', 'shell'),
      'unknown_tool',
      ['run_command'],
    ],
    ['an unknown model for the rest of the run', resume('--approve', 'tc_1', '--model', 'nowhere/x'), 'unknown_model'],
    [
      'a missing key for the rest of the run',
      resume('--approve', 'tc_1', '--model', 'openai/gpt-5'),
      'missing_api_key',
      ['OPENAI_API_KEY'],
    ],
    [
      'a directory that is not there, for the rest of the run',
      resume('--approve', 'tc_1', '-w', 'nowhere'),
      'no_workdir',
      ['nowhere'],
    ],
    [
      'a broken policy for the rest of the run',
      resume('--approve', 'tc_1', '--policy', 'broken.json'),
      'invalid_policy',
      ['broken.json'],
    ],
    [
      'a missing agent file for the rest of the run',
      resume('--approve', 'tc_1', '--agent', 'missing.md'),
      'invalid_agent',
      ['missing.md'],
    ],
  ],
)

refusedIn('at the start of a run', { turns: ['Done.'], steps: [() => ['go']] }, [
  ['no prompt at all', () => [], 'no_prompt', ['holdpoint --help']],
  ['an empty prompt', () => [''], 'empty_prompt'],
  ['a prompt of nothing but white space', () => [' \n\t'], 'empty_prompt'],
  ['an unknown flag', start('--aprove', 'tc_1'), 'invalid_arguments', ['--aprove', '--help']],
  ['a long flag with one dash', start('-workdir', 'here'), 'invalid_arguments', ['-workdir', '`--workdir`']],
  ['an unknown short flag', start('-z'), 'invalid_arguments', ['-z']],
  ['a flag without its value', () => ['go', '--model'], 'invalid_arguments', ['--model']],
  ['a value for a flag that takes none', start('--finish=now'), 'invalid_arguments', ['--finish']],
  ['a flag that counts once, given twice', start('--model', 'a/b', '--model', 'c/d'), 'invalid_arguments', ['--model']],
  ['--max-steps that is no number', start('--max-steps', 'many'), 'invalid_arguments', ['many']],
  ['--max-steps of nothing', start('--max-steps', '0'), 'invalid_arguments', ['0']],
  [
    '--pause-on with an unknown word',
    start('--pause-on', 'approval,panic'),
    'invalid_arguments',
    ['panic', 'question'],
  ],
  ['two prompts', start('--prompt-file', 'bytes.txt'), 'two_prompts'],
  ['a prompt file that is not there', () => ['--prompt-file', 'missing.txt'], 'unreadable_file', ['missing.txt']],
  [
    'a system prompt file that is not there',
    start('--system-prompt-file', 'missing.txt'),
    'unreadable_file',
    ['missing.txt'],
  ],
  ['a command that does not come first', () => ['runs'], 'misplaced_command', ['holdpoint runs', '--']],
  ['an unknown tool', start('-t', 'shell'), 'unknown_tool', ['shell', 'run_command']],
  ['an unknown provider', start('--model', 'nowhere/x'), 'unknown_model', ['nowhere/x', 'anthropic']],
  ['a model without a provider', start('--model', 'gpt-5'), 'unknown_model', ['provider/model']],
  ['a script that is not there', start('--model', 'script:missing.yaml'), 'invalid_script', ['missing.yaml']],
  ['a missing key', start('--model', 'anthropic/claude-sonnet-4-5'), 'missing_api_key', ['ANTHROPIC_API_KEY']],
  ['a directory that is not there', start('-w', 'nowhere'), 'no_workdir', ['nowhere', '--workdir']],
  ['a directory that is a file', start('-w', 'bytes.txt'), 'no_workdir', ['bytes.txt']],
  ['a policy file that is not there', start('--policy', 'missing.json'), 'unreadable_file', ['missing.json']],
  ['a policy file that is no JSON', start('--policy', 'broken.json'), 'invalid_policy', ['broken.json', 'line 1']],
  [
    'a policy that says something unknown',
    start('--policy', 'wrong-policy.json'),
    'invalid_policy',
    ['default', 'perhaps'],
  ],
  ['an agent file that is not there', start('--agent', 'missing.ts'), 'invalid_agent', ['missing.ts']],
  ['an agent file of an unknown kind', start('--agent', 'agent.txt'), 'invalid_agent', ['.md', '.ts']],
  ['a store of an unknown kind', start('--store', 'mysql://localhost'), 'unknown_store', ['sqlite:']],
])

const where = { id: 'tc_1', name: 'ask_human', args: { question: 'Where to?', choices: ['staging', 'production'] } }

refusedIn(
  'where a question waits',
  { turns: [{ text: '', calls: [where] }, 'Done.'], steps: [() => ['--pause-on-approval', 'go']] },
  [
    [
      'an answer that is not among the choices',
      resume('--answer', 'tc_1=home'),
      'not_a_choice',
      ['staging', 'production'],
    ],
    ['a text that is not among the choices', resume('home'), 'not_a_choice', ['staging', 'production']],
    ['an answer that only differs in case', resume('--answer', 'tc_1=Staging'), 'not_a_choice', ['staging']],
    ['an empty answer', resume('--answer', 'tc_1='), 'empty_answer'],
    ['a text of white space', resume('  '), 'empty_answer'],
    ['an approval of a question', resume('--approve', 'tc_1'), 'verdict_not_possible', ['respond']],
    ['an edit of a question', resume('--edit', 'tc_1={"question":"?"}'), 'verdict_not_possible'],
    ['--approve-all', resume('--approve-all'), 'nothing_to_decide', ['tc_1']],
    ['--finish', resume('--finish'), 'calls_pending', ['tc_1']],
  ],
)

const two = [
  { ...where, args: { question: 'One?' } },
  { ...where, id: 'tc_2', args: { question: 'Two?' } },
]

refusedIn(
  'where two questions wait',
  { turns: [{ text: '', calls: two }, 'Done.'], steps: [() => ['--pause-on-approval', 'go']] },
  [['a text that could answer either', resume('here'), 'calls_pending', ['tc_1', 'tc_2']]],
)

refusedIn(
  'where a text waits for an answer',
  { turns: ['Shall I?', 'Done.'], steps: [() => ['--pause-on-approval', 'go']] },
  [
    ['an approval', resume('--approve', 'tc_1'), 'nothing_pending', ['-c']],
    ['--approve-all', resume('--approve-all'), 'nothing_pending'],
    ['an answer to a call', resume('--answer', 'tc_1=yes'), 'nothing_pending'],
    ['an empty text', resume(''), 'empty_answer'],
    ['--finish together with a text', resume('--finish', 'yes'), 'finish_with_more'],
  ],
)

refusedIn('where a run is completed', { turns: ['Done.'], steps: [() => ['go']] }, [
  ['an approval', resume('--approve', 'tc_1'), 'nothing_pending'],
  ['--finish', resume('--finish'), 'nothing_pending'],
  ['a resume that says nothing', resume(), 'already_completed', ['text']],
  ['an empty text', resume(''), 'empty_answer'],
])

const steps: Situation['steps'] = [
  () => ['--pause-on', 'approval', 'go'],
  checkpoint => ['-c', checkpoint, '--approve', 'tc_1'],
]

refusedIn(
  'where a run was approved and completed',
  { turns: [{ text: '', calls: [command('tc_1', 'true')] }, 'Done.'], steps },
  [['an approval of what is done', resume('--approve', 'tc_1'), 'nothing_pending']],
)

const brokenProjects: readonly [title: string, path: string, text: string, code: string, says: string][] = [
  ['configuration that is no JSON', 'config.json', '{ "model": ', 'invalid_config', 'line 1'],
  ['configuration with an unknown key', 'config.json', '{"modle":"a/b"}', 'invalid_config', 'modle'],
  ['configuration with a wrong value', 'config.json', '{"pause_on":["panic"]}', 'invalid_config', 'pause_on'],
  ['configuration that is a list', 'config.json', '[]', 'invalid_config', 'object'],
  ['policy that is no JSON', 'policy.json', 'default: auto', 'invalid_policy', 'line 1'],
  ['policy with an unknown key', 'policy.json', '{"tool":{}}', 'invalid_policy', 'tool'],
  [
    'policy that says something unknown',
    'policy.json',
    '{"tools":{"run_command":"yes"}}',
    'invalid_policy',
    'tools.run_command',
  ],
]

test.for(brokenProjects)('a project with a %s runs nothing', async ([, path, text, code, says]) => {
  await using project = await aProject({
    script: [{ calls: [effect('tc_1', 'one')] }],
    files: { [`.holdpoint/${path}`]: text },
  })
  const before = await wholeProject(project)
  const refused = await project.holdpoint('-o', 'json', 'go')
  expect(refused).toMatchObject({ exit: 2, stderr: '', json: { outcome: 'refused', error: { code } } })
  expect(refused.json.error.message).toContain(says)
  expect(await wholeProject(project)).toEqual(before)
})

test('a configuration that breaks while a run waits keeps the run from being resumed', async () => {
  await using project = await aProject({ script: [{ calls: [effect('tc_1', 'one')] }, 'Done.'], policy: {} })
  const paused = await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
  await project.write('.holdpoint/config.json', '{')
  const before = await wholeProject(project)
  const refused = await project.holdpoint('-c', paused.json.checkpoint_id, '--approve', 'tc_1', '-o', 'json')
  expect(refused).toMatchObject({ exit: 2, json: { error: { code: 'invalid_config' } } })
  expect(await wholeProject(project)).toEqual(before)
})

test('a project whose place is taken by a file is refused, and the file stays', async () => {
  await using project = await aProject({ script: ['Done.'], files: { '.holdpoint': 'mine' } })
  const refused = await project.holdpoint('-o', 'json', 'go')
  expect(refused).toMatchObject({ exit: 2, stderr: '', json: { error: { code: 'unusable_directory' } } })
  expect(await project.read('.holdpoint')).toBe('mine')
})

const inNothing: readonly [title: string, args: string[], code: string][] = [
  ['an unknown model', ['--model', 'nowhere/x', 'go'], 'unknown_model'],
  ['no model', ['go'], 'no_model'],
  ['a missing key', ['--model', 'openai/gpt-5', 'go'], 'missing_api_key'],
  ['an unknown tool', ['--model', 'openai-compatible/x', '-t', 'shell', 'go'], 'unknown_tool'],
  ['a checkpoint', ['-c', 'cp_0123456789abcdef0123456789', '--approve', 'tc_1'], 'no_store'],
]

test.for(inNothing)('%s in an empty directory is refused and leaves it empty', async ([, args, code]) => {
  await using project = await aProject()
  const refused = await project.holdpoint('-o', 'json', ...args)
  expect(refused).toMatchObject({ exit: 2, json: { outcome: 'refused', error: { code } } })
  expect(await wholeProject(project)).toEqual({ files: {}, tables: {} })
})
