/** What a client is given beside its messages: its own state stays, and one that comes back has all messages first. */
import { expect, test } from 'vitest'
import { aProject, command, effect } from '../../scenarios/project.ts'
import { aServer } from '../../scenarios/server/server-process.ts'
import { aClient, approve, finishOf, VERSIONS } from './official-client.ts'

const policy = { default: 'auto', rules: [{ tool: 'run_command', match: { command: 'echo *' }, policy: 'prompt' }] }
/** Says that it runs, and waits for a file. */
const wait = command('tc_0', 'touch looking; until [ -e go ]; do sleep 0.05; done')

test.for(VERSIONS)('the state that a client of %s keeps is its own: no answer replaces it', async version => {
  const script = [{ text: 'I will deploy.', calls: [effect('tc_1', 'applied')] }, 'Deployed.']
  await using project = await aProject({ script, policy })
  await using server = await aServer(project)
  const client = aClient(version, server)
  const state = { draft: 'half written', page: 3 }
  client.agent.setState(state)
  const asked = await client.say('deploy')
  const [{ id }] = client.interrupts
  const done = await client.resume({ [id]: approve() })
  const connected = aClient(version, server, { threadId: client.agent.threadId, agent: 'agent/default/connect' })
  connected.agent.setState(state)
  const again = await connected.run()
  expect([client.agent.state, connected.agent.state]).toEqual([state, state])
  for (const { types } of [asked, done, again]) {
    expect(types).not.toContain('STATE_SNAPSHOT')
    expect(types.at(-2)).toBe('MESSAGES_SNAPSHOT')
  }
})

test.for(VERSIONS)(
  'a client of %s that connects while the agent works has all messages first, then the rest once',
  async version => {
    const script = [{ text: 'First I look.', calls: [wait] }, 'I have looked.']
    await using project = await aProject({ script, policy })
    await using server = await aServer(project)
    const client = aClient(version, server)
    const first = client.say('look')
    // Until then the call is still being told, and so is part of the rest.
    await until(() => project.exists('looking'))
    const connected = aClient(version, server, { threadId: client.agent.threadId, agent: 'agent/default/connect' })
    const coming = connected.run()
    await until(() => connected.messages.length === 2)
    await project.write('go', '')
    const [, told] = await Promise.all([first, coming])
    expect(told.types.slice(0, 2)).toEqual(['RUN_STARTED', 'MESSAGES_SNAPSHOT'])
    expect(told.types.filter(type => type === 'TOOL_CALL_START')).toEqual([])
    expect(finishOf(told)).toMatchObject({ outcome: { type: 'success' }, result: 'I have looked.' })
    expect(connected.messages.map(({ role, content }) => [role, content])).toEqual([
      ['user', 'look'],
      ['assistant', 'First I look.'],
      ['tool', expect.any(String)],
      ['assistant', 'I have looked.'],
    ])
    expect(connected.messages.map(({ id }) => id)).toEqual(client.messages.map(({ id }) => id))
  },
)

async function until(look: () => boolean): Promise<void> {
  while (!look()) await new Promise(resolve => setTimeout(resolve, 20))
}
