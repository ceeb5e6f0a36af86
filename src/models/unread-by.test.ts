import { expect, test } from 'vitest'
import type { ContentPart } from '../core/message/part.ts'
import { unreadBy } from './unread-by.ts'

const env = { ANTHROPIC_API_KEY: 'sk-test', OPENAI_API_KEY: 'sk-test' }

function image(width: number): ContentPart {
  const data = Buffer.alloc(26)
  data.write('\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x01\0\0\0\x01', 'latin1')
  data.writeUInt32BE(width, 16)
  return { type: 'image', media_type: 'image/png', name: 'a.png', data: data.toString('base64') }
}

const WIDE = 'its 2001 by 1 pixels are more than 2000 a side in a request of many images'

test.each([
  ['anthropic/claude-test', 2_001, 20, WIDE],
  ['anthropic/claude-test', 2_001, 19, null],
  ['anthropic/claude-test', 2_000, 20, null],
  ['openai-chat/gpt-test', 2_001, 20, null],
  ['anthropic.messages/claude-test', 2_001, 20, WIDE],
  ['script:a.json', 2_001, 20, null],
])('%s, an image of %i pixels among %i others: %s', (model, width, others, why) => {
  const part = image(width)
  const among = [part, ...Array.from({ length: others }, () => image(1))]
  expect(unreadBy(model, part, { env, among })).toBe(why)
  expect(unreadBy(model, part, { env })).toBeNull()
})
