import { expect, test } from 'vitest'
import { type McpServer, readMcpServers } from '../../core/settings/mcp-servers.ts'
import { expandServer, withoutSecrets } from './expand-server.ts'

const environment = { TOKEN: 'hunter2-and-more', HOST: 'example.org', EMPTY: '' }

function server(written: object): McpServer {
  return readMcpServers({ it: written } as never)['it'] as McpServer
}

/** As it stands in the file. */
function variable(text: string): string {
  return ['$', `{${text}}`].join('')
}

test('variables are expanded in command, args, env, url and headers, with defaults where they are unset or empty', () => {
  const child = server({
    command: `${variable('HOME:-/opt')}/run`,
    args: [`--host=${variable('HOST')}`, variable('EMPTY:-none'), variable('EMPTY'), '$HOST', variable('a.b')],
    env: { TOKEN: variable('TOKEN') },
  })
  expect(expandServer('it', child, environment).server).toMatchObject({
    command: '/opt/run',
    args: ['--host=example.org', 'none', '', '$HOST', variable('a.b')],
    env: { TOKEN: 'hunter2-and-more' },
  })
  const web = server({
    url: `https://${variable('HOST')}/mcp`,
    headers: { Authorization: `Bearer ${variable('TOKEN')}` },
  })
  expect(expandServer('it', web, environment).server).toMatchObject({
    url: 'https://example.org/mcp',
    headers: { Authorization: 'Bearer hunter2-and-more' },
  })
})

test('a variable that is not set is named with its server', () => {
  const child = server({ command: 'x', env: { KEY: variable('NOWHERE') } })
  expect(() => expandServer('it', child, environment)).toThrow(/server it needs the variable NOWHERE/)
})

test('what a server is given in confidence is blacked out, whole or in part', () => {
  const { secrets } = expandServer(
    'it',
    server({ url: 'https://ann:s3cret-word@example.org/', headers: { A: 'Bearer literal-key' } }),
    {},
  )
  const text = 'Bearer literal-key, literal-key, s3cret-word, and no more'
  expect(withoutSecrets(text, secrets)).toBe('[redacted], [redacted], [redacted], and no more')
})

test('short values of the environment that look like no secret leave a message readable', () => {
  const env = {
    MODE: 'production',
    PORT: '8080',
    LEVEL: 'info',
    API_KEY: 'k3y!',
    ID: 'a7f93kd02',
    LONG: 'twelve-chars',
  }
  const { secrets } = expandServer('it', server({ command: 'x', env }), {})
  expect(secrets.toSorted()).toEqual(['a7f93kd02', 'k3y!', 'twelve-chars'])
})
