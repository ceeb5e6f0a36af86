import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aProject, CLI, command, effect, type Project } from './project.ts'
import { advanced, aWorkplace } from './workplace.ts'

const AGENTS = ['lead', 'middle', 'leaf']

/** Each starts the next one by a command, and the last one waits for a person. */
async function aFamily(): Promise<Project> {
  const starts = (agent: string, ...flags: string[]) =>
    command('tc_1', ['node', CLI, '--agent', `${agent}.mjs`, ...flags, '-o', 'json', 'go'].join(' '))
  const scripts = {
    lead: [{ calls: [starts('middle')] }, 'Done.'],
    middle: [{ calls: [starts('leaf', '--pause-on', 'approval')] }, 'Done.'],
    leaf: [{ calls: [effect('tc_1', 'deployed')] }, 'Done.'],
  }
  const files = Object.entries(scripts).flatMap(([name, script]) => [
    [`${name}.json`, JSON.stringify(script)],
    [
      `${name}.mjs`,
      `export const agent = { name: '${name}', model: 'script:${name}.json', policy: { default: 'prompt' } }`,
    ],
  ])
  return aProject({ files: Object.fromEntries(files) })
}

describe('with runs that agents started, three levels deep', () => {
  let project: Project
  // biome-ignore lint/suspicious/noExplicitAny: documents are checked by the tests that read them
  let root: any
  // biome-ignore lint/suspicious/noExplicitAny: documents are checked by the tests that read them
  let hold: any

  beforeAll(async () => {
    project = await aFamily()
    root = (await project.holdpoint('--agent', 'lead.mjs', '-o', 'json', 'go')).json
    hold = (await project.holdpoint('holds', '--json')).json[0]
  })
  afterAll(() => project[Symbol.asyncDispose]())

  test('the innermost hold says where it comes from', async () => {
    expect(hold.path.map(({ agent }: { agent: string }) => agent)).toEqual(AGENTS)
    expect([hold.path[0].run_id, hold.path[2].run_id]).toEqual([root.run_id, hold.run_id])
    expect((await project.holdpoint('holds')).stdout).toContain('  lead > middle > leaf  ')
    const shown = await project.holdpoint('show', hold.id)
    const path = hold.path.map((step: { agent: string; run_id: string }) => `${step.agent} (${step.run_id})`)
    expect(shown.stdout.split('\n').map(line => line.replace(/ +/g, ' '))).toContain(`path ${path.join(' > ')}`)
    expect((await project.holdpoint('show', hold.id, '--json')).json).toMatchObject({ path: hold.path })
  })

  test('the runs are listed as a tree', async () => {
    const [lead, middle, leaf] = hold.path.map(({ run_id }: { run_id: string }) => run_id)
    const { stdout } = await project.holdpoint('runs', '--tree')
    expect(stdout.split('\n').map(line => line.split(/(?<=\S) /)[0])).toEqual([
      'RUN',
      lead,
      `  ${middle}`,
      `    ${leaf}`,
      '',
    ])
    const one = await project.holdpoint('runs', '--tree', '--status', 'waiting', '--json')
    expect(one.json).toMatchObject([
      {
        ...{ run_id: lead, parent_run_id: null, status: 'done' },
        children: [
          {
            ...{ run_id: middle, parent_run_id: lead },
            children: [{ run_id: leaf, parent_run_id: middle, status: 'waiting', children: [] }],
          },
        ],
      },
    ])
    expect(one.json).toHaveLength(1)
  })

  test('whoever decides at the root decides the innermost hold, and its run goes on where it was', async () => {
    const done = await project.holdpoint('approve', hold.id, '--advance', '-o', 'json')
    expect(done).toMatchObject({ exit: 0, json: { run_id: hold.run_id, outcome: 'completed' } })
    expect(await project.effects()).toEqual(['deployed'])
  })
})

test('a run that a person started, or an agent that does not say in which run, has no parent', async () => {
  await using place = await aWorkplace({ script: ['Hello.'] })
  await using holdpoint = await place.open()
  for (const author of ['ana', 'ana/run_1', 'agent:bot'])
    await holdpoint.start({ agent: 'worker', input: 'go', author })
  expect((await holdpoint.runs()).map(({ parent_run_id }) => parent_run_id)).toEqual([null, null, null])
})

test('a run with which an agent goes on with a finished session is its child, whoever started the one before', async () => {
  await using place = await aWorkplace({ script: ['Hello.', 'Once more.'] })
  await using holdpoint = await place.open()
  const first = await holdpoint.start({ agent: 'worker', input: 'go', author: 'ana' })
  await advanced(holdpoint, first.id)
  const { run_id } = await holdpoint.send(first.thread_id, { text: 'and again', author: 'agent:bot/run_7' })
  expect(await holdpoint.runs()).toMatchObject([
    { id: run_id, parent_run_id: 'run_7' },
    { id: first.id, parent_run_id: null },
  ])
})

test('a fork of a child is nobody’s child', async () => {
  await using place = await aWorkplace(here => ({
    script: [{ calls: [{ id: 'c1', name: 'deploy', args: {} }] }, 'Done.'],
    tools: [here.held('deploy')],
  }))
  await using holdpoint = await place.open()
  const child = await holdpoint.start({ agent: 'worker', input: 'go', author: 'agent:bot/run_7' })
  const { checkpoint_id } = await advanced(holdpoint, child.id)
  const fork = await holdpoint.fork(checkpoint_id ?? '')
  expect(await holdpoint.runs()).toMatchObject([
    { id: fork.run_id, parent_run_id: null },
    { id: child.id, parent_run_id: 'run_7' },
  ])
})
