import { expect, test } from 'vitest'
import { mergeModelSettings, modelOptions, readModelOptions, readModelSettings } from './model-settings.ts'

const OPTIONS = {
  temperature: 0.3,
  maxOutputTokens: 500,
  topP: 0.9,
  stopSequences: ['END'],
  toolChoice: { type: 'tool', toolName: 'search' },
  reasoning: 'high',
  providerOptions: { openai: { parallelToolCalls: false } },
  promptCaching: false,
} as const

const SETTINGS = {
  temperature: 0.3,
  max_output_tokens: 500,
  top_p: 0.9,
  stop_sequences: ['END'],
  tool_choice: { type: 'tool', tool_name: 'search' },
  reasoning: 'high',
  provider_options: { openai: { parallelToolCalls: false } },
  prompt_caching: false,
} as const

test('options in code become settings of a document, and options again', () => {
  expect(readModelOptions(OPTIONS)).toEqual(SETTINGS)
  expect(readModelSettings(SETTINGS)).toEqual(SETTINGS)
  expect(modelOptions(SETTINGS)).toEqual(OPTIONS)
})

test('keys that say nothing of the model are left to others', () => {
  expect(readModelOptions({ ...OPTIONS, name: 'x' } as object)).toEqual(SETTINGS)
  expect(readModelSettings({ model: 'openai/x' })).toEqual({})
})

test('the more specific place wins, key by key, and null takes a setting away', () => {
  const agent = { temperature: null, top_p: 0.5 }
  const project = { temperature: 1, top_p: 1, max_output_tokens: 9 }
  expect(mergeModelSettings([agent, null, project])).toEqual({ top_p: 0.5, max_output_tokens: 9 })
})

test.each<[object, string]>([
  [{ temperature: 2.5 }, 'temperature must be a number from 0 to 2, not 2.5'],
  [{ temperature: Number.NaN }, 'temperature must be a number from 0 to 2, not NaN'],
  [{ temperature: '1' }, 'temperature must be a number from 0 to 2, not "1"'],
  [{ maxOutputTokens: 0 }, 'maxOutputTokens must be a whole number from 1, not 0'],
  [{ maxOutputTokens: 1.5 }, 'maxOutputTokens must be a whole number from 1, not 1.5'],
  [{ topP: 1.1 }, 'topP must be a number from 0 to 1, not 1.1'],
  [{ stopSequences: 'END' }, 'stopSequences must be a list of texts, not "END"'],
  [{ stopSequences: [''] }, 'stopSequences must be a list of texts, not [""]'],
  [{ toolChoice: 'search' }, 'toolChoice must be one of auto, none, required, or name a tool'],
  [{ toolChoice: { type: 'tool' } }, 'toolChoice must be one of auto, none, required, or name a tool'],
  [{ reasoning: 'much' }, 'reasoning must be one of provider-default, none, minimal, low, medium, high, xhigh, max'],
  [{ providerOptions: { openai: true } }, 'providerOptions must have one object for each provider'],
  [{ providerOptions: { a: { b: 1n } } }, 'providerOptions is not JSON, so no journal can keep it'],
  [{ providerOptions: () => ({}) }, 'providerOptions is not JSON, so no journal can keep it'],
  [{ promptCaching: 1 }, 'promptCaching must be true or false, not 1'],
])('%o is refused', (options, problem) => {
  expect(() => readModelOptions(options)).toThrow(problem)
})

test('a problem in a document is told in the words of the document', () => {
  expect(() => readModelSettings({ max_output_tokens: 0 })).toThrow('max_output_tokens must be a whole number from 1')
})
