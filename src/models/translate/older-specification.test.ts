import type { LanguageModelV2, LanguageModelV3, LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { expect, expectTypeOf, test } from 'vitest'
import type { AiSdkModel } from '../../ports/agent/model.ts'
import { asNewestSpecification } from './older-specification.ts'

// biome-ignore lint/suspicious/noExplicitAny: the older shapes are looked into by these tests
function recording(specificationVersion: string, parts: object[] = []): AiSdkModel & { call: any } {
  const model = {
    specificationVersion,
    provider: 'p',
    modelId: 'm',
    call: null,
    doStream: async (options: never) => {
      model.call = options
      return { stream: ReadableStream.from(parts) }
    },
  }
  return model
}

const image = { type: 'file', mediaType: 'image/png' } as const
const URL_OF_IMAGE = new URL('https://example.org/a.png')

const call: LanguageModelV4CallOptions = {
  temperature: 0.5,
  reasoning: 'high',
  toolChoice: { type: 'required' },
  prompt: [
    { role: 'system', content: 'Help.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is this?' },
        { ...image, data: { type: 'data', data: 'AAAA' } },
        { ...image, data: { type: 'url', url: URL_OF_IMAGE } },
      ],
    },
    {
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          toolCallId: 'a',
          toolName: 'look',
          output: {
            type: 'content',
            value: [
              { type: 'text', text: 'Seen.' },
              { ...image, data: { type: 'data', data: new Uint8Array([0, 0, 0]) } },
              { ...image, data: { type: 'url', url: URL_OF_IMAGE } },
            ],
          },
        },
      ],
    },
  ],
}

test.each([
  ['v2', { type: 'media', data: 'AAAA', mediaType: 'image/png' }, { type: 'text', text: URL_OF_IMAGE.href }],
  [
    'v3',
    { type: 'image-data', data: 'AAAA', mediaType: 'image/png' },
    { type: 'image-url', url: URL_OF_IMAGE.href, mediaType: 'image/png' },
  ],
])(
  'a model of specification %s is told files as it knows them, and nothing that it does not know',
  async (version, bytes, url) => {
    const model = recording(version)
    await asNewestSpecification(model).doStream(call)
    expect(model.call).toEqual({
      temperature: 0.5,
      toolChoice: { type: 'required' },
      prompt: [
        { role: 'system', content: 'Help.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            { ...image, data: 'AAAA' },
            { ...image, data: URL_OF_IMAGE },
          ],
        },
        {
          role: 'tool',
          content: [
            {
              type: 'tool-result',
              toolCallId: 'a',
              toolName: 'look',
              output: { type: 'content', value: [{ type: 'text', text: 'Seen.' }, bytes, url] },
            },
          ],
        },
      ],
    })
  },
)

test('a model of specification 4 is asked as it is', async () => {
  const model = recording('v4')
  expect(asNewestSpecification(model)).toBe(model)
})

test.each([
  ['stop', { unified: 'stop', raw: 'stop' }],
  ['unknown', { unified: 'other', raw: 'unknown' }],
  [
    { unified: 'length', raw: 'max_tokens' },
    { unified: 'length', raw: 'max_tokens' },
  ],
])('the end %j of an older answer is understood', async (finishReason, understood) => {
  const usage = { inputTokens: 10, outputTokens: 5, totalTokens: 16, cachedInputTokens: 4 }
  const model = asNewestSpecification(recording('v2', [{ type: 'finish', finishReason, usage }]))
  const { stream } = await model.doStream(call)
  expect(await Array.fromAsync(stream)).toEqual([
    {
      type: 'finish',
      finishReason: understood,
      usage: {
        inputTokens: { total: 10, noCache: undefined, cacheRead: 4, cacheWrite: undefined },
        outputTokens: { total: 5, text: undefined, reasoning: undefined },
        raw: { total_tokens: 16 },
      },
    },
  ])
})

test('to stop reading an answer stops the older model', async () => {
  const stopped = Promise.withResolvers<unknown>()
  const model = {
    ...recording('v3'),
    doStream: async () => ({ stream: new ReadableStream({ cancel: reason => stopped.resolve(reason) }) }),
  }
  const { stream } = await asNewestSpecification(model).doStream(call)
  await stream.cancel('enough')
  expect(await stopped.promise).toBe('enough')
})

test('models of all three specifications fit, by their own types', () => {
  expectTypeOf<LanguageModelV2 | LanguageModelV3 | LanguageModelV4>().toExtend<AiSdkModel>()
})
