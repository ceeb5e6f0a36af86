import { describe, expect, test } from 'vitest'
import type { Policy, Verdict } from './policy.ts'
import { permittedOptions, providerRuling, ruledName } from './provider-tools.ts'

const policyOf = (tools: Readonly<Record<string, Verdict>>, more: Partial<Policy> = {}): Policy => ({
  ...{ default: 'prompt', tools, rules: [], on_never: 'pause' },
  ...more,
})

describe('a call that a provider ran', () => {
  test.each([
    [{ 'provider:web_search': 'auto' }, 'prompt', 'auto'],
    [{ 'provider:*': 'auto' }, 'prompt', 'auto'],
    [{ 'provider:web_search': 'auto' }, 'never', 'auto'],
    [{ 'provider:web_search': 'auto', '*': 'never' }, 'auto', 'auto'],
    [{ '*': 'auto' }, 'auto', 'prompt'],
    [{ web_search: 'auto' }, 'auto', 'prompt'],
    [{ 'pro*': 'auto' }, 'auto', 'prompt'],
    [{ 'provider:*': 'auto', '*': 'never' }, 'auto', 'never'],
    [{ 'provider:web_search': 'prompt' }, 'auto', 'prompt'],
    [{}, 'never', 'never'],
  ] as const)('under %j and the default %s is ruled %s', (tools, usual, verdict) => {
    expect(providerRuling(policyOf(tools, { default: usual }), 'provider:web_search').verdict).toBe(verdict)
  })

  test('is permitted by no observing policy, and may be forbidden by its arguments', () => {
    expect(providerRuling(policyOf({}, { mode: 'observe' }), 'provider:web_search').verdict).toBe('prompt')
    const rules = [{ tool: 'provider:web_search', match: { query: '*internal*' }, policy: 'never' }] as const
    const policy = policyOf({ 'provider:web_search': 'auto' }, { rules })
    expect(providerRuling(policy, 'provider:web_search', { query: 'our internal host' }).verdict).toBe('never')
    expect(providerRuling(policy, 'provider:web_search', { query: 'tides' }).verdict).toBe('auto')
    expect(providerRuling(policy, 'provider:web_search').verdict).toBe('auto')
  })

  test('of a server is named with it', () => {
    expect(ruledName({ name: 'search', server: 'docs' })).toBe('provider:docs/search')
  })
})

describe('what a model is offered', () => {
  const providerTools = {
    'openai.web_search': { searchContextSize: 'low' },
    'anthropic.web_search_20250305': {},
    'google.code_execution': {},
    'openai.mcp': { serverLabel: 'docs', serverUrl: 'https://docs.example' },
  }
  const providerOptions = {
    anthropic: {
      effort: 'low',
      mcpServers: [
        { type: 'url', name: 'docs' },
        { type: 'url', name: 'mail' },
      ],
    },
  }
  const offered = (tools: Readonly<Record<string, Verdict>>) =>
    permittedOptions(policyOf(tools), { providerTools, providerOptions, temperature: 0 })

  test('are the tools and the servers that the policy names', () => {
    const { options, left_out } = offered({ 'provider:web_search': 'auto', 'provider:docs/*': 'auto' })
    expect(Object.keys(options.providerTools)).toEqual([
      'openai.web_search',
      'anthropic.web_search_20250305',
      'openai.mcp',
    ])
    expect(options.providerOptions).toEqual({
      anthropic: { effort: 'low', mcpServers: [{ type: 'url', name: 'docs' }] },
    })
    expect(options.temperature).toBe(0)
    expect([...left_out.keys()]).toEqual(['provider:code_execution', 'provider:mail/*'])
  })

  test('is nothing if no line names one, and a single tool of a server is no server', () => {
    const { options, left_out } = offered({ 'provider:docs/search': 'auto', '*': 'auto' })
    expect(options).toEqual({ providerTools: {}, providerOptions: { anthropic: { effort: 'low' } }, temperature: 0 })
    expect(left_out.get('provider:docs/*')).toBe('no rule names provider:docs/*')
  })

  test('is nothing with an id that names no provider', () => {
    const { options, left_out } = permittedOptions(policyOf({ 'provider:*': 'auto' }), {
      providerTools: { search: {} },
    })
    expect(options.providerTools).toEqual({})
    expect(left_out.get('provider:search')).toContain('names no provider')
  })

  test('stays as it is if everything is permitted', () => {
    const given = { providerTools, providerOptions }
    expect(permittedOptions(policyOf({ 'provider:*': 'auto' }), given).options).toBe(given)
  })
})
