import { HttpAgent } from '@ag-ui/client'
import { HttpAgent as LegacyAgent } from '@ag-ui/client-0'
import { type ServerProcess, TOKEN } from '../../scenarios/server/server-process.ts'

export interface Told {
  readonly events: Event[]
  readonly types: string[]
}

// biome-ignore lint/suspicious/noExplicitAny: events are checked by the tests that read them
export type Event = any

/** A client of each version as its users make it, and everything that it was told. */
export class OfficialClient {
  // biome-ignore lint/suspicious/noExplicitAny: the two versions have types of their own
  readonly agent: any

  constructor(agent: unknown) {
    this.agent = agent
  }

  /** Adds a message of the user, runs the agent, and gives what the client's own verification let pass. */
  async say(content: unknown, id: string = crypto.randomUUID()): Promise<Told> {
    this.agent.addMessage({ id, role: 'user', content })
    return this.run()
  }

  async run(parameters: object = {}): Promise<Told> {
    const events: Event[] = []
    await this.agent.runAgent(parameters, { onEvent: ({ event }: { event: Event }) => void events.push(event) })
    return { events, types: events.map(({ type }) => type) }
  }

  /** Answers all that the client takes for open. */
  async resume(answers: Readonly<Record<string, unknown>>): Promise<Told> {
    const entries = Object.entries(answers)
    return this.run({ resume: entries.map(([interruptId, answer]) => ({ interruptId, ...(answer as object) })) })
  }

  // biome-ignore lint/suspicious/noExplicitAny: messages are checked by the tests that read them
  get messages(): any[] {
    return this.agent.messages
  }

  // biome-ignore lint/suspicious/noExplicitAny: interrupts are checked by the tests that read them
  get interrupts(): any[] {
    return this.agent.pendingInterrupts
  }
}

export const VERSIONS = ['1.0.0', '0.0.59'] as const
const AGENTS = { '1.0.0': HttpAgent, '0.0.59': LegacyAgent }

interface ClientOptions {
  readonly threadId?: string
  readonly agent?: string
  readonly messages?: readonly object[]
  readonly token?: string
}

export function aClient(
  version: (typeof VERSIONS)[number],
  server: ServerProcess,
  { threadId = crypto.randomUUID(), agent = 'default', messages = [], token = TOKEN }: ClientOptions = {},
): OfficialClient {
  const config = {
    url: `${server.url}/ag-ui/${agent}`,
    headers: { authorization: `Bearer ${token}` },
    threadId,
    initialMessages: [...messages],
  }
  const Agent = AGENTS[version] as new (given: object) => object
  return new OfficialClient(new Agent(config))
}

export function approve(payload: object = {}): object {
  return { status: 'resolved', payload: { approved: true, ...payload } }
}

export function finishOf({ events }: Told): Event {
  return events.find(({ type }) => type === 'RUN_FINISHED')
}

export function errorOf({ events }: Told): Event {
  return events.find(({ type }) => type === 'RUN_ERROR')
}
