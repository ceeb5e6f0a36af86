/** The agent of `worker.ts`, as a file that a worker process loads: its tool notes when it began. */
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { type AgentDefinition, defineAgent, defineTool } from 'holdpoint'
import { busyModel } from './scripted.ts'

const work = defineTool({
  name: 'work',
  inputSchema: { type: 'object' },
  needsApproval: true,
  execute: (_args, { workdir }) => {
    appendFileSync(join(workdir, 'begun.log'), `${performance.timeOrigin + performance.now()}\n`)
  },
})

export const agent: AgentDefinition = defineAgent({
  name: 'timed',
  model: busyModel(1),
  tools: [work],
  policy: { default: 'prompt' },
})
