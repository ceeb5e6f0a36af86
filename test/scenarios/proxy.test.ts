import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { openOpenAiServer } from '../../src/testing/servers/openai-server.ts'
import { aProject } from './project.ts'

interface Proxy {
  readonly url: string
  /** The places that it was asked for. */
  readonly asked: string[]
}

/** A proxy that knows one host: whatever is asked for leads to `target`. */
async function aProxy(target: string): Promise<Proxy> {
  const asked: string[] = []
  const server: Server = createServer((_, response) => response.writeHead(405).end())
  server.on('connect', ({ url = '' }, socket: Socket, head) => {
    asked.push(url)
    const to = connect(Number(new URL(target).port), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      to.write(head)
      to.pipe(socket).pipe(to)
    })
    for (const end of [to, socket]) end.on('error', () => socket.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

const MODEL = { HOLDPOINT_MODEL: 'openai-compatible/llama-test' }

test('a model is asked through the proxy that the environment names', async () => {
  await using model = await openOpenAiServer({ turns: ['By the proxy.'] })
  const proxy = await aProxy(model.url)
  const address = model.url.replace(/127\.0\.0\.1:\d+/, 'model.test')
  await using project = await aProject({
    env: { ...MODEL, OPENAI_COMPATIBLE_BASE_URL: address, HTTP_PROXY: proxy.url },
  })
  expect(await project.holdpoint('-a', '-o', 'json', 'go')).toMatchObject({
    exit: 0,
    json: { final_message: 'By the proxy.' },
  })
  expect(proxy.asked).toEqual(['model.test:80'])
})

test('this machine is reached without the proxy', async () => {
  await using model = await openOpenAiServer({ turns: ['Directly.'] })
  const proxy = await aProxy(model.url)
  const env = { ...MODEL, OPENAI_COMPATIBLE_BASE_URL: model.url, HTTP_PROXY: proxy.url }
  await using project = await aProject({ env })
  expect(await project.holdpoint('-a', '-o', 'json', 'go')).toMatchObject({
    exit: 0,
    json: { final_message: 'Directly.' },
  })
  expect(proxy.asked).toEqual([])
})

test('a proxy that is no address is refused, and its password is not repeated', async () => {
  await using project = await aProject({ script: ['Done.'], env: { HTTPS_PROXY: 'user:s3cret@' } })
  const refused = await project.holdpoint('-a', '-o', 'json', 'go')
  expect(refused).toMatchObject({ exit: 2, json: { error: { code: 'invalid_proxy' } } })
  expect(refused.stdout + refused.stderr).not.toContain('s3cret')
})
