import { setTimeout as delay } from 'node:timers/promises'
import { command, type Finished, type Project } from '../project.ts'

const KEEPS = command('c1', 'mkdir kept 2>&- || exit 0; for i in $(seq 900); do [ -e go ] && exit 0; sleep 0.1; done')

/** The first agent to begin keeps its place until `go` is there; any other one is idle or done soon. */
export const KEEPS_PLACE = { script: [{ calls: [KEEPS] }, 'Ready.'], policy: { default: 'auto' } } as const

// biome-ignore lint/suspicious/noExplicitAny: documents are checked by the tests that read them
export type Document = any

/** `holdpoint agents …`. */
export function agents(project: Project, ...args: string[]): Promise<Finished> {
  return project.holdpoint('agents', ...args)
}

export async function agentNamed(project: Project, name: string): Promise<Document> {
  return (await agents(project, 'show', name, '--json')).json
}

/** Looks until the agent has one of these statuses. */
export async function until(project: Project, name: string, ...statuses: string[]): Promise<Document> {
  for (;;) {
    const began = performance.now()
    const agent = await agentNamed(project, name)
    if (statuses.includes(agent.status)) return agent
    // Whoever looks all the time slows down what they look at.
    await delay(2 * (performance.now() - began))
  }
}

/** Ends all that still runs, so that nothing is left of a test. */
export async function endAgents(project: Project): Promise<void> {
  const { json } = await agents(project, '--json')
  if (!Array.isArray(json)) return
  for (const { id, status } of json)
    if (!['done', 'killed', 'failed'].includes(status)) await agents(project, 'kill', id)
}
