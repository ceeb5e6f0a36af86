import { expect, test } from 'vitest'
import { refusalOf, type SentPlaces } from './read-refusal.ts'

const sent: SentPlaces = {
  partAt: (message, part) => ({ message: message * 10, ...(part !== null && { part }) }),
  toolAt: index => `tool ${index}`,
  toolNamed: name => (name === 'known' ? 'its true name' : null),
}

const read = (message: string, statusCode = 400, responseBody = '') =>
  refusalOf({ message, statusCode, responseBody }, sent)

test.each([
  ['prompt is too long: 213462 tokens > 200000 maximum', 'overflow'],
  ["This model's maximum context length is 8192 tokens. However, your messages resulted in 8545 tokens.", 'overflow'],
  ['The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)', 'overflow'],
  ['Your input exceeds the context window of this model.', 'overflow'],
  ['Could not process image', 'image'],
  ['messages.2.content.0.image.source.base64: image exceeds 5 MB maximum', 'image'],
  ["You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png']", 'image'],
  ['Unable to process input image. Please retry or report', 'image'],
  ['tools.6.custom.input_schema: input_schema does not support oneOf', 'schema'],
  ["Invalid schema for function 'x': array schema missing items", 'schema'],
  [
    '* GenerateContentRequest.tools[0].function_declarations[6].parameters.properties[a].enum[0]: cannot be empty',
    'schema',
  ],
  ['messages.1.content.0: Invalid `signature` in `thinking` block', 'order'],
  ["Item 'rs_1' of type 'reasoning' was provided without its required following item.", 'order'],
  ["Item 'fc_1' of type 'function_call' was provided without its required 'reasoning' item: 'rs_1'.", 'order'],
  ['The encrypted content gAAA...DQ== could not be verified.', 'order'],
  ['Request contains an invalid argument.', 'unknown'],
])('%s is about %s', (words, about) => {
  expect(read(words)).toMatchObject({ about, words })
})

test.each([
  ['Your credit balance is too low to access the Anthropic API.', 400],
  ["Unsupported parameter: 'temperature' is not supported with this model.", 400],
  ['max_tokens: 64000 > 8192, which is the maximum allowed number of output tokens', 400],
  ['Overloaded', 529],
  ['invalid x-api-key', 401],
])('%s is about no part of the conversation', (words, status) => {
  expect(read(words, status)).toBeNull()
})

test('places and tools are those of the thread', () => {
  expect(read('messages.4.content.2.image.source: bad')).toMatchObject({ message: 40, part: 2 })
  expect(read("Invalid 'messages[4].content[2].image_url.url'")).toMatchObject({ message: 40, part: 2 })
  expect(read('contents[3].parts[1].inline_data: bad')).toMatchObject({ message: 30, part: 1 })
  expect(read('messages.4: odd')).toMatchObject({ message: 40 })
  expect(read('tools.6.custom.input_schema: odd')).toMatchObject({ tool: 'tool 6' })
  expect(read('tools[0].function_declarations[6].parameters: odd')).toMatchObject({ tool: 'tool 6' })
  expect(read("Invalid schema for function 'known': odd")).toMatchObject({ tool: 'its true name' })
})

test('the codes of the body count, and how much is too much is read from the numbers', () => {
  expect(read('Bad Request', 400, '{"error":{"code":"context_length_exceeded"}}')).toMatchObject({ about: 'overflow' })
  expect(read('request_too_large', 413)).toMatchObject({ about: 'overflow' })
  expect(read('prompt is too long: 250000 tokens > 200000 maximum')?.excess).toBeCloseTo(0.2)
  expect(read('prompt is too long')).not.toHaveProperty('excess')
})

test('an item that the provider did not keep is about the order, with its own status', () => {
  const words = "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false."
  expect(read(words, 404)).toMatchObject({ about: 'order', words })
})

test.each([
  ['prompt is too long: 213462 tokens > 200000 maximum', { sent: 213_462, window: 200_000 }],
  ['input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000', { sent: 190_000, window: 168_000 }],
  [
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 10000 tokens.",
    { sent: 10_000, window: 8_192 },
  ],
  ['the request exceeds the available context size (4096 tokens)', { window: 4_096 }],
  ['prompt is too long', {}],
])('the window is read from %j', (words, lengths) => {
  const { sent, window } = read(words) ?? {}
  expect({ ...(sent && { sent }), ...(window && { window }) }).toEqual(lengths)
})
