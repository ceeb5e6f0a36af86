import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogle } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { expect } from 'vitest'
import type { AiSdkModel } from '../../src/index.ts'
import {
  openAnthropicServer,
  openGoogleServer,
  openOpenAiServer,
  openResponsesServer,
} from '../../src/testing/index.ts'
import type { ModelServer, ModelServerOptions } from '../../src/testing/servers/model-server.ts'

/** A provider's wire format, with a local server that refuses a history that is out of order. */
export interface Wire {
  readonly model: string
  readonly open: (options: ModelServerOptions) => Promise<ModelServer>
  readonly env: (url: string) => Readonly<Record<string, string>>
  /** The model of the server, for agents in code. */
  readonly object: (url: string) => AiSdkModel
}

export const WIRES: readonly Wire[] = [
  {
    model: 'openai/gpt-test',
    open: openOpenAiServer,
    env: url => ({ OPENAI_BASE_URL: url, OPENAI_API_KEY: 'test' }),
    object: baseURL => createOpenAI({ baseURL, apiKey: 'test' }).chat('gpt-test'),
  },
  {
    model: 'openai-responses/gpt-5-test',
    open: openResponsesServer,
    env: url => ({ OPENAI_BASE_URL: url, OPENAI_API_KEY: 'test' }),
    object: baseURL => createOpenAI({ baseURL, apiKey: 'test' }).responses('gpt-5-test'),
  },
  {
    model: 'anthropic/claude-test',
    open: openAnthropicServer,
    env: url => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'test' }),
    object: url => createAnthropic({ baseURL: `${url}/v1`, apiKey: 'test' })('claude-test'),
  },
]

/** With Google's, for stories that say nothing of one wire. */
export const ALL_WIRES: readonly Wire[] = [
  ...WIRES,
  {
    model: 'google/gemini-3-flash-preview',
    open: openGoogleServer,
    env: url => ({ GOOGLE_GENERATIVE_AI_BASE_URL: url, GEMINI_API_KEY: 'test' }),
    object: url => createGoogle({ baseURL: `${url}/v1beta`, apiKey: 'test' })('gemini-3-flash-preview'),
  },
]

/** The conversation of a request, in the words of each provider. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into it as deep as they like
export function messagesOf(body: any): unknown {
  return body.contents ?? body.messages ?? body.input
}

/** The server was asked so often, and each time with a history that is in order. */
export function expectInOrder(server: ModelServer, requests: number): void {
  expect(server.requests.flatMap(({ violations }) => violations)).toEqual([])
  expect(server.requests).toHaveLength(requests)
}
