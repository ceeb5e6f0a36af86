import { join } from 'node:path'
import { defineAgent, defineTool, openHoldpoint } from '../../src/index.ts'
import { scriptedModel } from '../../src/models/scripted-model.ts'

const PER_RUN = 50
const AGENTS = ['shop', 'support', 'releases'] as const
const TOOLS = ['deploy', 'refund', 'send_mail', 'open_ticket'] as const

const tools = TOOLS.map(name =>
  defineTool({
    name,
    inputSchema: { type: 'object', properties: { order: { type: 'string' }, note: { type: 'string' } } },
    needsApproval: true,
    execute: async () => 'done',
  }),
)

function storeOf(directory: string): string {
  return `sqlite:${join(directory, '.holdpoint', 'holdpoint.db')}`
}

/** Fills the store of a project with open approvals, of several agents and tools. Nobody works on them. */
export async function fillWithHolds(directory: string, count: number): Promise<void> {
  const agents = AGENTS.map((name, at) => defineAgent({ name, model: scriptedModel(callsFrom(at)), tools }))
  await using holdpoint = await openHoldpoint({ store: storeOf(directory), agents, directory })
  for (let run = 0; run * PER_RUN < count; run += 1) {
    const agent = AGENTS[run % AGENTS.length] ?? 'shop'
    const { id } = await holdpoint.start({ agent, input: `Do the work of week ${run + 1}` })
    await holdpoint.advance(id)
  }
}

function callsFrom(offset: number) {
  const calls = Array.from({ length: PER_RUN }, (_, index) => ({
    id: `tc_${index}`,
    name: TOOLS[(index + offset) % TOOLS.length] ?? 'deploy',
    args: { order: `order-${offset}-${index}`, note: `The customer of order ${index} asked for it twice.` },
  }))
  return [{ calls }, 'Done.']
}

/** A conversation in which the agent spoke so many times. Its id. */
export async function longThread(directory: string, turns: number): Promise<string> {
  const tool = defineTool({
    name: 'look',
    inputSchema: { type: 'object' },
    needsApproval: false,
    execute: async () => 'seen',
  })
  const script = Array.from({ length: turns }, (_, n) => ({
    text: `This is what I think after ${n} looks.`,
    calls: [{ id: `tc_${n}`, name: 'look', args: { at: n } }],
  }))
  const model = scriptedModel([...script, 'That was all.'])
  const stop = [{ type: 'max_rounds', rounds: turns + 1 }] as const
  const reader = defineAgent({ name: 'reader', model, tools: [tool], stop })
  await using holdpoint = await openHoldpoint({ store: storeOf(directory), agents: [reader], directory })
  const { id, thread_id } = await holdpoint.start({ agent: 'reader', input: 'Look at everything' })
  await holdpoint.advance(id)
  return thread_id
}
