import fc from 'fast-check'
import { expect, test } from 'vitest'
import { exactMessages } from './exact-messages.ts'

/** What goes on to the server, and what is answered at once, as the text comes in chunks of `size` bytes. */
async function read(text: string, size = 7): Promise<{ readonly passed: string; readonly answered: string }> {
  let answered = ''
  const messages = exactMessages(line => {
    answered += line
  })
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) messages.write(bytes.subarray(at, at + size))
  messages.end()
  const passed = (await messages.toArray()).join('')
  return { passed, answered }
}

test('P9: what a person filled in that cannot be kept is an error for the call that asked', async () => {
  const filled = '{"jsonrpc":"2.0","id":0,"result":{"action":"accept","content":{"amount":9007199254740993}}}\n'
  const { passed, answered } = await read(filled)
  expect(JSON.parse(passed)).toMatchObject({
    id: 0,
    error: { message: expect.stringContaining('message.result.content.amount is 9007199254740993') },
  })
  expect(answered).toBe('')
})

test('a notification, and what is no JSON, are left to the SDK', async () => {
  const text = '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1e999}}\nno JSON\n'
  expect(await read(text)).toEqual({ passed: text, answered: '' })
})

test.each(['{"id":1,"id":2,"method":"ping"}', '{"id":1e999,"method":"ping"}', '{"id":{"a":1,"a":2},"method":"ping"}'])(
  'a request with an unclear id is answered to no id: %s',
  async line => {
    const { passed, answered } = await read(`${line}\n`)
    expect([passed, JSON.parse(answered).id]).toEqual(['', null])
  },
)

test('whatever values say in full passes as it was written, however it was cut', async () => {
  const lines = fc.array(
    fc.jsonValue({ noUnicodeString: false }).map(value => JSON.stringify({ id: 1, method: 'm', value })),
  )
  await fc.assert(
    fc.asyncProperty(lines, fc.integer({ min: 1, max: 9 }), async (written, size) => {
      fc.pre(!written.some(line => /__proto__|\d{16}|\de/.test(line)))
      const text = written.map(line => `${line}\n`).join('')
      expect(await read(text, size)).toEqual({ passed: text, answered: '' })
    }),
    { numRuns: 50 },
  )
})
