/** A store in memory with one agent that waits, and a protocol over it on loopback. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { NEVER } from '../../../src/async/on-abort.ts'
import {
  defineAgent,
  defineTool,
  type Hold,
  type Holdpoint,
  type Json,
  type Model,
  openHoldpoint,
  type Policy,
} from '../../../src/index.ts'
import type { Script } from '../../../src/models/script.ts'
import { scriptedModel } from '../../../src/models/scripted-model.ts'
import { answerRequests } from '../../../src/protocols/http/answer-requests.ts'
import type { Protocol } from '../../../src/protocols/http/route.ts'

export interface HeldStore extends AsyncDisposable {
  readonly holdpoint: Holdpoint
  /** Has the agent call this tool, and resolves to the hold. `ask` asks a question with these arguments. */
  hold(tool: 'refund' | 'ask', args?: Record<string, Json>): Promise<Hold>
  /** As it is now. */
  now(hold: Hold): Promise<Hold>
  /** Who was refused, and why, oldest first. */
  refusals(): Promise<readonly (readonly [code: unknown, actor: string | null])[]>
}

interface Given {
  readonly deciders?: readonly string[]
  /** Of the agent. */
  readonly policy?: Partial<Policy>
}

export async function aHeldStore({ policy, ...options }: Given = {}): Promise<HeldStore> {
  let script: Script = []
  const model: Model = { id: 'script:held', answer: request => scriptedModel(script).answer(request) }
  const refund = defineTool({
    name: 'refund',
    inputSchema: { type: 'object' },
    needsApproval: true,
    execute: async () => 'done',
  })
  const ask = defineTool({
    name: 'ask',
    inputSchema: { type: 'object' },
    needsApproval: false,
    execute: async (args: { message: string; choices?: string[] }, context) =>
      context.suspend({ kind: 'question', ...args }),
  })
  const agents = [defineAgent({ name: 'support', model, tools: [refund, ask], ...(policy && { policy }) })]
  const holdpoint = await openHoldpoint({ store: 'memory:', agents, ...options })
  const now = async ({ id }: Pick<Hold, 'id'>) => (await holdpoint.hold(id)) as Hold
  return {
    holdpoint,
    now,
    hold: async (name, args = { cents: 1_200 }) => {
      script = [{ calls: [{ id: 'tc_1', name, args }] }, 'Done.']
      const run = await holdpoint.start({ agent: 'support', input: 'go' })
      await holdpoint.advance(run.id)
      const [hold] = await holdpoint.holds({ run_id: run.id })
      return now(hold ?? { id: 'nothing is held' })
    },
    refusals: async () => {
      const found: (readonly [unknown, string | null])[] = []
      for await (const { record } of holdpoint.audit.list({ kind: 'decision.refused' }))
        if (record) found.push([record.data['code'], record.actor])
      return found
    },
    [Symbol.asyncDispose]: () => holdpoint[Symbol.asyncDispose](),
  }
}

export interface Served extends AsyncDisposable {
  readonly url: string
}

/** Its routes on a free port of loopback. */
export async function served({ routes }: Protocol): Promise<Served> {
  const failures: Error[] = []
  const answer = answerRequests(routes, {
    gate: { hosts: [], anyAddress: false, identify: async () => null },
    stopping: NEVER,
    onError: error => failures.push(error),
  })
  const { getRequestListener } = await import('@hono/node-server')
  const server = createServer(getRequestListener(request => answer(request), { overrideGlobalObjects: false }))
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise(closed => server.close(closed))
    },
  }
}
