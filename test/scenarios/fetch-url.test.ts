import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { aProject } from './project.ts'

/** The address of a page of this machine. */
async function aPage(html: string): Promise<string> {
  const server = createServer((_, response) => response.setHeader('content-type', 'text/html; charset=utf-8').end(html))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

function fetching(...urls: string[]): unknown[] {
  return [{ calls: urls.map((url, at) => ({ id: `tc_${at + 1}`, name: 'fetch_url', args: { url } })) }, 'Read.']
}

test('a page is fetched after a person approved its address', async () => {
  const host = await aPage('<h1>Preise für 2026</h1><ul><li>Tee</ul>')
  const config = JSON.stringify({ fetch_url: { allow: [host] } })
  await using project = await aProject({
    script: fetching(`http://${host}/a`) as never,
    files: { '.holdpoint/config.json': config },
  })
  const paused = await project.holdpoint('--pause-on-approval', '-o', 'json', 'read it')
  expect(paused).toMatchObject({ exit: 10 })
  expect(paused.stdout).toContain(`Fetch http://${host}/a`)
  const done = await project.holdpoint('-c', paused.json.checkpoint_id, '--approve', 'tc_1', '-o', 'json')
  expect(done).toMatchObject({ exit: 0, json: { final_message: 'Read.' } })
  const [result] = (await project.messages(done.json.session_id)).filter(({ role }) => role === 'tool')
  expect(result?.content).toMatchObject({ status: 200, content: '# Preise für 2026\n\n- Tee' })
})

test('P1: a page of this machine is not fetched, also if policy permits every address', async () => {
  const host = await aPage('<p>secret')
  const port = host.split(':')[1]
  await using project = await aProject({
    script: fetching(`http://${host}/`, `http://localhost:${port}/`, `http://[::ffff:127.0.0.1]:${port}/`) as never,
    policy: { tools: { fetch_url: 'auto' } },
  })
  const done = await project.holdpoint('-o', 'json', 'read it')
  const results = (await project.messages(done.json.session_id)).filter(({ role }) => role === 'tool')
  expect(results).toHaveLength(3)
  for (const { content } of results) expect(JSON.stringify(content)).toContain('PRIVATE_ADDRESS')
  expect(JSON.stringify(results)).not.toContain('secret')
})
