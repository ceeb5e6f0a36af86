import { expect, test } from 'vitest'
import { parseFlags } from '../command/flags.ts'
import { MCP_FLAGS } from '../entry/server-commands.ts'
import { readMcpSettings } from './mcp-settings.ts'

const settings = (...args: string[]) => readMcpSettings(parseFlags(MCP_FLAGS, args))

test('without flags there is one client on stdin and stdout, and no bounds', () => {
  const bounds = { agent: null, model: null, tools: null, policy: null, maxSteps: null, workdir: null }
  expect(settings()).toEqual({ http: null, bounds })
})

test('HTTP is for this machine alone, unless it is said otherwise', () => {
  expect(settings('--http').http).toEqual({ host: '127.0.0.1', port: 4653 })
  expect(settings('--http', '--host', '0.0.0.0', '--port', '0').http).toEqual({ host: '0.0.0.0', port: 0 })
})

test('bounds are taken as they are said', () => {
  const said = [
    '--agent',
    'a.ts',
    '--model',
    'm/x',
    '-t',
    'one',
    '-t',
    'two',
    '--policy',
    'p.json',
    '--max-steps',
    '7',
    '-w',
    'sub',
  ]
  expect(settings(...said).bounds).toEqual({
    agent: 'a.ts',
    model: 'm/x',
    tools: ['one', 'two'],
    policy: 'p.json',
    maxSteps: 7,
    workdir: 'sub',
  })
})

test.each([
  ['words', ['serve']],
  ['a port without HTTP', ['--port', '1']],
  ['a host without HTTP', ['--host', '::1']],
  ['a port that is none', ['--http', '--port', '65536']],
  ['no steps', ['--max-steps', '0']],
])('%s: refused', (_what, args) => {
  expect(() => settings(...args)).toThrow(expect.objectContaining({ code: 'invalid_arguments' }))
})
