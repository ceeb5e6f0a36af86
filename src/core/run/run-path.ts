/** One run on the way from the first run to its child. */
export interface RunPathStep {
  readonly run_id: string
  readonly agent: string
}

/** From the run that no agent started, down to the run itself. Parents that are not in the store any more are left out. */
export type RunPath = readonly RunPathStep[]

/** The agent that asks; `parent > child` if the run of another agent started its run. */
export function agentPath({ agent, path }: { readonly agent: string; readonly path: RunPath }): string {
  return path.length > 1 ? path.map(step => step.agent).join(' > ') : agent
}
