import { expect, test } from 'vitest'
import type { ContentPart } from '../../src/index.ts'
import { WIRES } from './wires.ts'
import { advanced, ana, aWorkplace, call, onlyHold } from './workplace.ts'

/** Every byte that there is. */
const DATA = Buffer.from(Uint8Array.from({ length: 256 }, (_, byte) => byte)).toString('base64')
const image: ContentPart = { type: 'image', media_type: 'image/png', data: DATA }

test.each(WIRES)(
  'an image reaches $model byte for byte, again after a pause, from a store that was closed and opened again',
  async wire => {
    await using server = await wire.open({ turns: [{ calls: [call('deploy')] }, 'Done.'] })
    await using place = await aWorkplace(it => ({
      tools: [it.held('deploy')],
      model: wire.model,
      open: { env: wire.env(server.url) },
    }))
    const first = await place.open()
    const { id } = await first.start({ agent: 'worker', input: [{ type: 'text', text: 'See this.' }, image] })
    expect((await advanced(first, id)).status).toBe('waiting')
    await first[Symbol.asyncDispose]()
    await using second = await place.open()
    await second.decide((await onlyHold(second)).id, { verdict: 'approve', ...ana })
    expect((await advanced(second, id)).answer).toBe('Done.')
    for (const { body } of server.requests) {
      expect(JSON.stringify(body.messages[0])).toContain(DATA)
      expect(JSON.stringify(body.messages[0])).toContain('image/png')
    }
    expect(server.requests).toHaveLength(2)
  },
)
