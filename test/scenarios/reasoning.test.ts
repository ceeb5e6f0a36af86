import { expect, test } from 'vitest'
import { openAnthropicServer } from '../../src/testing/index.ts'
import { expectInOrder } from './wires.ts'
import { advanced, ana, aWorkplace, call, onlyHold, started } from './workplace.ts'

test('P5: a signed thought goes back before its call, also from a store that was closed and opened again', async () => {
  const turns = [{ text: 'Soon.', calls: [call('look')] }, { calls: [call('deploy')] }, 'Done.']
  await using server = await openAnthropicServer({ turns, thought: 'Is it safe?' })
  await using place = await aWorkplace(it => ({
    tools: [it.tool('look'), it.held('deploy')],
    model: 'anthropic/claude-test',
    open: { env: { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'test' } },
  }))
  const first = await place.open()
  const { id } = await started(first)
  expect((await advanced(first, id)).status).toBe('waiting')
  await first[Symbol.asyncDispose]()
  await using second = await place.open()
  await second.decide((await onlyHold(second)).id, { verdict: 'approve', ...ana })
  expect((await advanced(second, id)).answer).toBe('Done.')

  expectInOrder(server, 3)
  const thought = { type: 'thinking', thinking: 'Is it safe?', signature: 'signed Is it safe?' }
  const answers = server.requests[2]?.body.messages.filter(({ role }: { role: string }) => role === 'assistant')
  expect(answers).toMatchObject([
    { content: [thought, { type: 'text', text: 'Soon.' }, { type: 'tool_use', name: 'look' }] },
    { content: [thought, { type: 'tool_use', name: 'deploy' }] },
  ])
})
