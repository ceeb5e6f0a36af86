import { execFile } from 'node:child_process'
import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { openModel } from './open-model.ts'

const directory = tmpdir()

test('a script is found in the directory, and the id stays as it is written', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'holdpoint-'))
  await writeFile(join(folder.path, 'deploy.json'), '["Deployed."]')
  const model = await openModel('script:deploy.json', { env: {}, directory: folder.path })
  const request = { system: null, messages: [], tools: [], signal: new AbortController().signal, onPart: () => {} }
  expect([model.id, (await model.answer(request)).text]).toEqual(['script:deploy.json', 'Deployed.'])
})

test.each([
  'anthropic/claude-test',
  'openai/gpt-test',
  'openai-responses/m',
  'openai-chat/m',
  'google/gemini-test',
  'openai-compatible/org/model:8b',
])('%s opens under its own id', async id => {
  const env = {
    ANTHROPIC_API_KEY: 'k',
    OPENAI_API_KEY: 'k',
    GOOGLE_API_KEY: 'k',
    OPENAI_COMPATIBLE_BASE_URL: 'http://localhost:11434/v1',
  }
  expect((await openModel(id, { env, directory })).id).toBe(id)
})

test.each(['', 'gpt-5', 'mistral/large', 'openai/', 'openai', '/gpt-5', 'constructor/a', 'script:', 'OpenAI/gpt-5'])(
  '"%s" is refused as an unknown model, with the providers and an example',
  async id => {
    await expect(openModel(id, { env: { OPENAI_API_KEY: 'k' }, directory })).rejects.toMatchObject({
      name: 'RefusedError',
      code: 'unknown_model',
      message: `There is no model "${id}". The providers are anthropic, openai, openai-responses, openai-chat, google, openai-compatible.`,
      hint: expect.stringContaining('anthropic/claude'),
    })
  },
)

test('a missing key is refused when the model is opened', async () => {
  await expect(openModel('openai/gpt-test', { env: {}, directory })).rejects.toMatchObject({
    code: 'missing_api_key',
    message: 'openai/gpt-test needs an API key, and OPENAI_API_KEY is not set.',
  })
})

test('keys come from the environment that is given, not from that of the process', async () => {
  const program = `
    import { openModel } from './src/models/open-model.ts'
    await openModel('openai/m', { env: {}, directory: '.' }).catch(error => console.log(error.code))`
  expect(await run(program, { OPENAI_API_KEY: 'k' })).toBe('missing_api_key\n')
})

test.each(['soon', '0', '-5'])('a time limit of %s is refused', async limit => {
  const env = { OPENAI_API_KEY: 'k', HOLDPOINT_MODEL_TIMEOUT_MS: limit }
  await expect(openModel('openai/m', { env, directory })).rejects.toMatchObject({ code: 'invalid_timeout' })
})

test('opening a model loads no package; its first answer loads one provider', async () => {
  const program = `
    import { registerHooks } from 'node:module'
    const packages = new Set()
    registerHooks({
      resolve(specifier, context, next) {
        const found = next(specifier, context)
        const [, name] = found.url.match(/node_modules\\/((?:@[^/]+\\/)?[^/]+)(?!.*node_modules)/) ?? []
        if (name) packages.add(name)
        return found
      },
    })
    const { openModel } = await import('./src/models/open-model.ts')
    const env = { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' }
    const model = await openModel('openai/m', { env, directory: '.' })
    const opened = [...packages]
    const request = { system: null, messages: [], tools: [], signal: new AbortController().signal, onPart() {} }
    await model.answer(request).catch(() => {})
    console.log(JSON.stringify([opened, [...packages].filter(name => /^@ai-sdk|yaml|zod/.test(name)).sort()]))`
  expect(JSON.parse(await run(program))).toEqual([
    [],
    ['@ai-sdk/openai', '@ai-sdk/provider', '@ai-sdk/provider-utils', 'zod'],
  ])
})

test('a JSON script is read without loading YAML', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'holdpoint-'))
  await writeFile(join(folder.path, 'a.json'), ' ["a"]')
  const program = `
    import { registerHooks } from 'node:module'
    registerHooks({ resolve: (name, context, next) => { if (name === 'yaml') console.log(name); return next(name, context) } })
    const { openModel } = await import('./src/models/open-model.ts')
    await openModel('script:a.json', { env: {}, directory: ${JSON.stringify(folder.path)} })`
  expect(await run(program)).toBe('')
})

async function run(program: string, env: Record<string, string> = {}): Promise<string> {
  const cwd = join(import.meta.dirname, '../..')
  const args = ['--input-type=module', '--eval', program]
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd,
    env: { PATH: process.env['PATH'], ...env },
  })
  return stdout
}
