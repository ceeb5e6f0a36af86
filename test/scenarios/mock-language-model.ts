/** A language model in the shape of the AI SDK's own mock models (`MockLanguageModelV2` to `V4`). */

export interface MockTurn {
  readonly text?: string
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly args: object }[]
}

// biome-ignore-start lint/suspicious/noExplicitAny: the shapes differ between versions, and tests look into them
export interface MockLanguageModel {
  readonly specificationVersion: string
  readonly provider: string
  readonly modelId: string
  readonly supportedUrls: Record<string, RegExp[]>
  /** What it was called with, oldest first. */
  readonly doStreamCalls: any[]
  doGenerate(options: any): Promise<never>
  doStream(options: any): Promise<{ stream: ReadableStream<any> }>
}

/** Chooses the turn by the number of assistant messages, so it works over any number of processes. */
export function mockLanguageModel(version: 'v1' | 'v2' | 'v3' | 'v4', turns: readonly MockTurn[]): MockLanguageModel {
  const doStreamCalls: any[] = []
  return {
    specificationVersion: version,
    provider: 'mock-provider',
    modelId: 'mock-model-id',
    supportedUrls: {},
    doStreamCalls,
    doGenerate: async () => {
      throw new Error('Not implemented')
    },
    doStream: async options => {
      doStreamCalls.push(options)
      const position = options.prompt.filter((message: any) => message.role === 'assistant').length
      return { stream: ReadableStream.from(partsOf(version, turns[position] ?? { text: '(mock ended)' })) }
    },
  }
}
// biome-ignore-end lint/suspicious/noExplicitAny: the end of the shapes

function partsOf(version: string, { text = '', calls = [] }: MockTurn): object[] {
  const isOld = version === 'v2'
  const reason = calls.length > 0 ? 'tool-calls' : 'stop'
  return [
    { type: 'stream-start', warnings: [] },
    { type: 'text-start', id: 't' },
    ...Array.from(text, delta => ({ type: 'text-delta', id: 't', delta })),
    { type: 'text-end', id: 't' },
    ...calls.map(({ id, name, args }) => ({
      type: 'tool-call',
      toolCallId: id,
      toolName: name,
      input: JSON.stringify(args),
    })),
    {
      type: 'finish',
      finishReason: isOld ? reason : { unified: reason, raw: reason },
      usage: isOld
        ? { inputTokens: 10, outputTokens: 5, totalTokens: 15, cachedInputTokens: 4 }
        : {
            inputTokens: { total: 10, noCache: 6, cacheRead: 4, cacheWrite: 0 },
            outputTokens: { total: 5, text: 5, reasoning: 0 },
          },
    },
  ]
}
