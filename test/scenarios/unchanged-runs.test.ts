import { expect, test } from 'vitest'
import { Golden } from './golden.ts'
import { aProject, effect, type Finished, listed, type Project } from './project.ts'
import { HAS_TERMINAL, inTerminal } from './terminal/pseudo-terminal.ts'

const DEPLOY = [
  {
    text: 'I am about to apply.',
    calls: [{ id: 'tc_1', name: 'list_files', args: {} }, effect('tc_2', 'applied')],
    usage: { input: 100, output: 20 },
  },
  { text: 'Deployed.' },
]
const ASKS = { tools: { list_files: 'auto', run_command: 'prompt' } }
const TALKS = [{ text: 'Hello.' }]

type Story = (project: Project, golden: Golden) => Promise<void>

async function played(project: Project, golden: Golden, ...args: string[]): Promise<Finished> {
  const finished = await project.holdpoint(...args)
  golden.printed(`holdpoint ${args.join(' ')}`, finished)
  return finished
}

const STORIES: Readonly<Record<string, Story>> = {
  'a-text-alone': async (project, golden) => {
    await played(project, golden, '-a', '-t', 'list_files', '-t', 'run_command', 'hello')
  },
  'a-pause-and-a-resume-as-json': async (project, golden) => {
    const paused = await played(project, golden, '--pause-on-approval', '-o', 'json', 'deploy')
    await played(project, golden, '-c', paused.json.checkpoint_id, '--approve', 'tc_2', '-o', 'json')
  },
  'a-pause-and-a-resume-as-text': async (project, golden) => {
    await played(project, golden, '--pause-on-approval', 'deploy')
    await played(project, golden, '-c', 'last', '--approve', 'tc_2')
  },
  'nobody-is-asked-as-stream': async (project, golden) => {
    await played(project, golden, '-a', '-o', 'stream-json', 'deploy')
  },
}

const PROJECTS = {
  talks: () => aProject({ script: TALKS }),
  asks: () => aProject({ script: DEPLOY, policy: ASKS }),
}

test.each([
  ['a-text-alone', PROJECTS.talks],
  ['a-pause-and-a-resume-as-json', PROJECTS.asks],
  ['a-pause-and-a-resume-as-text', PROJECTS.asks],
  ['nobody-is-asked-as-stream', PROJECTS.asks],
] as const)('%s prints and writes what it did before agents could stay', async (name, makes) => {
  await using project = await makes()
  const golden = new Golden(project)
  await STORIES[name]?.(project, golden)
  golden.journal()
  await expect(golden.text()).toMatchFileSnapshot(`golden/${name}.txt`)
})

test.skipIf(!HAS_TERMINAL)('a run in front of a person looks as it did before agents could stay', async () => {
  await using project = await aProject({ script: DEPLOY, policy: ASKS })
  const { exit, screen } = await inTerminal(project, ['--pause-on', 'approval', 'deploy'], {
    keys: [['edit or later?', 'approve\r']],
  })
  const golden = new Golden(project)
  golden.printed('holdpoint --pause-on approval deploy', { exit, stdout: screen, stderr: '' })
  golden.journal()
  await expect(golden.text()).toMatchFileSnapshot('golden/in-front-of-a-person.txt')
})

test('a sub-agent of one prompt is a task as it was before agents could stay', async () => {
  await using project = await aProject({
    script: [
      { calls: [{ id: 't1', name: 'subagent_task', args: { prompt: 'deploy', model: 'script:child.json' } }] },
      { text: 'Delegated.' },
    ],
    policy: { default: 'auto', tools: { run_command: 'prompt' } },
    files: { 'child.json': JSON.stringify(DEPLOY) },
  })
  const tools = ['-t', 'subagent_task', '-t', 'list_files', '-t', 'run_command']
  const golden = new Golden(project)
  await played(project, golden, '-a', ...tools, 'delegate')
  const [{ task_id }] = await listed(project, 'tasks')
  await project.holdpoint('tasks', 'wait', task_id)
  await project.holdpoint('tasks', 'resume', task_id, '--approve', 'tc_2')
  await project.holdpoint('tasks', 'wait', task_id)
  await played(project, golden, 'tasks', 'wait', task_id)
  await played(project, golden, 'tasks', 'wait', task_id, '--json')
  golden.journal()
  await expect(golden.text()).toMatchFileSnapshot('golden/a-sub-agent.txt')
})
