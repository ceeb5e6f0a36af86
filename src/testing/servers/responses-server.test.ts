import { expect, test } from 'vitest'
import { openResponsesServer } from './responses-server.ts'

const user = { role: 'user', content: [{ type: 'input_text', text: 'hello' }] }
const thought = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'encrypted 1: Hm.' }
const message = { type: 'message', role: 'assistant', id: 'msg_1', content: [] }
const call = { type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{}' }
const result = { type: 'function_call_output', call_id: 'call_1', output: '' }

/** What a server says to an input after it has given a thought, a text and a call. */
async function saidTo(
  input: readonly object[],
  { store = false, ...more }: { readonly [option: string]: unknown } = {},
) {
  const turns = [{ text: 'I look.', calls: [{ id: 'call_1', name: 'look' }] }, 'Done.']
  await using server = await openResponsesServer({ turns, thought: 'Hm.' })
  const ask = async (given: readonly object[], others: object = {}) => {
    const body = { model: 'gpt-5', stream: true, store, include: ['reasoning.encrypted_content'], input: given }
    return fetch(`${server.url}/responses`, { method: 'POST', body: JSON.stringify({ ...body, ...others }) })
  }
  await (await ask([user])).text()
  const response = await ask(input, more)
  const text = await response.text()
  return response.ok ? 'taken' : `${response.status} ${JSON.parse(text).error.message}`
}

const byId = (id: string) => ({ type: 'item_reference', id })
const plain = { role: 'assistant', content: 'I look.' }

test.each([
  [[user, thought, plain, call, result]],
  [[user, plain, call, result]],
  [[user, thought, message, { ...call, id: 'fc_1_0' }, result]],
])('items that are whole are taken: %j', async input => {
  expect(await saidTo(input)).toBe('taken')
})

test('stored items are taken by their ids', async () => {
  const stored = { store: true }
  expect(await saidTo([user, byId('rs_1'), byId('msg_1'), call, result], stored)).toBe('taken')
  expect(await saidTo([user, byId('rs_1'), plain, call, result], stored)).toBe(
    "400 Item 'rs_1' of type 'reasoning' was provided without its required following item.",
  )
})

const NOT_KEPT =
  'not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.'

test.each([
  [[user, byId('rs_1'), call, result], `404 Item with id 'rs_1' ${NOT_KEPT}`],
  [[user, { ...thought, encrypted_content: undefined }, call, result], `404 Item with id 'rs_1' ${NOT_KEPT}`],
  [
    [user, { ...thought, encrypted_content: 'other' }, call, result],
    '400 The encrypted content for item rs_1 could not be verified. Reason: Encrypted content could not be decrypted or parsed.',
  ],
  [[user, thought, user], "400 Item 'rs_1' of type 'reasoning' was provided without its required following item."],
  [
    [user, { ...call, id: 'fc_1_0' }, result],
    "400 Item 'fc_1_0' of type 'function_call' was provided without its required 'reasoning' item: 'rs_1'.",
  ],
  [[user, message], "400 Item 'msg_1' of type 'message' was provided without its required 'reasoning' item: 'rs_1'."],
  [[user, call], '400 No tool output found for function call call_1.'],
  [[user, result], '400 No tool call found for function call output with call_id call_1.'],
  [
    [user, thought, plain, thought, plain],
    '400 Duplicate item found with id rs_1. Remove duplicate items from your input and try again.',
  ],
  [
    [user, { ...call, id: 'call_1' }, result],
    "400 Invalid 'input[1].id': 'call_1'. Expected an ID that begins with 'fc'.",
  ],
])('%j is refused', async (input, words) => {
  expect(await saidTo(input)).toBe(words)
})

test('settings and names that a model does not take are refused', async () => {
  expect(await saidTo([user], { temperature: 1 })).toContain("Unsupported parameter: 'temperature'")
  const tools = [{ type: 'function', name: 'look here', parameters: { type: 'object', properties: {} } }]
  expect(await saidTo([user], { tools })).toContain("Invalid 'tools[0].name'")
  const long = { ...call, call_id: 'c'.repeat(65) }
  expect(await saidTo([user, long, { ...result, call_id: long.call_id }])).toContain('maximum length 64')
})
