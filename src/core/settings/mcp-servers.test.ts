import { expect, test } from 'vitest'
import { readMcpServers } from './mcp-servers.ts'

// biome-ignore lint/suspicious/noTemplateCurlyInString: as it stands in the file
const TOKEN = '${TOKEN}'
const terms = { trusted: false, timeout_seconds: 120, required: false }

test('servers are read in the shape that people already have', () => {
  expect(
    readMcpServers({
      github: { command: 'npx', args: ['-y', 'x'], env: { TOKEN } },
      wiki: { type: 'streamable-http', url: 'http://127.0.0.1:1/mcp', headers: { Authorization: 'Bearer x' } },
      'brave-search_2': { command: 'brave', trusted: true, required: true, timeoutSeconds: 5 },
    }),
  ).toEqual({
    github: { type: 'stdio', command: 'npx', args: ['-y', 'x'], env: { TOKEN }, ...terms },
    wiki: { type: 'http', url: 'http://127.0.0.1:1/mcp', headers: { Authorization: 'Bearer x' }, ...terms },
    'brave-search_2': {
      type: 'stdio',
      command: 'brave',
      args: [],
      env: {},
      trusted: true,
      required: true,
      timeout_seconds: 5,
    },
  })
})

test('a server that is disabled is left out', () => {
  expect(readMcpServers({ off: { command: 'x', disabled: true } })).toEqual({})
})

test.each([
  [[], 'mcp_servers must be like'],
  [{ a: 'npx' }, 'mcp_servers.a: it must be an object with a command or a url'],
  [{ a: {} }, 'mcp_servers.a: it has neither a command nor a url'],
  [{ a: { command: 'x', url: 'http://y' } }, 'mcp_servers.a: it has both a command and a url'],
  [{ a: { command: 'x', headers: {} } }, 'mcp_servers.a: headers: does not go with a command'],
  [{ a: { url: 'http://y', args: [] } }, 'mcp_servers.a: args: does not go with a url'],
  [{ a: { command: 'x', type: 'http' } }, 'mcp_servers.a: type: does not go with a command'],
  [{ a: { url: 'http://y', type: 'sse' } }, 'mcp_servers.a: type: the older SSE transport'],
  [{ a: { command: 'x', cwd: '/' } }, 'mcp_servers.a: cwd: known keys are command, args'],
  [{ a: { command: 'x', env: { A: 1 } } }, 'mcp_servers.a: env: must be names with texts'],
  [{ a: { command: 'x', args: 'y' } }, 'mcp_servers.a: args: must be a list of texts'],
  [{ a: { command: 'x', timeout_seconds: 0 } }, 'mcp_servers.a: timeout_seconds: must be'],
  [{ a: { command: 'x', trusted: 'yes' } }, 'mcp_servers.a: trusted: must be true or false'],
  [{ a__b: { command: 'x' } }, 'mcp_servers.a__b: its name must be'],
  [{ a_: { command: 'x' } }, 'mcp_servers.a_: its name must be'],
  [{ 'a b': { command: 'x' } }, 'its name must be'],
  [{ ['a'.repeat(33)]: { command: 'x' } }, 'its name must be'],
])('%j is refused, and it is said what is wrong', (written, problem) => {
  expect(() => readMcpServers(written as never)).toThrow(problem)
})

test('no value is told of one that is refused: it may be a secret', () => {
  expect(() => readMcpServers({ a: { command: 'x', env: { KEY: ['hunter2'] } } })).toThrow(/^(?!.*hunter2)/s)
})
