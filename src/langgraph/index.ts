/**
 * LangGraph on a store of Holdpoint: `holdpoint/langgraph`.
 *
 * @experimental
 */
export { type GraphAgent, type GraphAgentOptions, graphAgent } from './graph-agent.ts'
export type { ToInput } from './graph-model.ts'
export { HoldpointSaver } from './holdpoint-saver.ts'
export type { CompileGraph, RunnableGraph } from './run-graph.ts'
