/** Sends that come at the wrong time, or for what is on record: each has a clear answer, and nothing is lost or done twice. */
import { describe, expect, test } from 'vitest'
import { aProject, command, effect } from '../../scenarios/project.ts'
import { aServer } from '../../scenarios/server/server-process.ts'
import { aChat, messagesOf, settled, textOf, until, VERSIONS } from './chat-client.ts'

const policy = { default: 'auto' }
/** Waits for a file. */
const wait = command('tc_0', 'until [ -e go ]; do sleep 0.05; done')
const script = [
  { text: 'First I look.', calls: [wait] },
  { text: 'Also this.', calls: [effect('tc_1', 'once')] },
  'Done.',
]

describe.each(VERSIONS)('$name', version => {
  test('a message that is sent while the agent still answers waits for its turn, and both are answered once', async () => {
    await using project = await aProject({ script, policy })
    await using server = await aServer(project)
    const client = aChat(version, server, { id: 'chat' })
    const first = client.chat.sendMessage({ text: 'look' })
    await until(() => client.chat.messages.length === 2 && client.tools().length === 1)
    const second = await server.fetch('/api/chat', {
      body: { id: 'chat', messages: [{ id: 'u2', role: 'user', parts: [{ type: 'text', text: 'and then?' }] }] },
    })
    const again = await server.fetch('/api/chat', {
      body: { id: 'chat', messages: [{ id: 'u2', role: 'user', parts: [{ type: 'text', text: 'and then?' }] }] },
    })
    await project.write('go', '')
    await first
    await settled(client)
    expect([client.errors, client.posts.length, client.text()]).toEqual([[], 1, 'First I look.'])
    const told = await Promise.all([second, again].map(response => response.text()))
    for (const text of told) {
      expect(text.match(/"type":"start"/g)).toHaveLength(1)
      expect(text).toContain('"finishReason":"stop"')
      expect(text).not.toContain('First I look.')
    }
    expect(await project.effects()).toEqual(['once'])
    const { messages } = await messagesOf(server, 'chat')
    expect(messages.map(({ role }: { role: string }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
    expect(messages.filter(({ role }: { role: string }) => role === 'assistant').map(textOf)).toEqual([
      'First I look.',
      'Also this.|Done.',
    ])
  })

  test('what is on record is not done anew: an answer is not made again, and a message that was sent is not edited', async () => {
    await using project = await aProject({ script: ['Done.'], policy })
    await using server = await aServer(project)
    const client = aChat(version, server)
    await client.chat.sendMessage({ text: 'go' })
    await settled(client)
    const [said, answer] = client.chat.messages
    await client.chat.regenerate()
    await settled(client)
    await client.chat.sendMessage({ text: 'no, stop', messageId: said.id })
    await settled(client)
    expect(client.errors).toEqual([
      'That answer is on record, with all that was done for it. Send a new message; load the chat again to see the answer.',
      'A message that was sent cannot be edited: what the agent did for it is on record. Send what you mean as a new message.',
    ])
    expect((await messagesOf(server, client.chat.id)).messages.map(({ id }: { id: string }) => id)).toEqual([
      said.id,
      answer.id,
    ])
  })
})
