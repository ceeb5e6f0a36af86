import { expect, test } from 'vitest'
import { ChannelNames } from './channel-names.ts'

test('a name follows from the schema, the secret and the thread, and is short enough for a channel', () => {
  const names = [
    new ChannelNames('holdpoint', 'secret').ofThread('th_1'),
    new ChannelNames('holdpoint', 'secret').ofThread('th_2'),
    new ChannelNames('holdpoint', 'secret').followers,
    new ChannelNames('holdpoint', 'another').ofThread('th_1'),
    // A copy of a store has its secret.
    new ChannelNames('copied', 'secret').ofThread('th_1'),
  ]
  expect(new Set(names).size).toBe(names.length)
  for (const name of names) expect(name).toMatch(/^holdpoint_[0-9a-f]{40}$/)
  expect(new ChannelNames('holdpoint', 'secret').ofThread('th_1')).toBe(names[0])
})
