import { userInfo } from 'node:os'
import { expect, test } from 'vitest'
import type { Client } from '../attach/agent-stage.ts'
import { aProject } from '../project.ts'
import { agents, endAgents, until } from './agents.ts'
import { attached } from './fleet-rows.ts'

test('P2: fifty times the same message over three connections, the command line and a server at once is one', async () => {
  // The daemon signs as the user of the machine, and a message by another author is another message.
  const { username } = userInfo()
  const env = { HOLDPOINT_ACTOR: username }
  await using project = await aProject({ script: ['Ready.', 'Heard.'], env })
  await agents(project, 'spawn', '--interactive', '--name', 'docs', 'begin')
  await until(project, 'docs', 'idle')
  await project.holdpoint('daemon', 'start')
  const { server } = (await project.holdpoint('daemon', 'status', '--json')).json.daemon
  const clients = (await Promise.all([1, 2, 3].map(() => attached(project, username)))) as Client[]
  for (const client of clients) await client.first('welcome')
  const said = clients.map(client => sayAgain(client, 14))
  const send = (...more: string[]) => agents(project, 'send', 'docs', '--input-id', 'i1', '--json', ...more, 'the same')
  const sent = [1, 2, 3, 4].flatMap(() => [send(), send('--server', server)])
  const outcomes = [...(await Promise.all(said)).flat(), ...(await Promise.all(sent)).map(({ json }) => json.outcome)]
  expect(outcomes).toHaveLength(50)
  expect(outcomes.filter(outcome => outcome !== 'duplicate')).toHaveLength(1)
  await until(project, 'docs', 'idle')
  const { stdout } = await agents(project, 'logs', 'docs')
  expect(stdout.split('\n').filter(line => line === `${username}: the same`)).toHaveLength(1)
  expect(stdout.match(/docs: Heard\./g)).toHaveLength(1)
  for (const { socket } of clients) socket.destroy()
  await endAgents(project)
  await project.holdpoint('daemon', 'stop', '--kill')
})

async function sayAgain(client: Client, times: number): Promise<unknown[]> {
  const outcomes: unknown[] = []
  while (outcomes.length < times) outcomes.push(await say(client))
  return outcomes
}

/** Again until this client has the right to write: then its frame is the message. */
async function say(client: Client): Promise<unknown> {
  for (let n = 0; ; n++) {
    client.send({ type: 'take_writer', input_id: `take-${n}` })
    const from = client.frames.length
    client.send({ type: 'user_message', input_id: 'i1', text: 'the same' })
    const isAnswer = ({ type, input_id }: (typeof client.frames)[number]) =>
      (type === 'ack' || type === 'error') && input_id === 'i1'
    const answer = await client.until(frame => isAnswer(frame) && client.frames.indexOf(frame) >= from)
    if (answer['code'] !== 'not_writer') return answer['outcome'] ?? answer['code']
  }
}
