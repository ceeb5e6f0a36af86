/** How an agent signs: with `agent:NAME`, or `agent:NAME/RUN_ID`. */
const AGENT = 'agent:'

export function agentActor(agent: string, runId: string): string {
  return `${AGENT}${agent}/${runId}`
}

/** The signature of a process that an agent may have started, or may not (P1). */
export const UNSEEN_AGENT: string = `${AGENT}unseen`

/** Makes a signature count as an agent's. */
export function asAgentActor(text: string): string {
  return isAgentActor(text) ? text : `${AGENT}${text}`
}

/** The name without its run: an agent, or a person unchanged. */
export function withoutRun(actor: string): string {
  const slash = isAgentActor(actor) ? actor.lastIndexOf('/') : -1
  return slash < 0 ? actor : actor.slice(0, slash)
}

/** Ids of runs; the name of an agent may have a slash too. */
const RUN = /\/(run_[^/]+)$/

/** The run that signed; `null` for a person, and for an agent that does not say in which run. */
export function runOf(actor: string): string | null {
  return isAgentActor(actor) ? (RUN.exec(actor)?.[1] ?? null) : null
}

/** Matches invisible characters too, which a reader would not see. */
const SIGNED = /^[\s\p{Cf}]*agent:/iu

/** Whether an agent signed this. */
export function isAgentActor(actor: string): boolean {
  return SIGNED.test(actor)
}

/** Whether this is the signature of that agent, or of that run of it. */
export function isSignedBy(
  actor: string,
  { agent, run_id }: { readonly agent: string; readonly run_id: string },
): boolean {
  const own = `${AGENT}${agent}`
  return actor === own || actor.startsWith(`${own}/`) || (isAgentActor(actor) && actor.endsWith(`/${run_id}`))
}

/** How a client of MCP signs, by the name that it gives itself. */
const MCP = 'mcp:'

export function mcpActor(clientName: string): string {
  return `${MCP}${clientName}`
}

/** True if an agent or a program gave this agent its task: then it works for another one. */
export function isToldByAgent(requesters: Iterable<string>): boolean {
  return [...requesters].some(name => isAgentActor(name) || name.startsWith(MCP))
}
