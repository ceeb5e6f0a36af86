import { describe, expect, test } from 'vitest'
import { aProject, command, effect } from '../../scenarios/project.ts'
import { aServer, TOKEN } from '../../scenarios/server/server-process.ts'
import { aChat, type ChatClient, messagesOf, settled, until, VERSIONS, type Version } from './chat-client.ts'

const policy = { default: 'auto', rules: [{ tool: 'run_command', match: { command: 'echo *' }, policy: 'prompt' }] }
/** Waits for a file. */
const wait = command('tc_0', 'until [ -e go ]; do sleep 0.05; done')
const script = [
  { text: 'First I look.', calls: [wait] },
  { text: 'Now I deploy.', calls: [effect('tc_1', 'applied')] },
  'Deployed.',
]

type Parts = readonly { readonly [key: string]: unknown }[]

/** What a page shows of a message: its texts, and its calls. */
function shown({ parts }: { readonly parts: Parts }): unknown {
  return {
    texts: parts.flatMap(({ type, text }) => (type === 'text' ? [text] : [])),
    calls: parts.flatMap(({ toolCallId, state, output, errorText }) =>
      toolCallId === undefined ? [] : [{ toolCallId, state, output, errorText }],
    ),
  }
}

async function reloaded(version: Version, server: Parameters<typeof aChat>[1], id: string): Promise<ChatClient> {
  const { messages } = await messagesOf(server, id)
  return aChat(version, server, { id, messages })
}

describe.each(VERSIONS)('$name', version => {
  test('a page that is loaded while the agent works is shown the whole turn once, and what comes', async () => {
    await using project = await aProject({ script, policy })
    await using server = await aServer(project)
    const client = aChat(version, server, { id: 'chat' })
    const sent = client.chat.sendMessage({ text: 'deploy' })
    await until(() => client.chat.messages.length === 2 && client.tools().length === 1)
    await client.chat.stop()
    await sent
    expect((await messagesOf(server, 'chat')).messages).toMatchObject([{ role: 'user' }])

    const page = await reloaded(version, server, 'chat')
    const resumed = page.resume()
    await until(() => page.chat.messages.length === 2 && page.tools().length === 1)
    await project.write('go', '')
    await resumed
    await settled(page)
    expect(page.errors).toEqual([])
    expect(page.tools()).toMatchObject([{ state: 'output-available' }, { state: 'approval-requested' }])
    expect(page.text()).toBe('First I look.|Now I deploy.')

    const later = await reloaded(version, server, 'chat')
    await later.resume()
    expect(later.chat.status).toBe('ready')
    expect(later.chat.messages).toHaveLength(2)
    expect(shown(later.chat.messages[1])).toEqual(shown(page.chat.messages[1]))
    await later.chat.addToolApprovalResponse({ id: later.tools()[1].approval.id, approved: true })
    await settled(later)
    expect(later.errors).toEqual([])
    expect(later.text()).toBe('First I look.|Now I deploy.|Deployed.')
    expect(await project.effects()).toEqual(['applied'])
    const last = (await messagesOf(server, 'chat')).messages
    expect(shown(last[1])).toEqual(shown(later.chat.messages[1]))
  })

  test('a chat in which nothing was said has no stream and no messages', async () => {
    await using project = await aProject({ script, policy })
    await using server = await aServer(project)
    const page = await reloaded(version, server, 'nothing yet')
    await page.resume()
    expect(page.chat).toMatchObject({ status: 'ready', messages: [] })
    const missed = await server.fetch('/api/chat/nothing%20yet/stream')
    expect(missed.status).toBe(204)
  })

  test('a connection that is cut after any frame costs nothing: the page comes back and has each thing once', async () => {
    await using project = await aProject({ script: script.slice(1), policy: { default: 'auto' } })
    await using server = await aServer(project)
    const whole = aChat(version, server, { id: 'whole' })
    await whole.chat.sendMessage({ text: 'deploy' })
    await settled(whole)
    const frames = await framesOf(server.url)
    expect(frames).toBeGreaterThan(10)
    for (let kept = 0; kept <= frames; kept += 1) {
      const id = `cut after ${kept}`
      const client = aChat(version, server, { id, sends: false, fetch: cutAfter(kept) })
      await client.chat.sendMessage({ text: 'deploy' })
      await settled(client)
      await until(async () => (await messagesOf(server, id)).status === 'done')
      const page = await reloaded(version, server, id)
      expect(shown(page.chat.messages.at(-1)), id).toEqual(shown(whole.chat.messages[1]))
      // A page that is not loaded again asks with what it has.
      if (client.chat.messages.length < 2) continue
      const errors = client.errors.length
      client.chat.clearError()
      await client.chat.sendMessage()
      await settled(client)
      expect(client.errors.slice(errors)).toEqual([])
      expect(client.chat.messages).toHaveLength(2)
      expect(client.text().replaceAll('|', ''), id).toBe('Now I deploy.Deployed.')
      expect(client.tools(), id).toMatchObject([{ toolCallId: 'tc_1', state: 'output-available' }])
    }
  })
})

/** How many frames the whole stream has. */
async function framesOf(url: string): Promise<number> {
  const body = { id: 'counted', messages: [{ id: 'u', role: 'user', parts: [{ type: 'text', text: 'deploy' }] }] }
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
  const response = await fetch(`${url}/api/chat`, { method: 'POST', headers, body: JSON.stringify(body) })
  return (await response.text()).split('\n\n').length - 1
}

/** The first connection ends behind so many frames. */
function cutAfter(frames: number): typeof fetch {
  let cuts = 0
  return async (url, init) => {
    const response = await fetch(url, init)
    cuts += 1
    if (cuts > 1 || !response.body) return response
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    let left = frames
    let rest = ''
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        while (!rest.includes('\n\n')) {
          const { done, value } = await reader.read()
          if (done) return controller.close()
          rest += value
        }
        const end = rest.indexOf('\n\n') + 2
        if (left === 0) {
          await reader.cancel()
          return controller.error(new TypeError('network error'))
        }
        left -= 1
        controller.enqueue(new TextEncoder().encode(rest.slice(0, end)))
        rest = rest.slice(end)
      },
    })
    return new Response(body, { status: response.status, headers: response.headers })
  }
}
