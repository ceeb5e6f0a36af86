import { expect, test } from 'vitest'
import { aProject } from '../project.ts'
import { agents, endAgents, until } from './agents.ts'

const QUEUE = { script: ['Ready.', 'More.'], config: { max_concurrent: 1, start_daemon: false } }

test('an idle agent that parks gives its place to one that waits, and takes one again when a message comes', async () => {
  await using project = await aProject(QUEUE)
  await agents(project, 'spawn', '--interactive', '--on-idle', 'park', '--name', 'first', 'begin')
  await until(project, 'first', 'idle')
  expect(await agents(project, 'spawn', '--name', 'second', '--wait', 'begin')).toMatchObject({
    exit: 0,
    stdout: 'Ready.\n',
  })
  expect(await until(project, 'first', 'parked')).toMatchObject({
    because: expect.stringContaining('without a process'),
  })
  expect(await agents(project, 'send', 'first', '--wait', 'and?')).toMatchObject({ exit: 0, stdout: 'More.\n' })
  await endAgents(project)
})

test('of two idle agents one parks for an agent that waits, and the other one keeps its process', async () => {
  await using project = await aProject({ ...QUEUE, config: { ...QUEUE.config, max_concurrent: 2 } })
  for (const name of ['first', 'second']) {
    await agents(project, 'spawn', '--interactive', '--on-idle', 'park', '--name', name, 'begin')
    await until(project, name, 'idle')
  }
  expect(await agents(project, 'spawn', '--name', 'third', '--wait', 'begin')).toMatchObject({ exit: 0 })
  const { json } = await agents(project, '--json')
  expect(json.map(({ status }: { status: string }) => status).toSorted()).toEqual(['done', 'idle', 'parked'])
  await endAgents(project)
})

test('one that would end when it is idle for too long parks for an agent that waits, and goes on with a message', async () => {
  await using project = await aProject(QUEUE)
  await agents(project, 'spawn', '--interactive', '--name', 'first', 'begin')
  await until(project, 'first', 'idle')
  expect(await agents(project, 'spawn', '--name', 'second', '--wait', 'begin')).toMatchObject({ exit: 0 })
  await until(project, 'first', 'parked')
  expect(await agents(project, 'send', 'first', '--wait', 'and?')).toMatchObject({ exit: 0, stdout: 'More.\n' })
  await endAgents(project)
})
