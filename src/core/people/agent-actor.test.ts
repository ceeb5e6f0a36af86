import { expect, test } from 'vitest'
import { agentActor, isAgentActor, isSignedBy, isToldByAgent, mcpActor, runOf } from './agent-actor.ts'

const asks = { agent: 'team/bot', run_id: 'run_1' }

test('an agent signs with its name and its run', () => {
  expect(agentActor('bot', 'run_1')).toBe('agent:bot/run_1')
  expect(isAgentActor(agentActor('bot', 'run_1'))).toBe(true)
})

test.each(['Agent:bot/run_1', ' agent:bot', '\u200bAGENT:bot'])('%j is none that a person would sign with', actor => {
  expect(isAgentActor(actor)).toBe(true)
})

test.each(['ana', 'agent', 'an agent:bot', ''])('%j is the name of a person', actor => {
  expect(isAgentActor(actor)).toBe(false)
  expect(isSignedBy(actor, asks)).toBe(false)
})

test.each([
  ['the agent itself', agentActor('team/bot', 'run_1')],
  ['another run of it', agentActor('team/bot', 'run_2')],
  ['the agent, without its run', 'agent:team/bot'],
  ['the run, whatever its agent is called now', agentActor('renamed', 'run_1')],
])('%s signs for the agent that asks', (_who, actor) => {
  expect(isSignedBy(actor, asks)).toBe(true)
})

test.each([agentActor('parent', 'run_9'), 'agent:team', 'agent:bot', 'agent:team/botany/run_3', 'run_1'])(
  '%s signs for another one',
  actor => {
    expect(isSignedBy(actor, asks)).toBe(false)
  },
)

test.each([
  ['agent:bot/run_1', 'run_1'],
  ['agent:team/bot/run_1', 'run_1'],
  ['agent:run_7/run_1', 'run_1'],
  ['agent:team/bot', null],
  ['agent:bot', null],
  ['agent:bot/run_', null],
  ['agent:bot/run_1/', null],
  ['ana/run_1', null],
  ['', null],
])('the run that signed as %j is %s', (actor, run) => {
  expect(runOf(actor)).toBe(run)
})

test.each([
  [['ana'], false],
  [[], false],
  [['ana', agentActor('bot', 'run_1')], true],
  [[mcpActor('editor')], true],
])('what %j asked for was told by an agent: %s', (requesters, told) => {
  expect(isToldByAgent(requesters)).toBe(told)
})
