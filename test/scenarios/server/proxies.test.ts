import { expect, test } from 'vitest'
import { aProject, effect } from '../project.ts'
import { manyTokens } from './many-callers.ts'
import { aProxy, isThere, NAME, PROXIES } from './proxy-process.ts'
import { aServer, openHold } from './server-process.ts'

const script = [{ calls: [effect('tc_1', 'applied')] }, 'Done.']

// The proxies come from Debian in the checks of each change; without one, its test is skipped.
test.for(PROXIES)(
  'behind $name, as docs/server.md sets it up, requests pass and events come at once',
  async (proxy, { skip }) => {
    skip(!isThere(proxy), `there is no ${proxy.name} on the path`)
    await using project = await aProject({ script, policy: { default: 'prompt' } })
    await project.holdpoint('work', '--once')
    const [token = ''] = await manyTokens(project, 1, 'operator')
    await using server = await aServer(project, '--behind-proxy', '--name', NAME)
    await using behind = await aProxy(proxy, project.path('proxy'), server.url)
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }

    const unknown = await behind.send('/v1/runs', { authorization: 'Bearer not-a-token-of-this-server' })
    expect(unknown.status).toBe(401)
    const stream = await behind.send('/v1/changes', headers)
    expect([stream.status, stream.response.headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8'])
    const started = await behind.send('/v1/threads', headers, JSON.stringify({ input: 'go' }))
    expect(started.status).toBe(201)
    const { run_id } = JSON.parse(await started.text())
    const hold = await openHold({ ...server, send: (path, sent) => server.send(path, { ...sent, token }) }, run_id)
    expect(await untilRead(stream.response, hold.id)).toContain('event: hold.opened')
    stream.response.destroy()

    const large = await behind.send('/v1/threads', headers, JSON.stringify({ input: 'x'.repeat(1_500_000) }))
    expect(large.status).toBe(413)
    expect(JSON.parse(await large.text())).toMatchObject({ code: 'body_too_large' })
  },
)

async function untilRead(stream: AsyncIterable<unknown>, wanted: string): Promise<string> {
  let text = ''
  for await (const chunk of stream) {
    text += String(chunk)
    if (text.includes(wanted)) break
  }
  return text
}
