import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { HttpAgent } from '@ag-ui/client-0'
import { CopilotRuntime, InMemoryAgentRunner } from '@copilotkit/runtime/v2'
import { createCopilotNodeListener } from '@copilotkit/runtime/v2/node'
import { type ServerProcess, TOKEN } from '../../scenarios/server/server-process.ts'

export interface RuntimeServer extends AsyncDisposable {
  readonly runtimeUrl: string
  readonly headers: Record<string, string>
}

/** The runtime of CopilotKit in a server of its own, as its users put it before an agent. */
export async function aRuntime(server: ServerProcess): Promise<RuntimeServer> {
  const agent = new HttpAgent({ url: `${server.url}/ag-ui/default`, headers: { authorization: `Bearer ${TOKEN}` } })
  const runtime = new CopilotRuntime({ agents: { default: agent as never }, runner: new InMemoryAgentRunner() })
  const listener = createServer(createCopilotNodeListener({ runtime, basePath: '/api/copilotkit', cors: true }))
  await new Promise<void>(resolve => listener.listen(0, '127.0.0.1', resolve))
  const { port } = listener.address() as AddressInfo
  return {
    runtimeUrl: `http://127.0.0.1:${port}/api/copilotkit`,
    headers: {},
    [Symbol.asyncDispose]: async () => {
      listener.closeAllConnections()
      listener.close()
    },
  }
}
