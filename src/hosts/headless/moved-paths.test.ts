import { expect, test } from 'vitest'
import { aProfile } from '../../testing/contracts/sample-journal.ts'
import { movedPaths } from './bundle-arrival.ts'

const nothing = { agent: null, model: null, workdir: null }
const there = aProfile({
  project: '/runner/one',
  workdir: '/runner/one/service',
  agent_file: '/runner/one/agents/deployer.md',
  model: 'script:/runner/one/deploy.yaml',
})

test('paths below the project directory become paths below the one where the run goes on', () => {
  expect(movedPaths(there, '/home/two', nothing)).toEqual({
    project: '/home/two',
    workdir: '/home/two/service',
    agent_file: '/home/two/agents/deployer.md',
    model: 'script:/home/two/deploy.yaml',
  })
})

test('the project directory itself becomes the directory where the run goes on', () => {
  const { workdir } = movedPaths({ ...there, workdir: '/runner/one' }, '/home/two', nothing)
  expect(workdir).toBe('/home/two')
})

test('paths elsewhere stay as they are, also where they begin with the same letters', () => {
  const elsewhere = { ...there, workdir: '/runner/one-more', agent_file: '/etc/agents/deployer.md', model: 'a/b' }
  expect(movedPaths(elsewhere, '/home/two', nothing)).toEqual({ project: '/home/two' })
})

test('what a flag names is left to the flag', () => {
  const explicit = { agent: 'other.md', model: 'script:other.yaml', workdir: '/elsewhere' }
  expect(movedPaths(there, '/home/two', explicit)).toEqual({ project: '/home/two' })
})

test('in the same directory nothing changes', () => {
  expect(movedPaths(there, '/runner/one', nothing)).toEqual({})
})

test('a run that was resumed from elsewhere moves by the directory that it was started in, too', () => {
  const resumed = { ...there, project: '/runner/elsewhere', configured_in: '/runner/one' }
  expect(movedPaths(resumed, '/home/two', nothing)).toEqual({
    project: '/home/two',
    configured_in: '/home/two',
    workdir: '/home/two/service',
    agent_file: '/home/two/agents/deployer.md',
    model: 'script:/home/two/deploy.yaml',
  })
})

test('a run that belongs to no project moves by its working directory', () => {
  expect(movedPaths({ ...there, project: null, workdir: '/runner/one' }, '/home/two', nothing)).toEqual({
    project: '/home/two',
    workdir: '/home/two',
    agent_file: '/home/two/agents/deployer.md',
    model: 'script:/home/two/deploy.yaml',
  })
})
