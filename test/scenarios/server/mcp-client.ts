import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { ERAS, type Era, LATEST } from '../mcp/clients.ts'
import { type ServerProcess, TOKEN } from './server-process.ts'

/** The official client, at `/mcp` of a server. */
export async function mcpClient(
  server: Pick<ServerProcess, 'url'>,
  era: Era,
  { token = TOKEN, ...options }: ClientOptions & { readonly token?: string } = {},
): Promise<Client> {
  const client = new Client({ name: 'a-client', version: '1' }, { ...ERAS[era], ...options })
  const requestInit = { headers: { authorization: `Bearer ${token}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit }))
  return client
}

/** A request of the latest revision as it is on the wire, with these capabilities of the client. */
export function modernRequest(
  method: string,
  params: Readonly<Record<string, unknown>>,
  capabilities: object = {},
): { readonly body: object; readonly headers: Readonly<Record<string, string>> } {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': LATEST,
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  }
  return {
    body: { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } },
    headers: {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': LATEST,
      'mcp-method': method,
      'mcp-name': String(params['name'] ?? params['taskId'] ?? ''),
    },
  }
}
