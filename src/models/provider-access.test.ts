import { expect, test } from 'vitest'
import { accessTo } from './provider-access.ts'
import { PROVIDERS } from './providers.ts'

const to = (name: string, env: Record<string, string | undefined>) => {
  const provider = PROVIDERS[name]
  if (!provider) throw new Error(name)
  return accessTo(`${name}/m`, provider, env)
}

test.each([
  ['anthropic', 'ANTHROPIC_API_KEY', 'https://api.anthropic.com/v1'],
  ['openai', 'OPENAI_API_KEY', 'https://api.openai.com/v1'],
  ['google', 'GOOGLE_GENERATIVE_AI_API_KEY', 'https://generativelanguage.googleapis.com/v1beta'],
  ['google', 'GEMINI_API_KEY', 'https://generativelanguage.googleapis.com/v1beta'],
  ['google', 'GOOGLE_API_KEY', 'https://generativelanguage.googleapis.com/v1beta'],
])('%s finds its key in %s', (name, variable, baseURL) => {
  expect(to(name, { [variable]: ' secret\n' })).toMatchObject({ apiKey: 'secret', keyVariable: variable, baseURL })
})

test.each([
  ['anthropic', 'ANTHROPIC_API_KEY'],
  ['openai', 'OPENAI_API_KEY'],
  ['google', 'GEMINI_API_KEY'],
])('%s without a key is refused by the name of the variable', (name, variable) => {
  for (const env of [{}, { [variable]: ' ' }]) {
    expect(() => to(name, env)).toThrow(
      expect.objectContaining({ code: 'missing_api_key', message: expect.stringContaining(`${variable} is not set`) }),
    )
  }
})

test('a key that no header can carry is refused without showing it', () => {
  const refused = expect.objectContaining({ code: 'invalid_api_key', message: expect.not.stringContaining('sk-one') })
  expect(() => to('openai', { OPENAI_API_KEY: 'sk-one\nsk-two' })).toThrow(refused)
})

test('an address is taken as it is, but for slashes at its end', () => {
  const env = { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'http://localhost:1234/v1//' }
  expect(to('openai', env)).toMatchObject({ baseURL: 'http://localhost:1234/v1', urlVariable: 'OPENAI_BASE_URL' })
})

test('a compatible server needs an address and no key', () => {
  expect(() => to('openai-compatible', {})).toThrow(expect.objectContaining({ code: 'missing_base_url' }))
  const env = { OPENAI_COMPATIBLE_BASE_URL: 'http://localhost:11434/v1' }
  expect(to('openai-compatible', env)).toMatchObject({ apiKey: undefined, baseURL: 'http://localhost:11434/v1' })
})

test.each(['localhost:1234', '/v1', 'ftp://host/v1', 'http://me:secret@host/v1'])('%s is no address', written => {
  expect(() => to('openai', { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: written })).toThrow(
    expect.objectContaining({ code: 'invalid_base_url', message: 'OPENAI_BASE_URL is not the address of a server.' }),
  )
})
