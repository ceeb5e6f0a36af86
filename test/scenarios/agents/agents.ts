import { setTimeout as delay } from 'node:timers/promises'
import type { Finished, Project } from '../project.ts'

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
    const agent = await agentNamed(project, name)
    if (statuses.includes(agent.status)) return agent
    await delay(50)
  }
}

/** Ends all that still runs, so that nothing is left of a test. */
export async function endAgents(project: Project): Promise<void> {
  const { json } = await agents(project, '--json')
  if (!Array.isArray(json)) return
  for (const { id, status } of json)
    if (!['done', 'killed', 'failed'].includes(status)) await agents(project, 'kill', id)
}
